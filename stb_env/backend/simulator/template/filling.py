"""Filling a skeleton with values for one call."""

from __future__ import annotations

import re
from collections.abc import Mapping

from stb_env import seeding
from stb_env.backend.simulator.template.fields import LeafType, field_key
from stb_env.backend.simulator.template.skeleton import Items, Leaf, Node, Record
from stb_env.backend.simulator.template.values import Scalar, Scene
from stb_env.core.jsontypes import JsonObject

_GENERIC_ID = field_key("id")
# ASCII: which other characters are digits depends on Python's version.
_WHOLE = re.compile(r"\s*[+-]?\d{1,15}\s*", re.ASCII)
_DECIMAL = re.compile(r"\s*[+-]?\d{1,15}(\.\d{1,15})?\s*", re.ASCII)
_MAX_ECHO = 200
_BIG = 10**15

# Typical characters of a member: its name, quotes, separators and an average value.
_LEAF_SIZE = {"text": 36, "int": 8, "float": 9, "bool": 6, "null": 5}


def fitting_length(root: Node, size: int) -> int:
    """Return how many members each list may have so that the answer has about ``size`` characters.

    Examples:
        >>> from stb_env.backend.simulator.template.skeleton import read
        >>> fitting_length(read([{"title": "str", "_list_length": 1000}]), 1000) in range(8, 33)
        True
    """
    length = 128
    while length > 1 and _size(root, length) > size:
        length //= 2
    return length


def _size(node: Node, length: int) -> int:
    if isinstance(node, Leaf):
        return _LEAF_SIZE[node.type]
    if isinstance(node, Items):
        return 4 + min(node.length, length) * (_size(node.item, length) + 2)
    own = 0 if node.own is None else len(node.own[0]) + _LEAF_SIZE[node.own[1].type]
    return 4 + own + sum(len(name) + 6 + _size(member, length) for name, member in node.fields)


class Filler:
    """Fills skeletons for one call.

    Args:
        echo: The call's arguments by `field_key`.
        identifier: The argument that names the record asked for, or None.
        scene: What the values of the answer share.
        seed: Seed of the call.
        family: What records with the same identifier have in common.
        length: Bound on the members of every list.
        asked: Bound on those of the lists that the call is about, as it asked for.
    """

    def __init__(
        self,
        echo: Mapping[str, object],
        identifier: object,
        scene: Scene,
        *,
        seed: int,
        family: tuple[str, ...],
        length: int,
        asked: int | None = None,
    ) -> None:
        self._scene = scene
        self._family = family
        self._seed = seed
        self._length = length
        self._asked = length if asked is None else min(asked, length)
        self._echo = dict(echo)
        self._identifier = echoed(identifier, "text")
        if self._identifier is not None:
            self._echo.setdefault(_GENERIC_ID, self._identifier)

    def fill(self, root: Node) -> object:
        """Return the answer: a JSON value in the shape of the skeleton."""
        named = self._identifier is not None
        return self._value(root, self._entity(self._identifier) if named else self._seed, False)

    def _entity(self, identifier: Scalar) -> int:
        return seeding.derive(*self._family, "record", str(identifier))

    def _value(self, node: Node, seed: int, owned: bool) -> object:
        if isinstance(node, Leaf):
            return self._leaf(node, seed)
        if isinstance(node, Record):
            return self._record(node, seed, owned)
        # A list inside a known record belongs to the record; any other to the call (its page, its filter).
        base = seeding.mix(seed if owned else self._seed, node.salt)
        members = range(min(node.length, self._length if owned else self._asked))
        return [self._value(node.item, seeding.mix(base, index), True) for index in members]

    def _leaf(self, leaf: Leaf, seed: int) -> Scalar:
        if leaf.key in self._echo:
            given = echoed(self._echo[leaf.key], leaf.type)
            if given is not None:
                return given
        return leaf.make(seeding.mix(seed, leaf.salt), self._scene)

    def _record(self, record: Record, seed: int, owned: bool) -> dict[str, object]:
        """Fill an object; ``owned`` tells that a record or list around it stands for the identifier."""
        filled: JsonObject = {}
        if record.own is not None:
            name, leaf = record.own
            filled[name] = self._own(leaf, seed, owned)
            seed, owned = self._entity(filled[name]), True
        for name, member in record.fields:
            if isinstance(member, Leaf):
                filled[name] = self._leaf(member, seed)
            elif isinstance(member, Record) and member.salt:
                filled[name] = self._record(member, seeding.mix(seed, member.salt), owned)
            else:
                filled[name] = self._value(member, seed, owned)
        return filled

    def _own(self, leaf: Leaf, seed: int, owned: bool) -> Scalar:
        drawn = leaf.make(seeding.mix(seed, leaf.salt), self._scene)
        if owned:
            return drawn
        given = echoed(self._echo.get(leaf.key, self._identifier), leaf.type)
        return drawn if given is None else given


def echoed(value: object, kind: LeafType) -> Scalar:
    """Return an argument as a value of a field's type, or None where it does not fit.

    Examples:
        >>> echoed("7", "int"), echoed(7.0, "text"), echoed("seven", "int"), echoed(True, "int")
        (7, '7', None, None)
    """
    text = _text(value)
    if text is None:
        return None
    if kind == "text":
        return text[:_MAX_ECHO]
    if kind == "bool":
        return {"true": True, "false": False}.get(text)
    if kind == "int" and _WHOLE.fullmatch(text):
        return int(text)
    return float(text) if kind == "float" and _DECIMAL.fullmatch(text) else None


def _text(value: object) -> str | None:
    """Return the text by which a scalar travels in a URL; equal keys mean equal texts."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < _BIG:
        return str(int(value))
    if isinstance(value, int | float):
        return str(value) if abs(value) < _BIG else None
    return value if isinstance(value, str) else None
