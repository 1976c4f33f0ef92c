"""The template simulator: keyless, deterministic answers for calls that no recording covers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from stb_env import seeding
from stb_env.backend.cache.key import read_arguments
from stb_env.backend.simulator.template import skeleton, words
from stb_env.backend.simulator.template.documentation import shape
from stb_env.backend.simulator.template.fields import field_key, is_identifier
from stb_env.backend.simulator.template.filling import Filler, echoed, fitting_length
from stb_env.backend.simulator.template.values import Scene
from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import ConfigError
from stb_env.tools import Tool, ToolId, ToolResult, pure_name

_REVISION = "template-2"
_MIN_SIZE = 256
_KNOWN = 8192
_TOPIC = 60
_ENVELOPE = len('{"error": "", "response": }')

_TOWNS = ("city", "location", "place", "cityname", "q", "query")
_LIMITS = ("limit", "perpage", "pagesize", "count", "num", "maxresults", "size")


@dataclass(frozen=True, slots=True)
class _Plan:
    """The shape of an API's answers.

    Attributes:
        record: The API's entry that the plan was read from.
        root: Shape of the answer.
        length: Bound on the members of a list.
        documented: Whether the shape is a guess, to be given up for any example.
    """

    record: JsonMapping
    root: skeleton.Node
    length: int
    documented: bool


@dataclass(frozen=True, slots=True)
class Call:
    """The properties of a call that its answer depends on.

    Attributes:
        echo: The arguments by `field_key`.
        identifier: The argument that names a record, or None.
        limit: How many members the call asked for, or None.
        scene: What the values of the answer share.
    """

    echo: JsonMapping
    identifier: Any
    limit: int | None
    scene: Scene

    @classmethod
    def of(cls, tool: Tool, arguments: Mapping[str, object]) -> Call:
        """Read a call. The order of arguments does not count, nor does what the call's key ignores."""
        names = sorted(name for name in arguments if isinstance(name, str))
        echo = {field_key(name): arguments[name] for name in names}
        identifier = next((arguments[name] for name in names if is_identifier(pure_name(name))), None)
        limits = (echoed(echo.get(name), "int") for name in _LIMITS)
        limit = next((limit for limit in limits if isinstance(limit, int) and limit > 0), None)
        towns = (echo.get(name) for name in _TOWNS)
        place = next((town for text in towns if isinstance(text, str) and (town := words.town(text))), None)
        topic = str(tool.record.get("tool_name") or tool.id.tool).replace("_", " ").strip()[:_TOPIC]
        return cls(echo, identifier, limit, Scene(words.words(), topic, place))


class TemplateSimulator:
    """Answers a call in the shape that its API is known to have, with plausible values.

    The shape comes from the API's ``template_response``, else from recorded answers to other calls,
    else from its documentation. An argument comes back in the field of its name, records with the same
    identifier look alike in every API of a tool, and every other value follows from the call's key, the
    field and `version` alone: never from seed, order, process or time.

    Args:
        max_size: Bound on an answer's JSON text, in characters; long lists lose members to keep it.

    Raises:
        ConfigError: ``max_size`` is too small for any answer.

    Examples:
        >>> schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
        >>> record = {"template_response": {"city": "str", "temperature": "float"}}
        >>> tool = Tool("now", "Weather now.", schema, ToolId("Weather", "demo", "now"), record)
        >>> simulator = TemplateSimulator()
        >>> simulator.simulate(tool, {"city": "Paris"}, key="k").response["city"]
        'Paris'
        >>> simulator.simulate(tool, {}, key="k").error
        "Missing required parameter: 'city'"
    """

    def __init__(self, max_size: int = 4000) -> None:
        if max_size < _MIN_SIZE:
            raise ConfigError(f"max_size must be at least {_MIN_SIZE} characters, got {max_size}")
        self._max_size = max_size
        self._plans: dict[tuple[ToolId, str], _Plan] = {}

    def __reduce__(self) -> tuple[type[TemplateSimulator], tuple[int]]:
        """Pickle without the plans that were made so far: they follow from the tools."""
        return type(self), (self._max_size,)

    @cached_property
    def version(self) -> str:
        """Version of the answers besides the call: our revision, the size bound and the word material."""
        return f"{_REVISION}-{self._max_size}-{words.digest()[:8]}"

    def simulate(
        self, tool: Tool, arguments: Mapping[str, object] | str, *, key: str, examples: Sequence[object] = ()
    ) -> ToolResult:
        """Answer one call.

        Args:
            tool: The API, with its record.
            arguments: An object, or the raw text where what was written is no object.
            key: Identifies the call; equal keys get equal answers.
            examples: Decoded responses to other calls of the API; used where it has no template.

        Returns:
            The answer; an application error where the arguments could not be served.
        """
        call = read_call(tool, arguments)
        if isinstance(call, ToolResult):
            return call
        return self._answer(self._plan(tool, examples), call, tool.id, seeding.derive(self.version, key))

    def _answer(self, plan: _Plan, call: Call, identity: ToolId, seed: int) -> ToolResult:
        family = (self.version, identity.category, identity.tool)
        length = plan.length
        while True:
            filler = Filler(
                call.echo,
                call.identifier,
                call.scene,
                seed=seed,
                family=family,
                length=length,
                asked=call.limit,
            )
            response = filler.fill(plan.root)
            result = ToolResult.of(response, source="simulator")
            if len(result.text) <= self._max_size:
                return result
            if length <= 1:
                return ToolResult.of(jsontext.cut(response, self._max_size - _ENVELOPE), source="simulator")
            length //= 2

    def _plan(self, tool: Tool, examples: Sequence[object]) -> _Plan:
        """Return how the API answers; what its record alone decides is read once."""
        known = self._plans.get((tool.id, tool.spec))
        if known is None or (known.record is not tool.record and known.record != tool.record):
            root = skeleton.read(tool.record.get("template_response"))
            known = self._planned(tool, root or skeleton.parse(shape(tool)), documented=root is None)
            if len(self._plans) >= _KNOWN:
                self._plans.clear()
            self._plans[tool.id, tool.spec] = known
        if not known.documented:
            return known
        example = next((root for root in map(skeleton.read, examples) if root is not None), None)
        return known if example is None else self._planned(tool, example, documented=False)

    def _planned(self, tool: Tool, root: skeleton.Node, *, documented: bool) -> _Plan:
        return _Plan(tool.record, root, fitting_length(root, self._max_size), documented)


def read_call(tool: Tool, arguments: Mapping[str, object] | str) -> Call | ToolResult:
    """Read a call, or return the error with which an API answers arguments that it cannot take."""
    given = read_arguments(arguments)
    if isinstance(given, str):
        return ToolResult.of("", error="Bad request: the arguments must be a JSON object", source="simulator")
    call = Call.of(tool, given)
    missing = _missing(tool, call.echo)
    return ToolResult.of("", error=missing, source="simulator") if missing else call


def _missing(tool: Tool, echo: Mapping[str, object]) -> str:
    """Complain as an API would about parameters that are not there, or return an empty text."""
    required = tool.parameters.get("required") or ()
    missing = [name for name in required if name and field_key(name) not in echo]
    if not missing:
        return ""
    return f"Missing required parameter{'s' if missing[1:] else ''}: {', '.join(map(repr, missing))}"
