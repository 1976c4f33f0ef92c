"""Plain functions become tools, and what cannot be one is refused with the reason."""

from __future__ import annotations

import enum
import json
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, Literal, Optional

import pytest
from pydantic import Field

from stb_env.actions.validation import check_call
from stb_env.declare.function import Function
from stb_env.errors import ConfigError
from stb_env.spaces import sample_arguments
from stb_env.tools import ToolCall, ToolId

PLACE = ToolId("my", "todo", "")


def read(function: Any, state: type = dict) -> Function:
    return Function.of(function, state, PLACE)


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Point:
    x: int
    y: int = 0


@dataclass
class Tree:
    """Contains itself."""

    name: str
    children: list[Tree]


def paint(
    board: dict,
    where: Point,
    color: Color,
    times: Annotated[int, Field(ge=1, le=3)] = 1,
    note: Optional[str] = None,  # noqa: UP045 (both spellings are read)
    mode: Literal["fast", "slow"] = "fast",
    tags: list[str] | None = None,
    copy: bool = False,
    _hidden: float = 0.5,
) -> list[Any]:
    """Paint a point.

    It goes on in a second paragraph.

    Args:
        where: The place
            on the board.
        color (Color): Its new color.

    Returns:
        What it was given.

    Raises:
        ValueError: Never.
    """
    return [where, color, times, note, mode, tags, copy, _hidden]


def test_the_docstring_documents_tool_and_parameters():
    tool = read(paint).tool
    assert (tool.name, tool.description) == ("paint", "Paint a point.\n\nIt goes on in a second paragraph.")
    properties = tool.parameters["properties"]
    assert properties["where"]["description"] == "The place on the board."
    assert properties["color"]["description"] == "Its new color."
    assert "description" not in properties["times"]


def test_the_schema_says_what_the_type_hints_say():
    parameters = read(paint).tool.parameters
    assert parameters["required"] == ["where", "color"]
    assert {
        name: {k: v for k, v in schema.items() if k != "description"}
        for name, schema in parameters["properties"].items()
    } == {
        "where": {
            "type": "object",
            "properties": {"x": {"type": "integer"}, "y": {"type": "integer", "default": 0}},
            "required": ["x"],
            "additionalProperties": False,
        },
        "color": {"type": "string", "enum": ["red", "blue"]},
        "times": {"type": "integer", "minimum": 1, "maximum": 3, "default": 1},
        "note": {"type": ["string", "null"], "default": None},
        "mode": {"type": "string", "enum": ["fast", "slow"], "default": "fast"},
        "tags": {
            "anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}],
            "default": None,
        },
        "copy": {"type": "boolean", "default": False},
        "_hidden": {"type": "number", "default": 0.5},
    }


def test_a_parameter_may_be_called_title():
    def name(title: str) -> str:
        """Name it."""
        return title

    assert list(read(name).tool.parameters["properties"]) == ["title"]
    assert read(name).run(None, {"title": "x"}) == "x"


def test_a_schema_that_contains_itself_keeps_its_definitions():
    def plant(tree: Tree) -> str:
        """Plant a tree."""
        return tree.children[0].name

    function = read(plant)
    nested = {"tree": {"name": "a", "children": [{"name": "b", "children": []}]}}
    assert not check_call(ToolCall("plant", nested), function.tool).violations
    assert check_call(ToolCall("plant", {"tree": {"name": "a", "children": [{}]}}), function.tool).violations
    assert function.run(None, nested) == "b"


def test_arguments_arrive_as_the_type_hints_say_and_defaults_as_they_are():
    got = read(paint).run({}, {"where": {"x": 1}, "color": "blue", "tags": ["a"]})
    assert got == [Point(1), Color.BLUE, 1, None, "fast", ["a"], False, 0.5]


def test_dates_are_read_from_text():
    def due(day: date) -> int:
        """Return the year."""
        return day.year

    assert read(due).run(None, {"day": "2024-05-01"}) == 2024


def test_an_argument_is_a_copy_that_the_state_may_keep():
    given = {"tags": ["a"]}

    def keep(tags: list[str]) -> list[str]:
        """Return the very list."""
        return tags

    assert read(keep).run(None, given) is not given["tags"]


def test_sampled_calls_are_valid(rng):
    tool = read(paint).tool
    for _ in range(200):
        call = ToolCall("paint", sample_arguments(tool.parameters, rng))
        assert not check_call(call, tool).violations, call


@pytest.fixture
def rng():
    import numpy as np

    return np.random.default_rng(0)


@pytest.mark.parametrize(
    ("first", "state", "taken"),
    [
        ("todo: dict", dict, True),
        ("todo: dict[str, int]", dict, True),
        ("state", dict, True),
        ("state: Any", dict, True),
        ("todo: Annotated[dict, 'mine']", dict, True),
        ("todo: Mapping", dict, True),
        ("point: Point", Point, True),
        ("title: str", dict, False),
        ("thing: object", dict, False),
        ("todo: dict", type(None), False),
    ],
)
def test_the_first_parameter_is_the_state_where_it_is_hinted_or_called_so(
    first: str, state: type, taken: bool
):
    from collections.abc import Mapping

    names = {"Any": Any, "Annotated": Annotated, "Mapping": Mapping, "Point": Point}
    exec(f"def tool({first}):\n    'Do it.'", names)
    assert read(names["tool"], state).takes_state is taken


def test_methods_of_the_state_are_tools_too():
    class Counter:
        def __init__(self) -> None:
            self.count = 0

        def up(self, by: int = 1) -> int:
            """Count up."""
            self.count += by
            return self.count

    function = read(Counter.up, Counter)
    assert list(function.tool.parameters["properties"]) == ["by"]
    assert function.run(Counter(), {"by": 2}) == 2


def test_the_identity_follows_from_environment_and_name():
    assert read(paint).tool.id == ToolId("my", "todo", "paint")


def undocumented(title: str) -> str:
    return title


def sectioned(title: str) -> str:
    """Args:
    title: What.
    """
    return title


def unhinted(title) -> str:
    """Do it."""
    return title


def many(*titles: str) -> str:
    """Do it."""
    return str(titles)


def positional(title: str, /) -> str:
    """Do it."""
    return title


def misspelt(title: str) -> str:
    """Do it.

    Args:
        titel: What.
    """
    return title


def hidden_state(todo: dict, title: str) -> str:
    """Do it.

    Args:
        todo: The state, which no agent gives.
    """
    return title


def impossible(title: Function) -> str:
    """Do it."""
    return str(title)


def unknown_hint(title: Nowhere) -> str:  # noqa: F821
    """Do it."""
    return title


def parts(title: str):
    """Do it."""
    yield title


async def async_parts(title: str):
    """Do it."""
    yield title


def Finish(answer: str) -> str:  # noqa: N802
    """Do it."""
    return answer


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (undocumented, r"^tool 'undocumented' has no docstring; write what it does, which the agent reads$"),
        (sectioned, r"^tool 'sectioned' has no docstring;"),
        (unhinted, r"^parameter 'title' of tool 'unhinted' has no type hint; add one, as in title: str \("),
        (many, r"^tool 'many' takes \*titles: 'str'; give each argument a name of its own$"),
        (positional, r"^tool 'positional' takes title: 'str'; give each argument a name of its own$"),
        (misspelt, r"describes 'titel', .* \(title\)\. Did you mean 'title'\?$"),
        (hidden_state, r"describes 'todo', which is none of the parameters that the agent gives \(title\)\."),
        (impossible, r"^a type hint of tool 'impossible' has no JSON Schema: .*; hint it with what"),
        (unknown_hint, r"^cannot read the type hints of tool 'unknown_hint': name 'Nowhere' is not defined;"),
        (parts, r"^tool 'parts' yields its answer in parts; return all of it, as a list$"),
        (async_parts, r"^tool 'async_parts' yields its answer in parts;"),
        (Finish, r"^no tool can be named 'Finish': Finish is the call that ends an episode; rename"),
        (lambda title: title, r"^no tool can be named '<lambda>': a name has 1 to 64 of the characters"),
        ([].append, r"^a tool is a plain function, got <built-in method append"),
        (
            Point(1).__init__,
            r"^a tool is a plain function, got <bound method .*give the functions \(Todo.add\)",
        ),
    ],
)
def test_a_function_that_cannot_be_a_tool_is_refused_with_the_reason(function: Any, message: str):
    with pytest.raises(ConfigError, match=message):
        read(function)


def test_the_function_spec_is_what_openai_takes():
    spec = json.loads(read(paint).tool.spec)
    assert spec["type"] == "function"
    assert spec["function"]["parameters"]["type"] == "object"
