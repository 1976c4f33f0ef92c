"""Formats of cells: as programs set them, and as they come out with the defaults."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.errors import did_you_mean
from stb_env.suites.sambanova.common.interpreter.budget import weigh
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.common.interpreter.kinds import words
from stb_env.suites.sambanova.google_sheets.formula.operands import Scalar, is_number
from stb_env.suites.sambanova.google_sheets.values import Format

KEYS = words(
    "textFormat backgroundColor numberFormat horizontalAlignment verticalAlignment wrapStrategy borders "
    "padding textDirection textRotation hyperlinkDisplayType"
)
"""Keys of a format."""

_COLORS = ("backgroundColor", "foregroundColor", "color")
_BLACK = {"red": 0.0, "green": 0.0, "blue": 0.0, "alpha": 1.0}
_DEFAULT: JsonMapping = {
    "backgroundColor": {"red": 1.0, "green": 1.0, "blue": 1.0},
    "padding": {"top": 2, "right": 3, "bottom": 2, "left": 3},
    "verticalAlignment": "BOTTOM",
    "wrapStrategy": "OVERFLOW_CELL",
    "textFormat": {
        "foregroundColor": {},
        "fontFamily": "Arial",
        "fontSize": 10,
        "bold": False,
        "italic": False,
        "underline": False,
        "strikethrough": False,
    },
    "hyperlinkDisplayType": "PLAIN_TEXT",
}


def checked(given: object) -> Format:
    """Return a format that a program sets.

    Examples:
        >>> checked({"textFormat": {"bold": True}})
        {'textFormat': {'bold': True}}
        >>> checked({"textformat": {"bold": True}})
        Traceback (most recent call last):
        ...
        stb_env.suites.sambanova.common.interpreter.crash.CrashError: a format has no 'textformat'. Did you mean 'textFormat'?
    """  # noqa: E501 # the line is what Python prints
    if not isinstance(given, Mapping):
        raise CrashError(f"a format is a dictionary, got {type(given).__name__}")
    weigh(dict(given))
    for key, value in given.items():
        if key not in KEYS:
            raise CrashError(f"a format has no {key!r}.{did_you_mean(str(key), KEYS)}")
        if isinstance(value, Mapping) != isinstance(_DEFAULT.get(key, value), Mapping):
            raise CrashError(f"{key!r} of a format cannot be {str(value)[:40]}")
    return {key: _plain(value) for key, value in given.items()}


def effective(given: Format | None, value: Scalar) -> JsonObject:
    """Return the format that a cell has: the defaults, overridden by what is set.

    Args:
        given: What is set, if anything.
        value: The cell's value, which decides where it is aligned.

    Examples:
        >>> effective(None, 3)["horizontalAlignment"], effective(None, "x")["horizontalAlignment"]
        ('RIGHT', 'LEFT')
    """
    aligned = "RIGHT" if is_number(value) else "CENTER" if isinstance(value, bool) else "LEFT"
    if not given:
        return _unset(aligned)
    out: JsonObject = {**_DEFAULT, "horizontalAlignment": aligned}
    for key, part in given.items():
        default = out.get(key)
        merge = key == "textFormat" and isinstance(default, Mapping) and isinstance(part, Mapping)
        out[key] = {**default, **part} if merge and default is not None else part
    return {key: _normal(part, key) for key, part in out.items() if part is not None}


@cache
def _unset(aligned: str) -> dict[str, object]:
    """Return the format of a cell in which nothing is set; shared, and never changed."""
    out = {**_DEFAULT, "horizontalAlignment": aligned}
    return {key: _normal(part, key) for key, part in out.items()}


def _normal(value: object, key: str) -> object:
    """Return a format in which colours are complete and nothing is set to nothing."""
    if not isinstance(value, Mapping):
        return value
    if key in _COLORS:
        return {**_BLACK, **{name: float(part) for name, part in value.items() if name in _BLACK}}
    return {name: _normal(part, name) for name, part in value.items() if part is not None}


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, bool | int | float | str) or value is None:
        return value
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    raise CrashError(f"a format cannot hold {type(value).__name__}")
