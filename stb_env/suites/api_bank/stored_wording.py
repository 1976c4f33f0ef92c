"""Writes arguments as the databases do: a record is found by what it is, and not by how it is typed."""

from __future__ import annotations

import re
from collections.abc import Mapping

from stb_env.jsontypes import JsonObject
from stb_env.suites.api_bank.api_error import ApiError
from stb_env.suites.api_bank.state import State
from stb_env.suites.api_bank.times import read_date, read_time
from stb_env.suites.api_bank.tokens import user_of
from stb_env.suites.api_bank.wording import words_of

_DATED = re.compile(r"\d{4}-")
_TOPICS: Mapping[str, tuple[str, str]] = {
    f"{verb}{noun}": (noun, "meeting_topic" if noun == "Meeting" else "content")
    for verb in ("Delete", "Modify", "Query")
    for noun in ("Agenda", "Meeting", "Reminder")
}
"""Table, and the field that tells a record, of the APIs that look for one."""


def as_stored(name: str, state: State, bound: JsonObject) -> JsonObject:
    """Return the arguments of a call as the databases write them: times in full, texts in the stored wording.

    The released code looks for equal texts, so that "gym workout" misses "Gym workout". Here the same words
    in whatever capitals, order and endings mean the user's record, where none has exactly the text given.

    Args:
        name: Name of the API.
        state: Has the records.
        bound: The arguments, cast.
    """
    bound = {key: in_full(value) if isinstance(value, str) else value for key, value in bound.items()}
    if name not in _TOPICS or "token" not in bound:
        return bound
    table, field = _TOPICS[name]
    try:
        user = user_of(state, bound["token"])
    except ApiError:
        return bound
    texts = [row[field] for row in state.table(table).values() if row["username"] == user]
    if bound[field] in texts:
        return bound
    words = words_of(bound[field])
    stored = next((text for text in texts if words and words_of(text) == words), bound[field])
    return {**bound, field: stored}


def in_full(text: str) -> str:
    """Return a date with a time, or a date alone, with all its zeros; any other text as it is.

    Examples:
        >>> in_full("2023-4-3 6:45:00"), in_full("2023-4-3"), in_full("2023-4")
        ('2023-04-03 06:45:00', '2023-04-03', '2023-4')
    """
    if not _DATED.match(text):
        return text
    read, size = (read_time, 19) if ":" in text else (read_date, 10)
    try:
        return read(text).isoformat(" ")[:size]
    except ApiError:
        return text
