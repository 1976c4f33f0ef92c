"""The schema of an API's answer, and how far that of a simulated one agrees with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from stb_env.actions.python_text import NotDataError, literal
from stb_env.core import jsontext

Field = tuple[str, ...]
"""Names from the root to a field; the members of a list are its field ``[]``."""

_MEMBER = "[]"


def decoded(response: object) -> object:
    """Return what a response means where it is the text of a JSON or Python value, whole or cut off.

    Examples:
        >>> decoded("{'city': 'Oslo', 'dry': True}"), decoded("all is well"), decoded('{"a": [1, 2], "b": "x')
        ({'city': 'Oslo', 'dry': True}, 'all is well', {'a': [1, 2], 'b': 'x'})
    """
    if not isinstance(response, str) or response.lstrip()[:1] not in ("{", "["):
        return response
    text = response.strip()
    try:
        return jsontext.loads(text)
    except ValueError:
        pass
    try:
        return literal(text)
    except NotDataError:
        return _repaired(text)


def _repaired(text: str) -> object:
    import json_repair  # heavy, and needed for damaged recordings only

    try:
        return jsontext.loads(json_repair.repair_json(text)) or text
    except (ValueError, RecursionError):
        return text


def types(value: object) -> dict[Field, set[str]]:
    """Return every field of a JSON value with the types that it has.

    Examples:
        >>> types({"hits": [{"id": 1}]})[("hits", "[]", "id")]
        {'number'}
    """
    found: dict[Field, set[str]] = {}
    for field, kind in _typed(value, ()):
        found.setdefault(field, set()).add(kind)
    return found


def _typed(value: object, field: Field) -> Iterator[tuple[Field, str]]:
    match value:
        case Mapping():
            yield field, "object"
            for name, item in value.items():
                yield from _typed(item, (*field, str(name)))
        case list() | tuple():
            yield field, "array"
            for item in value:
                yield from _typed(item, (*field, _MEMBER))
        case None:
            yield field, "null"
        case bool():
            yield field, "boolean"
        case int() | float():
            yield field, "number"
        case _:
            yield field, "string"


def schema_match(real: object, simulated: object) -> bool:
    """Say whether two JSON values have the same fields with the same types.

    A null says nothing of its type, and a list without members nothing of theirs.

    Examples:
        >>> schema_match({"id": 1, "tags": ["a"]}, {"id": 2.5, "tags": []})
        True
        >>> schema_match({"id": 1}, {"id": "1"}), schema_match({"id": 1}, {})
        (False, False)
    """
    mine, theirs = types(real), types(simulated)
    return _fits(mine, theirs) and _fits(theirs, mine)


def _fits(mine: Mapping[Field, set[str]], theirs: Mapping[Field, set[str]]) -> bool:
    for field, kinds in mine.items():
        known = theirs.get(field)
        if known is None:
            if not _untold(field, theirs):
                return False
        elif kinds != known and "null" not in kinds | known:
            return False
    return True


def _untold(field: Field, known: Mapping[Field, set[str]]) -> bool:
    """Say whether a field lies below a null or a list without members."""
    parents = [field[:length] for length in range(len(field))]
    return any(
        known.get(parent) == {"null"} or (known.get(parent) == {"array"} and (*parent, _MEMBER) not in known)
        for parent in parents
    )


def field_overlap(real: object, simulated: object) -> float | None:
    """Return the share of fields that both values have among those that either has (Jaccard, 1901).

    Returns:
        From 0 to 1, or None where neither value has a field.

    Examples:
        >>> field_overlap({"id": 1, "name": "a"}, {"id": 2, "title": "b"})
        0.3333333333333333
        >>> field_overlap("fine", "well") is None
        True
    """
    mine, theirs = types(real).keys() - {()}, types(simulated).keys() - {()}
    return len(mine & theirs) / len(mine | theirs) if mine | theirs else None
