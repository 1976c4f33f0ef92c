"""Damaged programs are observations, in either mode."""

from __future__ import annotations

import json

import pytest

from stb_env.suites.sambanova.trip_booking.env import make
from stb_env.suites.sambanova.trip_booking.tasks import TripTasks
from tests.suites.sambanova.common.form.mutants import mutants

# Short ones, for a damaged call then comes early.
PROGRAMS = sorted((TripTasks("train").at(index).goal["labels"][0] for index in range(60)), key=len)[:20]


@pytest.mark.parametrize("compat", [None, "original"])
def test_damaged_programs_are_judged_and_never_raise(compat: str | None):
    env = make(compat=compat, program=True)
    env.reset(seed=0, options={"task_id": "test-0"})
    start = env.snapshot()
    for text in mutants(PROGRAMS, 500, seed=7):
        env.restore(start)
        observation, _, terminated, _, info = env.step(text)
        assert terminated
        assert info["valid"]
        json.loads(observation["result"] or "null")
