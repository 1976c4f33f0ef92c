"""Values that fit a JSON Schema: plausible by the names of their fields, the same for the same numbers."""

from __future__ import annotations

import base64
import importlib
import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from stb_env import seeding
from stb_env.backend.simulator.template import values
from stb_env.backend.simulator.template.fields import LeafType, field_key, is_identifier, maker
from stb_env.backend.simulator.template.filling import echoed
from stb_env.backend.simulator.template.values import Maker, Scene
from stb_env.core import jsontext
from stb_env.core.jsontypes import Json, JsonArray, JsonMapping, JsonObject
from stb_env.tools import pure_name

ABSENT: Final = object()
"""Stands for an example that there is none of."""

_Place = Literal["record", "listed", "inner"]
_LISTED: _Place = "listed"
_INNER: _Place = "inner"
_DEEP, _DEEPEST, _MOST_HOPS = 4, 8, 50
_MEMBERS, _MOST_MEMBERS = 3, 10
# Fields that an object takes up with all that is inside of it, before it is left out.
_LEAST_ROOM = 4
_ENVELOPES = frozenset({"data", "result", "response", "body", "payload", "item", "content", "output"})
# Numbers whose names tell no more: most count something of one record, such as nights, guests or attempts.
_COUNTED, _NUMBERED = (1, 12), (1000, 9999)
_NAMES = ("number", "key", "code", "reference")
# Pages that a page tells of.
_BESIDE = {"next": 1, "nextpage": 1, "previous": -1, "previouspage": -1, "prev": -1, "prevpage": -1}
_NULL = {"type": "null"}
_LEAVES: Mapping[str, LeafType] = {"integer": "int", "number": "float", "boolean": "bool", "string": "text"}
_FORMATS: Mapping[str, Maker] = {
    "date-time": values.datetime_text,
    "date": values.date,
    "time": lambda number, scene: f"{values.clock(number, scene)}:00Z",
    "email": values.email,
    "uri": values.url,
    "uri-template": values.url,
    "url": values.url,
    "hostname": values.domain,
    "uuid": values.uuid,
    "ipv4": lambda number, _scene: f"203.0.113.{number % 254 + 1}",
    "ipv6": lambda number, _scene: f"2001:db8::{number % 65_535:x}",
    "byte": lambda number, scene: base64.b64encode(values.noun(number, scene).encode()).decode(),
    "decimal": lambda number, _scene: str(number % 1000),
    "duration": lambda number, _scene: f"PT{number % 59 + 1}M",
    "unix-time": maker("timestamp", "int")[1],
}


@dataclass(frozen=True, slots=True)
class Spot:
    """Place of a value in an answer.

    Attributes:
        number: What the values of the record around it follow from.
        name: Name of its field, or of the list that it is a member of.
        place: In the record that was asked for, in a list of such records, or inside of one.
        whole: Whether it is a record or a member of a list, and no field of a record.
        room: About how many fields it may have; those that it must have come in any case. With none at all
            lists are as short as they may be.
        depth: How deep it stands.
        turn: Which of its alternatives it is.
    """

    number: int
    name: str = ""
    place: _Place = "record"
    whole: bool = True
    room: int = 48
    depth: int = 0
    turn: int = 0

    @property
    def is_full(self) -> bool:
        """True if nothing may stand here that can be left out."""
        return not self.room or self.depth >= _DEEPEST or (self.room == 1 and self.depth >= _DEEP)


class SchemaValues:
    """Makes the values of one answer.

    Args:
        schemas: What references lead to, by the last part of the reference.
        fits: Tells whether a value fits a schema.
        scene: What the values share.
        echo: The call's arguments by `field_key`; they come back in the fields of their names.
        asked: How many members of a list the call asked for, or None.
        attempt: Zero takes the first of all alternatives; others look for those that fit.

    Examples:
        >>> from stb_env.backend.simulator.template.words import words
        >>> made = SchemaValues({}, lambda schema, value: True, Scene(words(), "shop"), {"size": 4})
        >>> made.value({"properties": {"size": {"type": "integer"}, "kind": {"const": "box"}}}, Spot(1))
        {'size': 4, 'kind': 'box'}
    """

    def __init__(
        self,
        schemas: Mapping[str, Json],
        fits: Callable[[object, object], bool],
        scene: Scene,
        echo: JsonMapping,
        asked: int | None = None,
        attempt: int = 0,
    ) -> None:
        self._schemas, self._fits, self._scene, self._echo = schemas, fits, scene, echo
        self._members = min(asked or _MEMBERS, _MOST_MEMBERS)
        self._attempt = attempt

    def value(self, schema: object, spot: Spot, example: Json = ABSENT) -> Json:
        """Return a value that fits a schema, with the parts of an example that fit it too."""
        made: Json = None
        for turn in range(self._choices(schema) if self._attempt else 1):
            made = self._made(schema, replace(spot, turn=turn), example)
            if not self._attempt or self._fits(schema, made):
                break
        return made

    def _choices(self, schema: object) -> int:
        """Return how many alternatives a schema has."""
        for _ in range(_MOST_HOPS):
            if not isinstance(schema, Mapping):
                break
            if "$ref" not in schema:
                return max(1, *(len(schema.get(word, ())) for word in ("anyOf", "oneOf")))
            schema = self._at(schema["$ref"])
        return 1

    def _at(self, reference: object) -> object:
        return self._schemas.get(str(reference).rpartition("/")[2], {})

    def _made(self, schema: object, spot: Spot, example: Json) -> Json:
        plan = self._plan(schema, spot)
        if example is ABSENT and spot.depth and plan.get("examples"):
            example = values.pick(plan["examples"], spot.number)
        given = self._given(plan, spot)
        if given is not None:
            return given
        allowed: Json = [plan["const"]] if "const" in plan else plan.get("enum")
        if allowed:
            usual = [one for one in allowed if one is not None] or allowed
            salt = seeding.derive("field", field_key(spot.name), self._attempt)
            return example if example in allowed else values.pick(usual, seeding.mix(spot.number, salt))
        kind = self._kind(plan, spot, example)
        if kind == "object":
            return self._object(plan, spot, example)
        if kind == "array":
            return self._array(plan, spot, example)
        return None if kind == "null" else self._scalar({**plan, "type": kind}, spot, example)

    def _plan(self, schema: object, spot: Spot, hops: int = 0) -> JsonObject:
        """Return a schema without references and combinations: one way to fit it."""
        if not isinstance(schema, Mapping) or hops > _MOST_HOPS:
            return {}
        made: JsonObject = {
            word: value for word, value in schema.items() if word not in ("$ref", "allOf", "anyOf", "oneOf")
        }
        parts: list[object] = list(schema.get("allOf", ()))
        if "$ref" in schema:
            parts.append(self._at(schema["$ref"]))
        parts += [self._chosen(schema[word], spot) for word in ("anyOf", "oneOf") if schema.get(word)]
        for part in parts:
            made = _merged(self._plan(part, spot, hops + 1), made)
        return made

    def _chosen(self, options: Sequence[Json], spot: Spot) -> object:
        if spot.is_full and _NULL in options:
            return _NULL
        usual = [one for one in options if one != _NULL] or list(options)
        # The second attempt tries them in order, and later ones begin anywhere.
        start = seeding.derive(spot.number, self._attempt) if self._attempt > 1 else 0
        return usual[(start + spot.turn) % len(usual)]

    def _given(self, plan: JsonMapping, spot: Spot) -> Json:
        """Return the call's argument of the field's name where it fits, or None."""
        value = self._echo.get(field_key(spot.name)) if spot.place != "inner" and not spot.whole else None
        if value is None or (spot.place == "listed" and is_identifier(spot.name)):
            return None
        if isinstance(value, dict | list):
            return value if self._fits(plan, value) else None
        scalars = (echoed(value, _LEAVES[kind]) for kind in _kinds(plan) if kind in _LEAVES)
        return next((one for one in scalars if one is not None and self._fits(plan, one)), None)

    def _kind(self, plan: JsonMapping, spot: Spot, example: object) -> str:
        kinds = _kinds(plan)
        if "null" in kinds and (spot.is_full or example is None):
            return "null"
        usual = [kind for kind in kinds if kind != "null"] or kinds
        return usual[spot.turn % len(usual)]

    def _object(self, plan: JsonMapping, spot: Spot, example: Json) -> JsonObject:
        spot = _inside(spot)
        known: JsonMapping = plan.get("properties") or {}
        required = list(plan.get("required") or ())
        further = plan.get("additionalProperties", True)
        shown: JsonMapping = example if isinstance(example, dict) else {}
        names = [
            *required,
            *(name for name in shown if name in known or further is not False),
            *(() if shown else self._optional(known, required, spot)),
        ]
        least = int(plan.get("minProperties") or 0)
        if isinstance(further, dict) and further and not (known or shown or spot.is_full):
            least = max(least, 2)
        for count in range(least):
            noun = values.noun(seeding.mix(spot.number, count), self._scene)
            names += [f"{noun}_{count}"] if len(set(names)) < least else []
        names = sorted(
            dict.fromkeys(names), key=lambda name: list(known).index(name) if name in known else len(known)
        )
        inner = sum(not self._is_simple(known.get(name, further), spot) for name in names)
        room = max(1, (spot.room - len(names)) // max(1, inner)) if spot.room else 0
        part = replace(spot, whole=False, room=room, depth=spot.depth + 1, turn=0)
        return {
            name: self.value(known.get(name, further), replace(part, name=name), shown.get(name, ABSENT))
            for name in names
        }

    def _optional(self, known: JsonMapping, required: Sequence[str], spot: Spot) -> list[str]:
        """Return which of the other fields are there: plain ones first, as many as there is room for."""
        if spot.is_full:
            return []
        missing = [name for name in known if name not in required]
        plain = [name for name in missing if self._is_simple(known[name], spot)]
        left = max(0, spot.room - len(required))
        nested = [name for name in missing if name not in plain]
        return plain[:left] + nested[: max(0, left - len(plain)) // _LEAST_ROOM]

    def _is_simple(self, schema: object, spot: Spot) -> bool:
        return self._kind(self._plan(schema, spot), spot, ABSENT) not in ("object", "array")

    def _array(self, plan: JsonMapping, spot: Spot, example: Json) -> JsonArray:
        asked = self._members if spot.place == "record" else 2
        base, place = _inside(spot).number, _LISTED if spot.place == "record" else _INNER
        shown: JsonArray = example if isinstance(example, list) else []
        first: Sequence[Json] = plan.get("prefixItems") or ()
        least, most = int(plan.get("minItems") or len(first)), plan.get("maxItems")
        count = least if spot.is_full else max(least, len(shown) or asked)
        count = count if most is None else min(count, int(most))
        member = replace(
            spot,
            place=place,
            whole=True,
            room=max(1, spot.room // max(1, count)) if spot.room else 0,
            depth=spot.depth + 1,
            turn=0,
        )
        made: dict[str, Json] = {}
        tries = 4 * count if plan.get("uniqueItems") else count
        for index in range(tries):
            schema = first[index] if index < len(first) else plan.get("items", True)
            shown_one = shown[index] if index < len(shown) else ABSENT
            one = self.value(schema, replace(member, number=seeding.mix(base, index)), shown_one)
            made.setdefault(jsontext.dumps(one) if plan.get("uniqueItems") else str(index), one)
            if len(made) == count:
                break
        return list(made.values())

    def _scalar(self, plan: JsonMapping, spot: Spot, example: Json) -> Json:
        made: Json = None
        for made in self._scalars(plan, spot, example):
            if self._fits(plan, made):
                break
        return made

    def _scalars(self, plan: JsonMapping, spot: Spot, example: Json) -> Iterator[Json]:
        """Yield values of one kind, the most telling first; the last ones fit bounds and patterns."""
        if example is not ABSENT:
            yield example
        kind = _LEAVES[str(plan["type"])]
        beside = _BESIDE.get(field_key(spot.name), 0)
        page = echoed(self._echo.get("page"), "int") if beside and kind == "int" else None
        if isinstance(page, int):
            yield max(0, page + beside)
        salt, make = maker(
            spot.name, kind, unknown=_NUMBERED if pure_name(spot.name).endswith(_NAMES) else _COUNTED
        )
        number = seeding.mix(spot.number, salt)
        known = _FORMATS.get(str(plan.get("format")))
        made = (known or make)(number, self._scene)
        yield made
        if kind == "text":
            yield from self._texts(plan, str(made), number)
        elif kind != "bool":
            yield from _numbers(plan, kind, number)

    def _texts(self, plan: JsonMapping, made: str, number: int) -> Iterator[str]:
        if "pattern" in plan:
            rstr: Any = importlib.import_module("rstr")
            for turn in range(3):
                yield rstr.Rstr(random.Random(seeding.mix(number, turn))).xeger(plan["pattern"])
        yield made[: plan.get("maxLength")].ljust(int(plan.get("minLength") or 0), "x")


def _inside(spot: Spot) -> Spot:
    """Return the spot of what an object or a list holds."""
    if spot.whole:
        return spot
    is_envelope = spot.place == "record" and field_key(spot.name) in _ENVELOPES
    number = seeding.mix(spot.number, seeding.derive("member", field_key(spot.name)))
    return replace(spot, number=number, place=spot.place if is_envelope else "inner")


def _numbers(plan: JsonMapping, kind: LeafType, number: int) -> Iterator[float]:
    step = plan.get("multipleOf") or (1 if kind == "int" else 0.01)
    low = plan.get("minimum", plan.get("exclusiveMinimum"))
    high = plan.get("maximum", plan.get("exclusiveMaximum"))
    if low is None:
        low = 0 if high is None else high - 100 * step
    first = math.floor(low / step) + ("exclusiveMinimum" in plan)
    for turn in (number % 100, 0, 1, 2):
        made = (first + turn) * step
        yield int(made) if kind == "int" else made


def _kinds(plan: JsonMapping) -> list[str]:
    """Return the types that a schema allows; where it names none, the one that its words are about."""
    kind = plan.get("type")
    if isinstance(kind, list):
        return kind or ["string"]
    if isinstance(kind, str):
        return [kind]
    if "properties" in plan or "additionalProperties" in plan or "required" in plan:
        return ["object"]
    return ["array"] if "items" in plan else ["string"]


def _merged(first: JsonObject, second: JsonMapping) -> JsonObject:
    """Return a schema that asks what both ask."""
    made: JsonObject = {**first, **second}
    for word in ("properties", "required", "type", "enum"):
        if word not in first or word not in second:
            continue
        one, other = first[word], second[word]
        if word == "properties":
            both = {name: {"allOf": [one[name], other[name]]} for name in one if name in other}
            made[word] = {**one, **other, **both}
        elif word == "required":
            made[word] = list(dict.fromkeys([*one, *other]))
        else:
            ones, others = ([part] if isinstance(part, str) else list(part) for part in (one, other))
            made[word] = [part for part in ones if part in others] or ones
    return made
