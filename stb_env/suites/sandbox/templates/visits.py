"""Tasks that take a whole journey: who, where, a room, a car and the calendar."""

from __future__ import annotations

from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.households import friends
from stb_env.suites.sandbox.lookups import contact_id, noted
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, ranked, template
from stb_env.suites.sandbox.templates.rentals import rented_car
from stb_env.suites.sandbox.templates.stays import booked_room, open_days_in
from stb_env.suites.sandbox.tools import contact_book, day_planner, room_keeper, wheel_hire


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
