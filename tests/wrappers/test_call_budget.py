"""A budget of calls."""

from __future__ import annotations

from typing import Any

import pytest

from stb_env.errors import ConfigError
from stb_env.runs import Agent, play
from stb_env.testing.notes import notes
from stb_env.wrappers import CallBudget, FaultInjection, ToolRetrieval

FIND = {"name": "find_notes", "arguments": {"word": "dentist"}}
ADD = {"name": "add_note", "arguments": {"text": "Call the bank"}}
DONE = {"name": "Finish", "arguments": {"return_type": "give_answer", "final_answer": "Done."}}
SPENT = "the budget of 1 calls is spent; call Finish with what you know"


class Spendthrift(Agent):
    """Looks before it leaps, and cannot afford to."""

    name = "spendthrift"

    def act(self, observation: Any, info: Any) -> Any:
        return [FIND, ADD, DONE][observation["turn"]]


def started(calls: int = 1, task_id: str = "write", **settings: Any) -> CallBudget:
    env = CallBudget(notes(**settings), calls)
    env.reset(seed=0, options={"task_id": task_id})
    return env


def test_a_call_beyond_the_budget_is_not_made():
    env = started()
    env.step(FIND)
    observation, *_, info = env.step(ADD)
    assert (info["calls"][0]["error"], info["calls"][0]["source"], observation["status"]) == (SPENT, "env", 1)
    assert len(env.unwrapped.snapshot().backend.table("notes")) == 2


def test_several_calls_of_one_action_spend_it_one_by_one():
    *_, info = started().step([ADD, ADD])
    assert [call["error"] for call in info["calls"]] == ["", SPENT]
    assert info["calls_left"] == 0


def test_finish_is_always_free():
    env = started(0)
    assert env.step(DONE)[2] is True
    env = started(1)
    env.step(ADD)
    assert env.step(DONE)[1] == 1.0


@pytest.mark.parametrize(
    "action", ["text", {"name": "add_nte", "arguments": {}}, {"name": "add_note", "arguments": {}}]
)
def test_what_reaches_no_api_costs_nothing(action: Any):
    observation, *_, info = started().step(action)
    assert observation["calls_left"] == info["calls_left"] == 1


def test_a_refused_call_costs_a_turn():
    observation, _, _, truncated, _ = started(0, max_turns=1).step(ADD)
    assert (observation["turn"], truncated) == (1, True)


def test_searches_for_tools_are_free():
    env = ToolRetrieval(CallBudget(notes(), 1))
    env.reset(seed=0, options={"task_id": "write"})
    env.step({"name": "search_tools", "arguments": {"query": "write a note"}})
    assert env.step(ADD)[4]["calls_left"] == 0
    assert env.step(ADD)[4]["calls"][0]["error"] == SPENT


def test_a_call_that_fails_by_a_fault_is_paid_for():
    env = CallBudget(FaultInjection(notes(), {"errors": {"503": 1.0}}), 1)
    env.reset(seed=0)
    assert env.step(FIND)[4]["calls_left"] == 0


def test_a_trajectory_records_what_was_refused():
    episode = play(CallBudget(notes(), 1), Spendthrift(), task_id="write", seed=0)
    assert [call["error"] for step in episode.steps for call in step["calls"]] == ["", SPENT, ""]
    assert (episode.reward, episode.valid) == (0.0, True)


def test_the_given_environment_stays_as_it_is():
    inner = notes()
    CallBudget(inner, 0)
    inner.reset(seed=0)
    assert inner.step(ADD)[0]["status"] == 0


def test_a_budget_below_zero_and_a_second_budget_are_refused():
    with pytest.raises(ConfigError, match=r"^calls must be at least 0, got -1$"):
        CallBudget(notes(), -1)
    with pytest.raises(ConfigError, match=r"no budget yet$"):
        CallBudget(CallBudget(notes(), 2), 1)
