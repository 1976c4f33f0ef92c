"""Thoughts before calls, in both styles."""

from __future__ import annotations

import json
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.utils.env_checker import check_env

from stb_env.errors import ConfigError
from stb_env.runs import Agent, play
from stb_env.wrappers import ChainOfThought, DepthFirstSearch, ToolRetrieval
from tests.wrappers.search.searching import GIVE_UP, go, maze

STEP = 'Thought: Door a looks good.\nAction: go\nAction Input: {"door": "a"}'
LAST = (
    "Thought: There it is.\nAction: Finish\n"
    'Action Input: {"return_type": "give_answer", "final_answer": "gold"}'
)


class Thinking(Agent):
    """Writes ReAct text."""

    def reset(self, env: Any, seed: int) -> None:
        self.left = iter((STEP, LAST))

    def act(self, observation: Any, info: Any) -> Any:
        return next(self.left)


def started(style: str = "react", **settings: Any) -> ChainOfThought:
    env = ChainOfThought(maze(**settings), style=style)
    env.reset(seed=0)
    return env


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("style", ["react", "tools"])
def test_gymnasium_accepts_a_chain_of_thought(style):
    check_env(ChainOfThought(gym.make("stb/Sandbox-v1"), style=style), skip_render_check=True)


def test_the_react_prompt_describes_every_tool_and_the_three_labels():
    env = started()
    system = env.messages[0]["content"]
    named = [json.loads(line)["function"]["name"] for line in system.splitlines() if line.startswith("{")]
    assert named == ["go", "Finish"]
    assert all(f"\n{label}: " in system for label in ("Thought", "Action", "Action Input"))


def test_a_react_step_comes_back_as_it_was_written_and_its_result_as_an_observation():
    env = started()
    env.step(STEP)
    assert env.messages[2:] == [
        {"role": "assistant", "content": STEP},
        {"role": "user", "content": 'Observation: {"error": "", "response": {"room": "a"}}'},
    ]


def test_several_calls_follow_one_thought():
    env = started()
    env.step({"content": "Twice.", "tool_calls": [go("a"), go("b")]})
    lines = env.messages[2]["content"].splitlines()
    assert [line.split(":")[0] for line in lines] == [
        *("Thought", "Action", "Action Input", "Action", "Action Input")
    ]


def test_a_text_without_a_call_is_told_so():
    env = started()
    env.step("Hm.")
    said, complaint = env.messages[2:]
    assert said["content"] == "Hm."
    assert complaint["content"].startswith('Observation: {"error": "no tool call found')


def test_the_style_with_tools_keeps_calls_and_thoughts():
    env = started("tools")
    env.step(STEP)
    system, _, call, result = env.messages
    assert (call["content"], call["tool_calls"][0]["function"]["name"]) == ("Door a looks good.", "go")
    assert result["role"] == "tool"
    assert system["content"] != maze_prompt()


def maze_prompt() -> str:
    env = maze()
    env.reset(seed=0)
    return env.messages[0]["content"]


def test_thoughts_are_kept_step_by_step_and_rewound():
    env = started()
    env.step(STEP)
    state = env.snapshot()
    env.step(go("b"))
    assert env.thoughts == ["Door a looks good.", ""]
    env.restore(state)
    assert env.thoughts == ["Door a looks good."]


@pytest.mark.parametrize("style", ["react", "tools"])
def test_the_saved_conversation_has_the_thoughts(style):
    saved = play(ChainOfThought(maze(), style=style), Thinking(), task_id="1", seed=0)
    said = [message["content"] for message in saved.messages if message["role"] == "assistant"]
    assert (saved.reward, len(said)) == (1.0, 2)
    assert "Door a looks good." in said[0]
    assert "There it is." in said[1]


def test_nothing_is_observed_after_the_last_word():
    saved = play(ChainOfThought(maze()), Thinking(), task_id="1", seed=0)
    assert [message["role"] for message in saved.messages] == [
        *("system", "user", "assistant", "user", "assistant")
    ]


def test_a_search_around_it_talks_its_language():
    env = DepthFirstSearch(ChainOfThought(maze()))
    env.reset(seed=0)
    for action in (STEP, go("b"), GIVE_UP):
        env.step(action)
    roles = [message["role"] for message in env.messages]
    assert roles == ["system", "user", "assistant", "user", "user"]
    assert env.messages[2]["content"] == STEP


def test_the_prompt_follows_the_tools_that_were_found():
    env = ChainOfThought(ToolRetrieval(gym.make("stb/Sandbox-v1"), retriever="bm25"))
    env.reset(options={"task_id": "train-sun_times-0"})
    before = env.messages[0]["content"]
    env.step({"name": "search_tools", "arguments": {"query": "sunrise and sunset", "k": 1}})
    assert "sun_times_for_sky_almanac" not in before
    assert "sun_times_for_sky_almanac" in env.messages[0]["content"]


def test_an_unknown_style_is_refused():
    with pytest.raises(ConfigError, match=r"^style must be 'react' or 'tools', got 'poem'$"):
        ChainOfThought(maze(), style="poem")
