from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.actions.validation import validate_call
from stb_env.backend.cache.key import canonical
from stb_env.backend.call_writer import CallWriter
from stb_env.backend.simulator.shown_example import ShownExample
from stb_env.core.request import drive
from stb_env.errors import ConfigError, DataError
from stb_env.models import ChatReply, ModelError, ScriptedModel, Usage
from stb_env.suites.stabletoolbench import queries as stabletoolbench
from stb_env.tools import Tool, ToolCall, ToolId
from tests.shared import queries

CITY = {"type": "string", "default": "Oslo"}
UNIT = {"type": "string", "enum": ["C", "F"]}


def tool(*required, api="Now", **properties):
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return Tool("now_for_weather", "Weather now.", schema, ToolId.of("Weather", "Sky", api))


NOW = tool("city", city=CITY, unit=UNIT)
OPEN = tool("q", q={}, n={"type": "number"})


def written(given_tool=NOW, count=1, seed=0):
    return drive(CallWriter(seed=seed).write(given_tool, count))


def asked(*replies, given_tool=NOW, count=1, examples=()):
    model = ScriptedModel(replies)
    return drive(CallWriter(model).write(given_tool, count, examples)), model.requests


def calls(*arguments):
    return json.dumps({"calls": arguments})


def is_valid(given_tool, arguments):
    return not validate_call(ToolCall(given_tool.name, arguments), given_tool)


def parameters():
    """JSON Schemas of one parameter, of the kinds that the data sets and the worlds have."""
    bounds = st.integers(-5, 5)
    return st.one_of(
        st.sampled_from(
            [
                {"type": "string"},
                {"type": "string", "default": "x"},
                {"type": "string", "format": "date"},
                {"type": "string", "minLength": 3, "maxLength": 4},
                {"type": "boolean"},
                {"type": "null"},
                {"type": ["number", "string"], "default": "a"},
                {"type": "array", "items": {"type": "integer"}},
                {"type": "array", "items": {}, "minItems": 1},
                {"type": "object"},
                {"type": "object", "properties": {"a": {"type": "number"}}, "required": ["a"]},
                {"type": "number", "minimum": 0.2, "maximum": 0.8},
                {"type": "number", "exclusiveMinimum": 0},
                {"const": 7},
                {},
            ]
        ),
        st.builds(
            lambda low, span: {"type": "integer", "minimum": low, "maximum": low + span},
            bounds,
            st.integers(0, 9),
        ),
        st.builds(
            lambda options: {"enum": options},
            st.lists(st.integers() | st.text(max_size=3), min_size=1, max_size=4),
        ),
    )


@st.composite
def tools(draw):
    properties = draw(
        st.dictionaries(st.sampled_from(["city", "id", "page", "date", "q", "limit"]), parameters())
    )
    return tool(*[name for name in properties if draw(st.booleans())], **properties)


@given(given_tool=tools(), count=st.integers(0, 12), seed=st.integers(0, 9))
def test_calls_fit_the_schema_and_no_two_are_the_same(given_tool, count, seed):
    made = written(given_tool, count, seed)
    assert all(is_valid(given_tool, arguments) for arguments in made)
    assert len({canonical(arguments) for arguments in made}) == len(made)
    assert len(made) + made.missing == count


def test_the_documented_defaults_come_first():
    made = written(tool("city", city=CITY, unit=UNIT, days={"type": "number", "default": 3}), 3)
    assert made[:2] == [{"city": "Oslo"}, {"city": "Oslo", "days": 3}]


@pytest.mark.parametrize(
    ("properties", "required", "possible"),
    [
        ({}, (), 1),
        ({"unit": UNIT}, ("unit",), 2),
        ({"unit": UNIT}, (), 3),
        ({"unit": UNIT, "flag": {"type": "boolean"}}, ("unit",), 6),
        ({"n": {"type": "integer", "minimum": 3, "maximum": 7}}, ("n",), 5),
        ({"n": {"enum": [1, 2, 3]}, "m": {"enum": ["a", "b"]}, "o": {"type": "null"}}, ("n",), 18),
        # For an API, a number and its text are the same.
        ({"n": {"enum": [1, "1", 2]}}, ("n",), 2),
    ],
)
def test_every_call_that_a_finite_schema_allows_is_found(properties, required, possible):
    made = written(tool(*required, **properties), 50)
    assert (len(made), made.missing) == (possible, 50 - possible)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string"},
        {"type": "string", "format": "date"},
        {"type": "number"},
        {"type": "number", "minimum": 0, "maximum": 1},
        {"type": "integer"},
        {"type": "array", "items": {"type": "integer"}},
        {"type": "object"},
    ],
    ids=json.dumps,
)
@pytest.mark.parametrize("name", ["city", "page", "language", "message"])
def test_an_open_parameter_never_runs_out_of_values(schema, name):
    assert written(tool(name, **{name: schema}), 40).missing == 0


def test_what_no_call_can_satisfy_gives_none_and_says_so():
    impossible = tool("n", n={"type": "integer", "minimum": 2, "maximum": 1})
    assert (written(impossible, 3), written(impossible, 3).missing) == ([], 3)


@pytest.mark.heavy
def test_the_same_tool_and_seed_give_the_same_calls_in_every_process():
    script = "from tests.backend.test_call_writer import *; print(json.dumps(written(OPEN, 9)))"
    runs = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert runs == {(json.dumps(written(OPEN, 9)) + "\n").encode()}


@pytest.mark.parametrize(("changes", "seed"), [({}, 1), ({"api": "Later"}, 0)])
def test_another_seed_or_tool_gives_other_variants(changes, seed):
    place = {"type": "string"}
    assert written(tool("q", q=place), 5) != written(tool("q", q=place, **changes), 5, seed)


@pytest.mark.heavy
def test_every_api_of_the_queries_gets_its_calls(shared_data):
    loaded = stabletoolbench.load(queries(shared_data))
    for given_tool in {api for task in loaded.tasks for api in task.tools}:
        made = written(given_tool, 3)
        assert made
        assert all(is_valid(given_tool, arguments) for arguments in made)
        if any(schema.get("type") == "string" for schema in given_tool.parameters["properties"].values()):
            assert made.missing == 0
        properties = given_tool.parameters["properties"]
        assert all(properties[name].get("default", value) == value for name, value in made[0].items())


def test_broken_schemas_are_reported():
    with pytest.raises(DataError, match="tool 'now_for_weather' has a broken schema"):
        written(tool(n={"type": "integer", "minimum": "3"}))


@pytest.mark.parametrize("model", [None, ScriptedModel([])])
def test_a_negative_count_is_refused(model):
    with pytest.raises(ConfigError, match=r"^count must be at least 0 calls, got -1$"):
        drive(CallWriter(model).write(NOW, -1))


@pytest.mark.parametrize(
    "reply",
    [
        calls({"city": "Rome"}, {"city": "Bern", "unit": "C"}),
        f"Here:\n```json\n{calls({'city': 'Rome'}, {'city': 'Bern', 'unit': 'C'})}\n```",
        '[{"city": "Rome"}, {"city": "Bern", "unit": "C"}]',
        '{"calls": [{"city": "Rome",}, {"city": "Bern", "unit": "C"}',
    ],
)
def test_a_models_calls_are_taken_in_any_of_the_forms_that_models_write(reply):
    made, requests = asked(reply, count=2)
    assert made == [{"city": "Rome"}, {"city": "Bern", "unit": "C"}]
    assert (made.missing, made.dropped, len(requests)) == (0, 0, 1)


def test_a_lone_arguments_object_is_one_call():
    assert asked('{"city": "Rome"}')[0] == [{"city": "Rome"}]


def test_a_models_arguments_are_coerced_without_loss():
    assert asked(calls({"n": "5"}), given_tool=tool("n", n={"type": "integer"}))[0] == [{"n": 5}]


def test_more_calls_than_wanted_are_left_out():
    made, _ = asked(calls({"city": "Rome"}, {"city": "Bern"}), count=1)
    assert (made, made.dropped) == ([{"city": "Rome"}], 0)


def test_bad_calls_are_dropped_and_new_ones_asked_for_with_the_problems_named():
    first = calls({"city": "Rome"}, {"town": "Bern"}, 3, {"city": "Rome"})
    made, requests = asked(first, calls({"city": "Bern"}), count=2)
    assert (made, made.missing, made.dropped) == ([{"city": "Rome"}, {"city": "Bern"}], 0, 3)
    assert json.loads(requests[1].messages[-1]["content"]) == {
        "problems": [
            "call 2: unknown parameter 'town'.",
            "call 2: missing required parameter 'city' (string)",
            "call 3: expected an object of arguments, got int",
            "call 4: the same as another call",
        ],
        "accepted": [{"city": "Rome"}],
        "wanted": 1,
    }


def test_what_a_model_cannot_write_in_three_attempts_is_missing():
    refused = ModelError("the model refused: no", retryable=True, usage=Usage(calls=1))
    made, requests = asked("no idea", refused, calls({"city": "Rome"}), count=2)
    assert (made, made.missing, len(requests)) == ([{"city": "Rome"}], 1, 3)
    assert made.usage.calls == 3
    assert json.loads(requests[1].messages[-1]["content"]) == {
        "problems": ["expected a JSON object with calls"],
        "accepted": [],
        "wanted": 2,
    }


def test_the_usage_of_all_attempts_is_added_up():
    replies = [
        ChatReply({"role": "assistant", "content": text}, usage=Usage(3, 2, 5, calls=1))
        for text in ("no idea", calls({"city": "Rome"}))
    ]
    assert asked(*replies)[0].usage == Usage(6, 4, 10, calls=2)


def test_a_failure_of_the_model_passes_at_the_stage_of_the_writer():
    with pytest.raises(ModelError, match=r"^down$") as caught:
        asked(ModelError("down", kind="transport"))
    assert (caught.value.kind, caught.value.stage) == ("transport", "call_writer")


def test_a_model_sees_number_documentation_and_examples():
    _, requests = asked(
        calls({"city": "Rome"}),
        examples=[ShownExample({"city": "Bonn"}, "", {"temp": 4}), "Too many requests"],
    )
    system, user = (message["content"] for message in requests[0].messages)
    assert "Write 1 different requests" in system
    assert '"name": "city", "required": true' in user
    assert '{"arguments": {"city": "Bonn"}, "error": "", "response": {"temp": 4}}' in user
    assert "Too many" not in user
    assert requests[0].response_format == {"type": "json_object"}


def test_a_models_sampling_is_seeded_by_tool_and_seed():
    def seed_of(given_tool, seed):
        model = ScriptedModel([calls({"city": "Rome"})])
        drive(CallWriter(model, seed=seed).write(given_tool))
        return model.requests[0].sampling.seed

    other = tool("city", api="Later", city=CITY)
    assert seed_of(NOW, 0) == seed_of(NOW, 0)
    assert len({seed_of(NOW, 0), seed_of(NOW, 1), seed_of(other, 0)}) == 3
