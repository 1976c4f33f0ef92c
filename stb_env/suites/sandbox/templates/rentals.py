"""Tasks about cars for hire."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations, product

from stb_env.backend.world import Row
from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.cars import EXTRAS, GEARBOXES, cars
from stb_env.suites.sandbox.content.edition import Options
from stb_env.suites.sandbox.content.places import cities
from stb_env.suites.sandbox.lookups import city_id, days, find, once
from stb_env.suites.sandbox.template import Alternative, Answer, Draw, Plan, Solution, Steps, ranked, template
from stb_env.suites.sandbox.tools import city_atlas, wheel_hire

_CARS = Options(lambda: cars().values())
_MODELS = Options(lambda: sorted({car["model"] for car in _CARS}))
# Two cars of a city, of which the second may be driven at a younger age.
_PAIRS = Options(
    lambda: [
        (one, other)
        for one, other in permutations(_CARS, 2)
        if one["city_id"] == other["city_id"] and one["min_driver_age"] > other["min_driver_age"]
    ]
)


def _wishes() -> Iterator[tuple[str, str, int]]:
    """Yield (city id, gearbox, least number of seats) where each wish changes which car is the cheapest."""
    for key in cities():
        known = [car for car in _CARS if car["city_id"] == key]
        for gearbox, seats in product(("any", *GEARBOXES), range(4, 8)):
            best = _cheapest(known, gearbox, seats)
            without = [(gearbox, 1), *([("any", seats)] if gearbox != "any" else [])]
            if best and all(_cheapest(known, *fewer) != best for fewer in without):
                yield key, gearbox, seats


def _cheapest(known: Sequence[JsonObject], gearbox: str, seats: int) -> str:
    """Return the id of the cheapest car that has a gearbox and so many seats; empty where there is none."""
    fit = [car for car in known if gearbox in ("any", car["gearbox"]) and car["seats"] >= seats]
    return str(min(fit, key=lambda car: car["price_per_day"])["car_id"]) if fit else ""


_WISHES = Options(_wishes)
# Beyond all rentals that a household starts with.
_DAYS = days(100, 340)


def rented_car(car_id: str, start: str, length: int, age: int) -> Steps[Row]:
    """Rent a car unless there is such a rental; return the rental."""
    act = wheel_hire.rent_car(car_id=car_id, start_date=start, days=length, driver_age=age)
    return (yield from once(wheel_hire.list_rentals(), act, "driver_age"))


@template(city_atlas.TOOL, wheel_hire.TOOL, calls=3, unseen=True)
def car_terms(draw: Draw) -> Plan:
    """Free miles with a car, and the least age of its driver."""
    car, length = draw.pick(_CARS), draw.between(2, 9)
    city, model = cities()[car["city_id"]]["name"], car["model"]

    def solve() -> Solution:
        known = wheel_hire.search_cars(city_id=(yield from city_id(city)))
        row = yield wheel_hire.car_details(car_id=(yield from find(known, model=model))["car_id"])
        miles = row["free_miles_per_day"] * length
        return Answer.of(
            f"{miles} miles are free; drivers must be {row['min_driver_age']}.",
            facts.integer("free_miles", miles, "altogether"),
            facts.integer("minimum_driver_age", row["min_driver_age"]),
        )

    return Plan.of(
        f"If I hire the {model} in {city} for {length} days, how many miles can I drive for free in all, and "
        "how old must the driver be?",
        f"Wheel Hire has the {model} in {city}. Tell me the free miles for {length} days and the least age "
        "of its driver.",
        f"{length} days with the {model} from {city}: how many miles are included altogether, and from what "
        "age may one drive it?",
        solve=solve,
    )


@template(city_atlas.TOOL, wheel_hire.TOOL, calls=4, writes=("rentals",))
def rent_cheapest_car(draw: Draw) -> Plan:
    """Rent the cheapest car that meets some wishes."""
    draw.home()
    (key, gearbox, seats), age = draw.pick(_WISHES), draw.between(26, 70)
    city, start, length = cities()[key]["name"], draw.pick(_DAYS).isoformat(), draw.between(2, 9)
    wish = "with any gearbox" if gearbox == "any" else f"with {gearbox} gearbox"

    def solve() -> Solution:
        known = yield from city_id(city)
        rows = (yield wheel_hire.search_cars(city_id=known, min_seats=seats, gearbox=gearbox))["cars"]
        best = ranked(rows, lambda row: row["price_per_day"])[0]
        row = yield from rented_car(best["car_id"], start, length, age)
        return Answer.of(
            f"The {row['model']}, for {row['total']:.2f} AUR.",
            facts.name("model", row["model"]),
            facts.number("total", row["total"], "in AUR"),
        )

    return Plan.of(
        f"Rent me the cheapest car in {city} {wish} and at least {seats} seats, from {start} for {length} "
        f"days; the driver is {age}. Which model is it, and what is the total?",
        f"I am {age} and need a car in {city} from {start}, {length} days, {wish}, {seats} seats or more. "
        "Take the lowest price (one rental only) and tell me the model and the sum in aurel.",
        f"Hire a car in {city}: {seats} or more seats, {wish}, as cheap as possible, {length} days from "
        f"{start}, driver aged {age}. Model and total price, please.",
        solve=solve,
    )


@template(city_atlas.TOOL, wheel_hire.TOOL, calls=5, writes=("rentals",))
def car_for_young_driver(draw: Draw) -> Plan:
    """Rent one car, or another where the driver is too young for it."""
    draw.home()
    first, second = draw.pick(_PAIRS)
    city, models = cities()[first["city_id"]]["name"], (first["model"], second["model"])
    age = draw.between(second["min_driver_age"], first["min_driver_age"] + 2)
    start, length = draw.pick(_DAYS).isoformat(), draw.between(2, 6)
    attempt = wheel_hire.rent_car(car_id=first["car_id"], start_date=start, days=length, driver_age=age)

    def solve() -> Solution:
        rows = (yield wheel_hire.search_cars(city_id=(yield from city_id(city))))["cars"]
        ids = {row["model"]: row["car_id"] for row in rows}
        least = (yield wheel_hire.car_details(car_id=ids[models[0]]))["min_driver_age"]
        row = yield from rented_car(ids[models[0 if age >= least else 1]], start, length, age)
        return Answer.of(
            f"{'Yes' if age >= least else 'No'}; the {row['model']} costs {row['total']:.2f} AUR.",
            facts.yes_no("is_old_enough", age >= least, "for the car that is named first"),
            facts.number("total", row["total"], "in AUR"),
        )

    return Plan.of(
        f"Is a driver of {age} old enough for the {models[0]} in {city}? If so, rent it from {start} for "
        f"{length} days, otherwise the {models[1]}. What does the rental come to?",
        f"My son is {age} and drives in {city}: {length} days from {start}. Rent the {models[0]} if his age "
        f"allows it, else the {models[1]}. Was he old enough for the first, and what is the total?",
        f"For {length} days in {city} from {start} I prefer the {models[0]}; if {age} years are too few for "
        f"it, the {models[1]} will do. Rent the right one. Was my age fine for the {models[0]}, and how much "
        "do I pay?",
        solve=solve,
        # The desk accepts the driver, or refuses and tells the least age.
        alternatives=[Alternative(wheel_hire.car_details, call=attempt)],
    )


@template(wheel_hire.TOOL, calls=3, writes=("rentals",))
def extend_rental(draw: Draw) -> Plan:
    """Make a rental longer and add an extra."""
    rental = draw.pick(list(draw.home().table("rentals").values()))
    model, start = rental["model"], rental["start_date"]
    length, extra = draw.between(8, 20), draw.pick(sorted(EXTRAS))

    def solve() -> Solution:
        rows = (yield wheel_hire.list_rentals())["rentals"]
        key = next(row["rental_id"] for row in rows if (row["model"], row["start_date"]) == (model, start))
        yield wheel_hire.change_rental_length(rental_id=key, days=length)
        row = yield wheel_hire.add_extra(rental_id=key, extra=extra)
        return Answer.of(
            f"It goes back on {row['return_date']} and costs {row['total']:.2f} AUR.",
            facts.date("return_date", row["return_date"]),
            facts.number("total", row["total"], "in AUR"),
        )

    return Plan.of(
        f'Change my rental of the {model} from {start} to {length} days in all and add the extra "{extra}". '
        "When does it go back, and what is the total?",
        f'I keep the {model} (hired from {start}) for {length} days altogether, with the extra "{extra}". '
        "Arrange both and tell me the return date and the new price.",
        f'My booking of the {model}, starting {start}, should have {length} days and the extra "{extra}". '
        "What are the date of return and the total then?",
        solve=solve,
    )
