"""Tasks for which the one tool that it takes is withheld: right is to say so and to change nothing."""

from __future__ import annotations

from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.edition import Options
from stb_env.suites.sandbox.content.flights import CABINS, flights
from stb_env.suites.sandbox.content.households import friends
from stb_env.suites.sandbox.content.languages import LANGUAGES
from stb_env.suites.sandbox.content.places import cities, distance_km
from stb_env.suites.sandbox.content.vocabulary import words
from stb_env.suites.sandbox.lookups import city_id, contact_id, days, long_date
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, unsolvable
from stb_env.suites.sandbox.tools import (
    bill_box,
    city_atlas,
    climate_desk,
    contact_book,
    day_planner,
    file_nest,
    huddle,
    letterbox,
    phrase_bridge,
    pocket_bank,
    sky_booker,
    skyfare,
    word_hoard,
)

_CITIES = Options(lambda: cities().values())
_FLIGHTS = Options(lambda: flights().values())
_NOTES = ("The ladder is yours.", "See you at the lake.", "The soup was great!", "I found your scarf.")


@unsolvable(day_planner.TOOL, calls=1, offers=[day_planner.move_event], withheld=[day_planner.cancel_event])
def cancel_without_tool(draw: Draw) -> Plan:
    """Cancel an event with tools that can only move it."""
    row = draw.pick(list(draw.home().table("events").values()))
    title, when = row["title"], row["date"]
    reason = draw.pick(("I am ill.", "My car broke down.", "I have no time.", "Plans have changed."))

    def solve() -> Solution:
        yield day_planner.list_events(date=when)
        return Answer(
            f'I cannot cancel "{title}": none of the tools can do that.',
            cannot=facts.cannot("no_tool", "remove"),
        )

    return Plan(
        (
            f'{reason} Cancel "{title}" on {when}.',
            f'{reason} Take "{title}" of {when} out of my calendar for good.',
            f'{reason} Strike "{title}" on {when} from my calendar.',
        ),
        solve,
    )


@unsolvable(
    bill_box.TOOL,
    pocket_bank.TOOL,
    calls=2,
    offers=[pocket_bank.transfer_money, bill_box.dispute_invoice],
    withheld=[bill_box.pay_invoice],
)
def pay_without_tool(draw: Draw) -> Plan:
    """Pay an invoice with tools that can only move money between the user's own accounts."""
    rows = [row for row in draw.home().table("invoices").values() if row["status"] in ("open", "overdue")]
    issuer, kind = draw.pick(rows)["issuer"], draw.pick(pocket_bank.KINDS)
    errand = draw.pick(("today", "right away", "before I forget", "as soon as you can"))

    def solve() -> Solution:
        yield bill_box.list_invoices(issuer=issuer)
        yield pocket_bank.list_accounts()
        return Answer(
            f"I am not able to pay {issuer}: transfers go between your own accounts only.",
            cannot=facts.cannot("no_tool", "pay"),
        )

    return Plan(
        (
            f"Pay the invoice from {issuer} with my {kind} account, {errand}.",
            f"Settle what I owe {issuer} {errand}; the money comes from my {kind} account.",
            f"Clear the bill of {issuer} from the {kind} account {errand}.",
        ),
        solve,
    )


@unsolvable(
    contact_book.TOOL,
    letterbox.TOOL,
    calls=2,
    offers=[letterbox.search_mail, letterbox.mark_mail],
    withheld=[letterbox.send_mail, letterbox.reply_to_mail, huddle.write_post],
)
def send_without_tool(draw: Draw) -> Plan:
    """Send a mail with tools that can only read and sort."""
    draw.home()
    name, note = draw.pick(friends(draw.household))["name"], draw.pick(_NOTES)

    def solve() -> Solution:
        yield contact_book.contact_details(contact_id=(yield from contact_id(name)))
        return Answer(
            f"I cannot send anything to {name}; I can only read and sort your mail.",
            cannot=facts.cannot("no_tool", "send"),
        )

    return Plan(
        (
            f'Send {name} a mail with the text "{note}"',
            f'Mail {name}: "{note}"',
            f'Let {name} have a message by mail: "{note}"',
        ),
        solve,
    )


@unsolvable(
    skyfare.TOOL,
    sky_booker.TOOL,
    calls=2,
    offers=[sky_booker.list_trips, sky_booker.change_flight_day],
    withheld=[sky_booker.book_flight],
)
def book_without_tool(draw: Draw) -> Plan:
    """Book a flight with tools that know fares and change trips."""
    flight, when, cabin = draw.pick(_FLIGHTS)["flight_id"], draw.pick(days(40, 160)), draw.pick(CABINS)

    def solve() -> Solution:
        yield skyfare.flight_details(flight_id=flight)
        yield skyfare.get_fare(flight_id=flight, date=when.isoformat(), cabin=cabin)
        return Answer(
            f"I have no tool to book {flight}, so you have no seat yet.",
            cannot=facts.cannot("no_tool", "book"),
        )

    return Plan(
        (
            f"Book me a seat in {cabin} on flight {flight} on {long_date(when)}.",
            f"I want to fly with {flight} on {long_date(when)}, {cabin}. Make the booking.",
            f"Flight {flight}, {when.isoformat()}, {cabin}: get me on it.",
        ),
        solve,
    )


@unsolvable(
    file_nest.TOOL,
    calls=1,
    offers=[file_nest.move_file, file_nest.rename_file],
    withheld=[file_nest.delete_file],
)
def delete_file_without_tool(draw: Draw) -> Plan:
    """Delete a file with tools that move and rename."""
    name = draw.pick([row["name"] for row in draw.home().table("files").values()])
    why = draw.pick(
        ("It is out of date.", "We need the space.", "It holds old secrets.", "There is a newer one.")
    )

    def solve() -> Solution:
        yield file_nest.search_files(name=name)
        return Answer(f"Deleting {name} is not possible here.", cannot=facts.cannot("no_tool", "remove"))

    return Plan(
        (
            f"Delete the file {name}. {why}",
            f"{why} Get rid of {name} for good.",
            f"Wipe {name} from my files. {why}",
        ),
        solve,
    )


@unsolvable(word_hoard.TOOL, calls=1, offers=[word_hoard.find_by_meaning], withheld=phrase_bridge.TOOL.apis)
def translate_without_tool(draw: Draw) -> Plan:
    """Translate a word with an English dictionary."""
    word, language = draw.pick(list(words())), draw.pick(LANGUAGES)
    use = draw.pick(("a tattoo", "a crossword", "a birthday card", "a sign"))

    def solve() -> Solution:
        yield word_hoard.define(word=word)
        return Answer(
            f"The dictionary here is English only, so I cannot translate the word into {language}.",
            cannot=facts.cannot("no_tool", "translate"),
        )

    return Plan(
        (
            f'What is "{word}" in {language}? It is for {use}.',
            f'How do people say "{word}" in {language}? I need it for {use}.',
            f'For {use}: the {language} word for "{word}", please.',
        ),
        solve,
    )


@unsolvable(city_atlas.TOOL, climate_desk.TOOL, calls=2, offers=[climate_desk.weekly_outlook])
def ultraviolet_without_tool(draw: Draw) -> Plan:
    """Ask a forecast for what it does not have."""
    city, when = draw.pick(_CITIES)["name"], draw.pick(days(2, 60))

    def solve() -> Solution:
        row = yield climate_desk.daily_forecast(city_id=(yield from city_id(city)), date=when.isoformat())
        return Answer(
            f"The forecast does not give the UV index of {city}; there is no tool for it.",
            cannot=facts.cannot("no_tool", "ultraviolet"),
        )

    return Plan(
        (
            f"How high will the UV index be in {city} on {long_date(when)}?",
            f"Do I need sun cream in {city} on {long_date(when)}? Give me the UV index.",
            f"UV index for {city}, {when.isoformat()}, as a number, please.",
        ),
        solve,
    )


@unsolvable(city_atlas.TOOL, calls=3)
def drive_without_tool(draw: Draw) -> Plan:
    """Ask for the way by road where only distances through the air are known."""
    first, second = draw.pick_some(_CITIES, 2)
    start, goal = first["name"], second["name"]
    air = distance_km(first, second)

    def solve() -> Solution:
        one, two = (yield from city_id(start)), (yield from city_id(goal))
        row = yield city_atlas.distance_between(first_city_id=one, second_city_id=two)
        guesses = [
            row["distance"],
            round(air),
            round(air, 1),
            round(air / 1.609344),
            round(air / 1.609344, 1),
        ]
        return Answer(
            "I cannot tell the way by road: the atlas has distances as the crow flies only.",
            cannot=facts.cannot("no_tool", "drive"),
        )

    return Plan(
        (
            f"How many kilometres do I drive from {start} to {goal}, by road?",
            f"We take the car from {start} to {goal}. How long is the road, exactly?",
            f"Length of the shortest road between {start} and {goal}?",
        ),
        solve,
    )
