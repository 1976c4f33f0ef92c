"""Tasks about hotels."""

from __future__ import annotations

from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.currencies import CODES
from stb_env.suites.sandbox.content.edition import Options
from stb_env.suites.sandbox.content.hotels import hotels
from stb_env.suites.sandbox.content.places import CITIES, cities
from stb_env.suites.sandbox.lookups import find
from stb_env.suites.sandbox.template import Alternative, Answer, Draw, Plan, Solution, ranked, template
from stb_env.suites.sandbox.tools import stay_finder

_HOTELS = Options(lambda: hotels().values())


@template(stay_finder.TOOL, calls=1)
def cheapest_hotel(draw: Draw) -> Plan:
    """The cheapest (or dearest) hotel of a city."""
    name = draw.pick(CITIES)["name"]
    wording = draw.pick(("cheapest", "most expensive"))

    def solve() -> Solution:
        page = yield stay_finder.search_hotels(city_name=name)
        rows = ranked(page["results"], lambda row: row["nightly_price"], most=wording != "cheapest")
        best = rows[0]
        return Answer.of(
            f"That is the {best['name']} at {best['nightly_price']} {best['currency']} a night.",
            facts.name("hotel", best["name"]),
            facts.number("price", best["nightly_price"], "of a night, in that currency"),
            facts.choice("currency_code", best["currency"], CODES),
        )

    return Plan.of(
        f"Which hotel in {name} is the {wording}, what does it charge a night, and in which currency?",
        f"I need a bed in {name}. Name the {wording} hotel there, its price a night and the currency.",
        f"Find the {wording} hotel of {name}; tell me its name, its nightly price in local currency, and "
        "which currency that is.",
        solve=solve,
    )


@template(stay_finder.TOOL, calls=2)
def hotel_check_in(draw: Draw) -> Plan:
    """From when one can check in, and the number to call."""
    hotel = draw.pick(_HOTELS)
    name, city = hotel["name"], cities()[hotel["city_id"]]["name"]

    def solve() -> Solution:
        key = (yield from find(stay_finder.search_hotels(city_name=city), name=name))["hotel_id"]
        row = yield stay_finder.hotel_details(hotel_id=key)
        return Answer.of(
            f"Check-in starts at {row['check_in_from']}; the phone number is {row['phone']}.",
            facts.time("check_in_time", row["check_in_from"], "the earliest"),
            facts.code("phone", row["phone"]),
        )

    return Plan.of(
        f"From what time can I check in at the {name} in {city}, and what is its phone number?",
        f"I have booked the {name} ({city}). Please give me the earliest check-in time and their number.",
        f"When does check-in start at the {name}, {city}? I also need to call them: which number?",
        solve=solve,
    )


@template(stay_finder.TOOL, calls=2)
def hotel_stay(draw: Draw) -> Plan:
    """Price of several nights."""
    hotel, nights = draw.pick(_HOTELS), draw.between(2, 14)
    name, city = hotel["name"], cities()[hotel["city_id"]]["name"]
    night = tuple(hotel[column] for column in ("hotel_id", "nightly_price", "currency"))

    def solve() -> Solution:
        key = (yield from find(stay_finder.search_hotels(city_name=city), name=name))["hotel_id"]
        row = yield stay_finder.price_stay(hotel_id=key, nights=nights)
        return Answer.of(
            f"It comes to {row['total']} {row['currency']}.",
            facts.number("total", row["total"], "in that currency"),
            facts.choice("currency_code", row["currency"], CODES),
        )

    return Plan.of(
        f"What do {nights} nights at the {name} in {city} cost altogether, and in which currency?",
        f"We want to stay {nights} nights at the {name}, {city}. What will the total bill be, and in which "
        "currency?",
        f"Quote me the full price of a {nights}-night stay at the {name} in {city}, and its currency.",
        solve=solve,
        # Price Stay's description tells how its total follows from the price of a night.
        alternatives=[Alternative(stay_finder.price_stay, values=night)],
    )
