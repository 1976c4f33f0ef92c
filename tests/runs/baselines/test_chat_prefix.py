"""Each request of a chat extends the one before, so that servers answer from what they have read already."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import gymnasium as gym
import pytest
from stb_env.agents.best_of_n import BestOfNAgent
from stb_env.agents.common import SearchAgent
from stb_env.agents.cot import CoTAgent
from stb_env.agents.dfs import DFSAgent
from stb_env.agents.reflexion import ReflexionAgent
from stb_env.agents.uct import UCTAgent

from stb_env.actions import Action
from stb_env.models import ChatReply, ChatRequest, ScriptedModel
from stb_env.runs import play
from stb_env.runs.baselines.chat import ChatAgent
from stb_env.runs.baselines.gold import Gold
from stb_env.runs.make import env_ids, make_env
from stb_env.suite import suite_of
from stb_env.trajectory import Trajectory
from tests.agents.talking import played, walking

OWN = [env_id for env_id in env_ids() if env_id.startswith("stb/")]
TASKS = 3


class Noting(Gold):
    """The gold agent, whose actions are kept as a model would write them."""

    def __init__(self) -> None:
        self.written: list[dict[str, Any]] = []

    def act(self, observation: Any, info: Any) -> Any:
        action = super().act(observation, info)
        self.written.append(message(action, len(self.written)))
        return action


def message(action: Any, turn: int) -> dict[str, Any]:
    if isinstance(action, Action):
        return {"content": action.text}
    calls = [action] if isinstance(action, dict) else action
    return {
        "content": f"Turn {turn}.",
        "tool_calls": [call(one, f"c{turn}_{n}") for n, one in enumerate(calls)],
    }


def call(written: dict[str, Any], call_id: str) -> dict[str, Any]:
    function = {"name": written["name"], "arguments": json.dumps(written["arguments"])}
    return {"id": call_id, "type": "function", "function": function}


def gold_driven(env: Any, index: int, *slips: Any) -> tuple[Trajectory, Trajectory, ScriptedModel]:
    """An episode of the gold agent, and the same of a chat model that makes some slips first."""
    task_id, gold = env.unwrapped.tasks.at(index).id, Noting()
    first = play(env, gold, task_id=task_id, seed=5)
    model = ScriptedModel([*slips, *gold.written])
    return first, play(env, ChatAgent(model), task_id=task_id, seed=5), model


def extends(later: Sequence[Any], earlier: Sequence[Any]) -> bool:
    return len(later) > len(earlier) and list(later[: len(earlier)]) == list(earlier)


def rebuilt(requests: Sequence[ChatRequest]) -> list[int]:
    """The requests whose messages do not extend those of the one before."""
    pairs = enumerate(pairwise(requests), 1)
    return [turn for turn, (earlier, later) in pairs if not extends(later.messages, earlier.messages)]


@pytest.fixture(params=OWN)
def env(request: pytest.FixtureRequest) -> gym.Env[Any, Any]:
    suite = suite_of(request.param)
    assert suite is not None
    return make_env(request.param, suite.standing)


@pytest.mark.heavy
def test_each_request_extends_the_one_before_in_every_suite(env: Any):
    several = 0
    for index in range(TASKS):
        gold, chat, model = gold_driven(env, index)
        assert (chat.valid, chat.reward, len(chat.steps)) == (gold.valid, gold.reward, len(gold.steps))
        assert rebuilt(model.requests) == []
        if env.unwrapped.visible is None:
            assert all(request.tools == model.requests[0].tools for request in model.requests)
        several += len(model.requests) > 1
    assert several


def test_slips_in_form_rebuild_nothing_either():
    broken = call({"name": "nothing", "arguments": {}}, "x")
    broken["function"]["arguments"] = '{"a": '
    slips = ["Let me see.", {"tool_calls": [broken]}, ChatReply({"content": "So"}, "length"), ""]
    gold, chat, model = gold_driven(make_env("stb/Sandbox-v1", {}), 0, *slips)
    assert (chat.reward, len(chat.steps)) == (gold.reward, len(gold.steps) + len(slips))
    assert rebuilt(model.requests) == []


def test_the_check_finds_a_conversation_that_was_rebuilt():
    texts = (["a"], ["a", "b"], ["a", "c", "d"], ["a", "c", "d"])
    assert rebuilt([ChatRequest([{"role": "user", "content": text} for text in said]) for said in texts]) == [
        2,
        3,
    ]


@pytest.mark.parametrize(
    ("agent", "turns"),
    [
        (lambda model: CoTAgent(model, n=2), ("a", "b", "-", "c", "a", "!")),
        (lambda model: DFSAgent(model, width=2), ("a", "b", "-", "c", "wa", "-", "b", "c", "!")),
        (lambda model: UCTAgent(model, value="calls", max_queries=7), ("a", "b", "?", "c", "?", "a", "!")),
        (lambda model: BestOfNAgent(model, n=2, judge="heuristic"), ("a", "?", "b", "a", "!")),
        (lambda model: ReflexionAgent(model, n=2, judge=None), ("a", "b", "-", "c", "b", "!")),
    ],
)
def test_searches_extend_along_each_branch(agent: Any, turns: tuple[str, ...]):
    model = walking(*turns, tried=lambda text: "Take another door.")
    made: SearchAgent = agent(model)
    nodes = played(made).tree["nodes"]
    asked = [list(request.messages) for request in model.requests if request.tools]
    # What was tried at a node is said at its end alone, and only there.
    bare = [said[:-1] if node["prompted"] else said for said, node in zip(asked, nodes[1:], strict=True)]
    below = [(index, node["parent"]) for index, node in enumerate(nodes) if node["parent"]]
    assert len(below) >= 3
    assert all(extends(bare[index - 1], bare[parent - 1]) for index, parent in below)
