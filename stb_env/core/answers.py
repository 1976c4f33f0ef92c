"""Typed answers: check what an agent gave against a task's schema, and compare it with the expected values.

A schema is a JSON Schema of an object with one property a fact. Besides the usual keywords it may say

- ``format``: ``date`` (``YYYY-MM-DD``), ``time`` (``HH:MM``) or ``code`` for a string; a string without one
  is a name. Dates and times are checked as such.
- ``tolerance``: the greatest difference from the right number that still counts.
- ``ordered``: whether the order of a list counts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from functools import lru_cache
from math import isfinite

from stb_env.core.jsontypes import Json, JsonMapping
from stb_env.errors import ConfigError

Schema = JsonMapping

_DATE = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:T00:00(?::00(?:\.0{1,9})?)?(?:Z|\+00:00)?)?")
_TIME = re.compile(r"((?:[01][0-9]|2[0-3]):[0-5][0-9])(?::00)?")
_ARTICLE = re.compile(r"^(?:the|an?) (?=.)")
_APOSTROPHES = str.maketrans("", "", "'`´\u2018\u2019\u02bc")
_CODE_BREAKS = re.compile(r"[\s\-\u2010-\u2015]+")
# What sums of a few floats are off by: at least this, or this share of a large value.
_ROUNDING, _RELATIVE = 1e-9, 1e-12
# Longer texts are no names of anything; a cache of a thousand answers would keep them all.
_MOST_CACHED = 200


def object_schema(properties: Mapping[str, Schema]) -> dict[str, object]:
    """Return the schema of an answer that has all of these properties and no others.

    Examples:
        >>> object_schema({"count": {"type": "integer"}})["required"]
        ['count']
    """
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def schema_of(values: Mapping[str, object]) -> dict[str, object]:
    """Return the schema that example values suggest: their types, and dates and times as such.

    Args:
        values: One value a property, none of them empty.

    Raises:
        ConfigError: A value is null, an empty list, or a list of values of different kinds.

    Examples:
        >>> schema_of({"count": 2, "due": "2026-03-09", "titles": ["Milk"]})["properties"]["due"]
        {'type': 'string', 'format': 'date', 'description': 'as YYYY-MM-DD'}
    """
    return object_schema({name: _suggested(name, value) for name, value in values.items()})


def _suggested(name: str, value: object) -> dict[str, object]:
    match value:
        case bool():
            return {"type": "boolean"}
        case int():
            return {"type": "integer"}
        case float() if isfinite(value):
            return {"type": "number"}
        case str() if _date_key(value):
            return {"type": "string", "format": "date", "description": "as YYYY-MM-DD"}
        case str() if _time_key(value):
            return {"type": "string", "format": "time", "description": "as HH:MM, 24 hours"}
        case str():
            return {"type": "string"}
        case [first, *rest]:
            items = _suggested(name, first)
            if all(_suggested(name, other) == items for other in rest):
                return {"type": "array", "items": items, "uniqueItems": True}
        case dict() if value:
            return object_schema({key: _suggested(f"{name}.{key}", each) for key, each in value.items()})
    raise ConfigError(
        f"the answer's {name!r} is {value!r:.60}, which tells no type; give text, a number, true or false, "
        "an object, or a list of values of one kind"
    )


# -- the forms that count as equal ------------------------------------------------------------------


def name_key(text: str) -> str:
    """Return what spellings of a name share: case, accents, apostrophes and a leading article do not count.

    Examples:
        >>> name_key("The Café d’Or") == name_key("cafe dor"), name_key("Ann Lee") == name_key("Lee")
        (True, False)
    """
    return _cached_name_key(text) if len(text) <= _MOST_CACHED else _name_key(text)


def _name_key(text: str) -> str:
    parts = unicodedata.normalize("NFD", unicodedata.normalize("NFC", text).casefold())
    plain = "".join(char for char in parts if not unicodedata.combining(char)).translate(_APOSTROPHES)
    return _ARTICLE.sub("", " ".join(plain.split()), count=1)


_cached_name_key = lru_cache(maxsize=8192)(_name_key)


def code_key(text: str) -> str:
    """Return what two spellings of a code share: spaces, hyphens and case do not count, other signs do.

    Examples:
        >>> code_key("NW 110") == code_key("nw-110"), code_key("ab.c@x") == code_key("a.bc@x")
        (True, False)
    """
    kept = _CODE_BREAKS.sub("", unicodedata.normalize("NFC", text)).casefold()
    # Marks that a break kept apart are in their order only now.
    return unicodedata.normalize("NFC", kept)


def _date_key(text: str) -> str:
    """Return the ISO date that a text is, also at midnight; empty where it is none."""
    found = _DATE.fullmatch(text)
    if found is None:
        return ""
    try:
        return date.fromisoformat(found[1]).isoformat()
    except ValueError:
        return ""


def _time_key(text: str) -> str:
    """Return the time of day that a text is, in hours and minutes; empty where it is none."""
    found = _TIME.fullmatch(text)
    return found[1] if found else ""


_FORMATS: Mapping[str, tuple[Callable[[str], str], str]] = {
    "date": (_date_key, "a date as YYYY-MM-DD"),
    "time": (_time_key, "a time as HH:MM, 24 hours"),
}
_KEYS: Mapping[object, Callable[[str], str]] = {"date": _date_key, "time": _time_key, "code": code_key}


# -- reading ----------------------------------------------------------------------------------------


def listed_spelling(schema: Schema, value: object) -> Json:
    """Return a value with every enum value in the spelling that its schema lists.

    A value that is listed nowhere stays as it is.

    Examples:
        >>> weekday = {"type": "string", "enum": ["Monday", "Tuesday"]}
        >>> listed_spelling(object_schema({"day": weekday}), {"day": "monday"})
        {'day': 'Monday'}
    """
    match value:
        # What the schema says nothing of stays as it is, however deep it nests.
        case _ if not schema:
            return value
        case dict():
            return {name: listed_spelling(_of(schema, name), each) for name, each in value.items()}
        case list():
            items = _items(schema)
            return [listed_spelling(items, each) for each in value]
        case str() if "enum" in schema:
            return _listed(schema["enum"], value)
    return value


def _of(schema: Schema, name: str) -> Schema:
    """Return the schema of a property, empty where there is none."""
    properties = schema.get("properties")
    found = properties.get(name) if isinstance(properties, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _items(schema: Schema) -> Schema:
    """Return the schema of a list's values, empty where there is none."""
    found = schema.get("items")
    return found if isinstance(found, Mapping) else {}


def _listed(options: Sequence[object], value: str) -> object:
    if value in options:
        return value
    for key in (name_key, code_key):
        found = [option for option in options if isinstance(option, str) and key(option) == key(value)]
        if len(found) == 1:
            return found[0]
    return value


def form_problems(schema: Schema, value: object, path: str = "answer") -> Iterable[str]:
    """Yield what is wrong with the form of a value beyond what a JSON Schema checks.

    These are dates and times that are none, numbers that no JSON can hold, and values that stand twice in a
    list whose items are unique, by the rules of comparison.

    Examples:
        >>> day = {"type": "string", "format": "date"}
        >>> list(form_problems(object_schema({"due": day}), {"due": "tomorrow"}))
        ["'answer.due' must be a date as YYYY-MM-DD, got the text 'tomorrow'"]
    """
    match value:
        case _ if not schema:
            return
        case dict():
            for name, each in value.items():
                yield from form_problems(_of(schema, name), each, f"{path}.{name}")
        case list():
            items = _items(schema)
            for place, each in enumerate(value):
                yield from form_problems(items, each, f"{path}[{place}]")
            if schema.get("uniqueItems"):
                yield from _repeated(items, value, path)
        case str() if schema.get("format") in _FORMATS:
            key, words = _FORMATS[schema["format"]]
            if not key(value):
                yield f"{path!r} must be {words}, got the text {value[:60]!r}"
        case float() if not isfinite(value):
            yield f"{path!r} must be a finite number, got {value}"


def _repeated(items: Schema, values: Sequence[object], path: str) -> Iterable[str]:
    seen: set[str] = set()
    for value in values:
        if isinstance(value, str):
            key = _string_key(items, value)
            if key in seen:
                yield f"{path!r} has {value[:60]!r} twice; give each value once"
            seen.add(key)


# -- comparing --------------------------------------------------------------------------------------


def right_fields(
    schema: Schema, expected: Mapping[str, object], given: Mapping[str, object] | None
) -> dict[str, bool]:
    """Return for every expected field whether the given value is right.

    Args:
        schema: The task's schema.
        expected: The right values.
        given: What the agent gave, or None where it gave nothing.

    Examples:
        >>> total = {"type": "number", "tolerance": 0.5}
        >>> schema = object_schema({"total": total, "code": {"type": "string"}})
        >>> right_fields(schema, {"total": 12, "code": "Oslo"}, {"total": 12.4, "code": "Bergen"})
        {'total': True, 'code': False}
    """
    if given is None:
        return dict.fromkeys(expected, False)
    properties = schema["properties"]
    return {
        name: name in given and same(properties[name], value, given[name]) for name, value in expected.items()
    }


def same(schema: Schema, expected: object, given: object) -> bool:
    """Return whether two values of a schema are equal by its types.

    Examples:
        >>> same({"format": "time"}, "09:15", "09:15:00"), same({"type": "integer"}, 12, 12.0)
        (True, True)
        >>> same({"type": "number"}, 1, True), same({"type": "number"}, 0.5, 10**400)
        (False, False)
    """
    match expected:
        case bool() | None:
            return given is expected
        case int() | float():
            return _same_number(expected, given, schema.get("tolerance", 0.0))
        case str() if "enum" in schema:
            # Two listed values may share a key, such as "The Who" and "Who".
            options = schema["enum"]
            return isinstance(given, str) and _listed(options, expected) == _listed(options, given)
        case str():
            return isinstance(given, str) and _string_key(schema, expected) == _string_key(schema, given)
        case list():
            return isinstance(given, list) and _same_list(schema, expected, given)
        case dict():
            return (
                isinstance(given, dict)
                and expected.keys() == given.keys()
                and all(same(_of(schema, name), each, given[name]) for name, each in expected.items())
            )
    return False


def _same_number(expected: float, given: object, tolerance: float) -> bool:
    if isinstance(given, bool) or not isinstance(given, int | float):
        return False
    if given == expected:
        return True
    try:
        rounding = 0.0
        if not (_is_whole(expected) and _is_whole(given)):
            rounding = max(_ROUNDING, _RELATIVE * min(abs(expected), abs(given)))
        return abs(given - expected) <= tolerance + rounding
    except OverflowError:
        # A whole number beyond every float is near to none that is not equal to it.
        return False


def _is_whole(value: float) -> bool:
    return isinstance(value, int) or value.is_integer()


def _string_key(schema: Schema, text: str) -> str:
    key = _KEYS.get(schema.get("format"), name_key)(text)
    # A text that is no date or time is equal to itself alone.
    return key or text


def _same_list(schema: Schema, expected: list[object], given: list[object]) -> bool:
    items = _items(schema)
    if len(expected) != len(given):
        return False
    if schema.get("ordered"):
        return all(same(items, one, other) for one, other in zip(expected, given, strict=True))
    partners: dict[int, int] = {}
    return all(_find_partner(items, expected, given, place, partners, set()) for place in range(len(given)))


def _find_partner(
    items: Schema,
    expected: list[object],
    given: list[object],
    place: int,
    partners: dict[int, int],
    tried: set[int],
) -> bool:
    """Give an expected value a given one that is equal, moving partners of others where that helps.

    With a tolerance one value can be equal to several, so the first that fits may be another's only one.
    """
    free = (other for other in range(len(given)) if other not in partners)
    found = next((other for other in free if same(items, expected[place], given[other])), None)
    if found is not None:
        partners[found] = place
        return True
    for other in list(partners):
        if other in tried or not same(items, expected[place], given[other]):
            continue
        tried.add(other)
        if _find_partner(items, expected, given, partners[other], partners, tried):
            partners[other] = place
            return True
    return False
