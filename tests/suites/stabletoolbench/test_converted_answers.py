"""Converted answers: entries as trajectories, and back."""

from __future__ import annotations

import pytest
from hypothesis import given

from stb_env.errors import DataError
from stb_env.formats.imported import Origin
from stb_env.suites.stabletoolbench.answers import converted_entry
from stb_env.suites.stabletoolbench.answers.conversion import entry_of, tool_detail
from stb_env.suites.stabletoolbench.converted_answers import is_converted, read_entry
from tests.formats.trees import decoded, episodes

ANSWER = '{"return_type": "give_answer", "final_answer": "4"}'
GIVE_UP = '{"return_type": "give_up_and_restart"}'
TOOLS = [{"name": "add"}, {"name": "Finish"}]


def entry(*details, final="", method="CoT@1"):
    return entry_of("Two and two?", TOOLS, method, final, details)


ADD, THOUGHT = tool_detail("add", '{"n":\n 2}', '{"error": "", "response": "four"}'), ("assistant", "Hm.")


@pytest.mark.parametrize(
    "value",
    [
        entry(THOUGHT, ADD, tool_detail("Finish", ANSWER, ""), final=ANSWER),
        entry(ADD, tool_detail("Finish", GIVE_UP, ""), final=GIVE_UP, method="DFS_woFilter_w2"),
        entry(ADD, tool_detail("Finish", GIVE_UP, "chose to"), method="DFS_woFilter_w2"),
        entry(ADD, tool_detail("Finish", "{}", ""), tool_detail("Finish", ANSWER, ""), final=ANSWER),
        entry(THOUGHT, THOUGHT, method="virtual_model_cot"),
        entry(),
    ],
)
def test_an_entry_comes_back_as_it_was(value):
    assert converted_entry(read_entry(value, Origin("1"))) == value


@given(episodes())
def test_what_any_episode_converts_to_comes_back_as_it_was(episode):
    value = decoded(converted_entry(episode))
    assert decoded(converted_entry(read_entry(value, Origin("1")))) == value


def test_an_answer_that_is_no_finish_ended_without_one():
    episode = read_entry(entry(ADD, final=ANSWER), Origin("1"))
    assert (episode.final_answer, episode.valid, episode.verdict["status"]) == ("", True, "unsolved")


def test_of_several_ways_the_last_is_read():
    value = entry(ADD)
    value["answer"]["answer_details"][0]["next"][0]["next"].append(
        {"role": "assistant", "message": "Hm.", "next": []}
    )
    assert [step.get("text") for step in read_entry(value, Origin("1")).steps] == ["Hm."]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({}, "malformed entry of converted answers: KeyError: 'answer'"),
        ({"answer": 3}, "malformed entry"),
        (entry(("tool", {})), "KeyError: 'name'"),
        (entry() | {"available_tools": None}, "TypeError"),
    ],
)
def test_a_malformed_entry_says_what_is_wrong(value, message):
    with pytest.raises(DataError, match=message):
        read_entry(value, Origin("1"))


@pytest.mark.parametrize("value", [{}, [], {"1": 3}, {"1": {"answer": {}}}, {"tree": {"answer": None}}, None])
def test_other_files_are_not_taken_for_converted_answers(value):
    assert not is_converted(value)
