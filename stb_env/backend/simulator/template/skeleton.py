"""Skeletons of API answers: what fields an answer has, of which types, and how long its lists are.

A skeleton is written in the vocabulary of ``template_response`` (Qin et al., 2023): leaves name a type
(``str``, ``int``, ``float``, ``bool``, ``NoneType``, ``empty list``, ``list of <type> with length <n>``)
and a list of objects is one object with an extra ``_list_length``. Real answers are read the same way.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stb_env import seeding
from stb_env.backend.simulator.template.fields import LeafType, field_key, is_identifier, maker
from stb_env.backend.simulator.template.values import Maker
from stb_env.core import jsontext

_LENGTH = "_list_length"
_TYPES: dict[str, LeafType] = {
    "str": "text",
    "int": "int",
    "float": "float",
    "bool": "bool",
    "NoneType": "null",
}
_LIST = re.compile(r"list of (\w+) with length (\d{1,9})", re.ASCII)

# A list whose length was cut off with the rest of the text.
_UNKNOWN_LENGTH = 3
# Real skeletons have at most some hundred fields; what a file may claim has no bound.
_MAX_DEPTH = 12
_MAX_NODES = 600

# Many recorded skeletons are those of a failure: a subscription notice, a stack trace, a problem report.
_FAILURE_SIGNS = frozenset(
    {"message", "messages", "msg", "error", "errors", "detail", "fault", "exception", "type"}
)
_FAILURE_ONLY = (
    _FAILURE_SIGNS
    | {"details", "stack", "info", "code", "status", "statuscode", "success", "ok", "title", "link"}
    | {"timestamp", "instance", "requestid", "traceid", "statusmessage", "path", "innererror"}
    | {"errormessage", "errno", "exctype"}
)
_NOTHING: tuple[Any, ...] = (None, "NoneType", "empty list", [], {})
_ALWAYS_EMPTY = frozenset({"errors", "error", "warnings", "messages"})


@dataclass(frozen=True, slots=True)
class Leaf:
    """A single value.

    Attributes:
        key: The field's name, comparable with those of parameters.
        type: Its type.
        salt: Mixed into the seed of the record around it.
        make: Turns the mixed number into a value.
    """

    key: str
    type: LeafType
    salt: int
    make: Maker


@dataclass(frozen=True, slots=True)
class Items:
    """A list of like members.

    Attributes:
        item: What each member is.
        length: How many the API gave.
        salt: Mixed into the seed of the record around it.
    """

    item: Node
    length: int
    salt: int


@dataclass(frozen=True, slots=True)
class Record:
    """An object.

    Attributes:
        fields: Names as the API spells them, with what they hold; the own identifier excluded.
        own: The field that identifies the record, if there is one.
        salt: Mixed into the seed of the record around it; 0 for a mere envelope.
    """

    fields: tuple[tuple[str, Node], ...]
    own: tuple[str, Leaf] | None
    salt: int


Node = Leaf | Items | Record

_OWN = frozenset({field_key("id"), "uid", "uuid", "guid"})
_ENVELOPES = frozenset({"", "data", "result", "response", "body", "payload", "item", "content", "output"})


def read(raw: object) -> Node | None:
    """Read a skeleton, or a real answer as the example of one.

    Args:
        raw: The ``template_response``: a JSON value, or its text, which may be cut off.

    Returns:
        The skeleton; None where there is none to learn from: it is missing, empty, or a failure's.

    Examples:
        >>> read({"movies": [{"id": "int", "title": "str", "_list_length": 20}]}).fields[0][1].length
        20
        >>> read({"message": "str"}) is None
        True
    """
    if isinstance(raw, str) and raw not in _TYPES and not _LIST.fullmatch(raw):
        raw = jsontext.close(raw)
    return None if not raw or is_failure(raw) else parse(raw)


def parse(raw: object) -> Node:
    """Read a decoded skeleton as it stands."""
    return _Reader().node(raw, "", _MAX_DEPTH)


def is_failure(raw: object) -> bool:
    """Tell whether an answer or skeleton holds nothing but the report of a failure.

    Examples:
        >>> is_failure({"statusCode": "int", "message": "str"}), is_failure({"status": "str", "data": []})
        (True, False)
    """
    if not isinstance(raw, dict):
        return False
    keys = {field_key(str(key)) for key, value in raw.items() if value not in _NOTHING}
    return keys <= _FAILURE_ONLY and bool(keys & _FAILURE_SIGNS)


class _Reader:
    """Reads one skeleton, counting its nodes."""

    def __init__(self) -> None:
        self._left = _MAX_NODES

    def node(self, raw: object, name: str, depth: int) -> Node:
        self._left -= 1
        if depth == 0 or self._left <= 0:
            return _leaf(name, "null")
        if isinstance(raw, dict):
            return self._record(raw, name, depth)
        if isinstance(raw, list):
            return self._items(raw, name, depth)
        if isinstance(raw, str):
            return self._text(raw, name)
        return _leaf(name, _type_of(raw))

    def _record(self, raw: Mapping[str, object], name: str, depth: int) -> Record:
        fields: list[tuple[str, Node]] = []
        for key, value in raw.items():
            # A cut text can end inside the marker's own name.
            if self._left > 0 and not str(key).startswith("_list_le"):
                fields.append((str(key), self.node(value, str(key), depth - 1)))
        own = _own(fields)
        rest = tuple(field for field in fields if own is None or field[0] != own[0])
        return Record(rest, own, 0 if field_key(name) in _ENVELOPES else _salt(name))

    def _items(self, raw: Sequence[object], name: str, depth: int) -> Items:
        if not raw or field_key(name) in _ALWAYS_EMPTY:
            return Items(_leaf(name, "null"), 0, _salt(name))
        length = len(raw)
        if isinstance(raw[0], dict) and length == 1:
            declared = raw[0].get(_LENGTH)
            length = declared if isinstance(declared, int) and declared >= 0 else _UNKNOWN_LENGTH
        return Items(self.node(raw[0], name, depth - 1), length, _salt(name))

    def _text(self, raw: str, name: str) -> Node:
        if raw == "empty list":
            return Items(_leaf(name, "null"), 0, _salt(name))
        found = _LIST.fullmatch(raw)
        if found is None:
            return _leaf(name, _TYPES.get(raw, "text"))
        item: Node = _leaf(name, _TYPES.get(found[1], "text"))
        if found[1] == "list":
            item = Items(item, 1, _salt(name))
        return Items(item, int(found[2]), _salt(name))


def _type_of(value: object) -> LeafType:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int"
    return "float" if isinstance(value, float) else "null"


def _leaf(name: str, kind: LeafType) -> Leaf:
    salt, make = maker(name, kind)
    return Leaf(field_key(name), kind, salt, make)


def _salt(name: str) -> int:
    return seeding.derive("member", field_key(name))


def _own(fields: list[tuple[str, Node]]) -> tuple[str, Leaf] | None:
    """Find the record's own identifier: a plain ``id``, or any identifier in the first place."""
    for position, (name, node) in enumerate(fields):
        if not isinstance(node, Leaf) or node.type not in ("text", "int"):
            continue
        if node.key in _OWN or (position == 0 and is_identifier(name)):
            return name, node
    return None
