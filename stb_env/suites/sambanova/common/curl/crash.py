"""What the original cannot run: its word for "not executable" is crash."""

from __future__ import annotations

from typing import Any


class CrashError(Exception):
    """The original could not run a command; the message is the original's where it has one."""


def is_literal(value: Any, *, null: bool) -> bool:
    """Return whether Python reads a JSON value as a literal, which is how the original reads answers.

    Args:
        value: A JSON value.
        null: Whether null was made a text beforehand.

    Examples:
        >>> is_literal([1, {"a": "b"}], null=False), is_literal([True], null=True)
        (True, False)
    """
    if isinstance(value, dict):
        return all(is_literal(item, null=null) for item in value.values())
    if isinstance(value, list):
        return all(is_literal(item, null=null) for item in value)
    return null if value is None else not isinstance(value, bool)
