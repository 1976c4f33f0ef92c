"""Letterbox: the user's mail."""

from __future__ import annotations

import random
from collections.abc import Mapping

from stb_env.backend.world import Row, Table, Tables
from stb_env.core.jsontypes import Json
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content.coming_days import iso_day
from stb_env.suites.sandbox.content.households import friends
from stb_env.suites.sandbox.content.mails import KINDS, detail_of
from stb_env.suites.sandbox.conventions import PAGE, found, page_of
from stb_env.suites.sandbox.params import choice, text
from stb_env.suites.sandbox.registry import Response, ToolDoc, Update

TOOL = ToolDoc("Communication", "Letterbox", "The user's mail.")
FOLDERS = ("inbox", "sent", "archive")
LABELS = ("family", "money", "travel", "urgent")
_ID = text("mail_id", "Id from Search Mail.", "mail-001")
_BODY = text("body", "The text.", "Sample")


@TOOL.starts_with
def rows(rng: random.Random, household: int) -> Mapping[str, Table]:
    """Start with a mail from every friend, five of them unread."""
    senders = rng.sample(friends(household), len(friends(household)))
    kinds = [KINDS[number % len(KINDS)] for number in range(len(senders))]
    # In any order, so that a mail has no id that one could know by heart.
    rng.shuffle(kinds)
    unread = set(rng.sample(range(len(senders)), 5))
    mails: dict[str, Row] = {}
    for number, (friend, kind) in enumerate(zip(senders, kinds, strict=True)):
        key = f"mail-{number + 1:03}"
        mails[key] = {
            "mail_id": key,
            "folder": "inbox",
            "sender": friend["name"],
            "recipient": "me",
            "subject": kind.subject,
            "body": kind.body.format(detail_of(kind, rng)),
            "date": iso_day(number - len(senders)),
            "read": number not in unread,
            "labels": [],
        }
    return {"mails": mails}


def _changed(state: Tables, mail_id: str, **fields: Json) -> Update:
    row = {**found(state.row("mails", mail_id), "mail", mail_id), **fields}
    return _entry(row), state.with_row("mails", mail_id, row)


def _entry(row: Row) -> dict[str, object]:
    return {key: value for key, value in row.items() if key != "body"} | {"labels": list(row["labels"])}


def _sent(state: Tables, recipient: str, subject: str, body: str) -> Update:
    if not body.strip():
        raise ApiError("body must not be empty")
    key, state = state.next_id("mail")
    row = {
        "mail_id": key,
        "folder": "sent",
        "sender": "me",
        "recipient": recipient,
        "subject": subject,
        "body": body,
        "date": iso_day(0),
        "read": True,
        "labels": [],
    }
    return _entry(row), state.with_row("mails", key, row)


@TOOL.api(
    "Search Mail",
    text("query", "Part of the subject, sender or recipient; empty for all.", ""),
    choice("folder", "Only this folder.", FOLDERS, optional=True),
    choice("state", "Read or unread only.", ("any", "read", "unread"), optional=True),
    PAGE,
)
def search_mail(tables: Tables, query: str, folder: str, state: str, page: int) -> Response:
    """Find mails of one folder, newest first, without their text."""
    needle = query.casefold()
    rows = [
        _entry(row)
        for row in tables.table("mails").values()
        if row["folder"] == folder
        and state in ("any", "read" if row["read"] else "unread")
        and any(needle in row[field].casefold() for field in ("subject", "sender", "recipient"))
    ]
    return page_of(rows[::-1], page)


@TOOL.api("Open Mail", _ID)
def open_mail(state: Tables, mail_id: str) -> Response:
    """One mail with its text; it is not marked as read by this."""
    row = found(state.row("mails", mail_id), "mail", mail_id)
    return {**_entry(row), "body": row["body"]}


@TOOL.api("Mark Mail", _ID, choice("state", "Read or unread.", ("read", "unread"), optional=True))
def mark_mail(tables: Tables, mail_id: str, state: str) -> Update:
    """Mark a mail as read or unread."""
    return _changed(tables, mail_id, read=state == "read")


@TOOL.api(
    "Send Mail",
    text("recipient", "E-mail address.", "sample@postbox.example"),
    text("subject", "Subject line.", "Sample"),
    _BODY,
)
def send_mail(state: Tables, recipient: str, subject: str, body: str) -> Update:
    """Send a new mail."""
    if "@" not in recipient:
        raise ApiError(f"recipient must be an e-mail address, got {recipient[:80]!r}")
    return _sent(state, recipient.strip(), subject, body)


@TOOL.api("Reply To Mail", _ID, _BODY)
def reply_to_mail(state: Tables, mail_id: str, body: str) -> Update:
    """Answer a mail; the subject gets "Re:" in front."""
    row = found(state.row("mails", mail_id), "mail", mail_id)
    return _sent(state, row["sender"], f"Re: {row['subject']}", body)


@TOOL.api("Label Mail", _ID, choice("label", "The label.", LABELS))
def label_mail(state: Tables, mail_id: str, label: str) -> Update:
    """Put a label on a mail."""
    row = found(state.row("mails", mail_id), "mail", mail_id)
    return _changed(state, mail_id, labels=sorted({*row["labels"], label}))


@TOOL.api("Move Mail", _ID, choice("folder", "The folder to move it to.", ("archive", "inbox")))
def move_mail(state: Tables, mail_id: str, folder: str) -> Update:
    """Move a received mail between inbox and archive."""
    if found(state.row("mails", mail_id), "mail", mail_id)["folder"] == "sent":
        raise ApiError("mail that was sent stays in the folder sent")
    return _changed(state, mail_id, folder=folder)
