"""Tasks about meter readings, behind a sign-in."""

from __future__ import annotations

from typing import NamedTuple

from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.coming_days import iso_day
from stb_env.suites.sandbox.content.currencies import FOREIGN
from stb_env.suites.sandbox.lookups import accepted, exchanged, find
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, Steps, template
from stb_env.suites.sandbox.tools import meter_portal, rate_board

_MONTHS = (("December 2025", "2025-12-01", "2026-01-01"), ("January 2026", "2026-01-01", "2026-02-01"))


class _Meter(NamedTuple):
    """A meter: its user's login, its kind and its last reading."""

    user_name: str
    password: str
    kind: str
    last: int


def _drawn(draw: Draw) -> _Meter:
    home = draw.home()
    user = list(home.table("utility_users").values())[-1]
    meters = home.table("meters").values()
    meter = draw.pick([row for row in meters if row["user_id"] == user["user_id"]])
    readings = home.table("readings").values()
    last = max(row["value"] for row in readings if row["meter_id"] == meter["meter_id"])
    return _Meter(user["user_name"], user["password"], meter["kind"], last)


def _signed_in(meter: _Meter) -> Steps[dict[str, str]]:
    """Return session key and meter id, as arguments."""
    key = (yield meter_portal.sign_in(user_name=meter.user_name, password=meter.password))["session_key"]
    row = yield from find(meter_portal.list_meters(session_key=key), kind=meter.kind)
    return {"session_key": key, "meter_id": row["meter_id"]}


@template(meter_portal.TOOL, rate_board.TOOL, calls=5, unseen=True)
def month_cost(draw: Draw) -> Plan:
    """Cost of a month's consumption in another currency."""
    meter, (month, first, last) = _drawn(draw), draw.pick(_MONTHS)
    code, user = draw.pick(FOREIGN), f"{meter.user_name}, password {meter.password}"

    def solve() -> Solution:
        where = yield from _signed_in(meter)
        rows = (yield meter_portal.reading_history(**where))["results"]
        values = {row["date"]: row["value"] for row in rows}
        used = values[last] - values[first]
        price = (yield meter_portal.unit_price(kind=meter.kind))["price"]
        cost = yield from exchanged(round(used * price, 2), code)
        return Answer.of(
            f"You used {used} units, which cost {cost:.2f} {code}.",
            facts.integer("consumption", used, "in kWh or cubic metres"),
            facts.number("cost", cost, f"in {code}, to cents"),
        )

    return Plan.of(
        f"How many units of {meter.kind} did I use in {month} (from the reading of {first} to that of "
        f"{last}), and what do they cost in {code} at the unit price? Meter Portal: {user}.",
        f"Sign in at Meter Portal ({user}). For {month} I need my {meter.kind} consumption, which is the "
        f"difference of the readings of {first} and {last}, and its cost converted to {code}.",
        f"My Meter Portal user name is {user}. Work out the units of {meter.kind} between {first} and {last} "
        f"and what that comes to in {code}.",
        solve=solve,
    )


@template(meter_portal.TOOL, calls=5, writes=("readings",))
def submit_reading(draw: Draw) -> Plan:
    """Submit a reading and tell the cost since the one before."""
    meter = _drawn(draw)
    value = meter.last + draw.between(*meter_portal.USE[meter.kind])

    def solve() -> Solution:
        where = yield from _signed_in(meter)
        rows = (yield meter_portal.reading_history(**where))["results"]
        if rows[0]["date"] == iso_day(0):
            rows = rows[1:]
        else:
            yield meter_portal.submit_reading(**where, value=value)
        price = (yield meter_portal.unit_price(kind=meter.kind))["price"]
        cost = round((value - rows[0]["value"]) * price, 2)
        return Answer.of(
            f"It is in; since the last reading you used {cost:.2f} AUR.",
            facts.number("cost", cost, "in AUR, to cents"),
        )

    return Plan.of(
        f"My {meter.kind} meter shows {value} today. Submit that at Meter Portal (user {meter.user_name}, "
        f"password {meter.password}). What does the use since the reading before cost, in aurel?",
        f"Sign in at Meter Portal as {meter.user_name} with {meter.password}, send in {value} for "
        f"{meter.kind}, and tell me what the use since the previous reading costs, in AUR.",
        f"Please enter {value} as today's {meter.kind} reading at Meter Portal ({meter.user_name} / "
        f"{meter.password}) and work out the cost in aurel of the units since the last one.",
        solve=solve,
    )


@template(meter_portal.TOOL, calls=4, writes=("readings",))
def refused_reading(draw: Draw) -> Plan:
    """Submit a reading, which is refused where it cannot be right."""
    meter = _drawn(draw)
    use = draw.pick(("likely", "likely", "below the last", "too much"))
    likely = meter_portal.USE[meter.kind]
    value = meter.last + draw.between(
        *{"below the last": (-400, -3), "too much": (1_150, 2_500)}.get(use, likely)
    )

    def solve() -> Solution:
        where = yield from _signed_in(meter)
        taken = yield from accepted(meter_portal.submit_reading(**where, value=value))
        last = (yield meter_portal.reading_history(**where))["results"][0]
        taken = taken or (last["date"], last["value"]) == (iso_day(0), value)
        return Answer.of(
            f"{'Yes' if taken else 'No'}: on {last['date']} it was {last['value']}.",
            facts.yes_no("was_accepted", taken, "whether the reading was accepted"),
            facts.integer("newest_reading", last["value"], "on file in the end"),
            facts.date("reading_date", last["date"], "of the newest reading"),
        )

    return Plan.of(
        f"Submit {value} for {meter.kind} at Meter Portal (user {meter.user_name}, password "
        f"{meter.password}), as it is. Was it taken? What is the latest reading on file after that, and of "
        "which day?",
        f"Try to enter {value} as my {meter.kind} reading, signed in as {meter.user_name} with "
        f"{meter.password} at Meter Portal. Was it accepted? Try no other value. Which reading, of which "
        "date, is the newest there in the end?",
        f"Is {value} accepted as the {meter.kind} reading of today? Meter Portal, {meter.user_name} / "
        f"{meter.password}. Make that one attempt, tell me whether it was, and report the newest reading "
        "then on file with its date.",
        solve=solve,
    )
