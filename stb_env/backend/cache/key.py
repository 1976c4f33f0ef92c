"""The keys of a tool call in the response cache: the exact one and the canonical one.

Calls share the exact key only where names, values, their types and their order are equal. They share the
canonical key where the API itself could not tell them apart: the order of arguments does not count, and
numbers and booleans count as the text by which they would travel in a URL. No schema is needed, so the keys
of a call stay the same when its documentation changes.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import lru_cache
from json.encoder import encode_basestring_ascii as _quote
from typing import Literal, NamedTuple

import orjson

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping
from stb_env.tools import ToolId, pure_name

Arguments = JsonMapping | str

KeyKind = Literal["exact", "canonical"]
"""Which key of a call found its recording."""

PREFIX = 17
"""Length of what `id_prefix` returns."""
CANONICAL = PREFIX + 32
"""Length of what `call_key` returns."""

_TOO_DEEP = _quote("...")
# Bits from where Decimal writes an integer, because Python refuses to write more than 4300 digits.
_LONG = 10_000
_SHORT = 200


class RowKey(NamedTuple):
    """Both keys of a recording, as text.

    Its row lies under the canonical key, or under `beside` where a recording of other exact arguments has
    that place.

    Attributes:
        canonical: What `call_key` returns.
        exact: 32 hex digits of the exact arguments.
    """

    canonical: str
    exact: str

    @property
    def beside(self) -> str:
        """The key of a row beside the one that has the canonical key."""
        return f"{self.canonical}:{self.exact}"


class CallKey:
    """Both keys of a call; the canonical one is computed when it is first asked for.

    Args:
        identity: The API, standardised (`ToolId.of`).
        arguments: As for `call_key`.
        epoch: As for `call_key`.

    Attributes:
        exact: What only calls of exactly the same arguments share: names, values, types and order.
        short: What stands for exactly this call in memory; never long, as arguments may be.

    Examples:
        >>> ping = ToolId("Net", "icmp", "ping")
        >>> one, other = CallKey(ping, {"count": 1}), CallKey(ping, {"count": "1"})
        >>> one.exact == other.exact, one.canonical == other.canonical
        (False, True)
        >>> one.exact == CallKey(ping, '{"count": 1}').exact
        True
    """

    __slots__ = ("_arguments", "_canonical", "epoch", "exact", "id", "short")

    def __init__(self, identity: ToolId, arguments: Arguments, epoch: str = "") -> None:
        self.id, self.epoch = identity, epoch
        self._arguments = arguments if type(arguments) is dict else read_arguments(arguments)
        self.exact = exact = _exact(self._arguments)
        brief = exact if len(exact) <= _SHORT else exact_digest(exact)
        self.short = (identity, brief, epoch) if epoch else (identity, brief)
        self._canonical = ""

    @property
    def canonical(self) -> str:
        """The canonical key, as `call_key` returns it."""
        if not self._canonical:
            self._canonical = call_key(self.id, self._arguments, self.epoch)
        return self._canonical

    @property
    def row(self) -> RowKey:
        """Both keys as text."""
        return RowKey(self.canonical, exact_digest(self.exact))


def call_key(identity: ToolId, arguments: Arguments, epoch: str = "") -> str:
    """Return the canonical key of a call: ``id_prefix(identity)`` and 32 hex digits of arguments and epoch.

    Args:
        identity: The API, standardised (`ToolId.of`).
        arguments: An object; or text, which counts as an object where it is JSON of one or blank, and
            as itself otherwise.
        epoch: Name of the epoch of a service with state (`stb_env.backend.epochs`); empty before any write,
            and for tools without state.

    Examples:
        >>> ping = ToolId("Net", "icmp", "ping")
        >>> key = call_key(ping, {"host": "a", "count": 1})
        >>> key == call_key(ping, {"Count": "1", "host": "a"})
        True
        >>> key == call_key(ping, '{"count": 1.0, "host": "a"}')
        True
        >>> key.startswith(id_prefix(ping)), call_key(ping, {}) == call_key(ping, " ")
        (True, True)
        >>> call_key(ping, {}, "f00d") == call_key(ping, {})
        False
    """
    text = canonical(arguments)
    if epoch:
        # Canonical text has no such character, so that no arguments can name an epoch.
        text = f"{text}\0{epoch}"
    return id_prefix(identity) + hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


@lru_cache(maxsize=65_536)
def id_prefix(identity: ToolId) -> str:
    """Return what the keys of all calls of one API begin with: 16 hex digits and a colon.

    Examples:
        >>> len(id_prefix(ToolId("Net", "icmp", "ping"))) == PREFIX
        True
    """
    text = "\0".join(identity)
    if text.count("\0") > len(identity) - 1:
        # A part that has the separator in it could be read as two.
        text = ascii(tuple(identity))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest() + ":"


def read_arguments(arguments: Arguments) -> Arguments:
    """Return arguments as an object where they are one, also as JSON text, and as raw text otherwise.

    Examples:
        >>> read_arguments('{"a": 1}'), read_arguments(""), read_arguments("[1]")
        ({'a': 1}, {}, '[1]')
    """
    if not isinstance(arguments, str):
        return arguments
    if not arguments.strip():
        return {}
    if not arguments.lstrip().startswith("{"):
        return arguments
    try:
        value = jsontext.loads(arguments)
    except ValueError:
        return arguments
    return value if isinstance(value, dict) else arguments


def exact_text(arguments: Arguments) -> bytes:
    """Return the JSON text that only equal arguments in the same order share, as `read_arguments` reads them.

    Examples:
        >>> exact_text({"b": 1.0, "a": "1"}), exact_text('{"b": 1.0, "a": "1"}')
        (b'{"b":1.0,"a":"1"}', b'{"b":1.0,"a":"1"}')
    """
    return _exact(read_arguments(arguments))


def _exact(value: Arguments) -> bytes:
    try:
        text = orjson.dumps(value)
        # NaN and infinities are written as null too.
        if b"null" not in text or orjson.loads(text) == value:
            return text
    except TypeError:
        # Integers beyond 64 bits, half of a surrogate pair, a mapping that is no dict.
        pass
    try:
        plain = value if isinstance(value, str) else dict(value)
        return json.dumps(plain, separators=(",", ":")).encode()
    except (TypeError, ValueError, RecursionError):
        return canonical(value).encode()


def exact_digest(exact: bytes) -> str:
    """Return 32 hex digits of what `exact_text` returns."""
    return hashlib.blake2b(exact, digest_size=16).hexdigest()


def canonical(arguments: Arguments) -> str:
    r"""Return the ASCII text that equal calls share.

    Top-level names are standardised; names that would meet that way, or vanish, keep their spelling.

    Examples:
        >>> canonical({"orgId": 7, "flag": True, "x": [1.50, None, "1.10"]})
        '{"flag":"true","orgid":"7","x":["1.5",null,"1.10"]}'
        >>> canonical({"a-b": 1, "a_b": 2})
        '{"a-b":"1","a_b":"2"}'
        >>> canonical("[1]")
        '"[1]"'
    """
    value = read_arguments(arguments)
    if isinstance(value, str):
        return _quote(value)
    names = [_standard(raw) for raw in value]
    if len(set(names)) < len(names):
        shared = Counter(names)
        names = [name if shared[name] == 1 else _quoted(raw) for raw, name in zip(value, names, strict=True)]
    return _members(zip(names, value.values(), strict=True))


@lru_cache(maxsize=65_536, typed=True)
def _standard(raw: object) -> str:
    """Return an argument's standardised name in quotes."""
    name = _name(raw)
    return _quote(pure_name(name) or name)


def _quoted(raw: object) -> str:
    return _quote(_name(raw))


def _members(items: Iterable[tuple[str, object]], depth: int = 1) -> str:
    # Most values are texts, and a call for each of them costs a third of the whole.
    members = [
        f"{name}:{_quote(item) if isinstance(item, str) else _value(item, depth)}" for name, item in items
    ]
    members.sort()
    return "{" + ",".join(members) + "}"


def _value(value: object, depth: int) -> str:
    if isinstance(value, str):
        return _quote(value)
    if value is None:
        return "null"
    if isinstance(value, (int, float)):
        return _quote(_number(value))
    if isinstance(value, Mapping):
        if depth >= jsontext.MAX_DEPTH:
            return _TOO_DEEP
        return _members(zip(map(_quoted, value), value.values(), strict=True), depth + 1)
    if isinstance(value, list | tuple):
        if depth >= jsontext.MAX_DEPTH:
            return _TOO_DEEP
        return "[" + ",".join([_value(item, depth + 1) for item in value]) + "]"
    return _quote(_number(value))


def _name(name: object) -> str:
    """Return a member's name as JSON would write it."""
    if isinstance(name, str):
        return name
    return "null" if name is None else repr(name) if isinstance(name, float) else _number(name)


def _number(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    if isinstance(value, int) and value.bit_length() >= _LONG:
        return str(Decimal(value))
    return str(value)
