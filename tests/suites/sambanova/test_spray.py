"""Who calls every tool with guesses earns no more than who has one guess a tool, whatever is among them."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import pytest

import stb_env  # noqa: F401 (registers the ids)
from tests.suites.sambanova.spray import attempts, earned, sprayed

# Of the spreadsheet's tasks there are fewer: it has a hundred tools.
TASKS = {
    "stb/OpenWeather-v1": 20,
    "stb/CatAPI-v1": 20,
    "stb/HomeSearch-v1": 12,
    "stb/TripBooking-v1": 12,
    "stb/GoogleSheets-v1": 4,
    "stb/VirtualHome-v1": 12,
    "stb/WebShop-v1": 12,
    "stb/Tabletop-v1": 30,
}


HEAVY = ("stb/GoogleSheets-v1", "stb/OpenWeather-v1", "stb/Tabletop-v1")


@pytest.mark.parametrize(
    "env_id",
    [pytest.param(env_id, marks=[pytest.mark.heavy] if env_id in HEAVY else []) for env_id in TASKS],
)
def test_a_spray_earns_at_most_what_one_guess_a_tool_earns(env_id: str):
    env: Any = gym.make(env_id, max_turns=300).unwrapped
    tasks = [env.tasks.at(index) for index in range(TASKS[env_id])]
    guessed = sum(max(earned(env, task, calls) for calls in attempts(task)) for task in tasks)
    # In whatever order they count, the right calls would be enough.
    right = sum(earned(env, task, task.gold) for task in tasks if task.gold)
    assert right == sum(bool(task.gold) for task in tasks)
    assert sum(earned(env, task, sprayed(task)) for task in tasks) <= guessed
    assert sum(earned(env, task, sprayed(task, task.gold)) for task in tasks) <= guessed
