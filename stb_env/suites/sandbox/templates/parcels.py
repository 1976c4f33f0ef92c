"""Tasks about parcels, behind a log-in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from stb_env.backend.world import Row
from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content.edition import Options
from stb_env.suites.sandbox.content.pickup_points import pickup_points
from stb_env.suites.sandbox.lookups import accepted, days, find, long_date
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, Steps, ranked, template
from stb_env.suites.sandbox.tools import parcel_desk

_POINTS = Options(lambda: [row["name"] for row in pickup_points().values()])


class _Order(NamedTuple):
    """A parcel: its user's login and its sender."""

    user_name: str
    password: str
    old_token: str
    sender: str


def _order(draw: Draw, *statuses: str) -> _Order:
    home = draw.home()
    user = list(home.table("courier_users").values())[-1]
    parcels = home.table("parcels").values()
    mine = [row for row in parcels if row["user_id"] == user["user_id"] and row["status"] in statuses]
    sender = draw.pick(mine)["sender"]
    return _Order(user["user_name"], user["password"], user["old_token"], sender)


def _log_in(order: _Order) -> Steps[str]:
    session = yield parcel_desk.log_in_user(user_name=order.user_name, password=order.password)
    return str(session["token"])


def _parcel(order: _Order) -> Steps[tuple[Mapping[str, str], Row]]:
    """Log in and look the parcel up; return the arguments that name it, and its details."""
    token = yield from _log_in(order)
    named = {"token": token, "parcel_id": (yield from _parcel_id(order, token))}
    row: Row = yield parcel_desk.parcel_details(**named)
    return named, row


def _parcel_id(order: _Order, token: str) -> Steps[str]:
    row = yield from find(parcel_desk.list_parcels(token=token), sender=order.sender)
    return str(row["parcel_id"])


@template(parcel_desk.TOOL, calls=3)
def parcel_by_date(draw: Draw) -> Plan:
    """Delivery of a parcel, compared with a day."""
    order, limit = _order(draw, "in transit"), draw.pick(days(2, 14))

    def solve() -> Solution:
        _, row = yield from _parcel(order)
        in_time = row["delivery_date"] <= limit.isoformat()
        return Answer.of(
            f"{'Yes' if in_time else 'No'}, it comes on {row['delivery_date']} and weighs "
            f"{row['weight_g']} g.",
            facts.yes_no("arrives_in_time", in_time),
            facts.date("delivery_date", row["delivery_date"]),
            facts.integer("weight_g", row["weight_g"]),
        )

    return Plan.of(
        f"Will my parcel from {order.sender} arrive by {long_date(limit)}? On which day is it due, and how "
        f"many grams does it weigh? My Parcel Desk user name is {order.user_name}, the password "
        f"{order.password}.",
        f"Log in at Parcel Desk ({order.user_name} / {order.password}). Does what {order.sender} sent me get "
        f"here by {limit}? I also want the planned day and the weight in grams.",
        f"I leave on {long_date(limit)}. Parcel Desk, user {order.user_name}, password {order.password}: "
        f"does the {order.sender} parcel come by that day? I also need its delivery date and its weight in "
        "grams.",
        solve=solve,
    )


@template(parcel_desk.TOOL, calls=6, writes=("parcels",))
def parcel_to_pickup_point(draw: Draw) -> Plan:
    """Send a parcel to the best pick-up point of its city, and on another day."""
    order, when = _order(draw, "in transit"), draw.pick(days(15, 29))
    wish = draw.pick(("opens earliest", "closes latest"))

    def solve() -> Solution:
        named, row = yield from _parcel(order)
        points = (yield parcel_desk.find_pickup_points(city_name=row["city_name"]))["points"]
        early = wish == "opens earliest"
        point = ranked(points, lambda point: point["opens" if early else "closes"], most=not early)[0]
        if row["pickup_point_id"] != point["pickup_point_id"]:
            yield parcel_desk.redirect_parcel(**named, pickup_point_id=point["pickup_point_id"])
        if row["delivery_date"] != when.isoformat():
            yield parcel_desk.change_delivery_day(**named, date=when.isoformat())
        return Answer.of(
            f"It goes to {point['name']}, open from {point['opens']} to {point['closes']}.",
            facts.name("pickup_point", point["name"]),
            facts.time("opening_time", point["opens"]),
            facts.time("closing_time", point["closes"]),
        )

    return Plan.of(
        f"Please have my {order.sender} parcel sent on {when} to the pick-up point in its city that {wish}. "
        f"Parcel Desk knows me as {order.user_name}, password {order.password}. Which shop is it, and what "
        "are its hours?",
        f"Use my Parcel Desk account ({order.user_name}, {order.password}): the delivery from {order.sender} "
        f"should go to whichever local pick-up point {wish}, on {long_date(when)}. Name the point and its "
        "opening and closing times.",
        f"I am away until {when}. Change the parcel from {order.sender} to that day and to the pick-up point "
        f"that {wish} in the parcel's city; log in as {order.user_name} with {order.password}. Tell me the "
        "point's name and hours.",
        solve=solve,
    )


@template(parcel_desk.TOOL, calls=4, writes=("parcels",))
def parcel_with_old_token(draw: Draw) -> Plan:
    """Change the day of delivery, starting from a token that has expired."""
    order, when = _order(draw, "in transit"), draw.pick(days(15, 29))

    def solve() -> Solution:
        token = order.old_token
        try:
            key = yield from _parcel_id(order, token)
        except ApiError:
            token = yield from _log_in(order)
            key = yield from _parcel_id(order, token)
        yield parcel_desk.change_delivery_day(token=token, parcel_id=key, date=when.isoformat())
        return Answer.of(f"The parcel from {order.sender} now comes on {long_date(when)}.")

    return Plan.of(
        f"Have the {order.sender} parcel delivered on {when}. My Parcel Desk token is {order.old_token}; if "
        f"that is no longer valid, log in as {order.user_name} with password {order.password}.",
        f"With the token {order.old_token} (or a fresh one: {order.user_name}, {order.password}) move the "
        f"delivery of my parcel from {order.sender} to {long_date(when)}.",
        f"Parcel Desk gave me the token {order.old_token} some time ago. Try it, otherwise log in again "
        f"({order.user_name} / {order.password}), and set the delivery day of the parcel sent by "
        f"{order.sender} to {when}.",
        solve=solve,
    )


@template(parcel_desk.TOOL, calls=4, writes=("parcels",))
def parcel_too_late(draw: Draw) -> Plan:
    """Ask for another day, for which it may be too late; then nothing changes."""
    statuses = draw.rng.choice((("in transit",), ("out for delivery", "delivered")))
    order, when = _order(draw, *statuses), draw.pick(days(15, 29))

    def solve() -> Solution:
        named, row = yield from _parcel(order)
        act = parcel_desk.change_delivery_day(**named, date=when.isoformat())
        changed = yield from accepted(act)
        return Answer.of(
            f"{'Yes' if changed else 'No'}, it is {row['status']}; it weighs {row['weight_g']} g.",
            facts.yes_no("was_changed", changed),
            facts.integer("weight_g", row["weight_g"]),
        )

    return Plan.of(
        f"Can the {order.sender} parcel still come on {when} instead? If so, arrange it. Answer yes or no, "
        f"and tell me the weight of the parcel in grams as well. Parcel Desk: {order.user_name}, password "
        f"{order.password}.",
        f"Log in to Parcel Desk ({order.user_name} / {order.password}) and try to get the parcel from "
        f"{order.sender} delivered on {long_date(when)}. Did that work, yes or no? And how many grams does "
        "it weigh?",
        f"My Parcel Desk login is {order.user_name} with {order.password}. Is it possible, yes or no, to "
        f"move the delivery from {order.sender} to {when}? Do it if it is, and give me its weight in grams.",
        solve=solve,
    )
