"""Tasks that leave out a detail: right is to ask for it and to change nothing."""

from __future__ import annotations

from collections import Counter
from datetime import date

from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.cars import cars
from stb_env.suites.sandbox.content.currencies import convert, currencies
from stb_env.suites.sandbox.content.edition import Options
from stb_env.suites.sandbox.content.flights import CABINS, fare, flights
from stb_env.suites.sandbox.content.hotels import hotels
from stb_env.suites.sandbox.content.households import friends
from stb_env.suites.sandbox.content.places import cities
from stb_env.suites.sandbox.lookups import city_id, days, long_date
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, unsolvable
from stb_env.suites.sandbox.tools import (
    city_atlas,
    contact_book,
    day_planner,
    letterbox,
    pocket_bank,
    rate_board,
    room_keeper,
    sky_booker,
    skyfare,
    task_tray,
    wheel_hire,
)

_CITIES = Options(lambda: cities().values())
_FLIGHTS = Options(lambda: flights().values())
_HOTELS = Options(lambda: hotels().values())
_CARS = Options(lambda: cars().values())
_CODES = sorted(currencies())
_COMING = days(40, 160)
_GUESSED_DAYS = [*days(0, 40), date(2026, 4, 15)]
_TITLES = ("Roof inspection", "Vaccination", "Kite festival", "Language exam", "Boiler repair", "Quiz night")
_PURPOSES = ("the new tent", "a rainy spring", "our garden wall", "the school fees", "a used bicycle")
_NOTES = (
    "The keys are under the blue pot.",
    "I come an hour later.",
    "Thank you for the lovely evening!",
    "The rehearsal is off.",
    "Your umbrella is still with us.",
    "We saved you a slice of cake.",
)
_CHORES = ("Wash the curtains", "Sharpen the knives", "Print the photos", "Air the tent", "Sort the seeds")


def _shared_first_name(draw: Draw) -> tuple[str, list[str]]:
    """Choose a first name that two or more of the user's contacts have."""
    draw.home()
    known = [row["name"] for row in friends(draw.household)]
    count = Counter(name.split()[0] for name in known)
    first = draw.pick(sorted(name for name, times in count.items() if times > 1))
    return first, [name for name in known if name.split()[0] == first]


@unsolvable(skyfare.TOOL, calls=1, offers=[skyfare.get_fare])
def fare_without_day(draw: Draw) -> Plan:
    """What a seat costs, with no word on the day."""
    flight, cabin = draw.pick(_FLIGHTS), draw.pick(CABINS)
    number = flight["flight_id"]
    guesses = [fare(flight, day.toordinal(), cabin) for day in _GUESSED_DAYS]

    def solve() -> Solution:
        yield skyfare.flight_details(flight_id=number)
        return Answer(
            f"The fare of {number} changes daily, so I need to know the date of departure.",
            cannot=facts.cannot("missing_detail", "date"),
        )

    return Plan(
        (
            f"What does a seat in {cabin} on flight {number} cost?",
            f"How much do I pay for {cabin} on {number}?",
            f"Give me the exact fare of flight {number}, cabin {cabin}.",
        ),
        solve,
    )


@unsolvable(
    city_atlas.TOOL,
    skyfare.TOOL,
    sky_booker.TOOL,
    calls=1,
    offers=[skyfare.search_flights, skyfare.get_fare, sky_booker.book_flight],
)
def flight_without_origin(draw: Draw) -> Plan:
    """Book a flight, with no word on where it starts."""
    target, when = draw.pick(_CITIES)["name"], draw.pick(_COMING)

    def solve() -> Solution:
        yield from city_id(target)
        return Answer(
            f"I cannot book it yet: which city do you leave from on your way to {target}?",
            cannot=facts.cannot("missing_detail", "place"),
        )

    return Plan(
        (
            f"Book me the cheapest flight to {target} on {long_date(when)}.",
            f"I must be in {target} on {long_date(when)}. Buy me a seat on the first flight of that morning.",
            f"Get me an economy seat to {target}, {when.isoformat()}, whatever flight is cheapest.",
        ),
        solve,
    )


@unsolvable(pocket_bank.TOOL, calls=1, offers=[pocket_bank.transfer_money])
def transfer_without_amount(draw: Draw) -> Plan:
    """Move money between two accounts, with no word on how much."""
    draw.home()
    source, target = draw.pick_some(pocket_bank.KINDS, 2)
    purpose = draw.pick(_PURPOSES)

    def solve() -> Solution:
        yield pocket_bank.list_accounts()
        return Answer(
            f"How much shall I move from {source} to {target}? You have not given an amount.",
            cannot=facts.cannot("missing_detail", "amount"),
        )

    return Plan(
        (
            f"Move the money for {purpose} from my {source} account to my {target} account.",
            f"Put what I need for {purpose} from {source} into {target}, please.",
            f"For {purpose}, transfer money out of my {source} account into the {target} one.",
        ),
        solve,
    )


@unsolvable(
    contact_book.TOOL, letterbox.TOOL, calls=1, offers=[contact_book.contact_details, letterbox.send_mail]
)
def mail_to_one_of_two(draw: Draw) -> Plan:
    """Write to somebody whose first name two contacts share."""
    first, known = _shared_first_name(draw)
    note = draw.pick(_NOTES)

    def solve() -> Solution:
        yield contact_book.search_contacts(name=first)
        return Answer(
            f"Your contacts have {' and '.join(known)}. Which {first} do you mean?",
            cannot=facts.cannot("missing_detail", "person"),
        )

    return Plan(
        (
            f'Mail {first} from my contacts: "{note}"',
            f'Send {first} a mail that says "{note}" The address is in my contacts.',
            f'Please write to {first}, subject "Hello", text "{note}"',
        ),
        solve,
    )


@unsolvable(contact_book.TOOL, calls=1, offers=[contact_book.contact_details, contact_book.delete_contact])
def delete_one_of_two(draw: Draw) -> Plan:
    """Delete somebody whose first name two contacts share."""
    first, known = _shared_first_name(draw)
    reason = draw.pick(
        ("has moved abroad", "has a new number", "changed jobs", "is out of touch", "left town")
    )

    def solve() -> Solution:
        yield contact_book.search_contacts(name=first)
        return Answer(
            f"There is more than one {first}: {', '.join(known)}. Please tell me the last name.",
            cannot=facts.cannot("missing_detail", "person"),
        )

    return Plan(
        (
            f"{first} {reason}. Delete {first} from my contacts.",
            f"Take {first} out of my contacts, since {first} {reason}.",
            f"Remove my contact {first}, who {reason}.",
        ),
        solve,
    )


@unsolvable(day_planner.TOOL, calls=1, offers=[day_planner.create_event])
def event_without_time(draw: Draw) -> Plan:
    """Put an event into the calendar, with no word on its start."""
    title, when, minutes = draw.pick(_TITLES), draw.pick(_COMING), 15 * draw.between(2, 8)

    def solve() -> Solution:
        yield day_planner.list_events(date=when.isoformat())
        return Answer(
            f"At what time does it start? I need to know that to enter {title}.",
            cannot=facts.cannot("missing_detail", "time"),
        )

    return Plan(
        (
            f'Enter "{title}" in my calendar on {long_date(when)}; it takes {minutes} minutes.',
            f'{long_date(when)}: {minutes} minutes of "{title}". Put it in my calendar.',
            f'Add the event "{title}" ({minutes} minutes) to my calendar for {when.isoformat()}.',
        ),
        solve,
    )


@unsolvable(city_atlas.TOOL, room_keeper.TOOL, calls=2, offers=[room_keeper.book_room])
def room_without_nights(draw: Draw) -> Plan:
    """Book a room, with no word on how long."""
    hotel = draw.pick(_HOTELS)
    # A full hotel would be a second reason to book nothing.
    when = draw.pick(room_keeper.days_with_room(hotel["hotel_id"], _COMING))
    city = cities()[hotel["city_id"]]["name"]

    def solve() -> Solution:
        yield room_keeper.find_rooms(city_id=(yield from city_id(city)), check_in=when.isoformat())
        return Answer(
            f"How many nights do you stay at the {hotel['name']}?",
            cannot=facts.cannot("missing_detail", "length"),
        )

    return Plan(
        (
            f"Book me a room at the {hotel['name']} in {city} from {long_date(when)}.",
            f"I arrive in {city} on {long_date(when)}. Get me a room at the {hotel['name']}.",
            f"Reserve the {hotel['name']}, {city}, check-in {when.isoformat()}, and pay for it.",
        ),
        solve,
    )


@unsolvable(task_tray.TOOL, calls=1, offers=[task_tray.add_todo])
def todo_without_day(draw: Draw) -> Plan:
    """Add a to-do, with no word on when it is due."""
    draw.home()
    chore, place = draw.pick(_CHORES), draw.pick(list(task_tray.LISTS))
    priority = draw.pick(task_tray.PRIORITIES)

    def solve() -> Solution:
        yield task_tray.show_lists()
        return Answer(
            f'The due date is missing. By when must "{chore}" be done?',
            cannot=facts.cannot("missing_detail", "date"),
        )

    return Plan(
        (
            f'Add "{chore}" to my list {place} with {priority} priority.',
            f'My list {place} needs a new to-do, "{chore}", {priority} priority.',
            f'Put "{chore}" on the {place} list; the priority is {priority}.',
        ),
        solve,
    )


@unsolvable(rate_board.TOOL, calls=0, offers=[rate_board.convert_amount, rate_board.list_currencies])
def conversion_without_target(draw: Draw) -> Plan:
    """Change money, with no word on what into."""
    source, amount = draw.pick(_CODES), draw.between(35, 4_000)
    guesses = [convert(amount, source, code) for code in _CODES if code != source]

    def solve() -> Solution:
        yield from ()
        return Answer(
            f"Which currency do you want for your {amount} {source}?",
            cannot=facts.cannot("missing_detail", "currency"),
        )

    return Plan(
        (
            f"What do I get if I change {amount} {source} into another currency?",
            f"Convert {amount} {source} at today's rate into the money that I need on my journey.",
            f"How much foreign money will the bank hand me for {amount} {source}?",
        ),
        solve,
    )


@unsolvable(city_atlas.TOOL, wheel_hire.TOOL, calls=2, offers=[wheel_hire.rent_car])
def car_without_day_and_age(draw: Draw) -> Plan:
    """Rent a car, with no word on the first day and the driver's age."""
    car, length = draw.pick(_CARS), draw.between(2, 14)
    city, model = cities()[car["city_id"]]["name"], car["model"]

    def solve() -> Solution:
        yield wheel_hire.search_cars(city_id=(yield from city_id(city)))
        return Answer(
            f"I need to know two things to rent the {model}: the first day and the age of the driver.",
            cannot=facts.cannot("missing_detail", "date", "age"),
        )

    return Plan(
        (
            f"Rent me the {model} in {city} for {length} days.",
            f"I want the {model} from the car hire in {city}, {length} days in all. Book it.",
            f"Get me a car in {city}, the {model}, and book it for {length} days.",
        ),
        solve,
    )
