"""Tasks about the gym; its category is held out."""

from __future__ import annotations

from datetime import date

from stb_env.backend.world import Row
from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.coming_days import days_left, iso_day
from stb_env.suites.sandbox.content.edition import Options
from stb_env.suites.sandbox.content.gym_classes import gym_classes, taken_places, weekday_of
from stb_env.suites.sandbox.lookups import accepted, days, long_date, once
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, Steps, Undecided, template
from stb_env.suites.sandbox.tools import gym_desk, health_log

_CLASSES = Options(lambda: gym_classes().values())
# Beyond all bookings that a household starts with.
_DAYS = days(30, 240)
_STATUSES = ("booked", "waiting list")


def _session(draw: Draw) -> tuple[JsonObject, date]:
    """Draw a class and a day: one on which it is full as often as one on which it is not."""
    gym_class, full = draw.pick(_CLASSES), draw.pick((True, False))
    on = [when for when in _DAYS if weekday_of(when) == gym_class["weekday"]]
    fitting = [when for when in on if (taken_places(gym_class, when) >= gym_class["capacity"]) is full]
    if not fitting:
        raise Undecided
    return gym_class, draw.pick(fitting)


def _class_id(kind: str, weekday: str) -> Steps[str]:
    rows = (yield gym_desk.find_classes(weekday=weekday, kind=kind))["classes"]
    return str(rows[0]["class_id"])


def _placed(class_id: str, when: date) -> Steps[Row]:
    """Book a place unless there is one; return it."""
    act = gym_desk.book_place(class_id=class_id, date=when.isoformat())
    return (yield from once(gym_desk.list_places(), act))


@template(gym_desk.TOOL, calls=3)
def class_places(draw: Draw) -> Plan:
    """Coach of a class, and its free places."""
    gym_class = draw.pick(_CLASSES)
    when = draw.pick([when for when in _DAYS if weekday_of(when) == gym_class["weekday"]])
    kind, weekday = gym_class["kind"], gym_class["weekday"]

    def solve() -> Solution:
        key = yield from _class_id(kind, weekday)
        coach = (yield gym_desk.class_details(class_id=key))["coach"]
        free = (yield gym_desk.free_places(class_id=key, date=when.isoformat()))["free"]
        return Answer.of(
            f"{coach} gives it; {free} places are free.",
            facts.name("coach", coach),
            facts.integer("free_places", free),
        )

    return Plan.of(
        f"Who coaches the {kind} class on {long_date(when)} ({weekday}), and how many places are free?",
        f"I think of going to {kind} on {weekday}, {when}. Tell me the coach and the number of free places.",
        f"{kind} at my gym on {when}, a {weekday}: how many places are left, and what is the coach's name?",
        solve=solve,
    )


@template(gym_desk.TOOL, calls=3, writes=("gym_places",))
def book_class(draw: Draw) -> Plan:
    """Book a class, or get on its waiting list."""
    draw.home()
    gym_class, when = _session(draw)
    kind, weekday = gym_class["kind"], gym_class["weekday"]

    def solve() -> Solution:
        row = yield from _placed((yield from _class_id(kind, weekday)), when)
        return Answer.of(f"The status is: {row['status']}.", facts.choice("status", row["status"], _STATUSES))

    return Plan.of(
        f"Book me into {kind} on {long_date(when)}, a {weekday}. What status do I have then?",
        f"I would like a place in the {weekday} class {kind} on {when}, or whatever the gym gives me for it. "
        "Which status did I get?",
        f"Get me into {kind} ({weekday}, {when}), and tell me the status of my place in the gym's words.",
        solve=solve,
    )


@template(gym_desk.TOOL, calls=4, writes=("gym_places",))
def book_class_or_other(draw: Draw) -> Plan:
    """Book a class, or another one of the day where it is full."""
    draw.home()
    gym_class, when = _session(draw)
    weekday, first = gym_class["weekday"], gym_class["kind"]
    second = draw.pick([row for row in _CLASSES if row["weekday"] == weekday and row is not gym_class])[
        "kind"
    ]

    def solve() -> Solution:
        rows = (yield gym_desk.find_classes(weekday=weekday))["classes"]
        by_kind = {row["kind"]: row for row in rows}
        key = by_kind[first]["class_id"]
        free = (yield gym_desk.free_places(class_id=key, date=when.isoformat()))["free"]
        chosen = by_kind[first if free else second]
        yield from _placed(chosen["class_id"], when)
        return Answer.of(f"You go at {chosen['start_time']}.", facts.time("start_time", chosen["start_time"]))

    return Plan.of(
        f"Book {first} on {weekday}, {when}, if a place is free there; otherwise book {second} on the same "
        "day, even if only on the waiting list. When does my class start?",
        f"On {long_date(when)} ({weekday}) I want to do {first}; where that is full, {second}, be it with a "
        "place or on the waiting list. Arrange one of them and tell me the starting time.",
        f"Check {first} on {when}, a {weekday}. With a free place book it, else put me down for {second} "
        "that day. At what time do I have to be there?",
        solve=solve,
    )


@template(gym_desk.TOOL, calls=4, writes=("gym_places",))
def cancel_class_too_late(draw: Draw) -> Plan:
    """Give a place back, unless it is too late for that."""
    rows, in_time = draw.home().table("gym_places").values(), draw.pick((True, False))
    place = draw.pick([row for row in rows if (days_left(row["date"]) >= 2) is in_time])
    kind, when, price = place["kind"], date.fromisoformat(place["date"]), draw.between(3, 30)
    weekday = weekday_of(when)

    def solve() -> Solution:
        rows = (yield gym_desk.list_places())["places"]
        key = next((row["place_id"] for row in rows if (row["kind"], row["date"]) == (kind, f"{when}")), "")
        cancelled = not key or (yield from accepted(gym_desk.cancel_place(place_id=key)))
        details = yield gym_desk.class_details(class_id=(yield from _class_id(kind, weekday)))
        cost = details["minutes"] * price
        return Answer.of(
            f"{'Yes' if cancelled else 'No'}; {details['coach']} would get {cost} cents.",
            facts.yes_no("was_cancelled", cancelled),
            facts.name("coach", details["coach"]),
            facts.integer("pay_cents", cost, "for the whole class"),
        )

    return Plan.of(
        f"Cancel my {kind} class of {long_date(when)} if the gym allows it. Does it? Who is the coach, and "
        f"how many cents does the coach earn with the class at {price} cents a minute?",
        f"Try to give up my place in {kind} on {when}. Did that work? Tell me the name of the coach too, and "
        f"how many cents the whole class is worth at {price} cents per minute.",
        f"Is it possible to get out of {kind} on {weekday}, {when}? Do it if so. And name the coach; if the "
        f"coach gets {price} cents a minute, how many cents is that for the class?",
        solve=solve,
    )


@template(gym_desk.TOOL, health_log.TOOL, calls=5, writes=("gym_places", "weights"))
def class_and_weight(draw: Draw) -> Plan:
    """Book a class, log today's weight and tell how it changed."""
    home = draw.home()
    gym_class, when = _session(draw)
    kind, weekday = gym_class["kind"], gym_class["weekday"]
    last = max(home.table("weights").values(), key=lambda row: str(row["date"]))["kg"]
    kilograms = round(last + draw.pick((-1, 1)) * draw.between(1, 19) / 10, 1)

    def solve() -> Solution:
        yield from _placed((yield from _class_id(kind, weekday)), when)
        rows = (yield health_log.weight_history())["weights"]
        if rows[-1]["date"] == iso_day(0):
            rows = rows[:-1]
        else:
            yield health_log.log_weight(date=iso_day(0), kg=kilograms)
        change = round(abs(kilograms - rows[-1]["kg"]), 1)
        return Answer.of(
            f"Both are done; the difference is {change} kg.",
            facts.number("weight_difference", change, "in kg, at least 0"),
        )

    return Plan.of(
        f"Put me down for {kind} on {weekday}, {when}, and log my weight of today ({iso_day(0)}): "
        f"{kilograms} kg. By how many kg does it differ from the last weight in the log before?",
        f"Two things: a place in {kind} on {when} (a {weekday}), and {kilograms} kg as the weight for "
        f"{iso_day(0)}. What is the difference to the previous entry, in kg, without a sign?",
        f"Log {kilograms} kg for {iso_day(0)} and book {kind} on {long_date(when)}, {weekday}. How far is "
        "the weight from the one logged before it, in kilograms?",
        solve=solve,
    )
