"""Tasks about mail."""

from __future__ import annotations

from stb_env.backend.world import Row
from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.households import friends
from stb_env.suites.sandbox.content.mails import KINDS, Kind, detail_in
from stb_env.suites.sandbox.facts import Fact
from stb_env.suites.sandbox.lookups import contact_named, noted
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, Steps, template
from stb_env.suites.sandbox.tools import contact_book, day_planner, letterbox

_REPLIES = (
    "Thanks, that helps a lot.", "I will get back to you next week.", "Please ask my sister instead.",
    "Agreed, go ahead.", "That is too early for us.", "Could you send a photo?", "Count me in.",
    "Let us talk about it on Sunday.",
)  # fmt: skip
_SUBJECTS = tuple(kind.subject for kind in KINDS)
_NOTES = (
    ("Borrowed ladder", "The ladder is back in your shed."),
    ("Choir", "Rehearsal moves to the town hall."),
    ("Lost glove", "Did you leave a green glove here?"),
    ("Plums", "Come and pick as many plums as you like."),
    ("Quiz", "We are one short for the quiz team."),
    ("Recipe", "The secret is a spoon of mustard."),
)


def detail_fact(kind: Kind, detail: str) -> Fact:
    """Return a fact that requires the detail of a mail or post."""
    if kind.fact == "number":
        return facts.number(kind.field, float(detail), "in AUR")
    make = {"code": facts.code, "date": facts.date, "time": facts.time}[kind.fact]
    return make(kind.field, detail)


def _mails(draw: Draw, *types: str) -> list[Row]:
    rows = draw.home().table("mails").values()
    return [row for row in rows if not types or detail_in(row["body"])[0].fact in types]


def _mail(sender: str, folder: str = "inbox") -> Steps[Row | None]:
    rows = (yield letterbox.search_mail(query=sender, folder=folder))["results"]
    return rows[0] if rows else None


def _opened(sender: str) -> Steps[tuple[Kind, str]]:
    row = yield from _mail(sender)
    body = (yield letterbox.open_mail(mail_id=row["mail_id"] if row else ""))["body"]
    return detail_in(body)


@template(letterbox.TOOL, calls=2, unseen=True)
def mail_detail(draw: Draw) -> Plan:
    """A detail of somebody's mail."""
    mail = draw.pick(_mails(draw))
    sender, what = mail["sender"], detail_in(mail["body"])[0].detail

    def solve() -> Solution:
        kind, detail = yield from _opened(sender)
        return Answer.of(f"It is {detail}.", detail_fact(kind, detail))

    return Plan.of(
        f"{sender} mailed me. What is the {what} in that mail?",
        f"Look into the mail from {sender} and tell me the {what}.",
        f"I need the {what} that {sender} wrote to me about. It is in my inbox.",
        solve=solve,
    )


@template(letterbox.TOOL, calls=3, writes=("mails",))
def sort_mail(draw: Draw) -> Plan:
    """Mark an unread mail as read and label it."""
    unread = [row for row in _mails(draw) if not row["read"]]
    sender, label = draw.pick(unread)["sender"], draw.pick(letterbox.LABELS)

    def solve() -> Solution:
        row = yield from _mail(sender)
        key = row["mail_id"] if row else ""
        yield letterbox.mark_mail(mail_id=key)
        row = yield letterbox.label_mail(mail_id=key, label=label)
        subject = row["subject"]
        return Answer.of(
            f'"{subject}" is read and labelled {label}.', facts.choice("subject", subject, _SUBJECTS)
        )

    return Plan.of(
        f'Mark the mail from {sender} as read and label it "{label}". What is its subject?',
        f"I have seen the mail of {sender}: set it to read, put the label {label} on it, and tell me the "
        "subject line.",
        f'The unread mail from {sender} should get the label "{label}" and count as read. Name its subject.',
        solve=solve,
    )


@template(letterbox.TOOL, calls=3, writes=("mails",))
def reply_to_mail(draw: Draw) -> Plan:
    """Answer somebody's mail."""
    sender, body = draw.pick(_mails(draw))["sender"], draw.pick(_REPLIES)

    def solve() -> Solution:
        row = yield from _mail(sender)
        if not (yield from _mail(sender, "sent")):
            yield letterbox.reply_to_mail(mail_id=row["mail_id"] if row else "", body=body)
        return Answer.of(f"I answered {sender}.")

    return Plan.of(
        f'Reply to the mail from {sender} with exactly this text: "{body}"',
        f'Answer {sender}\'s mail: "{body}" Nothing else.',
        f'{sender} waits for an answer to a mail. Reply "{body}"',
        solve=solve,
    )


@template(contact_book.TOOL, letterbox.TOOL, calls=4, writes=("mails",), unseen=True)
def mail_contact(draw: Draw) -> Plan:
    """Write to a contact."""
    draw.home()
    friend, (subject, body) = draw.pick(friends(draw.household))["name"], draw.pick(_NOTES)

    def solve() -> Solution:
        row = yield from contact_named(friend)
        if not (yield from _mail(subject, "sent")):
            yield letterbox.send_mail(recipient=row["email"], subject=subject, body=body)
        return Answer.of(f"The mail to {row['email']} is sent.", facts.code("email_address", row["email"]))

    return Plan.of(
        f'Send my contact {friend} a mail with the subject "{subject}" and the text "{body}" To which '
        "address did it go?",
        f'Mail {friend}, whose address is in my contacts: subject "{subject}", body "{body}" Which address '
        "is it?",
        f'Write to {friend} (see my contacts). Subject: "{subject}". Text: "{body}" Tell me the e-mail '
        "address you wrote to.",
        solve=solve,
    )


@template(letterbox.TOOL, contact_book.TOOL, calls=6, writes=("mails",))
def forward_detail(draw: Draw) -> Plan:
    """Pass on what one person wrote to another."""
    mail = draw.pick(_mails(draw, "code", "time", "number"))
    sender, (kind, _) = mail["sender"], detail_in(mail["body"])
    friend = draw.pick([row for row in friends(draw.household) if row["name"] != sender])["name"]
    subject = draw.pick(("As promised", "For you", "You asked"))

    def solve() -> Solution:
        kind, detail = yield from _opened(sender)
        row = yield from contact_named(friend)
        if not (yield from _mail(subject, "sent")):
            yield letterbox.send_mail(recipient=row["email"], subject=subject, body=detail)
        return Answer.of(f"{friend} has it: {detail}.", detail_fact(kind, detail))

    return Plan.of(
        f"{sender} mailed me the {kind.detail}. Send just that, as the whole text, to my contact {friend}, "
        f'subject "{subject}", and tell it to me as well.',
        f"Take the {kind.detail} from the mail of {sender} and mail it to {friend} from my contacts: subject "
        f'"{subject}", and as text the bare value, exactly as written. What is it?',
        f"{friend} (in my contacts) needs the {kind.detail} that {sender} wrote me. Mail the value alone, "
        f'under the subject "{subject}", and read it to me.',
        solve=solve,
    )


@template(letterbox.TOOL, day_planner.TOOL, calls=4, writes=("events",))
def mail_to_calendar(draw: Draw) -> Plan:
    """Put a day from a mail into the calendar."""
    mail = draw.pick(_mails(draw, "date"))
    sender, (kind, _) = mail["sender"], detail_in(mail["body"])
    start, minutes = draw.pick(("19:00", "19:30", "20:00", "20:30")), draw.pick((45, 60, 90))

    def solve() -> Solution:
        _, day = yield from _opened(sender)
        event = {"title": kind.subject, "date": day, "start_time": start, "duration_minutes": minutes}
        yield from noted(event)
        return Answer.of(f"{kind.subject} is in your calendar on {day}.", facts.date("event_date", day))

    return Plan.of(
        f'Take the {kind.detail} from the mail of {sender} and put "{kind.subject}" into my calendar on that '
        f"day: {start}, {minutes} minutes. Which date is it?",
        f"{sender} wrote me the {kind.detail}. Block {minutes} minutes from {start} then, as "
        f'"{kind.subject}", and tell me the date.',
        f'My calendar lacks an event "{kind.subject}" at {start} for {minutes} minutes, on the {kind.detail} '
        f"given in {sender}'s mail. Add it; what date is it?",
        solve=solve,
    )
