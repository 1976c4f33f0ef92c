"""Every task keeps the environment's promises: settings, standing checks, gold, forks, damaged actions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import gymnasium as gym
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError, DataError
from stb_env.runs import play
from stb_env.runs.baselines import load_agent
from stb_env.suites.sambanova.materials import examples
from stb_env.suites.sambanova.tasks import SUITE
from stb_env.testing.conformance import validate
from tests.suites.sambanova.damage import PROGRAMS, REQUESTS, mutants

NULLS = ("noop", "give_up", "echo", "inject", "random")


@dataclass(frozen=True)
class Checked:
    """The checks of a task.

    Attributes:
        version: Version of its world. To change the test list on purpose, raise it, and say in CHANGELOG.md
            that scores stop comparing.
        seeds: Episodes of the standing checks.
        pieces: Pieces that damage its programs; none where its own tests do.
    """

    version: int
    seeds: int
    pieces: Sequence[str] = ()


_HASHES = {
    "open_weather": "b53e4612268fe371a93d04b087b39bc069fc880710df7d7349b2f1352996c57e",
    "cat_api": "9d75c1afd0044ce25f0e812794a2fdfb78c64e25a031b94883994154f6987874",
    "home_search": "5da558358e1c9751f68ec9a409368381aff19a23cb6820d4aef1eed7251d9b5d",
    "trip_booking": "1f21f4fbb78851abcdb29a3c88643f30d354bcb6fb7d243adba193e5df65a21a",
    "virtual_home": "e36ebe7cf4710a756a78c3dcae966b290f7ab9e966b6ada3f098fa63e8e5b689",
    "web_shop": "8c639906d960437502c9cbf0d505e1c0947826d85d32db8d6c60e669453cdb1a",
    "tabletop": "55b52529f9cf6d7702fefef735d6e4d87fde52b231d9d3455d4adbf848cdc28b",
}
CHECKED = {
    "open_weather": Checked(2, 15, REQUESTS),
    "cat_api": Checked(2, 18, REQUESTS),
    "home_search": Checked(2, 12, PROGRAMS),
    "trip_booking": Checked(2, 12, PROGRAMS),
    "virtual_home": Checked(3, 10),
    "web_shop": Checked(2, 10, REQUESTS),
    "tabletop": Checked(2, 15),
}
DAMAGED = [name for name, checked in CHECKED.items() if checked.pieces]


def made(name: str, **options: Any) -> ToolEnv:
    env = gym.make(SUITE[name].env_id, **options).unwrapped
    assert isinstance(env, ToolEnv)
    return env


@cache
def programs(name: str) -> list[str]:
    """Return short programs, for a damaged call then comes early; of a shop, lines."""
    if name == "web_shop":
        demos = [demo.program for demo in examples(SUITE["web_shop_short"])[:20]]
        return [line for demo in demos for line in demo.split("\n") if line.startswith(("search[", "click["))]
    tasks = made(name, split="train").tasks
    return sorted((tasks.at(index).goal["labels"][0] for index in range(60)), key=len)[:20]


@pytest.mark.parametrize("name", CHECKED)
def test_the_test_split_is_the_pinned_one(name: str):
    env = made(name)
    version = env.rules.backend.fingerprint["version"]
    assert (version, env.tasks.hash) == (CHECKED[name].version, _HASHES[name])


@pytest.mark.parametrize("name", CHECKED)
def test_a_task_comes_again_from_its_id(name: str):
    test, train = made(name).tasks, made(name, split="train").tasks
    for index in range(10_000, 10_020):
        task = train.at(index)
        assert test.get(task.id).key == task.key


@pytest.mark.heavy
@pytest.mark.parametrize("options", [{}, {"split": "train"}, {"compat": "original"}], ids=str)
@pytest.mark.parametrize("name", CHECKED)
def test_the_standing_checks_hold(name: str, options: dict[str, Any]):
    report = validate(SUITE[name].env_id, made(name, **options), seeds=CHECKED[name].seeds, red_team=6)
    assert [check for check in report.checks if not check.passed] == []
    assert report.counts["scores"]["gold"] == 1.0
    # By the original's rules, which say so, any added cat and any step of a household earns a little.
    if options.get("compat") is None:
        assert {report.counts["scores"][null] for null in NULLS} == {0.0}


@pytest.mark.parametrize("agent", NULLS)
@pytest.mark.parametrize("name", [name for name in CHECKED if name not in ("virtual_home", "web_shop")])
def test_agents_that_deserve_nothing_get_nothing_on_the_test_tasks(name: str, agent: str):
    env, null = made(name), load_agent(agent)()
    size = env.tasks.size or 0
    assert sum(play(env, null, task_id=f"test-{at}", seed=at).reward for at in range(0, size, 3)) == 0.0


@pytest.mark.heavy
@pytest.mark.parametrize("compat", [None, "original"])
@pytest.mark.parametrize("name", ["open_weather", "cat_api", "home_search", "trip_booking"])
def test_the_oracle_solves_every_test_task(name: str, compat: str | None):
    env, gold = made(name, compat=compat), load_agent("gold")()
    for index in range(env.tasks.size or 0):
        episode = play(env, gold, task_id=f"test-{index}", seed=index)
        assert episode.verdict is not None
        assert (episode.reward, episode.verdict["metrics"]["executable"]) == (1.0, True)


@pytest.mark.parametrize("count", [20, pytest.param(500, marks=pytest.mark.heavy)])
@pytest.mark.parametrize("compat", [None, "original"])
@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_programs_are_observations(name: str, compat: str | None, count: int):
    # In the original's shop an action is one line, and a line ends no episode.
    is_program = name != "web_shop"
    env = made(name, compat=compat, program=is_program)
    env.reset(seed=0, options={"task_id": "test-0"})
    start = env.snapshot()
    for text in mutants(programs(name), count, seed=7, pieces=CHECKED[name].pieces):
        env.restore(start)
        observation, reward, terminated, _, info = env.step(text)
        assert info["valid"]
        assert 0 <= reward <= 1
        assert terminated or not is_program
        json.loads(observation["result"] or "null")


@pytest.mark.parametrize("name", CHECKED)
@given(choices=st.lists(st.integers(0, 99), max_size=5))
def test_what_a_fork_does_is_nothing_to_its_origin(name: str, choices: list[int]):
    env = made(name)
    env.reset(seed=0, options={"task_id": "test-0"})
    label = (env.task.goal.get("labels") or [""])[0]
    calls = [{"name": call.name, "arguments": call.arguments} for call in env.task.gold]
    actions = [label, *label.split("\n"), *calls, *(programs(name)[:4] if name in DAMAGED else ()), "prose"]
    for choice in choices:
        before = env.snapshot()
        state = repr(before.backend)
        ahead = env.fork().step(actions[choice % len(actions)])
        assert env.snapshot() is before
        assert repr(before.backend) == state
        assert env.step(actions[choice % len(actions)]) == ahead
        if env.snapshot().over:
            break


DIVIDED = ("virtual_home", "web_shop")
"""Tasks whose official files have training tasks."""


@pytest.mark.parametrize("name", CHECKED)
def test_wrong_settings_are_errors(name: str):
    given: Any = made(name).tasks if name in DIVIDED else "x"
    split = "tasks that are given have their own" if name in DIVIDED else "official files have a test"
    place = r"no items_shuffle\*\.json in" if name == "web_shop" else "no test file at"
    wrong: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"compat": "toolbnch"}, ConfigError, "compat must be None or 'original', got 'toolbnch'"),
        ({"split": "val"}, ConfigError, "split must be 'test' or 'train', got 'val'"),
        ({"split": "train", "data": given}, ConfigError, f"{split} split"),
        ({"data": "/nowhere"}, DataError, f"{place} /nowhere"),
        ({"max_turns": 0}, ConfigError, "max_turns must be at least 1"),
    ]
    for options, error, message in wrong:
        with pytest.raises(error, match=message):
            made(name, **options)
