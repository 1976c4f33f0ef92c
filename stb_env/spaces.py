"""Text and tool-call spaces: membership by type and length, so that checking costs nothing.

Gymnasium's own Text space checks every character against a set (148 us on 1,400 characters here), and
vector environments with shared memory read it once and never again.
"""

from __future__ import annotations

import string
from collections.abc import Mapping
from typing import NoReturn

import numpy as np
from gymnasium.spaces import Space
from gymnasium.spaces.utils import flatten, flatten_space, unflatten
from gymnasium.vector.utils import create_shared_memory
from gymnasium.wrappers.utils import create_zero_array
from numpy.typing import NDArray

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import ConfigError
from stb_env.tools import FINISH, Tool

_WORDS = ("alpha", "berlin", "blue", "coffee", "delta", "music", "news", "paris", "river", "weather")
_DEEPEST = 3
_LETTERS = string.ascii_lowercase + string.digits + " "


class TextSpace(Space[str]):
    """All texts of at most ``max_length`` characters.

    Args:
        max_length: Bound on the length, in characters.
        seed: Seeds sampling.

    Examples:
        >>> space = TextSpace(5)
        >>> "abc" in space, "abcdef" in space, 3 in space
        (True, False, False)
        >>> TextSpace(5) == space, len(space.sample()) <= 5
        (True, True)
    """

    def __init__(self, max_length: int, seed: int | None = None) -> None:
        if max_length < 1:
            raise ConfigError(f"max_length must be at least 1 character, got {max_length}")
        self.max_length = max_length
        super().__init__(shape=None, dtype=None, seed=seed)

    def contains(self, x: object) -> bool:
        """Return whether ``x`` is a text within the bound."""
        return isinstance(x, str) and len(x) <= self.max_length

    def sample(
        self, mask: NDArray[np.int8] | None = None, probability: NDArray[np.float64] | None = None
    ) -> str:
        """Return a short random text; masks have no meaning here and must be None.

        Raises:
            ConfigError: A mask or probability was given.
        """
        if mask is not None or probability is not None:
            raise ConfigError("a TextSpace has no alternatives to mask; call sample() without mask")
        length = int(self.np_random.integers(0, min(self.max_length, 32) + 1))
        return "".join(_LETTERS[i] for i in self.np_random.integers(0, len(_LETTERS), length))

    @property
    def is_np_flattenable(self) -> bool:
        """Texts have no fixed-size array form."""
        return False

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.max_length == self.max_length

    def __hash__(self) -> int:
        return hash((type(self), self.max_length))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.max_length})"

    def __deepcopy__(self, memo: dict[int, object]) -> TextSpace:
        return self.copy()

    def copy(self) -> TextSpace:
        """Return an equal space without this one's generator."""
        return type(self)(self.max_length)


@create_shared_memory.register(TextSpace)
def _refuse_shared_memory(space: TextSpace, n: int = 1, ctx: object = None) -> NoReturn:  # noqa: ARG001
    """Refuse what `AsyncVectorEnv` does by default, and say what to do instead."""
    raise ConfigError(
        "the observations are texts, which processes cannot share in memory; give "
        "AsyncVectorEnv(..., shared_memory=False), in make_vec vector_kwargs={'shared_memory': False}, or "
        "leave vectorization_mode out for the vector environment of this package, which needs no processes"
    )


# What Gymnasium's own wrappers need of a space. A text has no array form, so flattening leaves it as it is,
# and an observation becomes a Dict of arrays and texts.
@create_zero_array.register(TextSpace)
def _no_text(space: TextSpace) -> str:  # type: ignore[misc] # noqa: ARG001 (a TextSpace is a Space of texts)
    """Return the empty text, which stands for the observations before the first."""
    return ""


@flatten_space.register(TextSpace)
def _same_space(space: TextSpace) -> TextSpace:
    return space.copy()


@flatten.register(TextSpace)
@unflatten.register(TextSpace)
def _same_text(space: TextSpace, x: str) -> str:  # type: ignore[misc] # noqa: ARG001 (as above)
    return x


class ToolCallSpace(TextSpace):
    """Actions of a tool environment: any text; samples are schema-valid calls of the current task.

    A sampled Finish gives an answer and never says why there is none: which words a reason allows is no part
    of its schema.

    Args:
        tools: Tools to sample calls of; set anew at each reset.
        max_length: Bound on an action's length, in characters.
        seed: Seeds sampling.

    Examples:
        >>> schema = {"type": "object", "properties": {"n": {"enum": [7]}}, "required": ["n"]}
        >>> ToolCallSpace((Tool("ping", "", schema),)).sample()
        '{"name": "ping", "arguments": {"n": 7}}'
    """

    def __init__(
        self, tools: tuple[Tool, ...] = (), max_length: int = 1_000_000, seed: int | None = None
    ) -> None:
        self.tools = tools
        super().__init__(max_length, seed)

    def sample(
        self, mask: NDArray[np.int8] | None = None, probability: NDArray[np.float64] | None = None
    ) -> str:
        """Return one schema-valid call as JSON text.

        Args:
            mask: int8 array of shape (number of tools,); only tools with a 1 are drawn.
            probability: float64 array of shape (number of tools,) that sums to 1.

        Raises:
            ConfigError: Both are given, or a shape differs from the number of tools.
        """
        if not self.tools:
            return super().sample()
        tool = self.tools[self._draw(mask, probability)]
        parameters = _answering(tool.parameters) if tool.name == FINISH else tool.parameters
        arguments = sample_arguments(parameters, self.np_random)
        return jsontext.dumps({"name": tool.name, "arguments": arguments})

    def _draw(self, mask: NDArray[np.int8] | None, probability: NDArray[np.float64] | None) -> int:
        count = len(self.tools)
        if mask is None and probability is None:
            return int(self.np_random.integers(count))
        if mask is not None and probability is not None:
            raise ConfigError("give either mask or probability, not both")
        weights = np.asarray(mask if probability is None else probability, dtype=np.float64)
        if weights.shape != (count,) or weights.sum() <= 0:
            raise ConfigError(
                f"mask or probability must have shape ({count},) and a positive entry, got {weights}"
            )
        return int(self.np_random.choice(count, p=weights / weights.sum()))

    def copy(self) -> ToolCallSpace:
        """Return an equal space over the same tools, without this one's generator."""
        space = object.__new__(type(self))
        space.__dict__.update(self.__dict__)
        space._np_random = None  # type: ignore[assignment] # Space itself starts so
        return space


def _answering(parameters: JsonMapping) -> Mapping[str, object]:
    """Return what Finish takes where an answer is given, if it takes a typed one."""
    properties = parameters["properties"]
    if "answer" not in properties:
        return parameters
    taken = {name: schema for name, schema in properties.items() if name != "cannot"}
    return {"properties": taken, "required": [*parameters.get("required", ()), "answer"]}


def sample_arguments(parameters: JsonMapping, rng: np.random.Generator, depth: int = 0) -> dict[str, object]:
    """Draw arguments that satisfy an object schema: every required one, each optional one half the time.

    Args:
        parameters: JSON Schema of type object.
        rng: Source of randomness.
        depth: How deep the object lies in another one; from some depth on optional parts are left out.

    Examples:
        >>> schema = {"type": "object", "properties": {"x": {"type": "boolean"}}, "required": ["x"]}
        >>> sample_arguments(schema, np.random.default_rng(0))
        {'x': True}
    """
    required = set(parameters.get("required", ()))
    return {
        name: _sample_value(schema, rng, depth)
        for name, schema in parameters.get("properties", {}).items()
        if name in required or (depth < _DEEPEST and rng.random() < 0.5)
    }


def _sample_value(schema: JsonMapping, rng: np.random.Generator, depth: int) -> object:
    if "enum" in schema or "const" in schema:
        values = schema.get("enum") or [schema["const"]]
        return values[int(rng.integers(len(values)))]
    if "anyOf" in schema:
        return _sample_value(schema["anyOf"][int(rng.integers(len(schema["anyOf"])))], rng, depth)
    if "default" in schema and rng.random() < 0.5:
        return schema["default"]
    kind = schema.get("type", "string")
    if isinstance(kind, list):
        kind = kind[int(rng.integers(len(kind)))]
    if kind == "array" and "prefixItems" in schema:
        return [_sample_value(item, rng, depth + 1) for item in schema["prefixItems"]]
    if kind == "array":
        return _sample_array(schema, rng, depth)
    if kind == "object":
        return sample_arguments(schema, rng, depth + 1)
    return _sample_scalar(kind, schema, rng)


def _sample_array(schema: JsonMapping, rng: np.random.Generator, depth: int) -> object:
    least = int(schema.get("minItems", 0))
    count = max(least, int(rng.integers(0, 3)) if depth < _DEEPEST else 0)
    count = min(count, int(schema.get("maxItems", count)))
    items = schema.get("items") or {}
    values = [_sample_value(items, rng, depth + 1) for _ in range(count)]
    if not schema.get("uniqueItems"):
        return values
    # A few more draws make up for those that repeat a value; small enumerations may not have enough.
    values += [_sample_value(items, rng, depth + 1) for _ in range(8 * count)]
    return list({jsontext.dumps(value): value for value in values}.values())[:count]


def _sample_scalar(kind: str, schema: JsonMapping, rng: np.random.Generator) -> object:
    if kind in ("integer", "number"):
        low = int(schema.get("minimum", schema.get("exclusiveMinimum", -1) + 1))
        high = int(schema.get("maximum", schema.get("exclusiveMaximum", low + 101) - 1))
        return int(rng.integers(low, max(low, high) + 1))
    if kind == "boolean":
        return bool(rng.integers(2))
    if kind == "null":
        return None
    match schema.get("format"):
        case "date":
            return f"2024-{rng.integers(1, 13):02d}-{rng.integers(1, 29):02d}"
        case "time":
            return f"{rng.integers(24):02d}:{rng.integers(60):02d}"
        case "code":
            return f"{_WORDS[int(rng.integers(len(_WORDS)))]}-{rng.integers(1000)}"
    return _WORDS[int(rng.integers(len(_WORDS)))]
