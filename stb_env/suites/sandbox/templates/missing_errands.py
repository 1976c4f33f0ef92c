"""Twins about what the user has: contacts, calendar, to-dos, money, invoices, files and clothes."""

from __future__ import annotations

from collections import Counter

from stb_env.backend.world import Row, Tables
from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.cannot import Gap, left_out, no_tool, not_found, one_of_several
from stb_env.suites.sandbox.content.coming_days import days_left
from stb_env.suites.sandbox.content.edition import Options
from stb_env.suites.sandbox.content.garments import garments
from stb_env.suites.sandbox.content.households import friends
from stb_env.suites.sandbox.content.people import people
from stb_env.suites.sandbox.lookups import contact_id, days, long_date
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, Steps, refusal, twins
from stb_env.suites.sandbox.templates.missing_facts import recombined
from stb_env.suites.sandbox.tools import (
    bill_box,
    contact_book,
    day_planner,
    file_nest,
    huddle,
    letterbox,
    pocket_bank,
    task_tray,
    thread_house,
)

_COMING = days(40, 160)
_GARMENTS = Options(lambda: garments().values())
_FIRST_NAMES = Options(lambda: sorted({row["name"].split()[0] for row in people().values()}))
_PLANS = ("Boiler repair", "Kite festival", "Language exam", "Quiz night", "Roof inspection", "Vaccination")
_EVENTS = ("Chess club", "Dentist", "Eye test", "Flat viewing", "Piano lesson", "Tax adviser", "Team lunch")
_CHORES = ("Air the tent", "Print the photos", "Sharpen the knives", "Sort the seeds", "Wash the curtains")
_NOTES = (
    "I come an hour later.", "The keys are under the blue pot.", "The ladder is yours.",
    "The rehearsal is off.", "We saved you a slice of cake.", "Your umbrella is still with us.",
)  # fmt: skip
_SUBJECTS = ("Hello", "News", "One more thing", "Saturday")
_NO_ISSUERS = recombined(bill_box.ISSUERS)
_UNPAID = ("open", "overdue")


# -- contacts -----------------------------------------------------------------------------------------------


def _first_name(draw: Draw, gap: Gap) -> str:
    """Choose the first name of one contact, of several or of none."""
    draw.home()
    count = Counter(row["name"].split()[0] for row in friends(draw.household))
    every = "\n".join(row["name"].casefold() for row in friends(draw.household))
    if gap.reason == "not_found":
        return draw.pick([name for name in _FIRST_NAMES if name.casefold() not in every])
    several = gap.reason == "missing_detail"
    return draw.pick(sorted(name for name, times in count.items() if (times > 1) is several))


def _of_first_name(first: str) -> Steps[list[Row]]:
    rows = (yield contact_book.search_contacts(name=first))["results"]
    return [row for row in rows if row["name"].split()[0] == first]


@twins(
    contact_book.TOOL,
    letterbox.TOOL,
    calls=3,
    writes=("mails",),
    offers=[letterbox.search_mail, letterbox.mark_mail],
)
def mail_by_first_name(draw: Draw) -> Plan:
    """Write to somebody whose first name one contact has, or several, or none."""
    gap = draw.gap(
        one_of_several("person"),
        not_found("person"),
        no_tool("send", letterbox.send_mail, letterbox.reply_to_mail, huddle.write_post),
    )
    note, subject, first = draw.pick(_NOTES), draw.pick(_SUBJECTS), _first_name(draw, gap)

    def solve() -> Solution:
        known = yield from _of_first_name(first)
        if len(known) != 1:
            return refusal(gap)
        row = yield contact_book.contact_details(contact_id=known[0]["contact_id"])
        yield letterbox.send_mail(recipient=row["email"], subject=subject, body=note)
        return Answer(f"{row['name']} has your mail.")

    return Plan(
        (
            f'Mail {first} from my contacts, subject "{subject}": "{note}"',
            f'Send {first} a mail that says "{note}" with the subject "{subject}". The address is in my contacts.',
            f'Please write a mail to {first}, one of my contacts; subject "{subject}", text "{note}"',
        ),
        solve,
        gap,
        [contact_book.search_contacts(name=first)],
    )


@twins(contact_book.TOOL, calls=2)
def phone_by_first_name(draw: Draw) -> Plan:
    """The number of somebody whose first name one contact has, or several, or none."""
    gap = draw.gap(one_of_several("person"), not_found("person"))
    first = _first_name(draw, gap)

    def solve() -> Solution:
        known = yield from _of_first_name(first)
        if len(known) != 1:
            return refusal(gap)
        phone = (yield contact_book.contact_details(contact_id=known[0]["contact_id"]))["phone"]
        return Answer(f"The number is {phone}.", [facts.code("phone", phone)])

    return Plan(
        (
            f"What is {first}'s phone number?",
            f"I want to ring {first}. Which number is in my contacts?",
            f"Look up {first} in my contacts and read me the phone number.",
        ),
        solve,
        gap,
        [contact_book.search_contacts(name=first)],
    )


@twins(contact_book.TOOL, calls=2, writes=("contacts",), offers=[contact_book.update_contact])
def contact_gone(draw: Draw) -> Plan:
    """Delete somebody who is among the contacts, or of whom only a namesake is."""
    gap = draw.gap(not_found("person"), no_tool("remove", contact_book.delete_contact))
    draw.home()
    known = [row["name"] for row in friends(draw.household)]
    name = draw.pick(recombined(known) if gap.reason == "not_found" else known)

    def solve() -> Solution:
        key = yield from contact_id(name)
        if not key and gap:
            return refusal(gap)
        if key:
            yield contact_book.delete_contact(contact_id=key)
        return Answer(f"{name} is no longer among your contacts.")

    return Plan(
        (
            f"Delete {name} from my contacts.",
            f"I never call {name} any more. Remove the contact.",
            f"Clean up my contacts: delete {name}.",
        ),
        solve,
        gap,
        [contact_book.search_contacts(name=name)],
    )


# -- calendar and to-dos ------------------------------------------------------------------------------------


@twins(day_planner.TOOL, calls=2, writes=("events",))
def new_event(draw: Draw) -> Plan:
    """Put an event into the calendar."""
    gap = draw.gap(*left_out("date", "length", "time"))
    title, when, minutes = draw.pick(_PLANS), draw.pick(_COMING).isoformat(), 15 * draw.between(2, 8)
    start = f"{draw.between(8, 20):02}:{draw.pick(('00', '15', '30', '45'))}"
    day, clock = gap.unless("date", f" on {when}"), gap.unless("time", f" at {start}")
    length = gap.unless("length", f"; it takes {minutes} minutes")

    def solve() -> Solution:
        rows = (yield day_planner.list_events(date=when))["events"]
        if not any((row["title"], row["start_time"]) == (title, start) for row in rows):
            yield day_planner.create_event(title=title, date=when, start_time=start, duration_minutes=minutes)
        return Answer(f'"{title}" is in your calendar.')

    return Plan(
        (
            f'Enter "{title}" in my calendar{day}{clock}{length}.',
            f'I have "{title}"{day}{clock}{length}. Put it in my calendar.',
            f'Add the event "{title}" to my calendar{day}{clock}{length}.',
        ),
        solve,
        gap,
    )


def _event(draw: Draw, gap: Gap) -> tuple[str, str]:
    """Choose the title and day of an event; it is in the calendar unless the gap is that it is not."""
    rows = list(draw.home().table("events").values())
    row = draw.pick(rows)
    taken = {each["title"] for each in rows if each["date"] == row["date"]}
    free = [title for title in _EVENTS if title not in taken]
    return draw.pick(free) if gap.reason == "not_found" else row["title"], row["date"]


@twins(day_planner.TOOL, calls=2, writes=("events",), offers=[day_planner.event_details])
def event_moved(draw: Draw) -> Plan:
    """Give an event another day and time."""
    gap = draw.gap(not_found("event"), no_tool("move", day_planner.move_event, day_planner.create_event))
    new, start = draw.pick(_COMING).isoformat(), f"{draw.between(8, 20):02}:30"
    title, old = _event(draw, gap)

    def solve() -> Solution:
        rows = (yield day_planner.list_events(date=old))["events"]
        row = next((row for row in rows if row["title"] == title), None)
        if row is None and gap:
            return refusal(gap)
        if row is not None:
            yield day_planner.move_event(event_id=row["event_id"], date=new, start_time=start)
        return Answer(f'"{title}" is on {new} now.')

    return Plan(
        (
            f'Move "{title}" of {old} to {new} at {start}.',
            f'I cannot make it to "{title}" on {old}; move it to {new}, {start}.',
            f'Please postpone the calendar event "{title}" of {old} to {start} on {new}.',
        ),
        solve,
        gap,
        [day_planner.list_events(date=old)],
    )


@twins(day_planner.TOOL, calls=2, writes=("events",), offers=[day_planner.move_event])
def event_cancelled(draw: Draw) -> Plan:
    """Take an event out of the calendar."""
    gap = draw.gap(not_found("event"), no_tool("remove", day_planner.cancel_event))
    title, when = _event(draw, gap)

    def solve() -> Solution:
        rows = (yield day_planner.list_events(date=when))["events"]
        row = next((row for row in rows if row["title"] == title), None)
        if row is None and gap:
            return refusal(gap)
        if row is not None:
            yield day_planner.cancel_event(event_id=row["event_id"])
        return Answer(f'"{title}" on {when} is cancelled.')

    return Plan(
        (
            f'Remove "{title}" on {when} from my calendar.',
            f'I am ill on {when}, so remove "{title}" of that day from my calendar.',
            f'Please delete the calendar event "{title}" of {when} for good.',
        ),
        solve,
        gap,
        [day_planner.list_events(date=when)],
    )


@twins(task_tray.TOOL, calls=2, writes=("todos",), offers=[task_tray.show_lists])
def new_todo(draw: Draw) -> Plan:
    """Add a to-do to a list."""
    gap = draw.gap(*left_out("date"))
    draw.home()
    chore, place, priority = (
        draw.pick(_CHORES),
        draw.pick(list(task_tray.LISTS)),
        draw.pick(task_tray.PRIORITIES),
    )
    when = draw.pick(_COMING)
    due = gap.unless("date", f", due {long_date(when)}")

    def solve() -> Solution:
        if not (yield task_tray.search_todos(title=chore))["results"]:
            yield task_tray.add_todo(
                list_name=place, title=chore, due_date=when.isoformat(), priority=priority
            )
        return Answer(f'"{chore}" is on the list {place}.')

    return Plan(
        (
            f'Add "{chore}" to my list {place}, {priority} priority{due}.',
            f'My list {place} needs a new to-do: "{chore}", {priority} priority{due}.',
            f'Put "{chore}" on the list {place}, priority {priority}{due}.',
        ),
        solve,
        gap,
    )


# -- money --------------------------------------------------------------------------------------------------


def _account_ids() -> Steps[dict[str, str]]:
    rows = (yield pocket_bank.list_accounts())["accounts"]
    return {row["kind"]: row["account_id"] for row in rows}


@twins(pocket_bank.TOOL, calls=2, writes=("accounts", "transfers"), offers=[pocket_bank.list_transfers])
def money_moved(draw: Draw) -> Plan:
    """Move money between two accounts."""
    gap = draw.gap(*left_out("account", "amount"))
    draw.home()
    source, target = draw.pick_some(pocket_bank.KINDS, 2)
    number = draw.between(20, 500)
    amount = gap.unless("amount", f"{number} AUR") or "some money"
    origin = gap.unless("account", f" from my {source} account")

    def solve() -> Solution:
        ids = yield from _account_ids()
        made = yield pocket_bank.transfer_money(
            source_account_id=ids[source], target_account_id=ids[target], amount=number
        )
        return Answer(
            f"{made['balance']} AUR are left.",
            [facts.number("balance_after", made["balance"], "of the account that pays, in AUR")],
        )

    return Plan(
        (
            f"Move {amount}{origin} into my {target} account. What is left on the account that pays?",
            f"Transfer {amount}{origin} to my {target} account and tell me the balance of the one that pays.",
            f"My {target} account needs {amount}{origin}. Make the transfer; what does the paying one still hold?",
        ),
        solve,
        gap,
    )


def _invoices(state: Tables, *statuses: str) -> list[Row]:
    return [row for row in state.table("invoices").values() if row["status"] in statuses]


def _invoice(issuer: str) -> Steps[Row | None]:
    rows = (yield bill_box.list_invoices(issuer=issuer))["results"]
    return next((row for row in rows if row["issuer"] == issuer), None)


@twins(
    bill_box.TOOL,
    pocket_bank.TOOL,
    calls=3,
    writes=("accounts", "invoices"),
    offers=[bill_box.dispute_invoice, pocket_bank.transfer_money],
)
def bill_paid(draw: Draw) -> Plan:
    """Pay an invoice from an account."""
    gap = draw.gap(*left_out("account"), not_found("invoice"), no_tool("pay", bill_box.pay_invoice))
    known = [row["issuer"] for row in _invoices(draw.home(), *_UNPAID)]
    issuer, kind = (
        draw.pick(_NO_ISSUERS if gap.reason == "not_found" else known),
        draw.pick(pocket_bank.KINDS),
    )
    account = gap.unless("account", f" from my {kind} account")

    def solve() -> Solution:
        row = yield from _invoice(issuer)
        if row is None:
            return refusal(gap)
        if row["status"] in _UNPAID:
            ids = yield from _account_ids()
            yield bill_box.pay_invoice(invoice_id=row["invoice_id"], account_id=ids[kind])
        return Answer(f"{row['amount']} AUR are paid.", [facts.number("amount", row["amount"], "in AUR")])

    return Plan(
        (
            f"Pay the invoice of {issuer}{account}. How much was it?",
            f"{issuer} sent me a bill. Pay it{account} and tell me the amount.",
            f"Please pay what I owe {issuer}{account}; how much is that?",
        ),
        solve,
        gap,
        [bill_box.list_invoices(issuer=issuer)],
    )


@twins(bill_box.TOOL, calls=2, writes=("accounts", "invoices"), offers=[bill_box.dispute_invoice])
def bill_refunded(draw: Draw) -> Plan:
    """Take a payment back."""
    gap = draw.gap(not_found("invoice"), no_tool("refund", bill_box.refund_invoice))
    paid = [
        row for row in _invoices(draw.home(), "paid") if days_left(row["paid_on"]) >= -bill_box.REFUND_DAYS
    ]
    issuer = draw.pick(_NO_ISSUERS if gap.reason == "not_found" else [row["issuer"] for row in paid])

    def solve() -> Solution:
        row = yield from _invoice(issuer)
        if row is None:
            return refusal(gap)
        if row["status"] == "paid":
            yield bill_box.refund_invoice(invoice_id=row["invoice_id"])
        return Answer(f"{row['amount']} AUR come back.", [facts.number("refund", row["amount"], "in AUR")])

    return Plan(
        (
            f"I paid {issuer} by mistake. Get me a refund of that invoice; how much comes back?",
            f"Have my payment to {issuer} refunded and tell me the amount.",
            f"Refund the invoice of {issuer} that I paid lately. How much money is that?",
        ),
        solve,
        gap,
        [bill_box.list_invoices(issuer=issuer)],
    )


# -- files and clothes --------------------------------------------------------------------------------------


def _file(draw: Draw, gap: Gap) -> tuple[str, str]:
    """Choose the name and folder of a file; it is there unless the gap is that it is not."""
    rows = list(draw.home().table("files").values())
    row = draw.pick(rows)
    known = {each["name"] for each in rows}
    stem, _, ending = row["name"].rpartition("-")
    others = [f"{stem}-{year}.{ending[5:]}" for year in range(2019, 2026)]
    return draw.pick(sorted({*others} - known)) if gap.reason == "not_found" else row["name"], row["folder"]


def _file_id(name: str) -> Steps[str]:
    rows = (yield file_nest.search_files(name=name))["results"]
    return next((str(row["file_id"]) for row in rows if row["name"] == name), "")


@twins(file_nest.TOOL, calls=2, writes=("files",), offers=[file_nest.move_file, file_nest.rename_file])
def file_deleted(draw: Draw) -> Plan:
    """Delete a file."""
    gap = draw.gap(not_found("file"), no_tool("remove", file_nest.delete_file))
    name, folder = _file(draw, gap)
    why = draw.pick(
        ("It holds old secrets.", "It is out of date.", "There is a newer one.", "We need the space.")
    )

    def solve() -> Solution:
        key = yield from _file_id(name)
        if not key and gap:
            return refusal(gap)
        if key:
            yield file_nest.delete_file(file_id=key)
        return Answer(f"{name} is deleted.")

    return Plan(
        (
            f"Delete the file {name} in {folder}. {why}",
            f"{why} Delete {name} from the folder {folder} for good.",
            f"Remove {name} from {folder} for ever. {why}",
        ),
        solve,
        gap,
        [file_nest.search_files(name=name), file_nest.list_folder(path=folder)],
    )


@twins(file_nest.TOOL, calls=2, writes=("files",), offers=[file_nest.file_details, file_nest.copy_file])
def file_shared(draw: Draw) -> Plan:
    """Share a file with an address."""
    gap = draw.gap(not_found("file"), no_tool("share", file_nest.share_file, letterbox.send_mail))
    name, folder = _file(draw, gap)
    email = draw.pick([row["email"] for row in friends(draw.household)])

    def solve() -> Solution:
        key = yield from _file_id(name)
        if not key:
            return refusal(gap)
        yield file_nest.share_file(file_id=key, email=email)
        return Answer(f"{email} can read {name} now.")

    return Plan(
        (
            f"Share the file {name} in {folder} with {email}.",
            f"Let {email} read my file {name} from the folder {folder}: share it.",
            f"In {folder} there should be {name}. Please share it with {email}.",
        ),
        solve,
        gap,
        [file_nest.search_files(name=name), file_nest.list_folder(path=folder)],
    )


@twins(thread_house.TOOL, calls=2, writes=("purchases",), offers=[thread_house.garment_details])
def garment_bought(draw: Draw) -> Plan:
    """Buy a garment in a size."""
    gap = draw.gap(*left_out("size"))
    draw.home()
    row, count = draw.pick(_GARMENTS), draw.between(1, 3)
    size = draw.pick([size for size, stock in row["stock"].items() if stock >= count])
    name, in_size = row["name"], gap.unless("size", f" in size {size}")

    def solve() -> Solution:
        rows = (yield thread_house.search_garments(name=name))["results"]
        key = next(row["garment_id"] for row in rows if row["name"] == name)
        yield thread_house.buy_garment(garment_id=key, quantity=count, size=size)
        return Answer(f"{count} of the {name} in {size} are yours.")

    return Plan(
        (
            f'Buy {count} of the garment "{name}"{in_size}.',
            f'I need {count} times "{name}"{in_size}. Buy that for me.',
            f'Get me "{name}"{in_size} from the fashion shop; quantity {count}.',
        ),
        solve,
        gap,
    )
