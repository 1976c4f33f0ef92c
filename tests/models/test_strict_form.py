"""The strict form of calls: made from a task's own schemas, and turned back without loss."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from stb_env.core.answers import object_schema
from stb_env.envs.finish import finish_form
from stb_env.models.chat import ChatReply, ChatRequest
from stb_env.models.contract import CALLS, calls, given, strict, takes_null
from stb_env.models.structured import read
from stb_env.suites.sandbox.cannot import REASONS
from stb_env.suites.sandbox.env import make as sandbox
from stb_env.tasks import Task
from stb_env.tools import FINISH, Tool, ToolCall

KEYWORDS = {
    *("type", "enum", "const", "description", "anyOf", "items", "minItems", "maxItems"),
    *("properties", "required", "additionalProperties"),
}


def schemas_in(schema: Any) -> Iterator[dict[str, Any]]:
    if not isinstance(schema, dict):
        return
    yield schema
    yield from schemas_in(schema.get("items"))
    for part in (*schema.get("properties", {}).values(), *schema.get("anyOf", ())):
        yield from schemas_in(part)


def filled(schema: Any, value: Any) -> Any:
    """Return a value as a strict form has it: null for every member that is absent."""
    if isinstance(value, list):
        return [filled(schema.get("items", {}), each) for each in value]
    if not isinstance(value, dict):
        return value
    properties = schema.get("properties", {})
    return {name: filled(properties.get(name, {}), value.get(name)) for name in {**properties, **value}}


def turned_back(specs: list[Any], name: str, arguments: Any) -> Any:
    """Return the arguments that an environment gets of a reply in the strict form."""
    request = replace(ChatRequest([{"role": "user", "content": "?"}], specs), contract=CALLS)
    text = json.dumps({"name": name, "arguments": arguments})
    (call,) = read(ChatReply({"role": "assistant", "content": text}), request).tool_calls
    assert call["function"]["name"] == name
    return json.loads(call["function"]["arguments"])


def finishes(task: Task) -> Iterator[dict[str, Any]]:
    """Yield valid arguments of a task's Finish: what solves it, with prose and without, and every refusal."""
    goal = task.goal
    right = {"cannot": goal["cannot"]} if goal["cannot"] else {"answer": goal["answer"]}
    yield right
    yield {**right, "final_answer": "Here it is."}
    for reason, listed in REASONS.items():
        yield {"cannot": {"reason": reason, "what": list(listed[:2])}}


@pytest.mark.heavy
def test_every_finish_of_the_sandbox_survives_the_strict_form_and_the_way_back():
    seen = 0
    for env in (sandbox(), sandbox(split="train")):
        for index in range(150):
            task = env.tasks.at(index)
            form = finish_form(task)
            specs = [json.loads(tool.spec) for tool in (*task.tools, form.tool)]
            contract = calls(specs).plain
            for arguments in finishes(task):
                assert form.read(ToolCall(FINISH, arguments)).kind == "answer"
                written = filled(form.tool.parameters, arguments)
                assert set(written) == set(form.tool.parameters["properties"])
                assert jsonschema_rs.is_valid(contract, {"name": FINISH, "arguments": written})
                assert turned_back(specs, FINISH, written) == arguments
                seen += 1
            both = {"answer": task.goal["answer"] or {}, "cannot": {"reason": "no_tool", "what": ["pay"]}}
            for wrong in (both, {}):
                written = filled(form.tool.parameters, wrong)
                assert not jsonschema_rs.is_valid(contract, {"name": FINISH, "arguments": written})
    assert seen > 1_000


def test_the_strict_form_requires_every_key_and_has_no_keyword_that_servers_refuse():
    env = sandbox()
    for index in range(60):
        task = env.tasks.at(index)
        for tool in (*task.tools, finish_form(task).tool):
            for schema in schemas_in(strict(tool.parameters)):
                assert set(schema) <= KEYWORDS
                if "properties" in schema:
                    assert schema["required"] == list(schema["properties"])
                    assert schema["additionalProperties"] is False


@pytest.mark.parametrize("reasons", [None, {"no_tool": ["pay", "send"], "not_found": ["city", "pay"]}])
@pytest.mark.parametrize("gives_up", [False, True])
def test_a_strict_finish_has_one_shape_for_each_way_to_end(reasons: Any, gives_up: bool):
    answer = object_schema({"n": {"type": "integer"}})
    form = finish_form(
        Task("1", "How many?", (Tool("ping", "", {}),), answer=answer, cannot=reasons), gives_up=gives_up
    )
    specs = [json.loads(form.tool.spec)]
    contract = calls(specs).plain
    ends: dict[str, Any] = {"answer": {"n": 2}}
    ends |= {"cannot": {"reason": "not_found", "what": ["city"]}} if reasons else {}
    ends |= {"return_type": "give_up_and_restart"} if gives_up else {}
    for size in range(len(ends) + 1):
        for names in combinations(ends, size):
            arguments = {name: ends[name] for name in names}
            written = filled(form.tool.parameters, arguments)
            fits = jsonschema_rs.is_valid(contract, {"name": FINISH, "arguments": written})
            assert fits == (size == 1)
            if fits:
                assert turned_back(specs, FINISH, written) == arguments
                assert form.read(ToolCall(FINISH, arguments)).kind in ("answer", "give_up")


def test_a_list_of_distinct_listed_values_is_bounded_by_their_number():
    listed = {"type": "array", "items": {"enum": ["a", "b", "a"]}, "uniqueItems": True}
    assert strict(listed)["maxItems"] == 2
    assert strict({**listed, "maxItems": 1})["maxItems"] == 1
    assert "maxItems" not in strict({**listed, "uniqueItems": False})
    assert "maxItems" not in strict({**listed, "items": {"type": "string"}})


@pytest.mark.parametrize(
    ("schema", "form"),
    [
        ({"type": "string", "format": "date"}, {"type": ["string", "null"]}),
        ({"type": "string", "enum": ["a"]}, {"type": ["string", "null"], "enum": ["a", None]}),
        ({"const": 3}, {"enum": [3, None]}),
        ({"type": ["integer", "null"]}, {"type": ["integer", "null"]}),
        ({"anyOf": [{"type": "string"}]}, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        (
            {
                "type": "array",
                "items": {"type": "number", "tolerance": 1},
                "uniqueItems": True,
                "ordered": True,
            },
            {"type": ["array", "null"], "items": {"type": "number"}},
        ),
        ({}, {}),
    ],
)
def test_what_may_be_absent_may_be_null(schema: Any, form: Any):
    whole = strict({"type": "object", "properties": {"x": schema}})
    assert (whole["properties"]["x"], whole["required"]) == (form, ["x"])
    assert strict({"type": "object", "properties": {"x": schema}, "required": ["x"]})["required"] == ["x"]


def test_a_null_that_a_schema_takes_or_that_is_required_stays():
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": ["string", "null"]},
            "b": {"type": "string"},
            "c": {},
            "d": {"type": "string"},
        },
        "required": ["b"],
    }
    nulls = dict.fromkeys("abcde")
    assert given(schema, nulls) == {"a": None, "b": None, "c": None, "e": None}


SCHEMAS = st.recursive(
    st.sampled_from([{"type": kind} for kind in ("string", "integer", "boolean")] + [{"enum": ["a", 1]}]),
    lambda inner: (
        inner.map(lambda items: {"type": "array", "items": items})
        | st.dictionaries(st.sampled_from("abcd"), inner, max_size=3).flatmap(
            lambda parts: st.sets(st.sampled_from([*parts] or ["a"])).map(
                lambda names: {
                    "type": "object",
                    "properties": parts,
                    "required": sorted(names & parts.keys()),
                    "additionalProperties": False,
                }
            )
        )
    ),
    max_leaves=8,
)


def value_of(schema: Any, draw: Any) -> Any:
    if "enum" in schema:
        return draw(st.sampled_from(schema["enum"]))
    match schema["type"]:
        case "array":
            return [value_of(schema["items"], draw) for _ in range(draw(st.integers(0, 2)))]
        case "object":
            return {
                name: value_of(each, draw)
                for name, each in schema["properties"].items()
                if name in schema["required"] or draw(st.booleans())
            }
        case "integer":
            return draw(st.integers(-5, 5))
        case "boolean":
            return draw(st.booleans())
    return draw(st.text(max_size=3))


@drawn(st.dictionaries(st.sampled_from("xyz"), SCHEMAS, max_size=3), st.data())
def test_any_value_survives_the_strict_form_and_the_way_back(parts: Any, data: Any):
    schema = {
        "type": "object",
        "properties": parts,
        "required": sorted(parts)[:1],
        "additionalProperties": False,
    }
    value = value_of(schema, data.draw)
    assert jsonschema_rs.is_valid(schema, value)
    written = filled(schema, value)
    assert jsonschema_rs.is_valid(strict(schema), written)
    assert given(schema, written) == value
    assert not takes_null(schema)
