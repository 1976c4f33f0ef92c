"""The value of a generator expression: its members, each taken once by ``next``."""

from __future__ import annotations


class Stream(list[object]):
    """Members that are still to come; all are made at once, within the program's budget.

    Examples:
        >>> stream = Stream([1, 2])
        >>> stream.pop(0), list(stream)
        (1, [2])
    """
