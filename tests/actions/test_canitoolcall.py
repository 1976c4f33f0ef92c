"""Outputs of nine families that others collected from templates, engines' tests and bug reports."""

from __future__ import annotations

import json

import pytest

from stb_env.actions import parse_action
from stb_env.actions.validation.check import check_call
from stb_env.tools import Tool

fixtures = pytest.importorskip("canitoolcall.fixtures", reason="needs the package canitoolcall")

EXPLAINED = {
    "gpt-oss/harmony-final-json-lookalike": "a model that is asked for calls in JSON writes them there",
}
"""Outputs that are read otherwise on purpose."""


def read(fixture) -> list[tuple[str, object]]:
    """Return the calls that an environment with the fixture's tools would make."""
    tools = {spec["function"]["name"]: spec["function"] for spec in fixture.tools}
    known = {name: Tool("tool", "", spec.get("parameters") or {}) for name, spec in tools.items()}
    calls = [call for call in parse_action(fixture.raw_output, known=known).calls if call.name in known]
    checked = [(call.name, check_call(call, known[call.name]).arguments) for call in calls]
    # Arguments that are text were cut off, or are none: no tool takes them.
    return [(name, arguments) for name, arguments in checked if not isinstance(arguments, str)]


def whole_numbers(value):
    """Return a value whose whole floats are integers."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: whole_numbers(item) for key, item in value.items()}
    return [whole_numbers(item) for item in value] if isinstance(value, list | tuple) else value


def same(got, wanted) -> bool:
    """Return whether calls are equal in name, arguments and types."""
    return json.dumps(whole_numbers(got), sort_keys=True) == json.dumps(whole_numbers(wanted), sort_keys=True)


def test_every_output_is_read_as_its_calls_but_for_those_that_are_explained():
    loaded = list(fixtures.load_fixtures())
    assert len(loaded) > 400
    wrong = set()
    for fixture in loaded:
        wanted = fixture.expected.tool_calls if fixture.expected else ()
        if not same(read(fixture), [(call.name, dict(call.arguments)) for call in wanted]):
            wrong.add(fixture.id)
    assert wrong == set(EXPLAINED)
