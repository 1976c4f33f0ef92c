"""Tasks about days out, which need several kinds of tools."""

from __future__ import annotations

from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.climate import CONDITIONS
from stb_env.suites.sandbox.content.edition import Options
from stb_env.suites.sandbox.content.households import friends
from stb_env.suites.sandbox.content.places import CITIES, cities
from stb_env.suites.sandbox.content.rail import trains_by_pair
from stb_env.suites.sandbox.lookups import contact_named, days, long_date
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, Undecided, ranked, template
from stb_env.suites.sandbox.templates.trains import direct_trains
from stb_env.suites.sandbox.tools import (
    city_atlas,
    climate_desk,
    contact_book,
    iron_road,
    rate_board,
    swiftline,
    table_guide,
)

_PAIRS = Options(lambda: list(trains_by_pair())[1:])
_DAYS = days(3, 120)


@template(city_atlas.TOOL, iron_road.TOOL, table_guide.TOOL, rate_board.TOOL, calls=7, unseen=True)
def day_trip_budget(draw: Draw) -> Plan:
    """Price of a train ride and a dinner for a party, in one currency."""
    origin, destination = (cities()[key]["name"] for key in draw.pick(_PAIRS))
    party, wording = draw.between(2, 9), draw.pick(("cheapest", "dearest"))

    def solve() -> Solution:
        train = (yield from direct_trains(origin, destination))[0]["train_id"]
        fare = (yield iron_road.train_fare(train_id=train, travel_class="second", passengers=party))["total"]
        rows = (yield table_guide.search_restaurants(city_name=destination))["results"]
        best = ranked(rows, lambda row: row["rating"], most=True)[0]
        menu = yield table_guide.menu(restaurant_id=best["restaurant_id"], course="main")
        prices = [line["price"] for line in menu["dishes"]]
        if min(prices) == max(prices):
            raise Undecided
        price = (min if wording == "cheapest" else max)(prices)
        dinner = yield rate_board.convert_amount(
            amount=round(price * party, 2), source_code=menu["currency"], target_code="AUR"
        )
        total = round(fare + dinner["converted"], 2)
        return Answer.of(
            f"We eat at {best['name']}; train and dinner cost {total:.2f} AUR.",
            facts.name("restaurant", best["name"]),
            facts.number("total", total, "in AUR, to cents", tolerance=round(0.005 * party + 0.01, 3)),
        )

    return Plan.of(
        f"{party} of us take Iron Road's first train of the day from {origin} to {destination}, second "
        f"class, and each have the {wording} main dish of the best rated restaurant there. Which restaurant "
        "is it, and what do train and dishes cost in all, in aurel?",
        f"Budget for {party}: earliest Iron Road train {origin} - {destination} (second class, one way), "
        f"then the {wording} main course each at the restaurant with the highest rating in {destination}. "
        "Name of the restaurant and the sum in AUR, please.",
        f"What does an evening in {destination} cost {party} people from {origin}: first Iron Road train out "
        f"in second class plus one {wording} main dish each at the town's top rated place? Tell me the place "
        "and the total in aurel.",
        solve=solve,
    )


@template(contact_book.TOOL, city_atlas.TOOL, swiftline.TOOL, climate_desk.TOOL, calls=6)
def visit_by_express(draw: Draw) -> Plan:
    """Price of an express to a contact's city, and the weather there."""
    draw.home()
    friend = draw.pick(friends(draw.household))
    home = cities()[friend["city_id"]]
    near = [city["name"] for city in CITIES if city["country"] == home["country"] and city is not home]
    start, when, seat = draw.pick(near), draw.pick(_DAYS), draw.pick(list(swiftline.SEATS))
    name = friend["name"]

    def solve() -> Solution:
        row = yield from contact_named(name)
        there = (yield city_atlas.city_details(city_id=row["city_id"]))["name"]
        services = (yield swiftline.timetable(from_city=start, to_city=there))["services"]
        if len(services) < 2:
            raise Undecided
        code = services[0]["service_code"]
        price = (yield swiftline.ticket_price(service_code=code, seat=seat))["price_cents"] / 100
        sky = yield climate_desk.daily_forecast(city_id=row["city_id"], date=when.isoformat())
        return Answer.of(
            f"Expect {sky['condition']}; the ticket costs {price:.2f} AUR.",
            facts.number("price", price, "of the seat, in AUR"),
            facts.choice("condition", sky["condition"], CONDITIONS),
        )

    return Plan.of(
        f"I visit my contact {name} on {long_date(when)}, from {start} with the day's first Swiftline "
        f"service. What does a {seat} seat cost in aurel, and which weather conditions await me there?",
        f"For {when}: the {seat} fare in AUR of the first Swiftline express from {start} to the city of "
        f"{name} (see my contacts), and the conditions forecast for that city?",
        f"{name} from my contacts expects me on {long_date(when)}. Price in aurel of a {seat} seat on the "
        f"earliest Swiftline train from {start}, and the weather conditions at {name}'s place, please.",
        solve=solve,
    )
