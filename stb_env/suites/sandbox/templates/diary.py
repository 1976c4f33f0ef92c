"""Tasks about the user's contacts and calendar."""

from __future__ import annotations

from datetime import date

from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.edition import Options
from stb_env.suites.sandbox.content.households import friends, phone
from stb_env.suites.sandbox.content.people import people
from stb_env.suites.sandbox.conventions import show_clock
from stb_env.suites.sandbox.lookups import contact_id, contact_named, days, long_date
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, Steps, template
from stb_env.suites.sandbox.tools import contact_book, day_planner

_FREE_DAYS = days(40, 160)
_STARTS = [show_clock(minutes) for minutes in range(8 * 60, 19 * 60, 15)]
_TITLES = ("Roof inspection", "Vaccination", "Kite festival", "Language exam", "Boiler repair", "Quiz night")
_STRANGERS = Options(lambda: [row["name"] for row in people().values()])


def _clear(when: date) -> Steps[None]:
    """Take away what an agent put on one of the free days, which start empty."""
    rows = (yield day_planner.list_events(date=when.isoformat()))["events"]
    for row in rows:
        yield day_planner.cancel_event(event_id=row["event_id"])


@template(contact_book.TOOL, calls=2)
def contact_phone(draw: Draw) -> Plan:
    """Phone number of a contact."""
    draw.home()
    name = draw.pick(friends(draw.household))["name"]

    def solve() -> Solution:
        row = yield from contact_named(name)
        return Answer.of(f"The number is {row['phone']}.", facts.code("phone", row["phone"]))

    return Plan.of(
        f"What is {name}'s phone number?",
        f"I have to ring {name}. Which number do I have in my contacts?",
        f"Look up {name} in my contacts and read me the phone number.",
        solve=solve,
    )


@template(contact_book.TOOL, calls=2, writes=("contacts",))
def add_contact(draw: Draw) -> Plan:
    """Add somebody new."""
    draw.home()
    known = {row["name"] for row in friends(draw.household)}
    name = draw.pick([stranger for stranger in _STRANGERS if stranger not in known])
    number = phone(draw.between(0, 99_999_999))

    def solve() -> Solution:
        key = yield from contact_id(name)
        if key:
            yield contact_book.update_contact(contact_id=key, phone=number)
        else:
            yield contact_book.add_contact(name=name, phone=number)
        return Answer.of(f"{name} is in your contacts.")

    return Plan.of(
        f"Save {name} in my contacts with the number {number}.",
        f"I met {name} today, phone {number}. Add this person to my contacts.",
        f"Make sure that my contacts have {name} under {number}.",
        solve=solve,
    )


@template(contact_book.TOOL, calls=2, writes=("contacts",))
def change_phone(draw: Draw) -> Plan:
    """Give a contact a new number."""
    draw.home()
    name, number = draw.pick(friends(draw.household))["name"], phone(draw.between(0, 99_999_999))

    def solve() -> Solution:
        yield contact_book.update_contact(contact_id=(yield from contact_id(name)), phone=number)
        return Answer.of(f"{name}'s number is updated.")

    return Plan.of(
        f"{name} has a new phone number, {number}. Update my contacts.",
        f"Change the phone number of {name} in my contacts to {number}.",
        f"From now on {name} can be reached under {number}; please correct the entry in my contacts.",
        solve=solve,
    )


@template(contact_book.TOOL, calls=2, writes=("contacts",))
def delete_contact(draw: Draw) -> Plan:
    """Remove a contact."""
    draw.home()
    name = draw.pick(friends(draw.household))["name"]

    def solve() -> Solution:
        key = yield from contact_id(name)
        if key:
            yield contact_book.delete_contact(contact_id=key)
        return Answer.of(f"{name} is deleted.")

    return Plan.of(
        f"Delete {name} from my contacts.",
        f"I no longer need {name} in my contact list; remove the entry.",
        f"Please erase the contact {name}.",
        solve=solve,
    )


@template(day_planner.TOOL, calls=1)
def day_agenda(draw: Draw) -> Plan:
    """Events of a day."""
    events = draw.home().table("events").values()
    when = draw.pick(sorted({row["date"] for row in events}))

    def solve() -> Solution:
        rows = (yield day_planner.list_events(date=when))["events"]
        agenda = ", ".join(f"{row['title']} at {row['start_time']}" for row in rows)
        return Answer.of(
            f"You have: {agenda}.",
            facts.names("events", [row["title"] for row in rows], "titles of all events"),
            facts.time("start_time", rows[0]["start_time"], "of the first event"),
        )

    return Plan.of(
        f"What do I have on {when}, and when does the first thing start?",
        f"Read me my agenda for {when}: everything that is on it, and when my day begins.",
        f"Which events are in my calendar on {when}? Name all of them and the start of the first.",
        solve=solve,
    )


@template(day_planner.TOOL, calls=2, writes=("events",))
def create_event(draw: Draw) -> Plan:
    """Put an event into the calendar."""
    draw.home()
    title, when, start = draw.pick(_TITLES), draw.pick(_FREE_DAYS), draw.pick(_STARTS)
    minutes = 15 * draw.between(2, 8)

    def solve() -> Solution:
        yield from _clear(when)
        yield day_planner.create_event(
            title=title, date=when.isoformat(), start_time=start, duration_minutes=minutes
        )
        return Answer.of(f"{title} is in your calendar.")

    return Plan.of(
        f'Put "{title}" into my calendar on {long_date(when)} at {start} for {minutes} minutes.',
        f'Block {minutes} minutes from {start} on {when} for "{title}".',
        f'Schedule "{title}" ({minutes} minutes) on {long_date(when)}, starting {start}.',
        solve=solve,
    )


@template(day_planner.TOOL, calls=2, writes=("events",))
def move_event(draw: Draw) -> Plan:
    """Move an event to another day."""
    event = draw.pick(list(draw.home().table("events").values()))
    title, old = event["title"], event["date"]
    when, start = draw.pick(_FREE_DAYS), draw.pick(_STARTS)

    def solve() -> Solution:
        rows = (yield day_planner.list_events(date=old))["events"]
        key = next((row["event_id"] for row in rows if row["title"] == title), "")
        if key:
            yield day_planner.move_event(event_id=key, date=when.isoformat(), start_time=start)
        return Answer.of(f"{title} is moved.")

    return Plan.of(
        f'Move "{title}" from {old} to {when} at {start}.',
        f'I cannot make "{title}" on {old}. Put it on {long_date(when)}, {start}, instead.',
        f'Please reschedule my "{title}" of {old}: the new slot is {long_date(when)} at {start}.',
        solve=solve,
    )


@template(contact_book.TOOL, day_planner.TOOL, calls=3, writes=("events",), unseen=True)
def meet_contact(draw: Draw) -> Plan:
    """Arrange to meet a contact."""
    draw.home()
    name, when, start = draw.pick(friends(draw.household))["name"], draw.pick(_FREE_DAYS), draw.pick(_STARTS)

    def solve() -> Solution:
        key = yield from contact_id(name)
        yield from _clear(when)
        yield day_planner.create_event(
            title="Coffee", date=when.isoformat(), start_time=start, duration_minutes=60, contact_id=key
        )
        return Answer.of(f"Coffee with {name} is in your calendar.")

    return Plan.of(
        f'Put a one-hour event called "Coffee" with my contact {name} into my calendar: {long_date(when)}, '
        f"{start}. Link the contact.",
        f'I meet {name} (in my contacts) on {when} at {start} for an hour. Create the event "Coffee" with '
        "the contact attached.",
        f'Schedule "Coffee" for 60 minutes on {long_date(when)} from {start}, with {name} as linked contact.',
        solve=solve,
    )
