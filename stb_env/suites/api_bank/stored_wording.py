"""Finds a stored record by what it is about, where a call says that in almost the stored words."""

from __future__ import annotations

from collections.abc import Mapping

from stb_env.jsontypes import JsonObject
from stb_env.suites.api_bank.api_error import ApiError
from stb_env.suites.api_bank.state import State
from stb_env.suites.api_bank.tokens import user_of
from stb_env.suites.api_bank.wording import words_of

_TOPICS: Mapping[str, tuple[str, str]] = {
    f"{verb}{noun}": (noun, "meeting_topic" if noun == "Meeting" else "content")
    for verb in ("Delete", "Modify", "Query")
    for noun in ("Agenda", "Meeting", "Reminder")
}
"""Table, and the field that tells a record, of the APIs that look for one."""


def as_stored(name: str, state: State, bound: JsonObject) -> JsonObject:
    """Return the arguments of a call with the stored wording of the record that they mean.

    The released code looks for equal texts, so that "gym workout" misses "Gym workout". Here the same words
    in whatever capitals, order and endings mean the user's record, where none has exactly the text given.

    Args:
        name: Name of the API.
        state: Has the records.
        bound: The arguments, cast.
    """
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
