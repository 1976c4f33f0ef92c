"""JSON with one brace or bracket too few or too many, as small models write it."""

from __future__ import annotations

import re

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*(?P<end>"?)|[\[\]{}]', re.DOTALL)
_CLOSES = {"{": "}", "[": "]"}


def balanced(text: str, *, closed: bool = True) -> str | None:
    """Return a text with its one missing brace added or its one surplus brace left out.

    Args:
        text: The text.
        closed: Whether a mark says that the text is whole: otherwise it was cut off where its last brace is
            missing.

    Returns:
        None where it lacks nothing, where more than one is wrong, and where it ends as a text does that was
        cut off: inside of a string, or after a number that may have had more digits.

    Examples:
        >>> balanced('{"a": {"n": 1}'), balanced('[{"a": [1}]'), balanced('{"a": 1}}')
        ('{"a": {"n": 1}}', '[{"a": [1]}]', '{"a": 1}')
        >>> balanced('{"a": {"n": 1'), balanced("{}"), balanced('{"a": {}', closed=False)
        (None, None, None)
    """
    open_: list[str] = []
    edited = None
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark[0] == '"':
            if not token["end"]:
                return None
        elif mark in _CLOSES:
            open_.append(_CLOSES[mark])
        elif open_ and open_[-1] == mark:
            open_.pop()
        elif edited is not None:
            return None
        elif len(open_) > 1 and open_[-2] == mark:
            edited = text[: token.start()] + open_.pop() + text[token.start() :]
            open_.pop()
        else:
            edited = text[: token.start()] + text[token.end() :]
    if not open_:
        return edited
    whole = closed and edited is None and len(open_) == 1 and text.rstrip().endswith(("}", "]", '"'))
    return text.rstrip() + open_[0] if whole else None


def end_of(text: str, start: int) -> int | None:
    """Return where the object or list that begins at ``start`` ends; None where it does not.

    Examples:
        >>> end_of('so {"a": "}"} it is', 3)
        13
    """
    depth = 0
    for token in _TOKEN.finditer(text, start):
        mark = token[0]
        if mark in "{[":
            depth += 1
        elif mark in "}]":
            depth -= 1
            if depth <= 0:
                return token.end()
    return None
