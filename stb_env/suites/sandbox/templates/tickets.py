"""Tasks about support tickets."""

from __future__ import annotations

from datetime import date

from stb_env.backend.world import Row
from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content.coming_days import days_left
from stb_env.suites.sandbox.content.edition import Options
from stb_env.suites.sandbox.content.support_staff import TEAMS, support_staff
from stb_env.suites.sandbox.lookups import accepted, days, long_date
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, Steps, template
from stb_env.suites.sandbox.tools import help_desk

_STAFF = Options(lambda: [row["name"] for row in support_staff().values()])
_NEW_SUBJECTS = (
    "Battery swells", "Camera stays black", "Discount missing", "Hinge is loose", "Mouse double-clicks",
    "Newsletter in wrong language", "Printer smears", "Refund overdue", "Speaker crackles", "Update hangs",
)  # fmt: skip
_COMMENTS = (
    "Customer sent a photo.", "Fixed by a new cable.", "Known fault of this series.",
    "Replaced under warranty.", "Solved on the phone.", "Waiting for the supplier.",
    "Works after a restart.", "Workaround was given.",
)  # fmt: skip
_DAYS = days(1, 60)


def _tickets(draw: Draw, status: str) -> list[Row]:
    rows = draw.home().table("tickets").values()
    return [row for row in rows if status in ("any", row["status"])]


def _found(subject: str) -> Steps[list[Row]]:
    return list((yield help_desk.search_tickets(subject=subject))["results"])


def _days_until(when: date, start: str) -> int:
    return (when - date.fromisoformat(start)).days


@template(help_desk.TOOL, calls=2, unseen=True)
def ticket_age(draw: Draw) -> Plan:
    """Agent of a ticket, and its age on a day."""
    subject, when = draw.pick(_tickets(draw, "any"))["subject"], draw.pick(_DAYS)

    def solve() -> Solution:
        key = (yield from _found(subject))[0]["ticket_id"]
        row = yield help_desk.ticket_details(ticket_id=key)
        age = _days_until(when, row["opened_on"])
        return Answer.of(
            f"{row['agent']} has it; on that day it will be {age} days old.",
            facts.name("agent", row["agent"]),
            facts.integer("days_open", age, "from its opening"),
        )

    return Plan.of(
        f'Who is the agent of the ticket "{subject}", and how many days after its opening is '
        f"{long_date(when)}?",
        f'Find the ticket "{subject}": which agent has it, and how many days will have passed on {when} '
        "since it was opened?",
        f'I prepare a review for {when}. Tell me for the ticket "{subject}" the agent\'s name and the '
        "number of days from its opening to that date.",
        solve=solve,
    )


@template(help_desk.TOOL, calls=2, writes=("tickets",))
def open_ticket(draw: Draw) -> Plan:
    """Open a ticket."""
    draw.home()
    subject, priority = draw.pick(_NEW_SUBJECTS), draw.pick(help_desk.PRIORITIES)

    def solve() -> Solution:
        if not (yield from _found(subject)):
            yield help_desk.open_ticket(subject=subject, priority=priority)
        return Answer.of(f'There is a ticket "{subject}".')

    return Plan.of(
        f'Open a ticket "{subject}" with {priority} priority unless there is one on that.',
        f'A customer reports "{subject}". If we have no such ticket, open one (priority {priority}).',
        f'Make sure that a ticket with the subject "{subject}" exists; a new one gets priority {priority}.',
        solve=solve,
    )


@template(help_desk.TOOL, calls=4, writes=("tickets",))
def close_with_comment(draw: Draw) -> Plan:
    """Comment on a ticket and close it."""
    subject, comment = draw.pick(_tickets(draw, "open"))["subject"], draw.pick(_COMMENTS)

    def solve() -> Solution:
        key = (yield from _found(subject))[0]["ticket_id"]
        row = yield help_desk.ticket_details(ticket_id=key)
        if comment not in row["comments"]:
            yield help_desk.comment_on_ticket(ticket_id=key, comment=comment)
        if row["status"] == "open":
            yield help_desk.close_ticket(ticket_id=key)
        return Answer.of(
            f"Closed. It was opened on {row['opened_on']}.", facts.date("opened_on", row["opened_on"])
        )

    return Plan.of(
        f'Close the ticket "{subject}" with the comment "{comment}" When was it opened?',
        f'"{subject}" is settled: add "{comment}" to the ticket, close it, and give me its opening date.',
        f'Please comment "{comment}" on the ticket about "{subject}" and then close it. On which date had it '
        "been opened?",
        solve=solve,
    )


@template(help_desk.TOOL, calls=3, writes=("tickets",))
def assign_by_load(draw: Draw) -> Plan:
    """Give a ticket to the agent of a team with the least or most to do."""
    ticket, wish = draw.pick(_tickets(draw, "open")), draw.pick(("fewest", "most"))
    choose, subject = min if wish == "fewest" else max, ticket["subject"]
    best = {
        team: choose(
            (row for row in support_staff().values() if row["team"] == team),
            key=lambda row: row["open_tickets"],
        )["name"]
        for team in TEAMS
    }
    team = draw.pick([team for team in TEAMS if best[team] != ticket["agent"]])

    def solve() -> Solution:
        key = (yield from _found(subject))[0]["ticket_id"]
        rows = (yield help_desk.list_agents(team=team))["agents"]
        agent = choose(rows, key=lambda row: row["open_tickets"])
        yield help_desk.assign_ticket(ticket_id=key, agent_id=agent["agent_id"])
        return Answer.of(f"{agent['name']} has it now.", facts.name("agent", agent["name"]))

    return Plan.of(
        f'Assign the ticket "{subject}" to whoever in the {team} team has the {wish} open tickets. Who is '
        "it?",
        f'The ticket "{subject}" goes to the {team} team: give it to the agent there with the {wish} open '
        "tickets, and name that agent.",
        f'Among the agents of {team}, find the one with the {wish} tickets open and assign "{subject}" to '
        "that person. Tell me the name.",
        solve=solve,
    )


@template(
    help_desk.TOOL,
    calls=4,
    writes=("tickets",),
    offers=[help_desk.reopen_ticket, help_desk.set_ticket_priority, help_desk.open_ticket],
)
def reopen_or_open_anew(draw: Draw) -> Plan:
    """Reopen a ticket, or open a new one where it was closed too long ago."""
    subject, comment = draw.pick(_tickets(draw, "closed"))["subject"], draw.pick(_COMMENTS)

    def solve() -> Solution:
        rows = yield from _found(subject)
        key = next((row["ticket_id"] for row in rows if row["status"] == "open"), "")
        if key:
            row = yield help_desk.ticket_details(ticket_id=key)
        else:
            try:
                row = yield help_desk.reopen_ticket(ticket_id=rows[0]["ticket_id"])
            except ApiError:
                row = yield help_desk.open_ticket(subject=subject, priority="high")
                row = {**row, "priority": "high", "comments": []}
        if row["priority"] != "high":
            yield help_desk.set_ticket_priority(ticket_id=row["ticket_id"], priority="high")
        if comment not in row["comments"]:
            yield help_desk.comment_on_ticket(ticket_id=row["ticket_id"], comment=comment)
        return Answer.of(f'"{subject}" is open again, with high priority.')

    return Plan.of(
        f'"{subject}" has come back. Reopen the ticket and give it high priority; if it cannot be reopened, '
        f'open a new one with the same subject and high priority. Comment "{comment}" on it in either case.',
        f'Get an open ticket for "{subject}" again, priority high: the old one if the desk lets you, a new '
        f'one of that subject otherwise. Then add the comment "{comment}" to it.',
        f'The customer complains about "{subject}" once more. Try to reopen that ticket, else open another '
        f'under the same subject. It should have high priority and the comment "{comment}"',
        solve=solve,
    )


@template(help_desk.TOOL, calls=3, writes=("tickets",))
def reopen_too_late(draw: Draw) -> Plan:
    """Try to reopen a ticket, for which it may be too late; then nothing changes."""
    late = draw.rng.choice((True, False))
    rows = [
        row
        for row in _tickets(draw, "closed")
        if (days_left(row["closed_on"]) < -help_desk.REOPEN_DAYS) is late
    ]
    subject, when = draw.pick(rows)["subject"], draw.pick(_DAYS)

    def solve() -> Solution:
        key = (yield from _found(subject))[0]["ticket_id"]
        row = yield help_desk.ticket_details(ticket_id=key)
        reopened = row["status"] != "closed" or (yield from accepted(help_desk.reopen_ticket(ticket_id=key)))
        # Reopening drops the day on which it was closed, so the query asks about the other one.
        age = _days_until(when, row["opened_on"])
        return Answer.of(
            f"{'Yes' if reopened else 'No'}: opened on {row['opened_on']}, {age} days before that day.",
            facts.yes_no("was_reopened", reopened),
            facts.date("opened_on", row["opened_on"]),
            facts.integer("days_open", age, "from its opening"),
        )

    return Plan.of(
        f'Reopen the ticket "{subject}" if the desk allows it, and open nothing new. Did it work? When was '
        f"it first opened, and how many days before {when} was that?",
        f'Can the ticket "{subject}" still be reopened? Then do it. Tell me the date of its first opening '
        f"and the days from there to {long_date(when)} as well. Create nothing.",
        f'Try to bring the closed ticket "{subject}" back, only by reopening. Tell me whether it worked; '
        f"then on which date it was opened in the first place and how many days lie between that and {when}.",
        solve=solve,
    )
