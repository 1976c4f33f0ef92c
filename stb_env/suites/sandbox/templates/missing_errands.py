"""Twins about what the user has: contacts, calendar, money, invoices and files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from stb_env.backend.world import Row
from stb_env.core.jsontypes import Json
from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.cannot import Gap, left_out, no_tool, not_found, one_of_several
from stb_env.suites.sandbox.content.coming_days import days_left
from stb_env.suites.sandbox.content.edition import Options
from stb_env.suites.sandbox.content.households import friends
from stb_env.suites.sandbox.content.people import people
from stb_env.suites.sandbox.lookups import account_named, days, find_any, rows_of
from stb_env.suites.sandbox.registry import Api, ApiCall
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, refusal, twins
from stb_env.suites.sandbox.templates.missing_facts import recombined
from stb_env.suites.sandbox.tools import (
    bill_box,
    contact_book,
    day_planner,
    file_nest,
    huddle,
    letterbox,
    pocket_bank,
)

_COMING = days(40, 160)
_FIRST_NAMES = Options(lambda: sorted({str(row["name"]).split()[0] for row in people().values()}))
_PLANS = ("Boiler repair", "Kite festival", "Language exam", "Quiz night", "Roof inspection", "Vaccination")
_EVENTS = ("Chess club", "Dentist", "Eye test", "Flat viewing", "Piano lesson", "Tax adviser", "Team lunch")
_NOTES = ("I come an hour later.", "The keys are under the blue pot.", "The rehearsal is off.")
_SUBJECTS = ("Hello", "News", "One more thing", "Saturday")
_NO_ISSUERS = recombined(bill_box.ISSUERS)


def _done(
    gap: Gap, look: ApiCall, sought: Mapping[str, str], act: Api, key: str, **arguments: Json
) -> Callable[[], Solution]:
    """Return a solution that finds a row by its values and acts on it, unless that was done before.

    Args:
        gap: What keeps the request from being met.
        look: Lists the rows.
        sought: The values of the row.
        act: What is done to it.
        key: The field of its id.
        **arguments: Further arguments of the act.
    """

    def solve() -> Solution:
        row = yield from find_any(look, **sought)
        if row is None and gap:
            return refusal(gap)
        if row:
            yield act(**{key: row[key]}, **arguments)
        return Answer.of("It is done.")

    return solve


# -- contacts -----------------------------------------------------------------------------------------------


@twins(
    contact_book.TOOL,
    letterbox.TOOL,
    calls=4,
    gaps=[
        one_of_several("person"),
        not_found("person"),
        no_tool("send", letterbox.send_mail, letterbox.reply_to_mail, huddle.write_post),
    ],
    writes=("mails",),
    offers=[letterbox.mark_mail],
)
def mail_by_first_name(draw: Draw, gap: Gap) -> Plan:
    """Write to somebody whose first name one contact has, or several, or none."""
    note, subject, _ = draw.pick(_NOTES), draw.pick(_SUBJECTS), draw.home()
    count = Counter(str(row["name"]).split()[0] for row in friends(draw.household))
    fit = range(1) if gap.reason == "not_found" else range(2, 25) if gap.hidden else range(1, 2)
    first = draw.pick([name for name in _FIRST_NAMES if count[name] in fit])
    look = contact_book.search_contacts(name=first)

    def solve() -> Solution:
        rows = (yield look)["results"]
        known = [row for row in rows if row["name"].split()[0] == first]
        if len(known) != 1:
            return refusal(gap)
        row = yield contact_book.contact_details(contact_id=known[0]["contact_id"])
        sent = (yield letterbox.search_mail(query=subject, folder="sent"))["results"]
        if not any((mail["recipient"], mail["subject"]) == (row["email"], subject) for mail in sent):
            yield letterbox.send_mail(recipient=row["email"], subject=subject, body=note)
        return Answer.of(f"{row['name']} has your mail.")

    return Plan.of(
        f'Mail {first} from my contacts, subject "{subject}": "{note}"',
        f'Send {first}, who is in my contacts, a mail with the subject "{subject}" that says "{note}"',
        f'Please write a mail to {first}, one of my contacts; subject "{subject}", text "{note}"',
        solve=solve,
        looks=[look],
    )


@twins(
    contact_book.TOOL,
    calls=2,
    gaps=[not_found("person"), no_tool("remove", contact_book.delete_contact)],
    writes=("contacts",),
    offers=[contact_book.update_contact],
)
def contact_deleted(draw: Draw, gap: Gap) -> Plan:
    """Delete somebody who is among the contacts, or of whom only a namesake is."""
    draw.home()
    known = [str(row["name"]) for row in friends(draw.household)]
    name = draw.pick(recombined(known) if gap.reason == "not_found" else known)
    look = contact_book.search_contacts(name=name)
    return Plan.of(
        f"Delete {name} from my contacts.",
        f"I never call {name} any more. Remove the contact.",
        f"Clean up my contacts: delete {name}.",
        solve=_done(gap, look, {"name": name}, contact_book.delete_contact, "contact_id"),
        looks=[look],
    )


# -- calendar -----------------------------------------------------------------------------------------------


@twins(day_planner.TOOL, calls=2, gaps=[*left_out("date", "length", "time")], writes=("events",))
def event_added(draw: Draw, gap: Gap) -> Plan:
    """Put an event into the calendar."""
    title, when, minutes = draw.pick(_PLANS), draw.pick(_COMING).isoformat(), 15 * draw.between(2, 8)
    start = f"{draw.between(8, 20):02}:{draw.pick(('00', '15', '30', '45'))}"
    said = gap.unless("date", f" on {when}") + gap.unless("time", f" at {start}")
    said += gap.unless("length", f"; it takes {minutes} minutes")

    def solve() -> Solution:
        if not (yield from find_any(day_planner.list_events(date=when), title=title)):
            yield day_planner.create_event(title=title, date=when, start_time=start, duration_minutes=minutes)
        return Answer.of(f'"{title}" is in your calendar.')

    return Plan.of(
        f'Enter "{title}" in my calendar{said}.',
        f'I have "{title}"{said}. Put it in my calendar.',
        f'Add the event "{title}" to my calendar{said}.',
        solve=solve,
    )


def _event(draw: Draw, gap: Gap) -> tuple[str, str]:
    """Choose the title and day of an event; it is in the calendar unless the gap is that it is not."""
    rows = list(draw.home().table("events").values())
    row = draw.pick(rows)
    taken = {each["title"] for each in rows if each["date"] == row["date"]}
    free = [title for title in _EVENTS if title not in taken]
    return draw.pick(free) if gap.reason == "not_found" else row["title"], row["date"]


@twins(
    day_planner.TOOL,
    calls=2,
    gaps=[not_found("event"), no_tool("move", day_planner.move_event, day_planner.create_event)],
    writes=("events",),
    offers=[day_planner.event_details],
)
def event_moved(draw: Draw, gap: Gap) -> Plan:
    """Give an event another day and time."""
    new, start = draw.pick(_COMING).isoformat(), f"{draw.between(8, 20):02}:30"
    title, old = _event(draw, gap)
    look = day_planner.list_events(date=old)
    return Plan.of(
        f'Move "{title}" of {old} to {new} at {start}.',
        f'I cannot make it to "{title}" on {old}; move it to {new}, {start}.',
        f'Please postpone the calendar event "{title}" of {old} to {start} on {new}.',
        solve=_done(
            gap, look, {"title": title}, day_planner.move_event, "event_id", date=new, start_time=start
        ),
        looks=[look],
    )


@twins(
    day_planner.TOOL,
    calls=2,
    gaps=[not_found("event"), no_tool("remove", day_planner.cancel_event)],
    writes=("events",),
    offers=[day_planner.move_event],
)
def event_deleted(draw: Draw, gap: Gap) -> Plan:
    """Take an event out of the calendar."""
    title, when = _event(draw, gap)
    look = day_planner.list_events(date=when)
    return Plan.of(
        f'Remove "{title}" on {when} from my calendar.',
        f'I am ill on {when}, so remove "{title}" of that day from my calendar.',
        f'Please delete the calendar event "{title}" of {when} for good.',
        solve=_done(gap, look, {"title": title}, day_planner.cancel_event, "event_id"),
        looks=[look],
    )


# -- money --------------------------------------------------------------------------------------------------


@twins(pocket_bank.TOOL, calls=3, gaps=[*left_out("account", "amount")], writes=("accounts", "transfers"))
def money_moved(draw: Draw, gap: Gap) -> Plan:
    """Move money between two accounts."""
    draw.home()
    (source, target), number = draw.pick_some(pocket_bank.KINDS, 2), draw.between(20, 500)
    amount = gap.unless("amount", f"{number} AUR") or "some money"
    origin = gap.unless("account", f" from my {source} account")

    def solve() -> Solution:
        known = {row["kind"]: row for row in rows_of((yield pocket_bank.list_accounts()))}
        ends = known[source]["account_id"], known[target]["account_id"]
        wanted = {"source_account_id": ends[0], "target_account_id": ends[1], "amount": number}
        left = known[source]["balance"]
        if not any(wanted.items() <= row.items() for row in (yield pocket_bank.list_transfers())["results"]):
            left = (yield pocket_bank.transfer_money(**wanted))["balance"]
        fact = facts.number("balance_after", left, "of the account that pays, in AUR")
        return Answer.of(f"{left} AUR are left.", fact)

    return Plan.of(
        f"Move {amount}{origin} into my {target} account. What is left on the account that pays?",
        f"Transfer {amount}{origin} to my {target} account and tell me the balance of the one that pays.",
        f"My {target} account needs {amount}{origin}. Transfer it; what is left on the one that pays?",
        solve=solve,
    )


def _issuer(draw: Draw, gap: Gap, fits: Callable[[Row], bool]) -> str:
    """Choose who sent an invoice that fits, or who sent none if that is the gap."""
    known = [str(row["issuer"]) for row in draw.home().table("invoices").values() if fits(row)]
    return draw.pick(_NO_ISSUERS if gap.reason == "not_found" else known)


@twins(
    bill_box.TOOL,
    pocket_bank.TOOL,
    calls=3,
    gaps=[not_found("invoice"), no_tool("pay", bill_box.pay_invoice), *left_out("account")],
    writes=("accounts", "invoices"),
    offers=[bill_box.dispute_invoice, pocket_bank.transfer_money],
)
def invoice_paid(draw: Draw, gap: Gap) -> Plan:
    """Pay an invoice from an account."""
    kind = draw.pick(pocket_bank.KINDS)
    issuer = _issuer(draw, gap, lambda row: row["status"] in ("open", "overdue"))
    account = gap.unless("account", f" from my {kind} account")
    look = bill_box.list_invoices(issuer=issuer)

    def solve() -> Solution:
        row = yield from find_any(look, issuer=issuer)
        if row is None:
            return refusal(gap)
        if row["status"] != "paid":
            account_id = (yield from account_named(kind))["account_id"]
            yield bill_box.pay_invoice(invoice_id=row["invoice_id"], account_id=account_id)
        return Answer.of(f"{row['amount']} AUR are paid.", facts.number("amount", row["amount"], "in AUR"))

    return Plan.of(
        f"Pay the invoice of {issuer}{account}. How much was it?",
        f"{issuer} sent me a bill. Pay it{account} and tell me the amount.",
        f"Please pay what I owe {issuer}{account}; how much is that?",
        solve=solve,
        looks=[look],
    )


@twins(
    bill_box.TOOL,
    calls=2,
    gaps=[not_found("invoice"), no_tool("refund", bill_box.refund_invoice)],
    writes=("accounts", "invoices"),
    offers=[bill_box.dispute_invoice],
)
def invoice_refunded(draw: Draw, gap: Gap) -> Plan:
    """Take a payment back."""
    issuer = _issuer(draw, gap, lambda row: row["status"] == "paid" and days_left(row["paid_on"]) > -14)
    look = bill_box.list_invoices(issuer=issuer)

    def solve() -> Solution:
        row = yield from find_any(look, issuer=issuer)
        if row is None:
            return refusal(gap)
        if row["status"] == "paid":
            yield bill_box.refund_invoice(invoice_id=row["invoice_id"])
        return Answer.of(f"{row['amount']} AUR come back.", facts.number("refund", row["amount"], "in AUR"))

    return Plan.of(
        f"I paid {issuer} by mistake. Get me a refund of that invoice; how much comes back?",
        f"Have my payment to {issuer} refunded and tell me the amount.",
        f"Refund the invoice of {issuer} that I paid lately. How much money is that?",
        solve=solve,
        looks=[look],
    )


# -- files --------------------------------------------------------------------------------------------------


def _file(draw: Draw, gap: Gap) -> tuple[str, str]:
    """Choose the name and folder of a file; it is there unless the gap is that it is not."""
    row = draw.pick(list(draw.home().table("files").values()))
    old, later = row["name"][-8:-4], draw.between(1, 6)
    # No two files have the same name but for the year.
    other = row["name"].replace(old, str((int(old) - 2019 + later) % 7 + 2019))
    return other if gap.reason == "not_found" else row["name"], row["folder"]


@twins(
    file_nest.TOOL,
    calls=2,
    gaps=[not_found("file"), no_tool("remove", file_nest.delete_file)],
    writes=("files",),
    offers=[file_nest.move_file, file_nest.rename_file],
)
def file_deleted(draw: Draw, gap: Gap) -> Plan:
    """Delete a file."""
    name, folder = _file(draw, gap)
    look = file_nest.search_files(name=name)
    why = draw.pick(("It is out of date.", "There is a newer one.", "We need the space."))
    return Plan.of(
        f"Delete the file {name} in {folder}. {why}",
        f"{why} Delete {name} from the folder {folder} for good.",
        f"Remove {name} from {folder} for ever. {why}",
        solve=_done(gap, look, {"name": name}, file_nest.delete_file, "file_id"),
        looks=[look, file_nest.list_folder(path=folder)],
    )


@twins(
    file_nest.TOOL,
    calls=2,
    gaps=[not_found("file"), no_tool("share", file_nest.share_file, letterbox.send_mail)],
    writes=("files",),
    offers=[file_nest.file_details, file_nest.copy_file],
)
def file_shared(draw: Draw, gap: Gap) -> Plan:
    """Share a file with an address."""
    name, folder = _file(draw, gap)
    look = file_nest.search_files(name=name)
    email = draw.pick([str(row["email"]) for row in friends(draw.household)])
    return Plan.of(
        f"Share the file {name} in {folder} with {email}.",
        f"Let {email} read my file {name} from the folder {folder}: share it.",
        f"In {folder} there should be {name}. Please share it with {email}.",
        solve=_done(gap, look, {"name": name}, file_nest.share_file, "file_id", email=email),
        looks=[look, file_nest.list_folder(path=folder)],
    )
