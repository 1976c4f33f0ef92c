"""Raw data in a text: objects as JSON or Python write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

_BRACKET = re.compile(r"[{}\[\]]")
_PAIR = re.compile(r"[\w\"']\s*[:=]\s*[\w\"'\[{.+-]")


def dumps(text: str) -> Iterator[tuple[int, int]]:
    """Yield where objects in brackets begin and end, the outermost only; one that is not closed runs on.

    Examples:
        >>> text = 'I got {"id": 3, "rows": [{"a": 1}]} and [1].'
        >>> [text[start:end] for start, end in dumps(text)]
        ['{"id": 3, "rows": [{"a": 1}]}']
    """
    # Most texts have none.
    return iter(_found(text)) if "{" in text else iter(())


# Each reader of an answer asks for them again.
@lru_cache(maxsize=64)
def _found(text: str) -> tuple[tuple[int, int], ...]:
    return tuple(_outermost(text))


def _outermost(text: str) -> Iterator[tuple[int, int]]:
    depth = start = 0
    for match in _BRACKET.finditer(text):
        if match[0] in "{[":
            if not depth:
                start = match.start()
            depth += 1
        elif depth:
            depth -= 1
            if not depth and _is_data(text, start, match.end()):
                yield start, match.end()
    if depth and _is_data(text, start, len(text)):
        yield start, len(text)


def _is_data(text: str, start: int, end: int) -> bool:
    return "{" in text[start : start + 3] and _PAIR.search(text, start, end) is not None
