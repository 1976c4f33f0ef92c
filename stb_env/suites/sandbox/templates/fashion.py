"""Tasks about the fashion shop: purchases, returns and exchanges."""

from __future__ import annotations

from datetime import date, timedelta

from stb_env.backend.world import Row, Tables
from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content.coming_days import days_left
from stb_env.suites.sandbox.content.edition import Options
from stb_env.suites.sandbox.content.garments import SIZES, garments
from stb_env.suites.sandbox.lookups import accepted, days, find, long_date
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, Steps, template
from stb_env.suites.sandbox.tools import task_tray, thread_house

_GARMENTS = Options(lambda: garments().values())


def _purchases(home: Tables, *, oldest: int, latest: int) -> list[Row]:
    """Return what was delivered between so many days ago and so many."""
    rows = [row for row in home.table("purchases").values() if row["status"] == "delivered"]
    return [row for row in rows if -oldest <= days_left(row["delivered_on"]) <= -latest]


def _new(home: Tables) -> list[JsonObject]:
    known = {row["garment"] for row in home.table("purchases").values()}
    return [row for row in _GARMENTS if row["name"] not in known]


def _bought(name: str) -> Steps[Row | None]:
    rows = (yield thread_house.list_purchases(name=name))["results"]
    return rows[-1] if rows else None


def _returned(purchase: Row) -> Steps[bool]:
    """Return a purchase unless that was done; return whether the shop accepts it."""
    return purchase["status"] == "returning" or (
        yield from accepted(thread_house.return_purchase(purchase_id=purchase["purchase_id"]))
    )


def _garment(name: str) -> Steps[Row]:
    return (yield from find(thread_house.search_garments(name=name), name=name))


@template(thread_house.TOOL, calls=2)
def garment_in_stock(draw: Draw) -> Plan:
    """Stock of a garment in a size, and the price of several."""
    name, size, count = draw.pick(_GARMENTS)["name"], draw.pick(SIZES), draw.between(2, 7)

    def solve() -> Solution:
        row = yield from _garment(name)
        stock = (yield thread_house.garment_details(garment_id=row["garment_id"]))["stock"][size]
        cost = round(row["price_cents"] * count / 100, 2)
        return Answer.of(
            f"{'Yes' if stock >= count else 'No'}, {count} of them cost {cost:.2f} AUR.",
            facts.yes_no("is_in_stock", stock >= count, "whether there are as many in that size"),
            facts.number("total", cost, "in AUR"),
        )

    return Plan.of(
        f"Does Thread House have {count} of the {name} in size {size}, and what would they cost in aurel?",
        f"I need {count} x {name}, size {size}. Are there enough at Thread House, and what is the total in "
        "AUR?",
        f"Are {count} pieces of the {name} ({size}) in stock at Thread House? Work out the sum in aurel too, "
        "from cents.",
        solve=solve,
    )


@template(
    thread_house.TOOL,
    calls=3,
    writes=("purchases",),
    offers=[thread_house.search_garments, thread_house.buy_garment],
)
def buy_garment(draw: Draw) -> Plan:
    """Buy a garment, unless it was bought before."""
    home = draw.home()
    known = [row["garment"] for row in home.table("purchases").values()]
    new = draw.pick((True, False))
    name, count = draw.pick([row["name"] for row in _new(home)] if new else known), draw.between(2, 5)

    def solve() -> Solution:
        row = yield from _bought(name)
        if row is None:
            key = (yield from _garment(name))["garment_id"]
            row = yield thread_house.buy_garment(garment_id=key, quantity=count, size="M")
        cost = row["paid_cents"] / 100
        return Answer.of(
            f"{'Bought' if new else 'You have it'} for {cost:.2f} AUR.",
            facts.yes_no("was_bought", new, "whether it was bought now, and not before"),
            facts.number("total", cost, "price of that purchase in AUR"),
        )

    return Plan.of(
        f"Buy {count} of the {name} in size M at Thread House, unless I have bought it there before, in "
        "whatever size. Did you buy it now? And what did the purchase, this one or the old one, cost in "
        "aurel?",
        f"Check my Thread House purchases; only if the {name} is missing there, order {count} in M. Was an "
        "order made, and how much was paid for it in AUR, now or back then?",
        f"I want {count} x {name}, size M, from Thread House, but not if I have that garment from there "
        "already. Tell me whether you bought it, and what my purchase of it, new or old, cost in aurel.",
        solve=solve,
    )


@template(thread_house.TOOL, calls=5, writes=("purchases",))
def swap_purchase(draw: Draw) -> Plan:
    """Cancel what is in processing and buy something else instead."""
    home = draw.home()
    rows = [row for row in home.table("purchases").values() if row["status"] == "processing"]
    old, new, count = draw.pick(rows)["garment"], draw.pick(_new(home))["name"], draw.between(2, 4)

    def solve() -> Solution:
        row = yield from _bought(old)
        if row and row["status"] == "processing":
            yield thread_house.cancel_purchase(purchase_id=row["purchase_id"])
        back = row["paid_cents"] / 100 if row else 0
        row = yield from _bought(new)
        if row is None:
            key = (yield from _garment(new))["garment_id"]
            row = yield thread_house.buy_garment(garment_id=key, quantity=count, size="M")
        cost = row["paid_cents"] / 100
        return Answer.of(
            f"You get {back:.2f} AUR back and pay {cost:.2f} AUR.",
            facts.number("refund", back, "in AUR"),
            facts.number("total", cost, "price of the new purchase in AUR"),
        )

    return Plan.of(
        f"Cancel my purchase of the {old} at Thread House and buy {count} x {new} in M instead. In aurel: "
        "what comes back, and what does the new one cost?",
        f"I changed my mind: instead of the {old} that Thread House is processing I want {count} of the "
        f"{new}, size M. Tell me the refund and the new price in AUR.",
        f"At Thread House, replace the {old} (cancel it) by {count} pieces of the {new} in size M, and "
        "report both amounts in aurel.",
        solve=solve,
    )


def _returnable_or_not(draw: Draw) -> str:
    """Draw a garment that was bought: one that may go back as often as one that is too old for that."""
    home, in_time = draw.home(), draw.pick((True, False))
    oldest, latest = (30, 1) if in_time else (999, 31)
    return str(draw.pick(_purchases(home, oldest=oldest, latest=latest))["garment"])


@template(thread_house.TOOL, calls=3, writes=("purchases",))
def return_too_late(draw: Draw) -> Plan:
    """Return something, unless it is too late for that."""
    name, count = _returnable_or_not(draw), draw.between(2, 12)

    def solve() -> Solution:
        row = yield from _bought(name)
        taken = row is not None and (yield from _returned(row))
        cost = round((yield from _garment(name))["price_cents"] * count / 100, 2)
        return Answer.of(
            f"{'Yes' if taken else 'No'}; {count} new ones cost {cost:.2f} AUR.",
            facts.yes_no("was_accepted", taken, "whether the return was accepted"),
            facts.number("total", cost, "price of the new ones in AUR"),
        )

    return Plan.of(
        f"Send the {name} back to Thread House if they still take it. Do they? And what would {count} new "
        "ones cost, in aurel?",
        f"Does Thread House accept the {name} as a return? Try it, and tell me the price of {count} of them "
        "in AUR either way.",
        f"Return my {name} (Thread House) if that is possible. Tell me whether they took it, and the sum in "
        f"aurel for {count} pieces at the present price.",
        solve=solve,
    )


@template(
    thread_house.TOOL,
    task_tray.TOOL,
    calls=4,
    writes=("purchases", "todos"),
    offers=[task_tray.search_todos, task_tray.add_todo],
)
def donate_instead(draw: Draw) -> Plan:
    """Return something; where it is too late, note to give it away."""
    name = _returnable_or_not(draw)
    when, title = draw.pick(days(3, 40)), f"Donate the {name}"

    def solve() -> Solution:
        row = yield from _bought(name)
        if row is None:
            raise ApiError(f"no purchase of {name}")
        taken = yield from _returned(row)
        if not taken and not (yield task_tray.search_todos(title=title))["results"]:
            yield task_tray.add_todo(list_name="Errands", title=title, due_date=when.isoformat())
        last = (date.fromisoformat(row["delivered_on"]) + timedelta(days=30)).isoformat()
        return Answer.of(
            f"{'It goes back' if taken else 'It is on your list'}; the last day for that is {last}.",
            facts.yes_no("was_accepted", taken, "whether the return was accepted"),
            facts.date("last_return_date", last, "the last day on which it could go back"),
        )

    return Plan.of(
        f'Return the {name} to Thread House. Should they refuse, put "{title}" on my Errands list, due '
        f"{when}. Tell me whether they took it, and on which date its return period ends or ended.",
        f"Try to send the {name} back to Thread House. Did it work, and what is the last day of its return "
        f'period? If it is too late, add the to-do "{title}" to Errands for {long_date(when)}.',
        f"Thread House should take the {name} back. Only if they refuse I will give it away: then note "
        f'"{title}" in Errands with {when} as due date. Did they accept it? Give me the last day for '
        "returning it, too.",
        solve=solve,
    )


@template(
    thread_house.TOOL,
    calls=3,
    writes=("purchases",),
    offers=[thread_house.exchange_size, thread_house.return_purchase],
)
def exchange_or_else(draw: Draw) -> Plan:
    """Exchange a garment for another size, or do something else where that is sold out."""
    row = draw.pick(_purchases(draw.home(), oldest=29, latest=1))
    name, size = row["garment"], draw.pick(("XL", "L" if row["size"] == "S" else "S"))
    fallback = draw.pick(("return it", "exchange it for size M"))

    def solve() -> Solution:
        row = yield from _bought(name)
        key, garment = (row["purchase_id"], row["garment_id"]) if row else ("", "")
        stock = (yield thread_house.garment_details(garment_id=garment))["stock"]
        there = row is not None and stock[size] >= row["quantity"]
        if row and row["status"] == "delivered":
            if there or fallback != "return it":
                yield thread_house.exchange_size(purchase_id=key, new_size=size if there else "M")
            else:
                yield thread_house.return_purchase(purchase_id=key)
        return Answer.of(
            f"{'Yes' if there else 'No'}, size {size} was {'there' if there else 'sold out'}.",
            facts.yes_no("is_in_stock", there, "whether there are as many in that size"),
        )

    return Plan.of(
        f"My {name} from Thread House should have another size. Exchange the purchase for {size} if the shop "
        f"has enough of that size, else {fallback}. Was there enough of {size}?",
        f"Check whether Thread House has my {name} in {size}, as many as I bought. If so, exchange my "
        f"purchase; otherwise {fallback}. Was the size available in that number?",
        f"I would like my {name} in {size} instead. Should Thread House lack the stock for it, {fallback}. "
        f"Was there enough of {size}?",
        solve=solve,
    )
