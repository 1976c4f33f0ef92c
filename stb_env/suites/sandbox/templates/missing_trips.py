"""Twins about journeys and tables: with every detail and without, of what there is and what there is not."""

from __future__ import annotations

from itertools import permutations

from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.cannot import Gap, left_out, no_tool, not_found
from stb_env.suites.sandbox.content.bistros import bistros, days_with_table, free_tables
from stb_env.suites.sandbox.content.cars import cars
from stb_env.suites.sandbox.content.edition import Options
from stb_env.suites.sandbox.content.flights import routes
from stb_env.suites.sandbox.content.hotels import hotels
from stb_env.suites.sandbox.content.places import cities
from stb_env.suites.sandbox.lookups import city_id, days, find, find_any, long_date, once
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, refusal, twins
from stb_env.suites.sandbox.templates.missing_facts import recombined
from stb_env.suites.sandbox.templates.rentals import rented_car
from stb_env.suites.sandbox.templates.stays import booked_room
from stb_env.suites.sandbox.templates.trips import booked_flight
from stb_env.suites.sandbox.tools import (
    city_atlas,
    room_keeper,
    sky_booker,
    skyfare,
    stay_finder,
    table_book,
    wheel_hire,
)

_ROUTES = Options(lambda: sorted(routes()))
_NO_ROUTES = Options(lambda: [ends for ends in permutations(cities(), 2) if ends not in routes()])
_HOTELS = Options(lambda: hotels().values())
_STEMS = Options(lambda: [str(row["name"]).removesuffix(" Hotel") for row in _HOTELS])
_NO_HOTELS = Options(lambda: [f"{stem} Hotel" for stem in recombined(_STEMS)])
_CARS = Options(lambda: cars().values())
_BISTROS = Options(lambda: bistros().values())
_COMING = days(50, 160)


@twins(
    city_atlas.TOOL,
    skyfare.TOOL,
    sky_booker.TOOL,
    calls=5,
    gaps=[not_found("flight"), no_tool("book", sky_booker.book_flight), *left_out("date", "place")],
    writes=("trips",),
    offers=[skyfare.get_fare, sky_booker.change_flight_day],
)
def first_flight_seat(draw: Draw, gap: Gap) -> Plan:
    """Book a seat on the first direct flight of a day."""
    when = draw.pick(_COMING)
    ends = draw.pick(_NO_ROUTES if gap.reason == "not_found" else _ROUTES)
    origin, target = (cities()[end]["name"] for end in ends)
    start, day = gap.unless("place", f" from {origin}"), gap.unless("date", f" on {long_date(when)}")

    def solve() -> Solution:
        first, second = (yield from city_id(origin)), (yield from city_id(target))
        page = yield skyfare.search_flights(origin_city_id=first, destination_city_id=second)
        if not page["results"]:
            return refusal(gap)
        row = yield from booked_flight(page["results"][0]["flight_id"], when.isoformat(), "economy")
        return Answer.of(
            f"You fly with {row['flight_id']} for {row['paid']} AUR.",
            facts.code("flight_number", row["flight_id"]),
            facts.number("price_paid", row["paid"], "in AUR"),
        )

    return Plan.of(
        f"Book me an economy seat on the day's first direct flight{start} to {target}{day}. Which flight is "
        "it, and what did it cost?",
        f"I want to fly direct{start} to {target}{day}, as early as possible, in economy. Book it and tell "
        "me flight number and price.",
        f"Get me on the earliest non-stop flight{start} to {target}{day}, economy; then give me its number "
        "and what I paid.",
        solve=solve,
        looks=[skyfare.search_flights(origin_city_id=ends[0], destination_city_id=ends[1])],
    )


@twins(
    city_atlas.TOOL,
    room_keeper.TOOL,
    calls=4,
    gaps=[not_found("hotel"), no_tool("book", room_keeper.book_room), *left_out("date", "length")],
    writes=("stays",),
    offers=[room_keeper.change_stay],
)
def hotel_room(draw: Draw, gap: Gap) -> Plan:
    """Book a room at a hotel of a city."""
    row, nights = draw.pick(_HOTELS), draw.between(2, 6)
    when = draw.pick(room_keeper.days_with_room(row["hotel_id"], _COMING))
    city = cities()[row["city_id"]]["name"]
    hotel = draw.pick(_NO_HOTELS) if gap.reason == "not_found" else row["name"]
    day, stay = gap.unless("date", f" from {long_date(when)}"), gap.unless("length", f" for {nights} nights")

    def solve() -> Solution:
        key = yield from city_id(city)
        found = yield from find_any(
            room_keeper.find_rooms(city_id=key, check_in=when.isoformat()), hotel=hotel
        )
        if found is None:
            return refusal(gap)
        total = (yield from booked_room(found, when.isoformat(), nights))["total"]
        return Answer.of(f"Booked for {total} AUR.", facts.number("total", total, "of the stay, in AUR"))

    return Plan.of(
        f"Book me a room at the {hotel} in {city}{day}{stay}. What does the stay cost in all?",
        f"I want to stay at the {hotel} in {city}{day}{stay}. Book it and tell me the total.",
        f"Reserve a room{stay} at the {hotel}, {city}{day}, and give me the price of the whole stay.",
        solve=solve,
        looks=[room_keeper.find_rooms(city_id=row["city_id"]), stay_finder.search_hotels(city_name=city)],
    )


@twins(
    city_atlas.TOOL,
    wheel_hire.TOOL,
    calls=4,
    gaps=[no_tool("book", wheel_hire.rent_car), *left_out("age", "date", "length")],
    writes=("rentals",),
    offers=[wheel_hire.add_extra],
)
def hired_car(draw: Draw, gap: Gap) -> Plan:
    """Rent a car of a city."""
    car, when, length = draw.pick(_CARS), draw.pick(_COMING), draw.between(2, 14)
    driver = car["min_driver_age"] + draw.between(0, 30)
    city, model = cities()[car["city_id"]]["name"], car["model"]
    day, stay = gap.unless("date", f" from {long_date(when)}"), gap.unless("length", f" for {length} days")
    age = gap.unless("age", f" The driver is {driver} years old.")

    def solve() -> Solution:
        known = wheel_hire.search_cars(city_id=(yield from city_id(city)))
        key = (yield from find(known, model=model))["car_id"]
        made = yield from rented_car(key, when.isoformat(), length, driver)
        return Answer.of(
            f"It is yours for {made['total']} AUR until {made['return_date']}.",
            facts.date("return_date", made["return_date"]),
            facts.number("total", made["total"], "of the rental, in AUR"),
        )

    return Plan.of(
        f"Rent me the {model} in {city}{day}{stay}.{age} When must it be back, and what does it cost?",
        f"I want the {model} in {city}{day}{stay}.{age} Book it; tell me the return date and the total.",
        f"Get me the {model}, hired in {city}{day}{stay}.{age} Give me the day of return and the price.",
        solve=solve,
    )


@twins(
    table_book.TOOL,
    calls=3,
    gaps=[no_tool("book", table_book.reserve_table), *left_out("date", "guests", "time")],
    writes=("reservations",),
    offers=[table_book.list_free_tables],
)
def dinner_table(draw: Draw, gap: Gap) -> Plan:
    """Reserve a table at a restaurant."""
    bistro, guests = draw.pick(_BISTROS), draw.between(2, 6)
    when = draw.pick(days_with_table(bistro["bistro_id"], _COMING))
    time = draw.pick(list(free_tables(bistro["bistro_id"], when.isoformat())))
    city, name = bistro["city_name"], bistro["name"]
    day, at = gap.unless("date", f" on {long_date(when)}"), gap.unless("time", f" at {time}")
    people = gap.unless("guests", f" for {guests}")

    def solve() -> Solution:
        key = (yield from find(table_book.find_restaurants(city_name=city), name=name))["bistro_id"]
        act = table_book.reserve_table(bistro_id=key, date=when.isoformat(), time=time, guests=guests)
        deposit = (yield from once(table_book.list_reservations(), act))["deposit"]
        return Answer.of(f"The deposit is {deposit} AUR.", facts.number("deposit", deposit, "in AUR"))

    return Plan.of(
        f"Reserve a table{people} at {name} in {city}{day}{at}. What is the deposit?",
        f"We want to eat at {name} in {city}{day}{at}. Get us a table{people} and tell me the deposit.",
        f"Book a table{people} at {name}, {city}{day}{at}, and say what deposit they take.",
        solve=solve,
    )
