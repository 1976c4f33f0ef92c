"""The call writer: makes up calls of an API, with a chat model or from documentation alone."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import islice, product
from typing import Final

import numpy as np

from stb_env import seeding
from stb_env.actions.validation import check_call, validate_call
from stb_env.actions.validation.schema import Schema
from stb_env.backend.cache.key import canonical
from stb_env.backend.simulator import mirror
from stb_env.backend.simulator.llm_simulator import (
    JSON_OBJECT,
    ask_once,
    correction,
    documentation,
    example_lines,
)
from stb_env.backend.simulator.template import fields, values, words
from stb_env.core.jsontypes import JsonArray, JsonMapping, JsonObject
from stb_env.core.request import Slow
from stb_env.errors import ConfigError
from stb_env.models import ChatModel, ChatReply, ChatRequest, Contract, Sampling, Usage
from stb_env.models.prompting import delimited, latest
from stb_env.models.retry_sampling import another_try
from stb_env.spaces import sample_arguments
from stb_env.tools import Tool, ToolCall

ATTEMPTS = 3
MAX_EXAMPLES = 5
MAX_EXAMPLE_CHARACTERS = 2048

_ABSENT: Final = object()
_ANY: JsonMapping = {}
_NUMBERS = 100
# How many combinations are tried for one call that is wanted: schemas may forbid some together.
_TRIES = 20


class WrittenCalls(list[JsonObject]):
    """Arguments objects, each valid and no two the same call.

    Attributes:
        missing: How many of the wanted calls could not be made.
        dropped: How many proposals of the model were invalid or the same as another.
        usage: What the model's proposals cost.
    """

    def __init__(self, calls: Iterable[dict[str, object]] = ()) -> None:
        super().__init__(calls)
        self.missing = 0
        self.dropped = 0
        self.usage = Usage()
        self._known = {canonical(arguments) for arguments in self}

    def add(self, arguments: dict[str, object]) -> bool:
        """Append a call unless it is there already; return whether it was new."""
        key = canonical(arguments)
        if key in self._known:
            return False
        self._known.add(key)
        self.append(arguments)
        return True


class CallWriter:
    """Writes calls of APIs; every call fits the tool's schema.

    With a model they are what the model proposes. Without one they are the documented defaults first and
    then variants of them, which follow from the tool's identity and the seed alone.

    Args:
        model: Proposes calls; None for none.
        seed: Seed of the variants, and of the model's sampling.

    Examples:
        >>> from stb_env.core.request import drive
        >>> city = {"type": "string", "default": "Oslo"}
        >>> unit = {"type": "string", "enum": ["C", "F"]}
        >>> schema = {"type": "object", "properties": {"city": city, "unit": unit}, "required": ["city"]}
        >>> calls = drive(CallWriter().write(Tool("now", "Weather now.", schema), 5))
        >>> calls[0], len(calls), calls.missing
        ({'city': 'Oslo'}, 5, 0)
    """

    def __init__(self, model: ChatModel | None = None, *, seed: int = 0) -> None:
        self.model = model
        self.seed = seed

    def write(self, tool: Tool, count: int = 1, examples: Sequence[object] = ()) -> Slow[WrittenCalls]:
        """Write calls of one API.

        Args:
            tool: The API.
            count: How many different calls are wanted.
            examples: Real calls with their answers (`ShownExample`, cache entries), for the model.

        Returns:
            The calls; fewer than wanted where the schema allows no more, or the model wrote no more.

        Raises:
            ConfigError: The count is negative.
            DataError: The tool's schema is broken.
            InfrastructureError: The model failed, at the stage ``call_writer``.
        """
        if count < 0:
            raise ConfigError(f"count must be at least 0 calls, got {count}")
        if self.model is None:
            written = self._vary(tool, count)
        else:
            written = yield from self._ask(self.model, tool, count, examples)
        written.missing = count - len(written)
        return written

    def _vary(self, tool: Tool, count: int) -> WrittenCalls:
        written = WrittenCalls()
        variants = _variants(tool, count, self._seed_of(tool))
        for arguments in islice(variants, _TRIES * (count + _TRIES)):
            if len(written) == count:
                break
            if not validate_call(ToolCall(tool.name, arguments), tool):
                written.add(arguments)
        return written

    def _ask(
        self, model: ChatModel, tool: Tool, count: int, examples: Sequence[object]
    ) -> Slow[WrittenCalls]:
        written = WrittenCalls()
        sampling = Sampling(seed=self._seed_of(tool) % 2**31)
        opening = _messages(tool, count, examples)
        messages = opening
        reply: ChatReply | None = None
        for attempt in range(ATTEMPTS):
            if len(written) == count:
                break
            request = ChatRequest(
                tuple(messages),
                sampling=sampling,
                response_format=JSON_OBJECT,
                index=attempt,
                contract=_contract(tool),
            )
            if attempt:
                request = another_try(request, model, reply)
            reply = yield from ask_once(model, request, stage="call_writer")
            written.usage += reply.usage
            problems = _take(written, tool, count, _proposals(reply.text))
            told = {"problems": problems, "accepted": written, "wanted": count - len(written)}
            messages = [*opening, *correction(reply, told)] if reply.text.strip() else opening
        return written

    def _seed_of(self, tool: Tool) -> int:
        identity = tool.id if any(tool.id) else (tool.name,)
        return seeding.derive("call_writer", *identity, self.seed)


def _contract(tool: Tool) -> Contract:
    arguments = {**tool.parameters, "type": "object"}
    calls = {"type": "array", "items": arguments, "minItems": 1}
    return Contract("requests", {"properties": {"calls": calls}, "required": ["calls"]})


def _messages(tool: Tool, count: int, examples: Sequence[object]) -> list[Mapping[str, str]]:
    parts = [delimited(documentation(tool), "documentation")]
    shown = example_lines(examples, MAX_EXAMPLES, MAX_EXAMPLE_CHARACTERS)
    if shown:
        parts.append(delimited("\n".join(shown), "examples"))
    return [
        {"role": "system", "content": latest("call_writer").render(count=str(count))},
        {"role": "user", "content": "\n\n".join(parts)},
    ]


def _proposals(text: str) -> list[object] | None:
    """Return what a model proposes: members of ``calls`` or of a list, or a lone object; None for no JSON."""
    for value in mirror.json_values(text, repair=True):
        if isinstance(value, dict):
            calls = value.get("calls", value)
            return calls if isinstance(calls, list) else [calls]
        if isinstance(value, list):
            return value
    return None


def _take(written: WrittenCalls, tool: Tool, count: int, proposals: Sequence[object] | None) -> list[str]:
    """Add the good proposals, up to the wanted number, and return what is wrong with the others."""
    if proposals is None:
        return ["expected a JSON object with calls"]
    problems = []
    for position, proposal in enumerate(proposals, 1):
        if len(written) == count:
            break
        found = _add(written, tool, proposal)
        written.dropped += bool(found)
        problems += [f"call {position}: {problem}" for problem in found]
    return problems


def _add(written: WrittenCalls, tool: Tool, proposal: object) -> list[str]:
    if not isinstance(proposal, dict):
        return [f"expected an object of arguments, got {type(proposal).__name__}"]
    checked = check_call(ToolCall(tool.name, proposal), tool)
    if checked.violations or isinstance(checked.arguments, str):
        return [violation.message for violation in checked.violations]
    return [] if written.add({**checked.arguments}) else ["the same as another call"]


def _variants(tool: Tool, count: int, seed: int) -> Iterator[dict[str, object]]:
    """Yield calls from the most usual to every combination there is, not all of them valid or different."""
    required = tuple(tool.parameters.get("required", ()))
    pools = _pools(tool, count + 1, seed)
    usable = {name: pool for name, pool in pools.items() if pool}
    if not set(required) <= usable.keys():
        return
    documented = {name for name, schema in _parameters(tool).items() if "default" in schema}
    yield {name: pool[0] for name, pool in usable.items() if name in required}
    yield {name: pool[0] for name, pool in usable.items() if name in required or name in documented}
    coin = random.Random(seed)
    for turn in range(1, count + 1):
        yield {
            name: pool[turn % len(pool)]
            for name, pool in usable.items()
            if name in required or coin.random() < 0.5
        }
    choices = (pool if name in required else [_ABSENT, *pool] for name, pool in usable.items())
    for combination in product(*choices):
        pairs = zip(usable, combination, strict=True)
        yield {name: value for name, value in pairs if value is not _ABSENT}


def _parameters(tool: Tool) -> dict[str, Mapping[str, object]]:
    """Return the schema of every parameter; one that is required but not described may be anything."""
    known = tool.parameters.get("properties", {})
    names = dict.fromkeys([*known, *tool.parameters.get("required", ())])
    return {name: schema if isinstance(schema := known.get(name), Mapping) else _ANY for name in names}


def _pools(tool: Tool, size: int, seed: int) -> dict[str, list[object]]:
    """Return up to ``size`` valid values for every parameter, a documented default first."""
    alone = Schema(tool.name, {**tool.parameters, "required": []})
    topic = str(tool.record.get("tool_name") or tool.id.tool)
    scene = values.Scene(words.words(), topic)
    pools: dict[str, JsonArray] = {}
    for name, schema in _parameters(tool).items():
        different: JsonObject = {}
        for value in _values(name, schema, scene, size, seeding.derive(seed, name)):
            if len(different) == size:
                break
            if alone.fits({name: value}):
                different.setdefault(canonical({"value": value}), value)
        pools[name] = list(different.values())
    return pools


def _values(name: str, schema: JsonMapping, scene: values.Scene, size: int, seed: int) -> Iterator[object]:
    if "default" in schema:
        yield schema["default"]
    if "const" in schema or "enum" in schema:
        allowed = list(schema.get("enum", [schema.get("const")]))
        random.Random(seed).shuffle(allowed)
        yield from allowed
        return
    kinds = schema.get("type", "string")
    for kind in kinds if isinstance(kinds, list) else [kinds]:
        if kind in ("integer", "number"):
            yield from _numbers(schema, kind, size, seed)
        elif kind == "boolean":
            yield from (True, False)
        elif kind == "string":
            yield from _texts(name, schema, scene, size, seed)
        else:
            yield from _samples(name, schema, size, seed)


def _numbers(schema: JsonMapping, kind: str, size: int, seed: int) -> Iterator[float]:
    first = schema.get("minimum", min(1, schema.get("maximum", 1)))
    last = schema.get("maximum", first + max(_NUMBERS, size))
    span = range(math.ceil(first), math.floor(last) + 1)
    yield from random.Random(seed).sample(span, min(len(span), size + 1))
    if kind == "number":
        yield from (first + (last - first) * turn / (size + 1) for turn in range(size + 2))


def _texts(name: str, schema: JsonMapping, scene: values.Scene, size: int, seed: int) -> Iterator[str]:
    if schema.get("format") == "date":
        first = values.REFERENCE.date() - timedelta(days=seed % 365)
        yield from ((first - timedelta(days=day)).isoformat() for day in range(size))
        return
    make = fields.maker(name, "text")[1]
    low, high = schema.get("minLength", 0), schema.get("maxLength")
    made = [str(make(seeding.mix(seed, turn), scene)) for turn in range(size)]
    # Few names have endless values; the numbered ones are different whatever the name.
    numbered = [f"{text} {turn}" for turn, text in enumerate(made, 1)]
    for text in (*made, *numbered, *map(str, range(size))):
        yield text[:high].ljust(low, "x")


def _samples(name: str, schema: Mapping[str, object], size: int, seed: int) -> Iterator[object]:
    rng = np.random.default_rng(seed)
    single = {"properties": {name: schema}, "required": [name]}
    for _ in range(_TRIES * size):
        yield sample_arguments(single, rng)[name]
    if "properties" not in schema:
        # What an object holds is not documented: anything is as good.
        yield from ({"value": turn} for turn in range(size))
