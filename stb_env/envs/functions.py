"""Tools as the functions of a program: their names, their signatures, and what a call of one means."""

from __future__ import annotations

import builtins
import keyword
import re
import textwrap
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from stb_env.core import jsontext
from stb_env.core.jsontypes import Json, JsonMapping, JsonObject
from stb_env.envs.program_session import MODULES
from stb_env.envs.program_value import Given
from stb_env.tools import Tool, ToolCall

_TYPES = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "object": "dict",
    "array": "list",
    "null": "None",
}
# Said by the signature itself, or of no use to whoever calls.
_SAID = frozenset(
    {"type", "description", "properties", "required", "items", "enum", "const", "anyOf", "title"}
    | {"additionalProperties", "$schema"}
)
_TAKEN = frozenset({*vars(builtins), *MODULES})
_WIDTH = 100
_DEEPEST = 4


class ArgumentsError(ValueError):
    """A call whose arguments no tool can be given.

    Args:
        message: What is wrong with them.
        call: The call, its wrong arguments as text.
    """

    def __init__(self, message: str, call: ToolCall) -> None:
        super().__init__(message)
        self.call = call


class Parameter(NamedTuple):
    """A parameter of a function.

    Attributes:
        name: Its name in Python.
        key: Its name in the tool's schema.
        schema: Its schema.
        required: Whether a call must give it.
    """

    name: str
    key: str
    schema: JsonMapping
    required: bool


@dataclass(frozen=True)
class Function:
    """A tool as a function.

    Attributes:
        name: Its name in Python.
        tool: The tool.

    Examples:
        >>> schema = {"properties": {"city": {"type": "string"}, "in": {"type": "integer"}}}
        >>> function = Function("forecast", Tool("forecast", "Says the weather.", schema))
        >>> print(function.signature)
        def forecast(city: str = ..., in_: int = ...) -> dict:
            '''Says the weather.'''
        >>> function.call([Given("Oslo")], {"in_": Given(3)}, "c")
        ToolCall(name='forecast', arguments={'city': 'Oslo', 'in': 3}, id='c')
    """

    name: str
    tool: Tool

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """Its parameters, those that a call must give first."""
        schema = self.tool.parameters
        required = schema.get("required", ())
        properties: Mapping[str, Any] = schema.get("properties", {})
        names = _unique(_identifier(key) for key in properties)
        found = [
            Parameter(name, key, part if isinstance(part, Mapping) else {}, key in required)
            for name, (key, part) in zip(names, properties.items(), strict=True)
        ]
        return tuple(sorted(found, key=lambda parameter: not parameter.required))

    @cached_property
    def signature(self) -> str:
        """The function as Python shows it: a line with its types, and a docstring."""
        given = ", ".join(
            f"{parameter.name}: {_type_of(parameter.schema)}{'' if parameter.required else ' = ...'}"
            for parameter in self.parameters
        )
        described = [line for each in self.parameters for line in _described(each.name, each.schema, 2)]
        text = _one_line(self.tool.description)
        if not described:
            body = [f"    '''{text}'''"]
        else:
            body = [f"    '''{text}", "", "    Args:", *described, "    '''"]
        return "\n".join([f"def {self.name}({given}) -> dict:", *body])

    def call(self, args: Sequence[Given], named: Mapping[str, Given], call_id: str) -> ToolCall:
        """Return the call that a program made.

        Args:
            args: The positional arguments, in the order of the signature.
            named: The others, by their names in Python or in the schema.
            call_id: Id of the call.

        Raises:
            ArgumentsError: An argument is given twice or is no JSON data, or there are too many.
        """
        keys = {parameter.name: parameter.key for parameter in self.parameters}
        given: JsonObject = {}
        wrong = ""
        if len(args) > len(keys):
            wrong = f"{self.name}() takes at most {len(keys)} arguments, got {len(args)}"
        pairs = [*zip(keys.values(), args, strict=False)]
        pairs += [(keys.get(name, name), value) for name, value in named.items()]
        for key, value in pairs:
            if key in given:
                wrong = wrong or f"{key!r} is given twice"
            given[key] = value.value
            if value.problem:
                wrong = wrong or f"{key!r} is {value.problem}"
        call = ToolCall(self.tool.name, given, call_id)
        if wrong:
            raise ArgumentsError(wrong, call)
        return call

    def written(self, arguments: JsonMapping) -> str:
        """Return a call of it as Python text."""
        names = {parameter.key: parameter.name for parameter in self.parameters}
        named = {names.get(key, key): value for key, value in arguments.items()}
        if all(name.isidentifier() and not keyword.iskeyword(name) for name in named):
            return f"{self.name}({', '.join(f'{name}={value!r}' for name, value in named.items())})"
        return f"{self.name}(**{named!r})"


@lru_cache(maxsize=1024)
def functions_of(tools: tuple[Tool, ...]) -> Mapping[str, Function]:
    """Return tools as functions, by their names in Python.

    A name that is no identifier gets underscores, and one that Python or a module of it has gets one at its
    end.

    Examples:
        >>> list(functions_of((Tool("get-rate", "", {}), Tool("print", "", {}), Tool("class", "", {}))))
        ['get_rate', 'print_', 'class_']
    """
    names = _unique(_identifier(tool.name, taken=_TAKEN) for tool in tools)
    return {name: Function(name, tool) for name, tool in zip(names, tools, strict=True)}


def signatures(functions: Mapping[str, Function]) -> str:
    """Return the signatures of functions, a blank line between two."""
    return "\n\n".join(function.signature for function in functions.values())


def program_of(calls: Iterable[tuple[str, JsonMapping | str]], functions: Mapping[str, Function]) -> str:
    """Return a program that makes calls, given by tool and arguments, and prints what each returns.

    Examples:
        >>> program_of([("ping", {"n": 1})], functions_of((Tool("ping", "", {}),)))
        'print(ping(n=1))'
    """
    by_tool = {function.tool.name: function for function in reversed([*functions.values()])}
    lines = []
    for name, arguments in calls:
        # A tool that there is none of is the agent's to name, and the environment's to refuse.
        function = by_tool.get(name) or Function(_identifier(name), Tool(name, "", {}, checked=False))
        if isinstance(arguments, str):
            # As wrong in a program as it is elsewhere.
            lines.append(f"print({function.name}({arguments!r}))")
        else:
            lines.append(f"print({function.written(arguments)})")
    return "\n".join(lines)


def _identifier(text: str, taken: Container[str] = ()) -> str:
    name = re.sub(r"\W", "_", text)
    if not name.isidentifier():
        name = f"_{name}"
    return f"{name}_" if keyword.iskeyword(name) or name in taken else name


def _unique(names: Iterable[str]) -> list[str]:
    found: dict[str, None] = {}
    for name in names:
        unique, repeats = name, 1
        while unique in found:
            repeats += 1
            unique = f"{name}_{repeats}"
        found[unique] = None
    return list(found)


def _type_of(schema: JsonMapping) -> str:
    if "enum" in schema or "const" in schema:
        values = schema.get("enum") or [schema.get("const")]
        return f"Literal[{', '.join(repr(value) for value in values)}]"
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(_type_of(part) for part in schema["anyOf"]))
    kinds = schema.get("type", ())
    if isinstance(kinds, list):
        return " | ".join(dict.fromkeys(_type_of({**schema, "type": kind}) for kind in kinds)) or "Any"
    if kinds == "array" and isinstance(schema.get("items"), Mapping):
        return f"list[{_type_of(schema['items'])}]"
    return _TYPES.get(kinds, "Any") if isinstance(kinds, str) else "Any"


def _described(name: str, schema: JsonMapping, indent: int) -> Iterator[str]:
    """Yield the lines that say what a parameter or a member of one is; none where nothing is to be said."""
    text = _one_line(str(schema.get("description", "")))
    more = [f"{key}: {_short(value)}" for key, value in schema.items() if key not in _SAID]
    if more:
        text = f"{text} ({', '.join(more)})".strip()
    inner = [*_members(schema, indent + 1)] if indent <= _DEEPEST + 1 else []
    if not text and not inner:
        return
    margin = "    " * indent
    yield from textwrap.wrap(
        f"{name}: {text}".rstrip(),
        _WIDTH,
        initial_indent=margin,
        subsequent_indent=f"{margin}    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    yield from inner


def _members(schema: JsonMapping, indent: int) -> Iterator[str]:
    items = schema.get("items")
    if isinstance(items, Mapping):
        yield from _members(items, indent)
    for part in schema.get("anyOf", ()):
        yield from _members(part, indent)
    required = schema.get("required", ())
    for key, part in schema.get("properties", {}).items():
        if isinstance(part, Mapping):
            kind = f"{_type_of(part)}{'' if key in required else ', optional'}"
            lines = [*_described(f"{key} ({kind})", part, indent)]
            yield from lines or [f"{'    ' * indent}{key} ({kind})"]


def _one_line(text: str) -> str:
    return " ".join(text.split()).replace("'''", "''")


def _short(value: Json) -> str:
    return jsontext.dumps(jsontext.cut(value, 400))
