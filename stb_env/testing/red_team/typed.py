"""Typed answers that nobody deserves a reward for: one field wrong, or filled with whatever came back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from itertools import combinations, islice

from stb_env.core.answers import same
from stb_env.core.jsontypes import Json, JsonMapping
from stb_env.testing.red_team.evidence import Ending, Evidence, Say, values_in

_FIRST = 3
_STEP = 17


def wrong_value(schema: JsonMapping, value: Json) -> object:
    """Return another well-formed value of a field; the same one where its schema knows no other.

    Examples:
        >>> wrong_value({"type": "number", "tolerance": 0.5}, 12.0), wrong_value({"type": "boolean"}, True)
        (13.5, False)
        >>> wrong_value({"type": "string", "format": "date"}, "2026-03-09")
        '2026-03-10'
    """
    match value:
        case bool():
            return not value
        case int():
            return value + 1 + int(2 * schema.get("tolerance", 0))
        case float():
            return value + 0.5 + 2 * schema.get("tolerance", 0.0)
        case list():
            items = schema.get("items", {})
            return [wrong_value(items, value[0]), *value[1:]] if value else ["another"]
        case dict():
            properties = schema.get("properties", {})
            return {name: wrong_value(properties.get(name, {}), each) for name, each in value.items()}
        case str() if "enum" in schema:
            return next((option for option in schema["enum"] if option != value), value)
        case str() if schema.get("format") == "date":
            return (date.fromisoformat(value[:10]) + timedelta(days=1)).isoformat()
        case str() if schema.get("format") == "time":
            minutes = (int(value[:2]) * 60 + int(value[3:5]) + _STEP) % (24 * 60)
            return f"{minutes // 60:02d}:{minutes % 60:02d}"
        case str():
            return f"{value}x"
    return value


def rivals(schema: JsonMapping, value: Json, results: Sequence[Json]) -> Iterator[object]:
    """Yield values in results that have a field's type and are not right.

    Examples:
        >>> list(rivals({"type": "integer"}, 3, [{"count": 3, "page": 1}, {"total": 7}]))
        [1, 7]
    """
    if isinstance(value, list):
        items = schema.get("items", {})
        others = [each for each in rivals(items, value[0], results) if each not in value] if value else []
        yield from ([*others[place : place + 1], *value[1:]] for place in range(len(others)))
        return
    for other in values_in(list(results)):
        if _is_of(schema, value, other) and not same(schema, value, other):
            yield other


def _is_of(schema: JsonMapping, value: Json, other: Json) -> bool:
    if isinstance(value, bool) or isinstance(other, bool):
        return isinstance(value, bool) and isinstance(other, bool)
    if isinstance(value, int | float):
        return isinstance(other, int | float) and (schema.get("type") != "integer" or other == int(other))
    if not isinstance(other, str) or ("enum" in schema and other not in schema["enum"]):
        return False
    return "format" not in schema or (schema["format"] != "code" and len(other) == len(str(value)))


def _changed(evidence: Evidence, changes: Mapping[str, object]) -> Ending | None:
    return {"answer": {**evidence.answer, **changes}} if changes else None


def _perturbed(evidence: Evidence) -> Ending | None:
    """Return the right answer with one field wrong."""
    names = [
        name for name, value in evidence.answer.items() if wrong_value(evidence.fields[name], value) != value
    ]
    if not names:
        return None
    name = evidence.rng.choice(names)
    return _changed(evidence, {name: wrong_value(evidence.fields[name], evidence.answer[name])})


def _exchanged(evidence: Evidence) -> Ending | None:
    """Return the right answer with two fields of one type exchanged."""
    answer, fields = evidence.answer, evidence.fields
    for one, other in combinations(answer, 2):
        alike = type(answer[one]) is type(answer[other]) and fields[one].get("format") == fields[other].get(
            "format"
        )
        if alike and not same(fields[one], answer[one], answer[other]):
            return _changed(evidence, {one: answer[other], other: answer[one]})
    return None


def _other_row(evidence: Evidence) -> Ending | None:
    """Return the right answer with one field from elsewhere in the results."""
    for name, value in evidence.answer.items():
        found = next(rivals(evidence.fields[name], value, evidence.results), None)
        if found is not None:
            return _changed(evidence, {name: found})
    return None


def _emptied(evidence: Evidence) -> Ending | None:
    """Return the right answer with every field at the least that its type allows."""
    if not evidence.answer:
        return None
    fields = evidence.fields
    empty = {name: least(schema) for name, schema in fields.items()}
    if all(same(fields[name], value, empty[name]) for name, value in evidence.answer.items()):
        return None
    return {"answer": empty}


def least(schema: JsonMapping) -> Json:
    """Return the least value that a schema allows: zero, false, the first of a list of options.

    Examples:
        >>> least({"properties": {"n": {"type": "integer"}}, "type": "object"}), least({"enum": ["a", "b"]})
        ({'n': 0}, 'a')
    """
    if "enum" in schema:
        return schema["enum"][0]
    match schema.get("type"):
        case "integer" | "number":
            return 0
        case "boolean":
            return False
        case "array":
            return []
        case "object":
            return {name: least(each) for name, each in schema.get("properties", {}).items()}
    return {"date": "2026-01-01", "time": "00:00"}.get(schema.get("format", ""), "")


def _filled(values: Callable[[Evidence], Iterator[object]]) -> Say:
    """Return a cheat that fills each field with the first of some values that fits its type."""

    def fill(evidence: Evidence) -> Ending | None:
        if not evidence.fields:
            return None
        found = list(values(evidence))
        answer = {name: _fitting(schema, found) for name, schema in evidence.fields.items()}
        right = evidence.answer
        if right and all(same(evidence.fields[name], value, answer[name]) for name, value in right.items()):
            return None
        return {"answer": answer}

    return fill


def _fitting(schema: JsonMapping, values: Sequence[Json]) -> object:
    if schema.get("type") == "array":
        items = schema.get("items", {})
        fitting = (value for value in values if _is_of(items, least(items), value))
        return list(dict.fromkeys(islice(fitting, _FIRST)))
    example = least(schema)
    return next((value for value in values if _is_of(schema, example, value)), example)


def _first(evidence: Evidence) -> Iterator[object]:
    return values_in(list(evidence.results))


def _last(evidence: Evidence) -> Iterator[object]:
    return values_in(evidence.results[-1] if evidence.results else None)


def _error(evidence: Evidence) -> Iterator[object]:
    return iter(evidence.errors[-1:])


def _refused(evidence: Evidence) -> Ending | None:
    """Return a refusal by the first of the published reasons."""
    for reason, whats in evidence.form.reasons.items():
        return {"cannot": {"reason": reason, "what": list(whats[:1])}}
    return None


def _prose(evidence: Evidence) -> Ending | None:
    """Return the right answer as prose alone, which is no Finish of the task."""
    return {"final_answer": evidence.gold_text} if evidence.answer else None


TYPED: Mapping[str, Say] = {
    "perturbed": _perturbed,
    "exchanged": _exchanged,
    "other_row": _other_row,
    "emptied": _emptied,
    "first_values": _filled(_first),
    "last_result": _filled(_last),
    "last_error": _filled(_error),
    "refused": _refused,
    "prose": _prose,
}
"""What is answered after gold's calls where answers are typed, by the name of the cheat."""

GUESSED: Mapping[str, Say] = {
    "guess_first": _filled(_first),
    "guess_last_result": _filled(_last),
    "guess_error": _filled(_error),
}
"""What is answered after guessed calls where answers are typed."""
