"""What agenda, alarms, meetings and reminders share: a user's own records, in stored order."""

from __future__ import annotations

from collections.abc import Callable

from stb_env.jsontypes import JsonMapping
from stb_env.suites.api_bank.state import State, Table

Record = JsonMapping


def find_own(
    state: State, table: str, user: str, fits: Callable[[Record], bool]
) -> tuple[str, Record] | None:
    """Return key and record of a user's first record that fits, or None."""
    for key, record in state.table(table).items():
        if record["username"] == user and fits(record):
            return key, record
    return None


def number_key(rows: Table) -> str:
    """Return the key of a new agenda item or alarm.

    The original counts in numbers beside the loaded records' texts: a new key never meets a loaded one, but
    after a deletion it can meet, and overwrite, one that was added before.

    Examples:
        >>> number_key({"1": {}, "2": {}})
        '#3'
    """
    return f"#{len(rows) + 1}"


def text_key(rows: Table) -> str:
    """Return the key of a new meeting or reminder: one more than the largest.

    Examples:
        >>> text_key({"1": {}, "7": {}}), text_key({})
        ('8', '0')
    """
    return str(max(map(int, rows)) + 1) if rows else "0"
