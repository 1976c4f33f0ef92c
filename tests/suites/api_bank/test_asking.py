"""The tool that asks the user for a value by name."""

from __future__ import annotations

import json

import gymnasium as gym
import pytest

import stb_env  # noqa: F401 (registers the ids)
from stb_env.errors import ConfigError
from stb_env.runs import plan, play
from stb_env.runs.baselines import load_agent

ABILITIES = ("Call", "Retrieve", "Plan")


def made(ability="Call", **settings):
    return gym.make(f"stb/APIBank{ability}-v1", ask_user=True, **settings).unwrapped


def ask(env, about):
    observation, *_ = env.step({"name": "ask_user", "arguments": {"about": about}})
    return int(observation["status"]), json.loads(observation["result"])["response"]


def asking(env):
    return next(tool for tool in env.task.tools if tool.name == "ask_user")


def test_the_user_tells_what_the_recorded_user_told():
    env = made()
    env.reset(seed=0, options={"task_id": "stock-price-1"})
    assert ask(env, "date") == (0, {"known": True, "values": ["2023-03-22"]})


def test_what_the_recorded_user_never_told_the_user_does_not_know():
    env = made()
    env.reset(seed=0, options={"task_id": "stock-price-1"})
    assert ask(env, "location") == (0, {"known": False, "values": []})
    assert ask(env, "token")[1]["known"] is False


def test_a_name_that_is_no_parameter_is_refused():
    env = made()
    env.reset(seed=0, options={"task_id": "stock-price-1"})
    assert ask(env, "weather")[0] == 2


@pytest.mark.parametrize("ability", ABILITIES)
def test_what_can_be_asked_for_is_the_same_in_every_task_of_a_level(ability):
    env = made(ability)
    offered = {task.tools[-1].spec for task in env.tasks}
    assert len(offered) == 1
    about = set(env.tasks[0].tools[-1].parameters["properties"]["about"]["enum"])
    assert all(set(task.record["knows"]) <= about for task in env.tasks)


@pytest.mark.parametrize("ability", ABILITIES)
def test_gold_solves_every_dialogue_and_a_question_more_changes_nothing(ability):
    env = made(ability)
    for job in plan(env.tasks, episodes=10):
        assert play(env, load_agent("gold")(), task_id=job.task_id, seed=job.seed).reward == 1.0
        env.reset(seed=0, options={"task_id": job.task_id})
        assert "ask_user" in env.step({"name": "ask_user", "arguments": {"about": "x"}})[0]["tools"]
        before = env.snapshot().backend
        for name in asking(env).parameters["properties"]["about"]["enum"]:
            assert ask(env.fork(), name)[0] == 0
        assert env.snapshot().backend is before


def test_who_only_asks_earns_nothing():
    env = made()
    env.reset(seed=0, options={"task_id": "stock-price-1"})
    ask(env, "date")
    for _ in range(3):
        _, reward, terminated, _, info = env.step("Thank you.")
        if terminated:
            break
    assert (reward, info["verdict"]["parts"]) == (0.0, {"act:1 QueryStock": False})


def test_scenes_have_no_such_tool():
    with pytest.raises(ConfigError, match=r"^scenes are a part of the official data of Plan"):
        made("Plan", scenes=True)
