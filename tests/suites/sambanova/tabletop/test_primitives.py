"""Every function can be called as its documentation says: by keyword, in order, and as a tool."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stb_env.suites.sambanova.tabletop.demos import SCENE
from stb_env.suites.sambanova.tabletop.robot import Robot
from stb_env.suites.sambanova.tabletop.tools import TOOLS, documents
from stb_env.suites.sambanova.tabletop.world import TabletopWorld, run
from stb_env.tools import Tool

FUNCTIONS = [tool for tool in TOOLS if tool.name != "program"]
# Phrases that the kind of a parameter does not tell.
PHRASES = {
    ("transform_shape_pts", "description"): "move it 10 cm up",
    ("parse_question", "question"): "how many bowls are there?",
}


def sample(function: str, name: str, schema: dict[str, Any]) -> Any:
    """Return a value of a parameter, by its schema."""
    if (function, name) in PHRASES:
        return PHRASES[function, name]
    if "anyOf" in schema:
        return sample(function, name, schema["anyOf"][0])
    match schema["type"]:
        case "string":
            return "green block"
        case "integer":
            return 2
        case "number":
            return 0.2
    item = sample(function, name, schema["items"])
    return [0.1, -0.4] if item == 0.2 else [item] * 2


def arguments(tool: Tool) -> dict[str, Any]:
    properties = tool.parameters["properties"]
    return {name: sample(tool.name, name, schema) for name, schema in properties.items()}


def result(call: str) -> tuple[Any, Any]:
    robot = Robot(SCENE)
    return repr(run(call, robot).value), robot.scene


@pytest.mark.parametrize("tool", FUNCTIONS, ids=lambda tool: tool.name)
def test_a_function_takes_its_arguments_by_keyword_and_in_order(tool: Tool):
    given = arguments(tool)
    ordered = f"{tool.name}({', '.join(map(repr, given.values()))})"
    named = f"{tool.name}({', '.join(f'{name}={value!r}' for name, value in given.items())})"
    assert result(named) == result(ordered)


@pytest.mark.parametrize("tool", FUNCTIONS, ids=lambda tool: tool.name)
def test_a_function_that_is_called_as_a_tool_does_what_it_does_in_a_program(tool: Tool):
    given = arguments(tool)
    called, after = TabletopWorld().call(SCENE, tool, given)
    named = f"{tool.name}({', '.join(f'{name}={value!r}' for name, value in given.items())})"
    (program,) = (tool for tool in TOOLS if tool.name == "program")
    walked, left = TabletopWorld().call(SCENE, program, {"text": named})
    assert (called.error, walked.error, after) == ("", "", left)
    told = walked.response.get("value")
    assert called.response in (told, walked.response["moved"])


@pytest.mark.parametrize("tool", FUNCTIONS, ids=lambda tool: tool.name)
def test_an_argument_may_be_left_out_where_the_documentation_says_so_alone(tool: Tool):
    given, required = arguments(tool), tool.parameters["required"]
    _, scene = TabletopWorld().call(SCENE, tool, {name: given[name] for name in required})
    assert scene.bowls == SCENE.bowls
    for name in required:
        lacking, _ = TabletopWorld().call(SCENE, tool, {key: given[key] for key in given if key != name})
        assert f"missing 1 required positional argument: {name!r}" in lacking.error


def test_the_documents_of_prompts_name_the_same_parameters_as_the_tools():
    for document, tool in zip(documents(), FUNCTIONS, strict=True):
        signature = f"{tool.name}({', '.join(tool.parameters['properties'])})"
        assert document.text.splitlines()[-1] == signature
    json.dumps([tool.parameters for tool in FUNCTIONS])
