"""Measurements of the worlds that ship."""

from __future__ import annotations

import gymnasium as gym
import pytest

from stb_env.experiments.bench import worlds
from stb_env.experiments.bench.worlds import PROGRAMS, world_measurements
from stb_env.tools import Status

KINDS = ("env.step, ", "last step, ", "reset, ", "reset, new task, ")


def test_a_world_has_figures_for_its_resets_its_steps_and_its_verdict(monkeypatch):
    monkeypatch.setattr(
        "stb_env.experiments.bench.worlds.env_ids", lambda: ["stb/Tabletop-v1", "stb/APIBankPlan-v1"]
    )
    monkeypatch.setattr("stb_env.experiments.bench.worlds.PROGRAMS", {})
    made, splits = worlds._made, []

    def noted(env_id, **settings):
        splits.append((env_id, settings.get("split", "test")))
        return made(env_id, **settings)

    monkeypatch.setattr(worlds, "_made", noted)
    names = {figure.name for figure in world_measurements(0.001)}
    assert {f"{kind}{world}" for kind in KINDS for world in ("Tabletop", "APIBankPlan")} <= names
    # A list of tests is drawn once; new tasks come without end in training alone.
    assert {("stb/Tabletop-v1", "train"), ("stb/APIBankPlan-v1", "train")} <= set(splits)


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_the_programs_that_are_measured_run_through(name):
    env = gym.make(f"stb/{name}-v1")
    env.reset(seed=0)
    observation, *_ = env.step(PROGRAMS[name])
    assert observation["status"] == Status.OK
