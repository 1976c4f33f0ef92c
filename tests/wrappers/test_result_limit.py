"""A limit on what an agent reads of a result."""

from __future__ import annotations

import json

import pytest

from stb_env.errors import ConfigError
from stb_env.testing.notes import notes
from stb_env.wrappers import DiscreteActions, ResultLimit

LONG = {"name": "add_note", "arguments": {"text": "dentist " * 200}}
FIND = {"name": "find_notes", "arguments": {"word": "dentist"}}


def test_a_long_result_is_cut_with_a_marker_and_still_parses():
    env = ResultLimit(notes(), 300)
    env.reset(seed=0)
    env.step(LONG)
    observation, *_ = env.step(FIND)
    assert len(observation["result"]) <= 300
    assert "[cut]" in json.dumps(json.loads(observation["result"])["response"])
    assert observation in env.observation_space


def test_it_is_what_the_setting_of_the_environment_does():
    env, other = ResultLimit(notes(), 300), notes(limits={"result": 300})
    for one in (env, other):
        one.reset(seed=0)
        one.step(LONG)
    assert env.step(FIND) == other.step(FIND)
    assert env.observation_space == other.observation_space


def test_the_given_environment_stays_as_it_is():
    inner = notes()
    ResultLimit(inner, 300)
    assert inner.rules.limits.result > 300


def test_an_observation_without_texts_keeps_its_space():
    inner = DiscreteActions(notes(), size=8)
    assert ResultLimit(inner, 300).observation_space == inner.observation_space


@pytest.mark.parametrize(
    ("characters", "error"),
    [
        (255, r"^characters must be at least 256, got 255$"),
        (70_000, r"^characters must be at most the environment's own 65536, got 70000; make"),
    ],
)
def test_a_limit_out_of_range_is_refused(characters: int, error: str):
    with pytest.raises(ConfigError, match=error):
        ResultLimit(notes(), characters)
