"""Tasks about restaurants: menus, opening hours, bills."""

from __future__ import annotations

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.currencies import CODES, FOREIGN, currencies
from stb_env.suites.sandbox.content.edition import Options
from stb_env.suites.sandbox.content.households import friends
from stb_env.suites.sandbox.content.places import cities
from stb_env.suites.sandbox.content.restaurants import COURSES, restaurants
from stb_env.suites.sandbox.content.weekdays import WEEKDAYS
from stb_env.suites.sandbox.conventions import parse_clock, show_clock
from stb_env.suites.sandbox.lookups import contact_named, days, exchanged, find, long_date
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, Steps, Undecided, ranked, template
from stb_env.suites.sandbox.tools import (
    city_atlas,
    contact_book,
    date_reckoner,
    rate_board,
    sky_almanac,
    table_guide,
)

_RESTAURANTS = Options(lambda: restaurants().values())
_KINDS = {True: "vegetarian", False: "non-vegetarian"}
# Restaurants and courses with dishes of both kinds.
_CHOICES = Options(
    lambda: [
        (row, course, kind)
        for row in _RESTAURANTS
        for course in COURSES
        if len({line["vegetarian"] for line in row["menu"] if line["course"] == course}) == len(_KINDS)
        for kind in _KINDS.values()
    ]
)
_DAYS = days(3, 160)
_CLOCKS = [show_clock(minutes) for minutes in range(11 * 60, 23 * 60, 15)]


def _place(row: JsonObject) -> tuple[str, str]:
    return row["name"], cities()[row["city_id"]]["name"]


def _restaurant_id(name: str, city: str) -> Steps[str]:
    return str((yield from find(table_guide.search_restaurants(city_name=city), name=name))["restaurant_id"])


def _bill(name: str, city: str, order: dict[str, int]) -> Steps[tuple[float, str]]:
    """Add up what dishes cost in local currency, and return that and its code; two calls."""
    key = yield from _restaurant_id(name, city)
    menu = yield table_guide.menu(restaurant_id=key)
    total: float = sum(order[row["dish"]] * row["price"] for row in menu["dishes"] if row["dish"] in order)
    return round(total, 2), str(menu["currency"])


def _order(draw: Draw, row: JsonObject) -> dict[str, int]:
    mains = [line["dish"] for line in row["menu"] if line["course"] == "main"]
    sweets = [line["dish"] for line in row["menu"] if line["course"] == "dessert"]
    return {draw.pick(mains): draw.between(1, 5), draw.pick(sweets): draw.between(1, 5)}


def _spoken(order: dict[str, int]) -> str:
    return " and ".join(f"{count} x {dish}" for dish, count in order.items())


@template(table_guide.TOOL, calls=2)
def meal_bill(draw: Draw) -> Plan:
    """Bill of an order."""
    row = draw.pick(_RESTAURANTS)
    (name, city), order = _place(row), _order(draw, row)

    def solve() -> Solution:
        total, code = yield from _bill(name, city, order)
        return Answer.of(
            f"The bill comes to {total:.2f} {code}.",
            facts.number("total", total, "in the currency of currency_code"),
            facts.choice("currency_code", code, CODES),
        )

    return Plan.of(
        f"At {name} in {city} we order {_spoken(order)}. What is the bill in local currency, and which "
        "currency code is that?",
        f"How much do {_spoken(order)} cost together at {name}, {city}, in the money of the menu? Amount and "
        "currency code, please.",
        f"Add up {_spoken(order)} from the menu of {name} in {city}: local price and three-letter code of "
        "its currency.",
        solve=solve,
    )


@template(table_guide.TOOL, rate_board.TOOL, calls=3)
def meal_bill_abroad(draw: Draw) -> Plan:
    """Bill of an order in another currency."""
    row = draw.pick(_RESTAURANTS)
    (name, city), order = _place(row), _order(draw, row)
    code = draw.pick(sorted(currencies().keys() - {row["currency"]}))

    def solve() -> Solution:
        total, local = yield from _bill(name, city, order)
        bill = yield from exchanged(total, code, local)
        return Answer.of(
            f"That is {bill:.2f} {code}.",
            facts.number("total", bill, f"in {code}, the sum converted to the cent"),
        )

    return Plan.of(
        f"What would {_spoken(order)} at {name} in {city} cost me, the bill converted to {code}? Give that "
        "amount only.",
        f"We eat {_spoken(order)} at {name}, {city}. Convert the bill to {code}; I do not need the local "
        "amount.",
        f"Menu prices of {name} in {city}: total of {_spoken(order)}, converted to {code} in one sum.",
        solve=solve,
    )


@template(table_guide.TOOL, calls=2)
def menu_choice(draw: Draw) -> Plan:
    """Dishes of a course that are vegetarian, or are not."""
    row, course, kind = draw.pick(_CHOICES)
    name, city = _place(row)

    def solve() -> Solution:
        key = yield from _restaurant_id(name, city)
        dishes = (yield table_guide.menu(restaurant_id=key, course=course))["dishes"]
        fitting = [line["dish"] for line in dishes if _KINDS[line["vegetarian"]] == kind]
        return Answer.of(f"They serve {', '.join(fitting)}.", facts.names("dishes", fitting))

    return Plan.of(
        f"Which {kind} {course} dishes does {name} in {city} serve? List those only.",
        f"Give me all {kind} options of the {course} course at {name}, {city}, and nothing else.",
        f"From the menu of {name} ({city}): every {course} that is {kind}, please.",
        solve=solve,
    )


@template(table_guide.TOOL, date_reckoner.TOOL, calls=3, unseen=True)
def restaurant_open(draw: Draw) -> Plan:
    """Opening of a restaurant at some time of a date."""
    (name, city), when, at = _place(draw.pick(_RESTAURANTS)), draw.pick(_DAYS), draw.pick(_CLOCKS)

    def solve() -> Solution:
        row = yield table_guide.restaurant_details(restaurant_id=(yield from _restaurant_id(name, city)))
        weekday = (yield date_reckoner.weekday_of(date=when.isoformat()))["weekday"]
        is_open = weekday != row["closed_on"] and row["opens"] <= at < row["closes"]
        polarity = "Yes, it is open then" if is_open else "No, it is shut then"
        return Answer.of(
            f"{polarity}; on its open days it closes at {row['closes']}.",
            facts.yes_no("is_open", is_open),
            facts.time("closing_time", row["closes"]),
        )

    return Plan.of(
        f"Is {name} in {city} open on {long_date(when)} at {at}? And when does it close on its open days?",
        f"We think of dropping in at {name}, {city}, on {when} at {at}. Would it be open, and what is its "
        "usual closing time?",
        f"Tell me whether {name} ({city}) is open at {at} on {long_date(when)}, and its closing time.",
        solve=solve,
    )


@template(contact_book.TOOL, city_atlas.TOOL, table_guide.TOOL, calls=5, unseen=True)
def table_near_contact(draw: Draw) -> Plan:
    """The best (or worst) restaurant in a contact's city, and its phone number."""
    draw.home()
    friend, wording = draw.pick(friends(draw.household))["name"], draw.pick(("highest", "lowest"))

    def solve() -> Solution:
        row = yield from contact_named(friend)
        city = (yield city_atlas.city_details(city_id=row["city_id"]))["name"]
        rows = (yield table_guide.search_restaurants(city_name=city))["results"]
        best = ranked(rows, lambda row: row["rating"], most=wording == "highest")[0]
        phone = (yield table_guide.restaurant_details(restaurant_id=best["restaurant_id"]))["phone"]
        return Answer.of(
            f"It is {best['name']}, phone {phone}.",
            facts.name("restaurant", best["name"]),
            facts.code("phone", phone),
        )

    return Plan.of(
        f"I look for a restaurant in the city of my contact {friend}. Which one has the {wording} rating "
        "there, and what is its phone number?",
        f"Where {friend} from my contacts lives, find the restaurant with the {wording} rating; name and "
        "number to call.",
        f"Name the restaurant with the {wording} rating in {friend}'s city (see my contacts) and its phone "
        "number.",
        solve=solve,
    )


@template(table_guide.TOOL, sky_almanac.TOOL, calls=3)
def dinner_by_daylight(draw: Draw) -> Plan:
    """Time between a restaurant's opening and sunset."""
    row = draw.pick(_RESTAURANTS)
    # On the day on which it is closed, "it opens at" has no right answer.
    name, city = _place(row)
    when = draw.pick([day for day in _DAYS if WEEKDAYS[day.weekday()] != row["closed_on"]])
    lead = 15 * draw.between(4, 36)

    def solve() -> Solution:
        row = yield table_guide.restaurant_details(restaurant_id=(yield from _restaurant_id(name, city)))
        sunset = (yield sky_almanac.sun_times(city_name=city, date=when.isoformat()))["sunset"]
        early = parse_clock(sunset) - parse_clock(row["opens"]) >= lead
        return Answer.of(
            f"{'Yes' if early else 'No'}: it opens at {row['opens']} and the sun sets at {sunset}.",
            facts.yes_no("gap_is_enough", early),
            facts.time("opening_time", row["opens"]),
            facts.time("sunset", sunset),
        )

    return Plan.of(
        f"Does {name} in {city} open at least {lead} minutes before the sun sets there on {long_date(when)}? "
        "Give both times.",
        f"I like to arrive in daylight. Is {name}, {city}, open {lead} minutes ahead of sunset on {when} or "
        "longer? Tell me when it opens and when the sun sets.",
        f"For {long_date(when)}, compare sunset in {city} with the opening time of {name}: are there {lead} "
        "minutes or more between them? Both times, please.",
        solve=solve,
    )


@template(table_guide.TOOL, rate_board.TOOL, calls=6)
def dearer_menu(draw: Draw) -> Plan:
    """Comparison of the dearest starters or desserts of two restaurants, in one currency."""
    rows, course = draw.pick_some(_RESTAURANTS, 2), draw.pick(("starter", "dessert"))
    code = draw.pick(FOREIGN)
    places = [_place(row) for row in rows]

    def solve() -> Solution:
        prices = []
        for name, city in places:
            key = yield from _restaurant_id(name, city)
            menu = yield table_guide.menu(restaurant_id=key, course=course)
            dearest = max(line["price"] for line in menu["dishes"])
            prices.append((yield from exchanged(dearest, code, menu["currency"])))
        gap = round(abs(prices[0] - prices[1]), 2)
        if not gap:
            raise Undecided
        polarity = "Yes, the first is dearer" if prices[0] > prices[1] else "No, it is cheaper"
        return Answer.of(
            f"{polarity}; the difference is {gap:.2f} {code}.",
            facts.yes_no("first_is_dearer", prices[0] > prices[1], "the one that is named first"),
            facts.number("price_difference", gap, f"in {code}, of the converted prices, not negative"),
        )

    (one, here), (two, there) = places
    return Plan.of(
        f"Take the most expensive {course} of {one} in {here} and of {two} in {there}, in {code}. Is the "
        f"first the dearer one, and what is the difference in {code}?",
        f"Does the priciest {course} at {one} ({here}) cost more than that at {two} ({there})? Compare in "
        f"{code} and give me the difference.",
        f"Compare the dearest {course}s of {one}, {here}, and {two}, {there}, converted to {code}: is {one} "
        f"above {two}, and by how much do they differ?",
        solve=solve,
    )
