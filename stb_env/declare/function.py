"""A plain function as a tool: its signature is the schema, its docstring the documentation."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, get_origin, get_type_hints

import pydantic

from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.declare.docstring import Docstring, read_docstring
from stb_env.declare.schema import tidied
from stb_env.declare.states import Clock
from stb_env.errors import ConfigError, did_you_mean
from stb_env.tools import Tool, ToolId, naming_problem

_STATE = ("state", "self")
_CLOCK = "clock"
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)

Parameters = Mapping[str, inspect.Parameter]


@dataclass(frozen=True, slots=True)
class Function:
    """A function that agents can call.

    Attributes:
        tool: How the agent sees it.
        call: The function.
        takes_state: Whether its first parameter is the state.
        clock: Name of the parameter that is the clock; empty where there is none.
        arguments: Reads arguments into what its type hints say; a field for each parameter, the parameter's
            name its alias.

    Examples:
        >>> def add(todo: dict, title: str, due: str = "") -> str:
        ...     '''Put an item on the list.
        ...
        ...     Args:
        ...         title: What is to be done.
        ...     '''
        ...     return todo.setdefault(title, due)
        >>> function = Function.of(add, dict, ToolId("my", "todo", ""))
        >>> function.takes_state, list(function.tool.parameters["properties"])
        (True, ['title', 'due'])
        >>> function.run({}, {"title": "milk"})
        ''
    """

    tool: Tool
    call: Callable[..., Any]
    takes_state: bool
    arguments: type[pydantic.BaseModel]
    clock: str = ""

    @classmethod
    def of(cls, function: Callable[..., Any], state: type, place: ToolId) -> Function:
        """Read a function.

        Args:
            function: A plain function or an ``async`` one, with type hints and a docstring.
            state: Type of the state.
            place: Category and tool that its identity belongs to.

        Raises:
            ConfigError: It cannot be a tool; the message says why.
        """
        name = _name(function)
        doc = read_docstring(function.__doc__ or "")
        if not doc.text:
            raise ConfigError(f"tool {name!r} has no docstring; write what it does, which the agent reads")
        parameters = dict(inspect.signature(function).parameters)
        hints = _hints(function, name)
        takes_state = _takes_state(parameters, hints, state)
        if takes_state:
            del parameters[next(iter(parameters))]
        clock = next((each for each in parameters if _is_clock(each, hints.get(each))), "")
        parameters.pop(clock, None)
        _check_parameters(name, parameters, hints, doc)
        arguments = _arguments(name, parameters, hints, doc)
        tool = Tool(name, doc.text, _schema(name, arguments), ToolId.of(place.category, place.tool, name))
        return cls(tool, function, takes_state, arguments, clock)

    def run(self, state: object, arguments: JsonMapping, clock: Clock | None = None) -> Any:
        """Call the function.

        Args:
            state: The state, which the function may change where it is no frozen one.
            arguments: As the agent gave them.
            clock: The clock, for a function that takes one.

        Raises:
            ValueError: The arguments are not what its type hints say, or it refuses them itself.
        """
        read = self.arguments.model_validate(arguments)
        given = {
            str(field.alias): getattr(read, name)
            for name, field in self.arguments.model_fields.items()
            if name in read.model_fields_set
        }
        if self.clock:
            given[self.clock] = clock
        return self.call(state, **given) if self.takes_state else self.call(**given)


def _name(function: Callable[..., object]) -> str:
    if not inspect.isfunction(function):
        raise ConfigError(
            f"a tool is a plain function, got {function!r}; of a class with methods give the functions "
            "(Todo.add) and the class as state"
        )
    name = function.__name__
    problem = naming_problem(name)
    if problem:
        raise ConfigError(f"no tool can be named {name!r}: {problem}; rename the function")
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise ConfigError(f"tool {name!r} yields its answer in parts; return all of it, as a list")
    return name


def _hints(function: Callable[..., object], name: str) -> dict[str, object]:
    try:
        return get_type_hints(function, include_extras=True)
    except (NameError, TypeError) as error:
        raise ConfigError(
            f"cannot read the type hints of tool {name!r}: {error}; use names that its module knows"
        ) from error


def _is_clock(name: str, hint: object) -> bool:
    return hint is Clock or (name == _CLOCK and hint is None)


def _takes_state(parameters: Parameters, hints: JsonMapping, state: type) -> bool:
    if not parameters or state is type(None):
        return False
    first = next(iter(parameters))
    hint = hints.get(first)
    kind = get_origin(hint) or hint
    if get_origin(hint) is Annotated:
        kind = hint.__origin__  # type: ignore[union-attr] # Annotated has it
    return first in _STATE or (isinstance(kind, type) and kind is not object and issubclass(state, kind))


def _check_parameters(name: str, parameters: Parameters, hints: Mapping[str, object], doc: Docstring) -> None:
    for parameter in parameters.values():
        if parameter.kind not in _NAMED:
            raise ConfigError(f"tool {name!r} takes {parameter}; give each argument a name of its own")
        if parameter.name not in hints:
            raise ConfigError(
                f"parameter {parameter.name!r} of tool {name!r} has no type hint; add one, as in "
                f"{parameter.name}: str (the state comes first, and is hinted with its type or called state)"
            )
    for described in doc.parameters:
        if described not in parameters:
            near = did_you_mean(described, parameters)
            raise ConfigError(
                f"the docstring of tool {name!r} describes {described!r}, which is none of the parameters "
                f"that the agent gives ({', '.join(parameters) or 'none'}).{near}"
            )


def _arguments(
    name: str, parameters: Parameters, hints: Mapping[str, object], doc: Docstring
) -> type[pydantic.BaseModel]:
    # Fields have names of their own: a parameter may be called like a method of a model, or with a _ first.
    fields: JsonObject = {
        f"p{position}": (
            hints[parameter.name],
            pydantic.Field(
                ... if parameter.default is parameter.empty else parameter.default,
                alias=parameter.name,
                description=doc.parameters.get(parameter.name),
            ),
        )
        for position, parameter in enumerate(parameters.values())
    }
    strict = pydantic.ConfigDict(extra="forbid", arbitrary_types_allowed=False)
    try:
        model: type[pydantic.BaseModel] = pydantic.create_model(name, __config__=strict, **fields)
    except pydantic.PydanticUserError as error:
        raise _no_schema(name, error) from error
    return model


def _schema(name: str, arguments: type[pydantic.BaseModel]) -> dict[str, object]:
    try:
        schema = arguments.model_json_schema(by_alias=True)
    except pydantic.PydanticUserError as error:
        raise _no_schema(name, error) from error
    schema.setdefault("properties", {})
    return tidied(schema)


def _no_schema(name: str, error: Exception) -> ConfigError:
    problem = str(error).partition("\n")[0]
    return ConfigError(
        f"a type hint of tool {name!r} has no JSON Schema: {problem}; hint it with what an agent can write "
        "(str, int, list[str], Literal, Enum, a dataclass ...)"
    )
