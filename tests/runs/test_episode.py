"""One episode, whatever way its agent decides in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from stb_env import ChatAgent, ScriptedModel, Trajectory, load_agent, make, play
from stb_env.core.jsontypes import JsonMapping
from stb_env.core.request import Request, Slow
from stb_env.errors import ActionError, InfrastructureError
from stb_env.runs import Agent, aplay, as_agent
from stb_env.testing.notes import DAY, notes

ANSWER = {"name": "Finish", "arguments": {"return_type": "give_answer", "final_answer": "Tuesday"}}


async def later(observation: JsonMapping, info: JsonMapping) -> Any:
    await asyncio.sleep(0)
    return ANSWER


def waiting(observation: JsonMapping, info: JsonMapping) -> Slow[Any]:
    return (yield Request(run=lambda: ANSWER))


class Later(Agent):
    name = "later"

    async def act(self, observation: JsonMapping, info: JsonMapping) -> Any:
        return await later(observation, info)


WAYS: dict[str, Callable[[], Agent]] = {
    "plain": lambda: as_agent(lambda observation, info: ANSWER),
    "async function": lambda: as_agent(later),
    "generator": lambda: as_agent(waiting),
    "async method": Later,
}


@pytest.mark.parametrize("way", WAYS)
def test_what_an_agent_decides_counts_however_it_decides(way: str) -> None:
    trajectory = play(notes(), WAYS[way](), task_id="day", seed=0)
    assert (trajectory.query, trajectory.final_answer, trajectory.reward) == (DAY, "Tuesday", 1.0)


@pytest.mark.parametrize("way", WAYS)
def test_an_episode_on_the_event_loop_is_the_same_to_the_byte(way: str) -> None:
    alone = play(notes(), WAYS[way](), task_id="day", seed=0)
    looped = asyncio.run(aplay(notes(), WAYS[way](), task_id="day", seed=0))
    assert looped.to_json() == alone.to_json()


@pytest.mark.parametrize("way", WAYS)
def test_only_a_plain_decision_blocks(way: str) -> None:
    assert WAYS[way]().blocks is (way == "plain")


def test_none_is_no_action() -> None:
    with pytest.raises(ActionError, match=r"^agent '<lambda>' returned None, expected an action; return a"):
        play(notes(), as_agent(lambda observation, info: None), task_id="day", seed=0)


def test_a_chat_agent_waits_without_a_thread_unless_a_subclass_decides_itself() -> None:
    class Loud(ChatAgent):
        def act(self, observation: JsonMapping, info: JsonMapping) -> Any:
            return str(super().act(observation, info)).upper()

    model = ScriptedModel(lambda request: "find it")
    assert (ChatAgent(model).blocks, Loud(model).blocks) == (False, True)
    step = play(notes(), Loud(model), task_id="day", seed=0).steps[0]
    assert step["text"] == "FIND IT"


@pytest.mark.parametrize("name", ["gold", "noop", "random"])
def test_our_own_agents_play_alike_on_the_event_loop(name: str) -> None:
    alone = play(notes(), load_agent(name)(), task_id="move", seed=3)
    assert asyncio.run(aplay(notes(), load_agent(name)(), task_id="move", seed=3)) == alone


@pytest.mark.parametrize("reward", ["sparse", "partial", "dense"])
def test_an_episode_whose_agent_fails_has_the_reward_mode_of_the_others(reward: str):
    def fails(observation: JsonMapping, info: JsonMapping) -> Any:
        if observation["turn"]:
            raise InfrastructureError("no more", stage="agent")
        return {"name": "no_such_tool", "arguments": {}}

    env = make("stb/Sandbox-v1", reward=reward)
    episode = play(env, as_agent(fails), task_id="test-account_balance-0", seed=0)
    assert (episode.valid, episode.reward_mode) == (False, reward)
    assert Trajectory.from_json(episode.to_json()) == episode
