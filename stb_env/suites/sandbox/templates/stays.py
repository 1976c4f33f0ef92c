"""Tasks about hotel stays."""

from __future__ import annotations

from datetime import date

from stb_env.backend.world import Row
from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content.coming_days import days_left
from stb_env.suites.sandbox.content.currencies import FOREIGN
from stb_env.suites.sandbox.content.edition import per_edition
from stb_env.suites.sandbox.content.hotels import hotels, hotels_by_city
from stb_env.suites.sandbox.content.places import CITIES, cities
from stb_env.suites.sandbox.lookups import city_id, days, exchanged, find, long_date, once
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, Steps, ranked, template
from stb_env.suites.sandbox.tools import city_atlas, rate_board, room_keeper

_DAYS = days(110, 300)


@per_edition(maxsize=256)
def _open_days(hotel_id: str) -> list[date]:
    return room_keeper.days_with_room(hotel_id, _DAYS)


@per_edition(maxsize=64)
def open_days_in(city_id: str) -> list[date]:
    """Return the days far ahead from which on some hotel of a city has a room."""
    full = {*_DAYS}
    for hotel in hotels_by_city()[city_id]:
        full.difference_update(room_keeper.days_with_room(hotel["hotel_id"], list(full)))
    return [when for when in _DAYS if when not in full]


def _stay(hotel: str) -> Steps[Row]:
    return (yield from find(room_keeper.list_stays(), hotel=hotel))


def booked_room(offer: Row, check_in: str, nights: int) -> Steps[Row]:
    """Book an offer of Find Rooms unless there is such a stay; return the stay."""
    act = room_keeper.book_room(hotel_id=offer["hotel_id"], check_in=check_in, nights=nights)
    return (yield from once(room_keeper.list_stays(), act))


@template(city_atlas.TOOL, room_keeper.TOOL, calls=4, writes=("stays",))
def book_cheapest_room(draw: Draw) -> Plan:
    """Book the cheapest hotel of a city that has a room."""
    draw.home()
    city, nights = draw.pick(CITIES), draw.between(2, 9)
    name = city["name"]
    check_in = draw.pick(open_days_in(city["city_id"])).isoformat()

    def solve() -> Solution:
        key = yield from city_id(name)
        rows = (yield room_keeper.find_rooms(city_id=key, check_in=check_in))["hotels"]
        offers = [row for row in rows if row["available"]]
        cheapest = ranked(offers, lambda row: row["nightly_aur"])[0]
        row = yield from booked_room(cheapest, check_in, nights)
        return Answer.of(
            f"{row['hotel']} for {row['total']:.2f} AUR.",
            facts.name("hotel", row["hotel"]),
            facts.number("total", row["total"], "in AUR"),
        )

    return Plan.of(
        f"Book me the cheapest hotel in {name} that has a room, from {check_in}, {nights} nights (Room "
        "Keeper). Which one is it, and what is the total in aurel?",
        f"I need {nights} nights in {name}, arriving on {check_in}. Take the lowest price among the hotels "
        "that have a room, book it once, and tell me hotel and total in AUR.",
        f"Find the cheapest available hotel of {name} for {nights} nights from {check_in} and book it with "
        "Room Keeper, unless I have that stay already. Name it and the total price in aurel.",
        solve=solve,
    )


@template(city_atlas.TOOL, room_keeper.TOOL, calls=4, writes=("stays",))
def first_choice_hotel(draw: Draw) -> Plan:
    """Book one hotel, or another where that is full."""
    draw.home()
    first = draw.pick(list(hotels().values()))
    city = cities()[first["city_id"]]["name"]
    second = draw.pick([hotel for hotel in hotels_by_city()[first["city_id"]] if hotel is not first])
    full = {*_DAYS} - {*_open_days(first["hotel_id"])}
    wanted = draw.rng.choice((True, False))
    days_open = [day for day in _open_days(second["hotel_id"]) if (day in full) is wanted]
    check_in = draw.pick(days_open).isoformat()
    nights = draw.between(2, 6)
    names = [first["name"], second["name"]]

    def solve() -> Solution:
        key = yield from city_id(city)
        rows = (yield room_keeper.find_rooms(city_id=key, check_in=check_in))["hotels"]
        offer = next(row for name in names for row in rows if row["hotel"] == name and row["available"])
        row = yield from booked_room(offer, check_in, nights)
        return Answer.of(
            f"{row['hotel']}: {row['total']:.2f} AUR.",
            facts.name("hotel", row["hotel"]),
            facts.number("total", row["total"], "in AUR"),
        )

    return Plan.of(
        f"Book {nights} nights at the {names[0]} in {city} from {check_in}; if it is full then, at the "
        f"{names[1]} instead. Which one is it, and what is the total in aurel?",
        f"I would like to stay at the {names[0]}, {city}, on {check_in} for {nights} nights. Should it have "
        f"no room, take the {names[1]}. Book through Room Keeper and tell me hotel and total in AUR.",
        f"In {city}, arriving {check_in}, {nights} nights: first choice {names[0]}, second choice "
        f"{names[1]}. Book the better one that is available (just one stay) and report which it is and its "
        "total price in aurel.",
        solve=solve,
    )


@template(room_keeper.TOOL, calls=2, writes=("stays",))
def change_stay(draw: Draw) -> Plan:
    """Move a stay to other days."""
    far = [row for row in draw.home().table("stays").values() if days_left(row["check_in"]) > 20]
    stay, nights = draw.pick(far), draw.between(2, 8)
    name = stay["hotel"]
    check_in = draw.pick(_open_days(stay["hotel_id"]))

    def solve() -> Solution:
        row = yield from _stay(name)
        wanted = {"check_in": check_in.isoformat(), "nights": nights}
        if not wanted.items() <= row.items():
            row = yield room_keeper.change_stay(stay_id=row["stay_id"], **wanted)
        return Answer.of(
            f"Moved; it costs {row['total']:.2f} AUR.", facts.number("total", row["total"], "in AUR")
        )

    return Plan.of(
        f"Move my stay at the {name} to {check_in}, {nights} nights. What does it cost then?",
        f"I can only come to the {name} on {long_date(check_in)}, for {nights} nights. Change my booking and "
        "tell me the new total.",
        f"Change the {name} booking: arrival {check_in}, {nights} nights. I also need the new price.",
        solve=solve,
    )


@template(room_keeper.TOOL, calls=2, writes=("stays",))
def change_stay_too_late(draw: Draw) -> Plan:
    """Try to move a stay that may be too close; then nothing changes."""
    near = draw.rng.choice((True, False))
    rows = [
        row
        for row in draw.home().table("stays").values()
        if (days_left(row["check_in"]) < room_keeper.LOCKED_DAYS) is near
    ]
    stay, nights = draw.pick(rows), draw.between(2, 6)
    name, check_in = stay["hotel"], draw.pick(_open_days(stay["hotel_id"]))

    def solve() -> Solution:
        row = yield from _stay(name)
        wanted = {"check_in": check_in.isoformat(), "nights": nights}
        changed = True
        if not wanted.items() <= row.items():
            try:
                row = yield room_keeper.change_stay(stay_id=row["stay_id"], **wanted)
            except ApiError:
                changed = False
        return Answer.of(
            f"{'Yes' if changed else 'No'}; arrival is on {row['check_in']}, for {row['total']:.2f} AUR.",
            facts.yes_no("was_changed", changed),
            facts.date("arrival_date", row["check_in"], "of the stay as it is booked in the end"),
            facts.number("total", row["total"], "in AUR, of the stay as it is booked in the end"),
        )

    return Plan.of(
        f"Can my stay at the {name} be moved to {check_in}, {nights} nights? If so, move it. Tell me also "
        "the arrival date and the total of the booking that stands in the end; cancel nothing.",
        f"Try to change the {name} booking to {long_date(check_in)} ({nights} nights), without cancelling "
        "anything. Did it work? What are the day of arrival and the price in the booking after that?",
        f"Is it possible to shift the {name} to {check_in} for {nights} nights? Do it if it is. Besides a "
        "yes or no I want to hear when I arrive and what I pay by the booking that then stands; call nothing "
        "off.",
        solve=solve,
    )


@template(room_keeper.TOOL, rate_board.TOOL, calls=3, writes=("stays",))
def cancel_stay(draw: Draw) -> Plan:
    """Cancel a stay and tell the refund in another currency."""
    rows = draw.home().table("stays").values()
    stay = draw.pick([row for row in rows if days_left(row["check_in"]) >= room_keeper.LOCKED_DAYS])
    name, code = stay["hotel"], draw.pick(FOREIGN)

    def solve() -> Solution:
        row = yield from _stay(name)
        if row["status"] != "cancelled":
            row = yield room_keeper.cancel_stay(stay_id=row["stay_id"])
        refund = yield from exchanged(row["refund"], code)
        return Answer.of(
            f"You get {refund:.2f} {code} back.", facts.number("refund", refund, f"in {code}, to the cent")
        )

    return Plan.of(
        f"Cancel my stay at the {name}. What do I get back, in {code}?",
        f"I will skip the {name}: cancel that booking and convert the refund to {code} for me.",
        f"Please call off the {name} and tell me how much {code} is refunded.",
        solve=solve,
    )
