"""Shaped rewards."""

from __future__ import annotations

from typing import Any

import pytest
from gymnasium.error import ResetNeeded

import stb_env
from stb_env.backend.world import Tables
from stb_env.core.request import Slow
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import BackendError, ConfigError
from stb_env.testing.notes import TASKS, Notebook, NotesJudge, notes
from stb_env.tools import Tool, ToolCall, ToolResult
from stb_env.wrappers import RewardShaping

ADD = {"name": "add_note", "arguments": {"text": "Call the bank"}}
FIND = {"name": "find_notes", "arguments": {"word": "dentist"}}
DONE = {"name": "Finish", "arguments": {"return_type": "give_answer", "final_answer": "Done."}}
GIVE_UP = {"name": "Finish", "arguments": {"return_type": "give_up_and_restart"}}


def started_with_half(task: Any, state: Any, calls: Any) -> float:
    """Return a potential that is not 0 at the start."""
    return 0.5 + 0.1 * len(calls)


def episode(actions: list[Any], discount: float = 1.0, **settings: Any) -> tuple[float, float]:
    """Return the discounted return with and without shaping."""
    env = RewardShaping(notes(max_turns=4), started_with_half, discount=discount, **settings)
    env.reset(seed=0, options={"task_id": "write"})
    shaped = plain = 0.0
    for turn, action in enumerate(actions):
        _, reward, _, _, info = env.step(action)
        shaped += discount**turn * reward
        plain += discount**turn * info["reward_parts"]["reward"]
    return shaped, plain


@pytest.mark.parametrize("discount", [1.0, 0.9])
@pytest.mark.parametrize(
    "actions", [[ADD, DONE], [FIND, ADD, DONE], [GIVE_UP], ["talk", "talk", "talk", FIND]]
)
def test_a_potential_moves_every_return_by_what_it_is_at_the_start(actions: list[Any], discount: float):
    shaped, plain = episode(actions, discount)
    assert shaped - plain == pytest.approx(-0.5)


def test_each_call_has_its_price_and_finish_has_none():
    shaped, plain = episode([[FIND, ADD], DONE], call_cost=0.2)
    assert shaped - plain == pytest.approx(-0.5 - 0.4)


def test_the_parts_of_a_reward_add_up():
    env = RewardShaping(notes(), started_with_half, call_cost=0.1)
    env.reset(seed=0, options={"task_id": "write"})
    for action in (ADD, DONE):
        _, reward, _, _, info = env.step(action)
        assert sum(info["reward_parts"].values()) == pytest.approx(reward)


class Broken(Notebook):
    """A notebook that nobody can reach."""

    def answer(self, state: Tables, tool: Tool, call: ToolCall) -> Slow[tuple[ToolResult, Tables]]:
        yield from ()
        raise BackendError("nobody answers", stage="world")


def test_an_episode_that_failed_earns_nothing_at_its_last_step():
    env = RewardShaping(ToolEnv(TASKS, Broken(), NotesJudge()), started_with_half, call_cost=0.1)
    env.reset(seed=0)
    _, reward, _, truncated, info = env.step(FIND)
    assert (reward, truncated, info["valid"]) == (0.0, True, False)


def test_a_fork_goes_on_from_the_potential_of_its_origin():
    env = RewardShaping(notes(), started_with_half)
    env.reset(seed=0)
    env.step(FIND)
    assert env.fork().step(FIND)[1] == env.step(FIND)[1] == pytest.approx(0.1)


def test_stepping_before_reset_raises_gymnasiums_own_error():
    with pytest.raises(ResetNeeded, match=r"^no episode is running; call env\.reset\(\) first$"):
        RewardShaping(notes()).step(FIND)


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"discount": 0.0}, r"^discount must be above 0 and at most 1, got 0.0$"),
        ({"discount": 1.1}, r"^discount must be above 0 and at most 1, got 1.1$"),
        ({"discount": float("nan")}, r"^discount must be above 0 and at most 1, got nan$"),
        ({"discount": "0.9"}, r"^discount must be a number, got '0.9'$"),
        ({"call_cost": -1.0}, r"^call_cost must be at least 0 and finite, got -1.0$"),
        ({"call_cost": float("nan")}, r"^call_cost must be at least 0 and finite, got nan$"),
        ({"call_cost": float("inf")}, r"^call_cost must be at least 0 and finite, got inf$"),
        ({"potential": 0.5}, r"^potential must be None or a function, got 0.5$"),
    ],
)
def test_a_setting_out_of_range_is_refused(settings: dict[str, float], error: str):
    with pytest.raises(ConfigError, match=error):
        RewardShaping(notes(), **settings)


@pytest.mark.parametrize("found", [float("nan"), float("inf"), "x", None], ids=repr)
def test_a_potential_that_is_no_finite_number_is_refused_where_it_is_met(found: Any):
    env = RewardShaping(notes(), lambda task, state, calls: found if calls else 0.0)
    env.reset(seed=0, options={"task_id": "write"})
    with pytest.raises(
        ConfigError,
        match=rf"^the potential must be a finite number, got {found!r} in task 'write' after 1 calls$",
    ):
        env.step(FIND)


def test_a_second_potential_is_refused():
    with pytest.raises(ConfigError, match=r"^this environment shapes its rewards by a potential already"):
        RewardShaping(stb_env.make("stb/Sandbox-v1", reward="dense"), started_with_half)
