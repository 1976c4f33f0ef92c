"""The environment contract, kept by every wrapper."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Discrete
from gymnasium.utils.env_checker import check_env

import stb_env  # noqa: F401 (registers the environments)
from stb_env.core.request import Request, Slow
from stb_env.envs.tool_env import Info, Observation, ToolEnv, Transition
from stb_env.errors import ConfigError, DataError
from stb_env.suites.sandbox.world import SandboxWorld
from stb_env.tools import Tool, ToolCall, ToolResult
from stb_env.wrappers import ToolWrapper, WrapperState

SUN = {"name": "sun_times_for_sky_almanac", "arguments": {"city_name": "Mirabad", "date": "2026-05-01"}}
TASK = {"task_id": "train-sun_times-0"}


class Counting(ToolWrapper):
    """Counts steps, and asks for one of five actions."""

    def __init__(self, env: gym.Env[Any, Any], start: int = 0) -> None:
        super().__init__(env, start=start)
        self.start = start
        self.action_space = Discrete(5)

    def _reset(self, seed: int | None, options: dict[str, Any] | None) -> Slow[tuple[Observation, Info]]:
        self._own = self.start
        return self.env._reset(seed, options)

    def _step(self, action: Any) -> Slow[Transition]:
        transition = yield from self.env._step(SUN if action else "nothing")
        self._own += 1
        return transition


class Shouting(ToolWrapper):
    """Changes what comes back and remembers nothing."""

    def _step(self, action: Any) -> Slow[Transition]:
        observation, *rest = yield from self.env._step(action)
        return {**observation, "result": observation["result"].upper()}, *rest


class Remote(SandboxWorld):
    """Answers as the sandbox does, but has to be waited for."""

    def __init__(self) -> None:
        super().__init__()
        self.awaited = 0

    def answer(self, state: Any, tool: Tool, call: ToolCall) -> Slow[tuple[ToolResult, Any]]:
        assert isinstance(call.arguments, Mapping)
        arguments = call.arguments
        return (
            yield Request(
                lambda: self.call(state, tool, arguments), lambda: self._wait(state, tool, arguments)
            )
        )

    async def _wait(self, state: Any, tool: Tool, arguments: Mapping[str, Any]) -> tuple[ToolResult, Any]:
        self.awaited += 1
        return self.call(state, tool, arguments)


def sandbox(**settings: Any) -> ToolEnv:
    env = gym.make("stb/Sandbox-v1", split="train", **settings)
    assert isinstance(env, ToolEnv)
    return env


def started(**settings: Any) -> Counting:
    env = Counting(sandbox(**settings))
    env.reset(seed=0, options=TASK)
    return env


def test_a_foreign_environment_is_refused():
    with pytest.raises(
        ConfigError, match=r"^Counting wraps a ToolEnv .* got TimeLimit; put wrappers of other"
    ):
        Counting(gym.make("CartPole-v1"))


def test_a_foreign_wrapper_goes_around_ours():
    env = gym.wrappers.TimeLimit(Counting(sandbox()), max_episode_steps=1)
    env.reset(seed=0)
    assert env.step(1)[3] is True


def test_one_method_serves_step_and_astep():
    assert started().step(1)[0] == asyncio.run(started().astep(1))[0]


def test_reset_and_areset_start_equal_episodes():
    assert Counting(sandbox()).reset(seed=4) == asyncio.run(Counting(sandbox()).areset(seed=4))


def test_astep_through_two_wrappers_waits_on_the_event_loop():
    world = Remote()
    env = Shouting(Shouting(sandbox(backend=world)))
    env.reset(seed=0, options=TASK)
    observation = asyncio.run(env.astep(SUN))[0]
    assert (world.awaited, observation["status"]) == (1, 0)
    assert env.step(SUN)[0]["result"] == observation["result"]
    assert world.awaited == 1


def test_task_tasks_and_rules_are_those_of_the_environment_inside():
    env = Shouting(started())
    inner = env.unwrapped
    assert isinstance(inner, ToolEnv)
    assert (env.task, env.tasks, env.rules) == (inner.task, inner.tasks, inner.rules)
    assert env.task.id == TASK["task_id"]


def test_stepping_before_reset_raises_gymnasiums_own_error():
    with pytest.raises(ResetNeeded, match=r"call env\.reset\(\) first"):
        Shouting(sandbox()).step("hello")


def test_a_snapshot_holds_every_layer():
    env = Shouting(started())
    env.step(1)
    state = env.snapshot()
    assert (state.wrapper, state.own, state.inner.wrapper, state.inner.own) == (
        "Shouting",
        None,
        "Counting",
        1,
    )
    assert state.inner.inner.turn == 1


def test_a_pickled_snapshot_continues_the_episode_elsewhere():
    env, other = started(), Counting(sandbox())
    env.step(1)
    other.restore(pickle.loads(pickle.dumps(env.snapshot())))
    assert other.step(0) == env.step(0)
    assert other.snapshot() == env.snapshot()


def test_steps_leave_a_snapshot_as_it_was():
    env = started()
    before = env.snapshot()
    text = pickle.dumps(before)
    env.step(1)
    assert pickle.dumps(before) == text
    env.restore(before)
    assert env.snapshot() == before


@pytest.mark.parametrize(
    ("state", "got"),
    [(WrapperState("Shouting", None, None), "Shouting"), (None, "NoneType"), (3, "int")],
)
def test_a_snapshot_of_something_else_is_refused(state: Any, got: str):
    with pytest.raises(DataError, match=rf"^this is a snapshot of {got}, but Counting should be restored"):
        started().restore(state)


def test_a_refused_snapshot_changes_nothing():
    env = started()
    before = env.snapshot()
    with pytest.raises(DataError, match="no sandbox task"):
        env.restore(WrapperState("Counting", 9, type(before.inner)("train-nothing-0", 0)))
    assert env.snapshot() == before


def test_a_fork_and_its_origin_do_not_see_each_other():
    env = started()
    branch = env.fork()
    branch.step(1)
    branch.step(1)
    env.step(0)
    assert (env.snapshot().own, branch.snapshot().own) == (1, 2)
    assert (env.snapshot().inner.turn, branch.snapshot().inner.turn) == (1, 2)


def test_a_fork_samples_its_own_actions():
    env, twin = started(), started()
    env.action_space.seed(3)
    twin.action_space.seed(3)
    branch = env.fork()
    branch.action_space.seed(5)
    for _ in range(10):
        branch.action_space.sample()
    assert [env.action_space.sample() for _ in range(9)] == [twin.action_space.sample() for _ in range(9)]


def test_a_spec_makes_the_wrapped_environment_again():
    spec = Counting(sandbox(), start=7).spec
    assert spec is not None
    again = gym.make(spec)
    again.reset(seed=0)
    assert isinstance(again, Counting)
    assert again.snapshot().own == 7


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("wrapper", [ToolWrapper, Counting, Shouting])
def test_gymnasium_accepts_a_wrapped_environment(wrapper: type[ToolWrapper]):
    check_env(wrapper(sandbox()), skip_render_check=True)
