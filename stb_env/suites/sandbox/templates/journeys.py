"""Tasks about days out and visits, which need several kinds of tools."""

from __future__ import annotations

from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.climate import CONDITIONS
from stb_env.suites.sandbox.content.edition import Options
from stb_env.suites.sandbox.content.households import friends
from stb_env.suites.sandbox.content.places import CITIES, cities
from stb_env.suites.sandbox.content.rail import trains_by_pair
from stb_env.suites.sandbox.lookups import contact_id, contact_named, days, exchanged, long_date, noted
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, Undecided, ranked, template
from stb_env.suites.sandbox.templates.rentals import rented_car
from stb_env.suites.sandbox.templates.stays import booked_room, open_days_in
from stb_env.suites.sandbox.templates.trains import direct_trains
from stb_env.suites.sandbox.tools import (
    city_atlas,
    climate_desk,
    contact_book,
    day_planner,
    iron_road,
    rate_board,
    room_keeper,
    swiftline,
    table_guide,
    wheel_hire,
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
        dinner = yield from exchanged(round(price * party, 2), "AUR", menu["currency"])
        total = round(fare + dinner, 2)
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


@template(
    contact_book.TOOL,
    room_keeper.TOOL,
    wheel_hire.TOOL,
    day_planner.TOOL,
    calls=10,
    writes=("stays", "rentals", "events"),
    unseen=True,
)
def visit_contact(draw: Draw) -> Plan:
    """Book a room and a car where a contact lives, and note the visit."""
    draw.home()
    friend = draw.pick(friends(draw.household))
    name, nights = friend["name"], draw.between(2, 7)
    start = draw.pick(open_days_in(friend["city_id"])).isoformat()

    def solve() -> Solution:
        key = yield from contact_id(name)
        city = (yield contact_book.contact_details(contact_id=key))["city_id"]
        offers = (yield room_keeper.find_rooms(city_id=city, check_in=start))["hotels"]
        open_offers = [offer for offer in offers if offer["available"]]
        offer = ranked(open_offers, lambda row: row["nightly_aur"])[0]
        stay = yield from booked_room(offer, start, nights)
        models = (yield wheel_hire.search_cars(city_id=city))["cars"]
        cheapest = ranked(models, lambda row: row["price_per_day"])[0]
        rental = yield from rented_car(cheapest["car_id"], start, nights, 45)
        event = {"date": start, "title": "Arrival", "start_time": "15:00", "duration_minutes": 60}
        yield from noted({**event, "contact_id": key})
        total = round(stay["total"] + rental["total"], 2)
        return Answer.of(
            f"{stay['hotel']} and the {rental['model']}, {total:.2f} AUR together.",
            facts.name("hotel", stay["hotel"]),
            facts.name("model", rental["model"]),
            facts.number("total", total, "in AUR"),
        )

    return Plan.of(
        f"I visit my contact {name} from {start} for {nights} nights. In that person's city, book the "
        f"cheapest hotel with a room (Room Keeper) and rent the cheapest car for {nights} days from {start} "
        '(I am 45); then add the calendar event "Arrival" on the first day at 15:00, 60 minutes, with the '
        "contact linked. Which hotel, which car model, and what do both cost together?",
        f"Plan a trip to where {name} (in my contacts) lives: arrival {start}, {nights} nights. I need the "
        f"cheapest available room, the cheapest hired car for {nights} days (driver aged 45), and an event "
        '"Arrival" in my calendar at 15:00 that day, one hour, contact attached. Tell me hotel, model and '
        "the sum of both in aurel.",
        f"Book everything for {nights} nights near {name}, whose city is in my contacts, from {start}: "
        f"lowest hotel price with a free room, lowest car price ({nights} days, I am 45 years old). Note it "
        'as "Arrival", 15:00 to 16:00 on that day, linked to the contact. Name hotel and car model, and add '
        "up their totals.",
        solve=solve,
    )
