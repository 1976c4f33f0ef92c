"""Reminders: a text at a time."""

from __future__ import annotations

from stb_env.jsontypes import JsonMapping
from stb_env.suites.api_bank.api_error import ApiError
from stb_env.suites.api_bank.apis.records import Record, find_own, text_key
from stb_env.suites.api_bank.compare import NAME, RESULT, alike, all_of, same, when_done
from stb_env.suites.api_bank.definition import TOKEN, Domain, text
from stb_env.suites.api_bank.state import State
from stb_env.suites.api_bank.times import read_time
from stb_env.suites.api_bank.tokens import user_of

REMINDERS = Domain("Schedule Management")

_REMINDER = (
    TOKEN,
    text("content", "What to be reminded of."),
    text("time", "When, as YYYY-MM-DD hh:mm:ss."),
)
_MATCH = all_of(alike("content", str.lower), same("time"), RESULT)


@REMINDERS.api("AddReminder", *_REMINDER, compare=all_of(NAME, _MATCH))
def add_reminder(state: State, token: str, content: str, time: str) -> tuple[str, State]:
    """Set a reminder."""
    _check(content, time)
    reminder = {"content": content, "time": time, "username": user_of(state, token)}
    return "success", state.with_row("Reminder", text_key(state.table("Reminder")), reminder)


@REMINDERS.api("DeleteReminder", *_REMINDER, compare=when_done(same("time")))
def delete_reminder(state: State, token: str, content: str, time: str) -> tuple[str, State]:
    """Remove a reminder of the user's; its content or its time tells which."""
    key, _ = _find(state, token, content, time)
    return "success", state.without_row("Reminder", key)


@REMINDERS.api("ModifyReminder", *_REMINDER, compare=all_of(NAME, _MATCH))
def modify_reminder(state: State, token: str, content: str, time: str) -> tuple[str, State]:
    """Change a reminder of the user's; its content or its time tells which, and both are set anew."""
    key, reminder = _find(state, token, content, time)
    return "success", state.with_row("Reminder", key, {**reminder, "content": content, "time": time})


@REMINDERS.api(
    "QueryReminder",
    *_REMINDER,
    outputs={"reminder_info": ("json", "The reminder as it is stored.")},
    compare=_MATCH,
)
def query_reminder(state: State, token: str, content: str, time: str) -> JsonMapping:
    """Look up a reminder of the user's; its content or its time tells which."""
    return _find(state, token, content, time)[1]


def _check(content: str, time: str) -> None:
    read_time(time)
    if not content.strip():
        raise ApiError("Content should not be null")


def _find(state: State, token: str, content: str, time: str) -> tuple[str, Record]:
    _check(content, time)
    user = user_of(state, token)
    found = find_own(state, "Reminder", user, lambda held: held["content"] == content or held["time"] == time)
    if found is None:
        raise ApiError(f"You have no reminder about {content} or at time : {time}")
    return found
