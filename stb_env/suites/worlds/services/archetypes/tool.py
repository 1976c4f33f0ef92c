"""Tools of a world: what an agent sees, what runs, and what a planner may know of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from stb_env.core.jsontypes import Json, JsonObject
from stb_env.suites.worlds.data.rows import Data, Row, State
from stb_env.suites.worlds.services.api_error import ApiError
from stb_env.suites.worlds.services.codec import Codec, Field
from stb_env.suites.worlds.services.style import Style
from stb_env.tools import Tool, ToolId, ToolResult

if TYPE_CHECKING:
    from stb_env.suites.worlds.services.archetypes.paging import Pager

CATEGORY = "Worlds"
"""The category of every tool of a world; the tool of its identity is the world's key."""

Kind = Literal[
    "list",
    "related",
    "get",
    "batch_get",
    "key",
    "search",
    "transition",
    "set",
    "delete",
    "create",
    "rules",
    "policies",
    "today",
    "elsewhere",
    "changes",
    "ask_user",
    "void",
    "move",
    "convert",
    "report",
    "refresh",
    "quote",
    "confirm",
    "start",
    "poll",
    "fetch",
    "sign_in",
]
ACTS: tuple[Kind, ...] = ("transition", "set", "delete", "void", "move", "create", "confirm")
"""Kinds that change rows."""
Bound = Mapping[str, Any]
"""Arguments by the name of their parameter, each as its `Param.read` gives it."""
Run = Callable[[State, Bound], tuple[object, State]]


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter of a tool.

    Attributes:
        name: Its name.
        schema: JSON Schema of its values.
        read: Turns an argument into what the tool works with; raises `ApiError`.
        required: Whether it must be given.
        group: Name of the object that it stands in; empty where it stands alone.
    """

    name: str
    schema: JsonObject
    read: Callable[[Json], Any]
    required: bool = False
    group: str = ""


@dataclass(frozen=True, slots=True)
class Filter:
    """Filter that a list offers.

    Attributes:
        param: The parameter's name.
        field: The attribute.
        op: Equal, or a bound that belongs to the range.
    """

    param: str
    field: Field
    op: Literal["=", ">=", "<="]


@dataclass(frozen=True, eq=False)
class WorldTool:
    """A tool of a world.

    Attributes:
        tool: What the agent sees.
        kind: The archetype.
        entity: The entity whose rows it is about.
        params: Its parameters.
        run: Runs a call with bound arguments.
        fields: The attributes that its rows show, beside the identifier.
        filters: What its rows can be narrowed to.
        sorts: The attributes that its rows can be ordered by.
        subject: The attribute that it is about: the key that it takes, the reference that it follows, the
            action or queue that it is for.
        limit: Most rows of one call.
        items: Key of the rows in a response; empty where it is a single row.
        pager: Cuts a list into pages.
    """

    tool: Tool
    kind: Kind
    entity: str
    params: tuple[Param, ...]
    run: Run
    fields: tuple[Field, ...] = ()
    filters: tuple[Filter, ...] = ()
    sorts: tuple[Field, ...] = ()
    subject: str = ""
    limit: int = 1
    items: str = ""
    pager: Pager | None = None

    def call(self, state: State, arguments: Mapping[str, object]) -> tuple[object, State]:
        """Run one call.

        Raises:
            ApiError: The call is refused.
        """
        return self.run(state, self._bind(arguments))

    def answer(self, state: State, arguments: Mapping[str, object]) -> tuple[ToolResult, State]:
        """Run one call, and answer with an error where it is refused."""
        try:
            response, state = self.call(state, arguments)
        except ApiError as error:
            return error.result, state
        return ToolResult.of(response, source="world"), state

    def _bind(self, arguments: Mapping[str, object]) -> Bound:
        bound: dict[str, Any] = {}
        given = dict(arguments)
        for param in self.params:
            holder: Any = arguments
            if param.group:
                given.pop(param.group, None)
                holder = arguments.get(param.group) or {}
                if not isinstance(holder, Mapping):
                    raise ApiError(f"{param.group} must be an object, got {holder!r:.40}", arguments=True)
            else:
                given.pop(param.name, None)
            value = holder.get(param.name)
            if value is None:
                if param.required:
                    raise ApiError(f"{param.name} is required", arguments=True)
                continue
            bound[param.name] = param.read(value)
        if given:
            known = ", ".join(param.group or param.name for param in self.params)
            raise ApiError(f"unknown parameter {next(iter(given))!r}; known: {known}", arguments=True)
        return bound


@dataclass
class Workshop:
    """Makes the tools of one world; the names that are taken are kept here.

    Attributes:
        codec: The world's codec.
        key: The world's key, which identities of its tools carry.
        names: The names of the tools so far.
    """

    codec: Codec
    key: str
    names: set[str] = field(default_factory=set)

    @property
    def data(self) -> Data:
        """The world's rows."""
        return self.codec.blueprint.data

    def name(self, service: str, verb: str, *noun: str, after: Sequence[str] = ()) -> str:
        """Return a free name in a service's style for a verb and what it is about."""
        style = self.codec.styles[service]
        words = [*noun, verb] if style.noun_first else [verb, *noun]
        for named in (style.named, True):
            made = style.name(*([service] if named else []), *words, *after)[:64]
            if made not in self.names:
                self.names.add(made)
                return made
        number = 2
        while (made := f"{style.name(service, *words, *after)[:60]}{number}") in self.names:
            number += 1
        self.names.add(made)
        return made

    def derived(self, service: str, verb: str, name: str) -> str:
        """Return a free name for what does something about a tool: ``quote_create_claim``."""
        made = first = self.codec.styles[service].before(verb, name)[:60]
        number = 2
        while made in self.names:
            made, number = f"{first}{number}", number + 1
        self.names.add(made)
        return made

    def tool(self, name: str, description: str, params: Iterable[Param]) -> Tool:
        """Return a tool as the agent sees it."""
        properties: dict[str, Any] = {}
        required: list[str] = []
        for param in params:
            if param.group:
                empty: JsonObject = {
                    "type": "object",
                    "description": "Narrows the list; of several, all must hold, and bounds are included.",
                    "properties": {},
                    "additionalProperties": False,
                }
                group = properties.setdefault(param.group, empty)
                group["properties"][param.name] = param.schema
            else:
                properties[param.name] = param.schema
                if param.required:
                    required.append(param.name)
        schema = {
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": False,
        }
        return Tool(name, description, schema, ToolId(CATEGORY, self.key, name))

    def style(self, entity: str) -> Style:
        """Return the style of the service that keeps an entity."""
        return self.codec.style(entity)

    def id_param(self, entity: str, *, required: bool = True) -> Param:
        """Return the parameter that names a row by its identifier."""
        style, noun = self.style(entity), self.codec.noun(entity)[0]
        kind = "integer" if style.ids == "integer" else "string"
        schema: JsonObject = {"type": kind, "description": f"Id of the {noun}."}
        name = style.field(noun, "id")
        return Param(name, schema, lambda value: self.codec.number_of(entity, value), required)

    def existing(self, state: State, entity: str, number: int) -> Row:
        """Return a row that exists.

        Raises:
            ApiError: There is no such row.
        """
        row = self.data.row(state, entity, number)
        if row is None:
            shown = self.codec.id_of(entity, number)
            message = f"no {self.codec.noun(entity)[0]} has the id {shown}"
            raise ApiError(self.style(entity).error("not_found", message))
        return row


def places(entity: str, fields: Iterable[Field] = ()) -> tuple[str, ...]:
    """Return the names under which a state notes rows as shown: by themselves, and with each field."""
    return entity, *(f"{entity}.{each.attribute}" for each in fields)


def show(state: State, shown: Sequence[str], numbers: Iterable[int]) -> State:
    """Return the state with rows marked as shown; the same one where they were shown before.

    Args:
        state: The state.
        shown: What of them, as `places` has it.
        numbers: The rows.
    """
    return show_all(state, shown, bits(numbers))


def bits(numbers: Iterable[int]) -> int:
    """Return row numbers as the bits of one number."""
    mask = 0
    for number in numbers:
        mask |= 1 << number
    return mask


def show_all(state: State, shown: Sequence[str], mask: int) -> State:
    """Return the state with the rows of a mask marked as shown; the same one where they were before."""
    before = state.shown
    new = {place: known | mask for place in shown if mask & ~(known := before.get(place, 0))}
    return replace(state, shown={**before, **new}) if new else state


def with_article(noun: str) -> str:
    """Return a noun with its indefinite article."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def one_of(style: Style, options: tuple[str, ...]) -> Callable[[Json], str]:
    """Return what reads an argument that is one of a few texts."""

    def read(value: object) -> str:
        if not isinstance(value, str) or value not in options:
            message = f"expected one of {', '.join(options)}, got {value!r:.40}"
            raise ApiError(style.error("invalid", message), arguments=True)
        return value

    return read
