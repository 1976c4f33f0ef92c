"""Values as services write them, read as a typed answer asks for them."""

from __future__ import annotations

import re
from datetime import date

from stb_env.core.jsontypes import JsonMapping
from stb_env.wrappers.documented import snake

_NUMBER = re.compile(r"-?\d{1,15}(?:\.\d{1,6})?")
_DAY = re.compile(
    r"(?P<d>\d\d?)\.(?P<m>\d\d?)\.(?P<y>\d{4})"
    r"|(?P<m2>\d\d?)/(?P<d2>\d\d?)/(?P<y2>\d{4})"
    r"|(?P<y3>\d{4})(?P<m3>\d\d)(?P<d3>\d\d)"
)


def read_written(schema: JsonMapping, name: str, field: str, value: object) -> object:
    """Return a value of a result in the form that a property asks for; as it is where it is in no other.

    Numbers may be text, amounts in cents where the field says so, days in other orders than the answer's
    (with slashes the month is first), and listed values in capitals.

    Args:
        schema: The property's.
        name: The property's name.
        field: The name of the field that the value stands in.
        value: The value.

    Examples:
        >>> number, day = {"type": "number"}, {"type": "string", "format": "date"}
        >>> read_written(number, "fee", "fee", "128.42"), read_written(number, "fee", "feeCents", 8531)
        (128.42, 85.31)
        >>> [read_written(day, "due", "due", text) for text in ("15.02.2025", "02/15/2025", "20250215")]
        ['2025-02-15', '2025-02-15', '2025-02-15']
        >>> read_written({"type": "string", "enum": ["in stock"]}, "status", "status", "IN_STOCK")
        'in stock'
    """
    kind = schema.get("type")
    if kind in ("number", "integer"):
        if isinstance(value, str) and _NUMBER.fullmatch(value):
            value = float(value) if "." in value else int(value)
        if isinstance(value, int) and _in_cents(field) and not _in_cents(name):
            return value / 100
        return value
    if not isinstance(value, str):
        return value
    if schema.get("format") == "date" and (found := _DAY.fullmatch(value)):
        return _iso(found) or value
    plain = value.replace("_", " ").casefold()
    return next((each for each in schema.get("enum", ()) if str(each).casefold() == plain), value)


def _in_cents(field: str) -> bool:
    return snake(field).endswith("_cents")


def _iso(found: re.Match[str]) -> str | None:
    year, month, day = (
        int(next(filter(None, (found[name + end] for end in ("", "2", "3"))))) for name in "ymd"
    )
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None
