"""Searches and shaped rewards in generated worlds, under dials."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

import stb_env
from stb_env import Task, load_agent, play
from stb_env.core.jsontypes import JsonObject
from stb_env.envs.tool_env import ToolEnv
from stb_env.suites.worlds.judge import ExactJudge
from stb_env.wrappers import DepthFirstSearch, MonteCarloTreeSearch, ToolWrapper
from stb_env.wrappers.search.value import JudgeValue

DIALS: JsonObject = {"level": 2, "hidden": 2, "faults": 0.2, "budget": 1.2, "policies": True}
REFUSAL = {"reason": "policy", "what": ["P1"]}
TRUTH = JudgeValue(ExactJudge(), oracle=True)
GIVE_UP = {"name": "Finish", "arguments": {"return_type": "give_up_and_restart"}}


def made(**settings: object) -> ToolEnv:
    env = stb_env.make("stb/Worlds-v0", **DIALS, **settings)
    assert isinstance(env, ToolEnv)
    return env


def changing(count: int) -> list[Task]:
    """Return tasks that gold solves by changing something."""
    source = made().tasks
    found = (source.at(index) for index in itertools.count())
    fit = (task for task in found if task.goal["changes"] and not task.goal.get("cannot"))
    return list(itertools.islice(fit, count))


@pytest.mark.parametrize(
    ("search", "first"),
    [
        (lambda env: DepthFirstSearch(env, max_depth=80), GIVE_UP),
        (
            lambda env: MonteCarloTreeSearch(env, TRUTH, max_depth=80, answers=2),
            {"name": "Finish", "arguments": {"cannot": REFUSAL}},
        ),
    ],
    ids=["dfs", "uct"],
)
@pytest.mark.parametrize("second", [True, False], ids=["gold", "wrong twice"])
def test_a_search_goes_back_under_all_dials(
    search: Callable[[ToolEnv], ToolWrapper], first: JsonObject, second: bool
) -> None:
    task = changing(1)[0]
    env = search(made())
    _, info = env.reset(seed=0, options={"task_id": task.id})
    endings = [
        first,
        {"name": "Finish", "arguments": {"answer": task.goal["answer"]} if second else {"cannot": REFUSAL}},
    ]
    # How many of gold's calls lead to each node.
    made_calls, over, went_back = {info["node"]: 0}, False, False
    while not over:
        done = made_calls[info["node"]]
        if done < len(task.gold):
            action: JsonObject = {"name": task.gold[done].name, "arguments": task.gold[done].arguments}
        else:
            action = endings.pop(0)
        _, reward, terminated, truncated, info = env.step(action)
        over = terminated or truncated
        if not over:
            went_back = went_back or info["node"] in made_calls
            made_calls.setdefault(info["node"], done + 1)
    assert went_back
    assert (reward, info["verdict"]["status"]) == ((1.0, "solved") if second else (0.0, "unsolved"))


def test_dense_rewards_add_up_to_the_verdict() -> None:
    env, sparse = made(reward="dense"), made()
    for task in changing(2):
        for name, wanted in (("gold", 1.0), ("noop", 0.0)):
            episodes = [play(each, load_agent(name)(), task_id=task.id, seed=0) for each in (env, sparse)]
            assert [episode.reward for episode in episodes] == pytest.approx([wanted, wanted])
        gained = [step["reward"] for step in play(env, load_agent("gold")(), task_id=task.id, seed=0).steps]
        assert sum(gained[:-1]) == pytest.approx(1.0)
        assert 0.0 < max(gained) < 1.0
