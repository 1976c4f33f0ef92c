"""Dials: conditions of an episode that its id carries."""

from __future__ import annotations

import json
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import stb_env
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError, DataError
from stb_env.suites.worlds.tasks.dials import Dials
from stb_env.suites.worlds.tasks.making import task_of
from tests.command import error_of, stb


@given(st.builds(Dials, budget=st.integers(0, 1000), faults=st.integers(0, 50), events=st.integers(0, 1)))
def test_an_id_tells_its_dials(dials: Dials) -> None:
    assert Dials.of(dials.suffix) == dials


@pytest.mark.parametrize("suffix", ["z1", "b0", "b150b150", "150", "b99999", "B150"])
def test_a_suffix_that_no_dials_have_is_no_task(suffix: str) -> None:
    with pytest.raises(DataError, match=r"no part of an id|no task"):
        task_of(f"vet_clinic-1.1.0.{suffix}")


def test_calls_over_the_budget_are_refused_and_gold_is_within_it() -> None:
    env: ToolEnv = stb_env.make("stb/Worlds-v0", split="train", level=2, budget=1.0)
    _, info = env.reset(seed=5)
    task = env.task
    budget = len(task.gold)
    assert f"You have {budget} calls." in task.query
    tool = next(each for each in task.tools if not each.parameters["required"])
    for count in range(1, budget + 2):
        observation, _, ended, cut, _ = env.step(json.dumps({"name": tool.name, "arguments": {}}))
        said = json.loads(observation["result"])["error"]
        assert ("budget" in said) == (count > budget)
        assert not ended
        assert not cut
    assert info["task_id"].endswith(".b100")


def test_a_budget_below_what_gold_needs_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"budget is 0 or from 1 to 10, got 0\.5"):
        stb_env.make("stb/Worlds-v0", budget=0.5)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"level": (1, 2, 3)}, r"level is a number from 1 to 6, or the first and last of a range"),
        ({"level": []}, r"level is .* such as level=\[2, 4\]; got \[\]"),
        ({"budget": math.nan}, "budget is 0 or from 1 to 10, got nan"),
        ({"faults": math.inf}, "faults is 0 or from 0.01 to 0.5, got inf"),
        ({"dirt": math.nan}, "dirt is 0 or from 0.01 to 0.5, got nan"),
        ({"pairs": 1.5, "policies": True}, "pairs is from 0 to 1, got 1.5"),
        ({"pairs": 0.5}, "add policies=true"),
        ({"tools": 1}, "tools is 0 or from 20 to 200, got 1"),
        ({"kit": "court_registry+vet_clinc"}, "unknown kit 'vet_clinc'.*Did you mean 'vet_clinic'"),
        ({"kit": "vineyard"}, "give split='test' or 'val'"),
        ({"kit": "court_registry+vet_clinic", "group": "I1-Instruction"}, "has no task with"),
    ],
)
def test_a_setting_out_of_its_range_is_refused(settings: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        stb_env.make("stb/Worlds-v0", **settings)


def test_levels_are_a_number_a_list_or_a_range_and_tasks_are_the_same() -> None:
    ways = [stb_env.make("stb/Worlds-v0", level=level).tasks for level in (3, [3], (3, 3), range(3, 4))]
    assert {each.levels for each in ways} == {range(3, 4)}
    assert len({each.hash for each in ways}) == 1


def test_several_kits_are_chosen_together() -> None:
    for kit in ("court_registry+vet_clinic", "vet_clinic+court_registry"):
        env = stb_env.make("stb/Worlds-v0", kit=kit, level=2)
        assert env.tasks.at(0).id.startswith("court_registry+vet_clinic-")


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ("vet_clinic-1.2.10.b", "the one of this number is vet_clinic-1.2.10.a"),
        ("vet_clinic-1.1.0.t500", r"t \(tools\) is from 20 to 200, got 500"),
        ("vet_clinic-1.1.0.b50", r"b \(budget\) is from 100 to 1000, got 50"),
        ("vet_clinic-1.1.0.e2", r"e \(events\) is 1, got 2"),
    ],
)
def test_an_id_that_is_no_tasks_is_refused(task: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        task_of(task)
    assert re.search(said, error_of(stb("run", "stb/Worlds-v0", "--agent", "gold", "--task", task)))


@pytest.mark.heavy
def test_gold_solves_with_all_dials_together() -> None:
    env: ToolEnv = stb_env.make(
        "stb/Worlds-v0", level=(1, 4), policies=True, budget=1.2, faults=0.2, events=True
    )
    agent = stb_env.load_agent("gold")()
    for seed in range(12):
        observation, info = env.reset(seed=seed)
        agent.reset(env, seed=0)
        over, reward = False, 0.0
        while not over:
            observation, reward, ended, cut, info = env.step(agent.act(observation, info))
            over = ended or cut
        assert reward == 1.0, info["task_id"]
