"""One recorded response with where it comes from, and its stored form."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from json.encoder import encode_basestring_ascii as _quote
from typing import Literal, NamedTuple, get_args

import orjson

from stb_env.backend.cache.key import (
    Arguments,
    CallKey,
    KeyKind,
    RowKey,
    call_key,
    exact_text,
    read_arguments,
)
from stb_env.backend.taxonomy import ApiClass, classify, matches
from stb_env.core import jsontext
from stb_env.core.jsontypes import Json, JsonMapping
from stb_env.errors import DataError
from stb_env.tools import ToolId

EntrySource = Literal["real", "simulator", "unknown"]

SOURCES: tuple[EntrySource, ...] = get_args(EntrySource)
_ENCODER = json.JSONEncoder(allow_nan=False, separators=(",", ":"))
FAILED_SIMULATION = "Failed to generate fake response"
"""The error of the placeholder that published caches hold where a simulator failed."""
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)
# The last member of the stored form, with the bracket that ends it. No other member can end like that: an
# object of arguments leaves two brackets, and a text of them has no bare quotation mark.
_RECORDED = re.compile(rf',"recorded":"{_TIME.pattern}"\}}', re.ASCII)
_EPOCH = re.compile(r"[0-9a-f]*", re.ASCII)
_RECORDED_LENGTH = len(',"recorded":"2000-01-01T00:00:00Z"}')


class Hit(NamedTuple):
    """Result of a look-up, ready to be an observation: the JSON text of ``{"error", "response"}``.

    ``key`` says whether exactly this call was recorded, or one that the API could not tell from it.
    """

    text: str
    error: str
    source: EntrySource
    key: KeyKind = "exact"


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """One recorded response.

    Attributes:
        id: The API.
        arguments: The arguments as recorded: an object, or the raw text where they are none.
        text: JSON text of ``{"error", "response"}``, as `jsontext.dumps` writes it.
        source: ``real``, ``simulator``, or ``unknown`` where the recording does not say.
        origin: What it was recorded for or read from: ``train``, ``experiment``, ``mirrorapi`` ...
        model: The model that simulated it.
        prompt: Version of that model's prompt.
        recorded: When it was answered, as ``2026-03-02T10:00:00Z``; empty where nobody noted it (imports).
        epoch: Name of the epoch of a service with state, as `call_key` takes it.
        error: The text's error, empty where there is none.

    Raises:
        DataError: The text is no such object, the source is none of these, or time or epoch is none.

    Examples:
        >>> entry = CacheEntry.of(ToolId("Net", "icmp", "ping"), {"host": "a"}, {"ms": 4}, source="real")
        >>> entry.text, entry.klass.value, entry.response
        ('{"error": "", "response": {"ms": 4}}', 'success', {'ms': 4})
        >>> CacheEntry.read(entry.written()) == entry
        True
    """

    id: ToolId
    arguments: Arguments
    text: str
    source: EntrySource = "unknown"
    origin: str = ""
    model: str = ""
    prompt: str = ""
    recorded: str = ""
    epoch: str = ""
    error: str = field(init=False)
    _key: str = field(init=False, repr=False, compare=False, default="")

    def __post_init__(self) -> None:
        answer = _quickly(self.text)
        if answer.keys() != {"error", "response"} or not isinstance(answer["error"], str):
            raise DataError(f"an entry's text is JSON of error and response, got {self.text[:80]!r}")
        if self.source not in SOURCES or not isinstance(self.arguments, (str, dict, Mapping)):
            raise DataError(
                f"an entry of source {self.source!r} and {type(self.arguments).__name__} arguments"
            )
        if self.recorded and not is_time(self.recorded):
            raise DataError(
                f"an entry is recorded at a time as 2026-03-02T10:00:00Z, got {self.recorded[:80]!r}"
            )
        if not isinstance(self.epoch, str) or not _EPOCH.fullmatch(self.epoch):
            raise DataError(f"an entry's epoch is hex digits, got {str(self.epoch)[:80]!r}")
        object.__setattr__(self, "error", answer["error"])

    @classmethod
    def of(
        cls,
        identity: ToolId,
        arguments: Arguments,
        response: object,
        *,
        error: str = "",
        source: EntrySource = "unknown",
        origin: str = "",
        model: str = "",
        prompt: str = "",
        recorded: str = "",
        epoch: str = "",
    ) -> CacheEntry:
        """Build an entry from a response value."""
        text = jsontext.dumps({"error": error, "response": response})
        return cls(identity, read_arguments(arguments), text, source, origin, model, prompt, recorded, epoch)

    @property
    def key(self) -> str:
        """The canonical key of its call."""
        if not self._key:
            object.__setattr__(self, "_key", call_key(self.id, self.arguments, self.epoch))
        return self._key

    @property
    def call(self) -> CallKey:
        """Both keys of its call."""
        return CallKey(self.id, self.arguments, self.epoch)

    @property
    def hit(self) -> Hit:
        """The hit that a look-up of exactly its call returns."""
        return Hit(self.text, self.error, self.source)

    @property
    def response(self) -> Json:
        """The response value, a new object each time."""
        return json.loads(self.text)["response"]

    @property
    def klass(self) -> ApiClass:
        """Its class after Appendix D, in the default reading."""
        return classify(self.error, _quickly(self.text)["response"])

    @property
    def classes(self) -> tuple[ApiClass, ...]:
        """Every class that it matches, its own first; more than one means a close call."""
        return matches(self.error, _quickly(self.text)["response"])

    def written(self) -> str:
        """Return the stored form, ASCII JSON.

        Raises:
            DataError: The arguments are not JSON values.
        """
        noted = _noted(self.source, self.origin, self.klass, self.model, self.prompt, self.id)
        if self.epoch:
            noted = f'{noted},"epoch":"{self.epoch}"'
        return _written(self.id, self.arguments, self.text, self.error, noted, self.recorded)

    @classmethod
    def read(cls, value: str) -> CacheEntry:
        """Read the stored form.

        Raises:
            DataError: It is damaged; the message says how.
        """
        data = _object(value)
        try:
            identity = ToolId(*map(str, data["id"]))
            noted = [data[name] for name in ("source", "origin", "model", "prompt")]
            noted += [data.get("recorded", ""), data.get("epoch", "")]
            entry = cls(identity, data["arguments"], data["text"], *noted)
            error = data["error"]
        except (KeyError, TypeError) as problem:
            raise DataError(f"a damaged cache entry: {type(problem).__name__}: {problem}") from None
        if error != entry.error:
            raise DataError(
                f"a damaged cache entry: its error is {entry.error[:80]!r}, noted is {str(error)[:80]!r}"
            )
        return entry


def written_answer(
    identity: ToolId,
    arguments: Arguments,
    response: object,
    *,
    error: str = "",
    source: EntrySource = "unknown",
    origin: str = "",
    model: str = "",
    prompt: str = "",
    recorded: str = "",
) -> tuple[RowKey, str]:
    """Return keys and stored form of what `CacheEntry.of` makes, without the entry: for millions of them.

    Raises:
        DataError: The arguments are not JSON values.

    Examples:
        >>> ping = ToolId("Net", "icmp", "ping")
        >>> entry = CacheEntry.of(ping, {"host": "a"}, {"ms": 4})
        >>> written_answer(ping, {"host": "a"}, {"ms": 4}) == (entry.call.row, entry.written())
        True
    """
    arguments = read_arguments(arguments)
    text = jsontext.dumps({"error": error, "response": response})
    noted = _noted(source, origin, classify(error, response), model, prompt, identity)
    return CallKey(identity, arguments).row, _written(identity, arguments, text, error, noted, recorded)


def read_hit(value: str, key: KeyKind = "exact") -> Hit:
    """Read from the stored form only what a look-up needs, without decoding the response.

    Raises:
        DataError: The value is damaged.
    """
    try:
        try:
            data = orjson.loads(value)
        except orjson.JSONDecodeError:
            # Half of a surrogate pair, in arguments, is JSON to Python.
            data = jsontext.read_back(value)
        return Hit(data["text"], data["error"], data["source"], key)
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"a damaged cache entry: {error}; `stb-env cache verify` lists all") from None


def is_exactly(value: str, exact: bytes) -> bool:
    """Say whether a stored form was recorded for exactly the arguments of `exact_text`.

    Examples:
        >>> value = CacheEntry.of(ToolId("Net", "icmp", "ping"), {"count": 1}, 4).written()
        >>> is_exactly(value, exact_text({"count": 1})), is_exactly(value, exact_text({"count": "1"}))
        (True, False)
    """
    # Most are written alike, down to the characters, and have no time.
    tail = f',"arguments":{exact.decode()}'
    if value.endswith(tail + "}"):
        return True
    if value.endswith(tail, 0, -_RECORDED_LENGTH) and _RECORDED.fullmatch(value[-_RECORDED_LENGTH:]):
        return True
    return exact_of(value) == exact


def exact_of(value: str) -> bytes:
    """Return the `exact_text` of a stored form's arguments.

    Raises:
        DataError: The value is damaged.
    """
    try:
        return exact_text(_object(value)["arguments"])
    except (KeyError, TypeError, AttributeError) as error:
        raise DataError(f"a damaged cache entry: {type(error).__name__}: {error}") from None


def _written(
    identity: ToolId, arguments: Arguments, text: str, error: str, noted: str, recorded: str = ""
) -> str:
    given = arguments if isinstance(arguments, str) else dict(arguments)
    try:
        try:
            encoded = _ENCODER.encode(given)
        except ValueError:
            # NaN and infinities, which JSON lacks: as the text that `jsontext` makes of them.
            encoded = _ENCODER.encode(json.loads(jsontext.dumps(given)))
        when = f',"recorded":"{recorded}"' if recorded else ""
        whole = f'{{"text":{_quote(text)},"error":{_quote(error)},{noted},"arguments":{encoded}{when}}}'
        if encoded.count("[") + encoded.count("{") >= jsontext.MAX_DEPTH:
            jsontext.loads(whole)
        return whole
    except (TypeError, ValueError, RecursionError) as problem:
        raise DataError(f"the arguments of {identity} cannot be stored as JSON: {problem}") from problem


def is_time(text: str) -> bool:
    """Say whether a text is a time as entries have it, as ``2026-03-02T10:00:00Z``."""
    return bool(_TIME.fullmatch(text))


def timeless(value: str) -> str:
    """Return a stored form without the time of recording: what the hash of a cache is made of.

    Examples:
        >>> ping, time = ToolId("Net", "icmp", "ping"), "2026-03-02T10:00:00Z"
        >>> first, later = (CacheEntry.of(ping, {}, 4, recorded=time) for time in ("", time))
        >>> later.written() == first.written(), timeless(later.written()) == first.written()
        (False, True)
    """
    if _RECORDED.fullmatch(value[-_RECORDED_LENGTH:]):
        return value[:-_RECORDED_LENGTH] + "}"
    return value


@lru_cache(maxsize=4096, typed=True)
def _noted(source: str, origin: str, klass: ApiClass, model: str, prompt: str, identity: ToolId) -> str:
    """Return the members that many entries share."""
    data = {"source": source, "origin": origin, "class": klass.value, "model": model, "prompt": prompt}
    return _ENCODER.encode(data | {"id": identity})[1:-1]


@lru_cache(maxsize=1)
def _quickly(text: str) -> Mapping[str, object]:
    """Read an object whose numbers do not matter and that nobody changes; of an entry it is asked twice."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        # What it refuses may be JSON to Python: NaN, half of a surrogate pair.
        return _object(text)
    return value if isinstance(value, dict) else _object(text)


def _object(text: str) -> JsonMapping:
    try:
        value = jsontext.read_exactly(text)
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise DataError(f"a damaged cache entry: {error}") from None
    if not isinstance(value, dict):
        raise DataError(f"a damaged cache entry: expected an object, got {type(value).__name__}")
    return value
