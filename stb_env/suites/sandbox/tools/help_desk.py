"""Help Desk: support tickets."""

from __future__ import annotations

import random
from collections.abc import Mapping

from stb_env.backend.world import Row, Table, Tables
from stb_env.core.jsontypes import Json
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content.coming_days import days_left, iso_day
from stb_env.suites.sandbox.content.support_staff import TEAMS, support_staff
from stb_env.suites.sandbox.conventions import PAGE, columns, found, page_of, search
from stb_env.suites.sandbox.params import choice, text
from stb_env.suites.sandbox.registry import Response, ToolDoc, Update

TOOL = ToolDoc("Customer Service", "Help Desk", "Support tickets of the user's company.")
STATUSES = ("open", "closed")
PRIORITIES = ("normal", "high", "low")
SUBJECTS = (
    "Badge reader beeps", "Charged twice", "Dock loses power", "Export stays empty", "Fan is loud",
    "Invoice lacks address", "Keyboard misses keys", "Login loops", "Parcel went missing", "Screen flickers",
    "Spellcheck freezes", "Wrong colour delivered",
)  # fmt: skip
REOPEN_DAYS = 14
_TICKET = text("ticket_id", "Id from Search Tickets.", "ticket-001")
# Days since a ticket was closed; None is open.
_CLOSED = (None, 5, 30, None, 9, 60, None, None)


@TOOL.starts_with
def rows(rng: random.Random, _household: int) -> Mapping[str, Table]:
    """Start with four open tickets, two closed lately and two closed long ago."""
    tickets: dict[str, Row] = {}
    for subject, age in zip(rng.sample(SUBJECTS, len(_CLOSED)), _CLOSED, strict=True):
        key, closed = f"ticket-{len(tickets) + 1:03}", -(age or 0) - rng.randrange(5)
        tickets[key] = {
            "ticket_id": key,
            "subject": subject,
            "status": "open" if age is None else "closed",
            "priority": rng.choice(("normal", "low")),
            "agent": rng.choice(list(support_staff().values()))["name"],
            "opened_on": iso_day(closed - rng.randint(2, 30)),
            "closed_on": "" if age is None else iso_day(closed),
            "comments": [],
        }
    return {"tickets": tickets}


def _changed(state: Tables, ticket_id: str, **fields: Json) -> Update:
    row = {**found(state.row("tickets", ticket_id), "ticket", ticket_id), **fields}
    return {**row, "comments": list(row["comments"])}, state.with_row("tickets", ticket_id, row)


def _open(state: Tables, ticket_id: str) -> Row:
    row: Row = found(state.row("tickets", ticket_id), "ticket", ticket_id)
    if row["status"] != "open":
        raise ApiError(f"ticket {ticket_id} is closed; reopen it first")
    return row


@TOOL.api(
    "Search Tickets",
    text("subject", "Part of the subject, in any case; empty for all.", ""),
    choice("status", "Only these.", ("any", *STATUSES), optional=True),
    PAGE,
)
def search_tickets(state: Tables, subject: str, status: str, page: int) -> Response:
    """Find tickets; returns ids, subjects and states."""
    rows = search(state.table("tickets").values(), "subject", subject, status=status)
    return page_of(columns(rows, "ticket_id", "subject", "status", "priority"), page)


@TOOL.api("Ticket Details", _TICKET)
def ticket_details(state: Tables, ticket_id: str) -> Response:
    """Agent, dates and comments of one ticket."""
    row = found(state.row("tickets", ticket_id), "ticket", ticket_id)
    return {**row, "comments": list(row["comments"])}


@TOOL.lookup("List Agents", choice("team", "The team.", TEAMS))
def list_agents(team: str) -> Response:
    """Agents of a team, with the number of tickets on their desks."""
    return {"agents": [dict(row) for row in support_staff().values() if row["team"] == team]}


@TOOL.api(
    "Open Ticket",
    text("subject", "What it is about.", "Sample"),
    choice("priority", "How urgent it is.", PRIORITIES, optional=True),
)
def open_ticket(state: Tables, subject: str, priority: str) -> Update:
    """Open a new ticket; there is one open ticket a subject at most."""
    subject = " ".join(subject.split())
    if not subject:
        raise ApiError("subject must not be empty")
    for row in state.table("tickets").values():
        if row["status"] == "open" and row["subject"].casefold() == subject.casefold():
            raise ApiError(f"{row['ticket_id']} is open under this subject already")
    key, state = state.next_id("ticket")
    row = {
        "ticket_id": key,
        "subject": subject,
        "status": "open",
        "priority": priority,
        "agent": "",
        "opened_on": iso_day(0),
        "closed_on": "",
        "comments": [],
    }
    return {"ticket_id": key, "subject": subject}, state.with_row("tickets", key, row)


@TOOL.api("Comment On Ticket", _TICKET, text("comment", "The text.", "Sample"))
def comment_on_ticket(state: Tables, ticket_id: str, comment: str) -> Update:
    """Add a comment to an open ticket."""
    if not comment.strip():
        raise ApiError("comment must not be empty")
    return _changed(state, ticket_id, comments=[*_open(state, ticket_id)["comments"], comment])


@TOOL.api("Assign Ticket", _TICKET, text("agent_id", "Id from List Agents.", "agent-001"))
def assign_ticket(state: Tables, ticket_id: str, agent_id: str) -> Update:
    """Give an open ticket to an agent."""
    _open(state, ticket_id)
    agent = found(support_staff().get(agent_id), "agent", agent_id)
    return _changed(state, ticket_id, agent=agent["name"])


@TOOL.api("Set Ticket Priority", _TICKET, choice("priority", "The new priority.", PRIORITIES))
def set_ticket_priority(state: Tables, ticket_id: str, priority: str) -> Update:
    """Change how urgent an open ticket is."""
    _open(state, ticket_id)
    return _changed(state, ticket_id, priority=priority)


@TOOL.api("Close Ticket", _TICKET)
def close_ticket(state: Tables, ticket_id: str) -> Update:
    """Close an open ticket."""
    _open(state, ticket_id)
    return _changed(state, ticket_id, status="closed", closed_on=iso_day(0))


@TOOL.api("Reopen Ticket", text("ticket_id", "Id from Search Tickets.", "ticket-002"))
def reopen_ticket(state: Tables, ticket_id: str) -> Update:
    """Reopen a ticket that was closed within the last 14 days."""
    row = found(state.row("tickets", ticket_id), "ticket", ticket_id)
    if row["status"] != "closed":
        raise ApiError(f"ticket {ticket_id} is {row['status']}, not closed")
    if days_left(row["closed_on"]) < -REOPEN_DAYS:
        raise ApiError(f"closed on {row['closed_on']}, more than {REOPEN_DAYS} days ago; open a new ticket")
    return _changed(state, ticket_id, status="open", closed_on="")
