"""Tasks about reservations at restaurants."""

from __future__ import annotations

from datetime import date

from stb_env.backend.world import Row
from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content.bistros import AREAS, SLOTS, bistros, days_with_table
from stb_env.suites.sandbox.content.coming_days import days_left
from stb_env.suites.sandbox.content.currencies import FOREIGN
from stb_env.suites.sandbox.content.edition import Options, per_edition
from stb_env.suites.sandbox.content.households import friends
from stb_env.suites.sandbox.content.places import cities
from stb_env.suites.sandbox.lookups import (
    accepted,
    contact_id,
    days,
    exchanged,
    find,
    find_any,
    noted,
    spoken,
)
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, Steps, template
from stb_env.suites.sandbox.tools import city_atlas, contact_book, day_planner, rate_board, table_book

_BISTROS = Options(lambda: bistros().values())
# Beyond all reservations and calendar entries that a household starts with.
_DAYS = days(50, 200)


@per_edition(maxsize=1024)
def _open_days(bistro_id: str, earliest: str = SLOTS[0]) -> list[date]:
    return days_with_table(bistro_id, _DAYS, earliest)


def _reservations() -> Steps[dict[tuple[str, str], Row]]:
    """Return the reservations by restaurant and date."""
    rows = (yield table_book.list_reservations())["reservations"]
    return {(row["restaurant"], row["date"]): row for row in rows}


def _reserved(bistro: Row, date: str, guests: int, earliest: str) -> Steps[Row]:
    """Reserve the first table from a time of day on, unless there is a reservation; return that."""
    key = bistro["bistro_id"]
    tables = (yield table_book.list_free_tables(bistro_id=key, date=date))["tables"]
    time = next(table["time"] for table in tables if table["time"] >= earliest)
    row = (yield from _reservations()).get((bistro["name"], date))
    if row is None:
        row = yield table_book.reserve_table(bistro_id=key, date=date, time=time, guests=guests)
    return row or {}


def _reservation_at(restaurant: str) -> Steps[Row]:
    row = yield from find_any(table_book.list_reservations(), restaurant=restaurant)
    if row is None:
        raise ApiError(f"there is no reservation at {restaurant}")
    return dict(row)


@template(table_book.TOOL, calls=4, writes=("reservations",))
def reserve_or_later(draw: Draw) -> Plan:
    """Reserve a table at a time, or at the next time that is free."""
    draw.home()
    bistro, time, guests = draw.pick(_BISTROS), draw.pick(("18:30", "19:00", "19:30")), draw.between(2, 8)
    when = draw.pick(_open_days(bistro["bistro_id"], time)).isoformat()
    city, name = bistro["city_name"], bistro["name"]

    def solve() -> Solution:
        bistro = yield from find(table_book.find_restaurants(city_name=city), name=name)
        row = yield from _reserved(bistro, when, guests, time)
        return Answer.of(
            f"It is in the {row['area']} at {row['time']}; the deposit is {row['deposit']:.2f} AUR.",
            facts.choice("area", row["area"], AREAS),
            facts.number("deposit", row["deposit"], "in AUR"),
        )

    return Plan.of(
        f"Reserve a table for {guests} at {name} in {city} on {when} at {time}; if that is taken, at the "
        "next time after it that is free. In which area is it, and what is the deposit?",
        f"{guests} of us want to eat at {name}, {city}, on {when}: {time}, or as soon after as there is a "
        "table. Book that and tell me the area and the deposit.",
        f"Get us a table at {name} ({city}) for {when}, {guests} people. I prefer {time}; otherwise take the "
        "earliest free time following it. Area and deposit, please.",
        solve=solve,
    )


@template(table_book.TOOL, calls=5, writes=("reservations",))
def move_reservation(draw: Draw) -> Plan:
    """Cancel a reservation and make one for another day."""
    rows = [row for row in draw.home().table("reservations").values() if days_left(row["date"]) > 2]
    old = draw.pick(rows)
    bistro, guests = bistros()[old["bistro_id"]], draw.between(2, 8)
    city, name, start = bistro["city_name"], bistro["name"], old["date"]
    when = draw.pick(_open_days(bistro["bistro_id"])).isoformat()

    def solve() -> Solution:
        bistro = yield from find(table_book.find_restaurants(city_name=city), name=name)
        known = yield from _reservations()
        if row := known.get((name, start)):
            yield table_book.cancel_reservation(reservation_id=row["reservation_id"])
        tables = (yield table_book.list_free_tables(bistro_id=bistro["bistro_id"], date=when))["tables"]
        time, area = tables[0]["time"], tables[0]["area"]
        if (name, when) not in known:
            yield table_book.reserve_table(bistro_id=bistro["bistro_id"], date=when, time=time, guests=guests)
        return Answer.of(
            f"You have the {area} at {time}.",
            facts.time("reservation_time", time),
            facts.choice("area", area, AREAS),
        )

    return Plan.of(
        f"Cancel my table at {name} in {city} on {start} and reserve there for {when} instead, {guests} "
        "guests, at the earliest time that is free. Which time and area is it?",
        f"We go to {name}, {city}, on {when} rather than on {start}, and we are {guests}. Give up the old "
        "reservation and take the first free table of the new evening. When and in which area?",
        f"Replace my reservation of {start} at {name} ({city}) by one on {when} for {guests}, as early as "
        "there is a table. Tell me its time and area.",
        solve=solve,
    )


@template(table_book.TOOL, rate_board.TOOL, calls=4, writes=("reservations",))
def more_guests_too_late(draw: Draw) -> Plan:
    """Change the number of guests of a reservation, unless it is too late for that."""
    rows, in_time = draw.home().table("reservations").values(), draw.pick((True, False))
    row = draw.pick([row for row in rows if (days_left(row["date"]) >= 2) is in_time])
    name, code = row["restaurant"], draw.pick(FOREIGN)
    guests = draw.pick([count for count in range(1, 9) if count != row["guests"]])

    def solve() -> Solution:
        row = yield from _reservation_at(name)
        key = row["reservation_id"]
        changed = yield from accepted(table_book.change_guests(reservation_id=key, guests=guests))
        deposit = yield from exchanged((yield from _reservation_at(name))["deposit"], code)
        return Answer.of(
            f"{'Yes' if changed else 'No'}; the deposit is {deposit:.2f} {code}.",
            facts.yes_no("was_changed", changed),
            facts.number("deposit", deposit, f"of the reservation as it is now, in {code}"),
        )

    return Plan.of(
        f"Change the number of guests for my table at {name} to {guests}, if that is still possible. Is it? "
        f"And how much is the deposit of the reservation after that, in {code}?",
        f"We will be {guests} at {name}. Try to change the reservation, tell me whether it worked, and "
        f"convert the deposit that the reservation has in the end to {code}. Cancel nothing.",
        f"Is it still possible to make my reservation at {name} one for {guests}? If it is, do so. I also "
        f"want the deposit that the booking then has, changed or not, in {code}.",
        solve=solve,
    )


@template(
    contact_book.TOOL,
    city_atlas.TOOL,
    table_book.TOOL,
    day_planner.TOOL,
    calls=9,
    writes=("reservations", "events"),
    unseen=True,
)
def dinner_with_contact(draw: Draw) -> Plan:
    """Reserve a table in a contact's city and put the dinner into the calendar."""
    draw.home()
    friend = draw.pick(friends(draw.household))
    city_name = cities()[friend["city_id"]]["name"]
    bistro = draw.pick([row for row in _BISTROS if row["city_name"] == city_name])
    when, guests = draw.pick(_open_days(bistro["bistro_id"])).isoformat(), draw.between(2, 6)
    name, cuisine = friend["name"], bistro["cuisine"]

    def solve() -> Solution:
        key = yield from contact_id(name)
        contact = yield contact_book.contact_details(contact_id=key)
        city = (yield city_atlas.city_details(city_id=contact["city_id"]))["name"]
        rows = (yield table_book.find_restaurants(city_name=city, cuisine=cuisine))["restaurants"]
        row = yield from _reserved(rows[0], when, guests, SLOTS[0])
        event = {"date": when, "title": "Dinner", "start_time": row["time"], "duration_minutes": 120}
        yield from noted({**event, "contact_id": key})
        return Answer.of(
            f"{row['restaurant']} at {row['time']}.",
            facts.name("restaurant", row["restaurant"]),
            facts.time("reservation_time", row["time"]),
        )

    return Plan.of(
        f"Reserve a table for {guests} on {when} in the city where my contact {name} lives, at the "
        f'restaurant there with the cuisine "{cuisine}", at the earliest free time. Then put "Dinner" into '
        "my calendar: that time, 120 minutes, linked to the contact. Which restaurant and time is it?",
        f"I take {name} (see contacts) out on {spoken(when)}, {guests} people. "
        f'Find the "{cuisine}" restaurant in that person\'s city, reserve its first free table of the '
        'evening, and create the event "Dinner" of two hours at that time with the contact linked. '
        "Restaurant and time?",
        f"Dinner with {name} on {when}: look up the city in my contacts, book the first table of the evening "
        f'for {guests} at its "{cuisine}" restaurant, and add a calendar event "Dinner" (120 minutes, '
        "contact attached) at the same time. Tell me where and at what time.",
        solve=solve,
    )
