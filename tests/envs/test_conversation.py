"""Episodes in which a user answers what the agent writes without a call."""

from __future__ import annotations

from typing import ClassVar

import gymnasium as gym
import pytest

import stb_env  # noqa: F401 (registers the ids)
from stb_env.backend.user import Said
from stb_env.usage import Usage


class Talker:
    """A user who has so many things to say, each of which costs one model call."""

    fingerprint: ClassVar[dict[str, str]] = {"user": "talker"}

    def __init__(self, times):
        self.times = times

    def start(self, task, seed):
        return 0

    def reply(self, task, state, text):
        yield from ()
        return Said("Go on." if state < self.times else None, state + 1, Usage(calls=1))


def conversation(times, **settings):
    env = gym.make("stb/Sandbox-v1", user=Talker(times), **settings)
    env.reset(seed=0)
    return env


@pytest.mark.parametrize("max_turns", [1, 2, 3])
def test_the_turn_limit_cuts_a_conversation_off_without_a_judge(max_turns: int):
    env = conversation(99, max_turns=max_turns)
    for _ in range(max_turns - 1):
        assert env.step("Hm.")[2:4] == (False, False)
    observation, reward, terminated, truncated, info = env.step("Hm.")
    assert (observation["turn"], reward, terminated, truncated) == (max_turns, 0.0, False, True)
    assert (info["valid"], info["verdict"]["status"], info["verdict"]["judge"]) == (True, "unsolved", "env")


def test_a_user_who_has_nothing_more_to_say_ends_the_episode_also_at_the_turn_limit():
    *_, terminated, truncated, info = conversation(0, max_turns=1).step("Hm.")
    assert (terminated, truncated, info["verdict"]["judge"]) == (True, False, "exact")


def test_what_a_user_costs_is_added_up_over_the_conversation():
    env = conversation(99)
    env.step("Hm.")
    assert env.step("Hm.")[4]["usage"]["calls"] == 2


def test_a_call_in_a_conversation_leaves_what_the_user_remembers():
    env = conversation(1)
    env.step("Which city?")
    env.step({"name": "nowhere", "arguments": {}})
    assert env.step("Then I cannot help.")[2]
