"""Actions become calls by default, and stay whole programs where the original's verdict is wanted."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.suites.sambanova.common.form.reader import form_reader, original_reader
from stb_env.suites.sambanova.trip_booking.env import API
from stb_env.tools import ToolCall

read, read_whole = form_reader(API), original_reader(API)
OMAHA = {"value": {"location": "Omaha"}}
NESTED = {"name": "Loc", "arguments": {"location": "Omaha"}}


@pytest.mark.parametrize(
    "action",
    [
        'API.set_origin(Loc("Omaha"))',
        'place = Loc("Omaha")\nAPI.set_origin(place)',
        '```\nx = Loc("Omaha")\nAPI.set_origin(x)\n```',
        {"name": "set_origin", "arguments": OMAHA},
        {"name": "set_origin", "arguments": {"value": NESTED}},
        '{"name": "set_origin", "arguments": {"value": {"location": "Omaha"}}}',
        'Thought: go.\nAction: set_origin\nAction Input: {"value": {"location": "Omaha"}}',
    ],
)
def test_every_form_of_a_call_is_the_same_call(action: Any):
    (call,) = read(action).calls
    assert (call.name, call.arguments) == ("set_origin", OMAHA)


@pytest.mark.parametrize("action", ['set_origin(Loc("Omaha"))'])
def test_a_program_without_prefix_is_read_by_position(action: str):
    (call,) = read(action).calls
    assert (call.name, call.arguments) == ("set_origin", {"*": [{"location": "Omaha"}]})


FENCED = "Here:\n```python\nfor n in (1, 2):\n    API.set_num_adults(n)\n```\n"
END = '{"name": "Finish", "arguments": {"return_type": "give_answer", "final_answer": "x"}}'


@pytest.mark.parametrize(("action", "end"), [(FENCED, []), (FENCED + END, ["Finish"])])
def test_a_program_in_a_fence_runs_its_loops_and_finish_may_follow(action: str, end: list[str]):
    assert [call.name for call in read(action).calls] == ["set_num_adults", "set_num_adults", *end]


def test_a_program_may_begin_as_a_list():
    calls = read("[API.set_num_adults(n) for n in (1, 2)]").calls
    assert [call.arguments for call in calls] == [{"value": 1}, {"value": 2}]


def test_a_program_that_does_not_run_through_makes_no_call_of_its_loops():
    calls = read("for n in (1, 2):\n    API.set_num_adults(n)\nAPI.set_origin(home)").calls
    assert [call.name for call in calls].count("set_num_adults") < 2


@pytest.mark.parametrize(
    "value", [{"name": "Loc", "arguments": {"*": ["a", "b"]}}, {"name": "Place"}, [NESTED]]
)
def test_what_is_no_value_of_the_form_stays_as_it_is(value: Any):
    assert read({"name": "set_origin", "arguments": {"value": value}}).calls[0].arguments == {"value": value}


@pytest.mark.parametrize(
    "text", ["API.search()", "Here you go:", "```\nAPI.search()\n```", "search()", "x = y"]
)
def test_a_text_is_one_whole_program_for_the_original(text: str):
    assert read_whole(text).calls == (ToolCall("program", {"text": text}, "call_0"),)


def test_json_is_a_call_for_the_original_too():
    action = {"name": "set_origin", "arguments": {"value": NESTED}}
    assert read_whole(action).calls[0].arguments == OMAHA
    assert read_whole('{"name": "search", "arguments": {}}').calls[0].name == "search"


@pytest.mark.parametrize("text", ["", "  ", "# a comment", None])
def test_nothing_is_no_program(text: Any):
    assert read_whole(text).calls == read(text).calls == ()


def test_finish_ends_a_whole_program():
    text = 'API.search()\nFinish("give_answer", "done")'
    assert [call.name for call in read_whole(text).calls] == ["program", "Finish"]
    assert [call.name for call in read_whole('Finish("give_answer", "done")').calls] == ["Finish"]
    assert [call.name for call in read(text).calls] == ["search", "Finish"]


@given(
    st.recursive(
        st.none() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_any_data_is_read(action: Any):
    read(action)
    read_whole(action)
