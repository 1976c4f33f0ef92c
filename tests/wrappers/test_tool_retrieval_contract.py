"""The environment contract of an open catalogue, and play in it."""

from __future__ import annotations

import asyncio
import json
import pickle

import gymnasium as gym
import pytest
from gymnasium.utils.env_checker import check_env

from stb_env.envs.tool_env import ToolEnv
from stb_env.runs import play
from stb_env.runs.baselines import load_agent
from stb_env.runs.baselines.null import answer
from stb_env.tools import ToolCall, ToolResult
from stb_env.wrappers import ToolWrapper
from stb_env.wrappers.tool_retrieval import ToolRetrieval
from tests.wrappers.test_tool_retrieval import REFUSED, SUN, TASK, offered, sandbox, search, started

GROUPS = ["I1Instruction", "I1Category", "I1Tool", "I2Instruction", "I2Category", "I3Instruction"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["Sandbox-v1", *(f"{group}-v0" for group in GROUPS)])
def test_gymnasium_accepts_an_open_catalogue(name: str):
    check_env(ToolRetrieval(gym.make(f"stb/{name}")), skip_render_check=True)


def test_equal_actions_give_equal_episodes_stepped_or_awaited():
    env, other = started(), started()
    for action in (search("sunrise and sunset"), SUN, REFUSED):
        assert env.step(action) == asyncio.run(other.astep(action))


def test_a_fork_finds_for_itself():
    env = started()
    branch = env.fork()
    branch.step(search("sunrise and sunset"))
    assert env.step(SUN)[0]["status"] == 3
    assert branch.step(SUN)[0]["status"] == 0


def test_a_pickled_snapshot_continues_elsewhere_with_what_was_found():
    env, other = started(), ToolRetrieval(sandbox())
    env.step(search("sunrise and sunset"))
    other.restore(pickle.loads(pickle.dumps(env.snapshot())))
    assert other.step(SUN) == env.step(SUN)
    assert other.snapshot() == env.snapshot()


def test_restoring_takes_back_what_was_found():
    env = started()
    before = env.snapshot()
    env.step(search("sunrise and sunset"))
    env.restore(before)
    observation = env.step(SUN)[0]
    assert observation["status"] == 3
    assert offered(observation) == ["search_tools", "Finish"]


def test_a_new_episode_has_found_nothing():
    env = started()
    env.step(search("sunrise and sunset"))
    env.reset(seed=0, options=TASK)
    assert env.step(SUN)[0]["status"] == 3


def test_the_given_environment_stays_as_it_is():
    inner = sandbox()
    inner.reset(seed=0, options=TASK)
    env = ToolRetrieval(inner)
    env.reset(seed=0)
    assert inner.step(SUN)[0]["status"] == 0
    assert inner.snapshot().turn == 1


def test_searches_are_part_of_the_conversation():
    env = started()
    env.step(search("sunrise and sunset"))
    assistant, answer = env.messages[-2:]
    assert assistant["tool_calls"][0]["function"]["name"] == "search_tools"
    assert answer["role"] == "tool"


def test_a_search_costs_the_action_that_makes_it():
    env = ToolRetrieval(sandbox(max_turns=1))
    env.reset(seed=0, options=TASK)
    observation, _, terminated, truncated, _ = env.step(search("sunrise and sunset"))
    assert (observation["turn"], terminated, truncated) == (1, False, True)


def test_other_wrappers_may_be_inside_and_outside():
    env = ToolWrapper(ToolRetrieval(ToolWrapper(sandbox())))
    env.reset(seed=0, options=TASK)
    env.step(search("sunrise and sunset"))
    assert env.fork().step(SUN)[0]["status"] == env.step(SUN)[0]["status"] == 0


def test_a_spec_makes_the_wrapped_environment_again():
    spec = ToolRetrieval(sandbox(), retriever="bm25", k=2).spec
    assert spec is not None
    again = gym.make(spec)
    observation, _ = again.reset(seed=0, options=TASK)
    assert offered(observation) == ["search_tools", "Finish"]
    assert len(offered(again.step(search("weather"))[0])) == 4


def test_a_vector_environment_takes_it():
    envs = gym.vector.SyncVectorEnv([lambda: ToolRetrieval(sandbox())] * 2)
    envs.reset(seed=[0, 1])
    observations, *_, infos = envs.step([json.dumps(REFUSED)] * 2)
    assert list(observations["status"]) == [6, 6]
    assert list(infos["retrieval"]["searches"]) == [0, 0]


def test_the_oracle_solves_tasks_whose_tools_it_searches_first():
    env = ToolRetrieval(sandbox(), always=())
    for index in range(0, 60, 7):
        task = env.tasks.at(index)
        env.reset(seed=index, options={"task_id": task.id})
        assert _play_oracle(env) == 1.0


def _play_oracle(env: ToolRetrieval) -> float:
    inner = env.unwrapped
    assert isinstance(inner, ToolEnv)
    assert inner.oracle is not None
    plan = inner.oracle(env.task)
    try:
        call: ToolCall = next(plan)
        while True:
            documentation = next(each for each in env.task.tools if each.name == call.name)
            wanted = search(f"{call.name} {documentation.description}", k=1)
            env.step(wanted)
            info = env.step({"name": call.name, "arguments": call.arguments})[4]
            got = info["calls"][-1]
            call = plan.send(ToolResult.of(got["response"], error=got["error"], source=got["source"]))
    except StopIteration as stop:
        return float(env.step(answer(stop.value))[1])


@pytest.mark.parametrize("name", ["noop", "give_up", "echo", "inject", "random"])
def test_undeserving_agents_get_nothing(name: str):
    env = ToolRetrieval(sandbox())
    agent = load_agent(name)()
    for index in range(5):
        trajectory = play(env, agent, task_id=env.tasks.at(index).id, seed=index)
        assert (trajectory.valid, trajectory.reward) == (True, 0.0)
