"""Programs that are nearly right are observations, whatever is wrong with them."""

from __future__ import annotations

import json

import pytest

from tests.suites.sambanova.common.interpreter.mutants import mutants
from tests.suites.sambanova.google_sheets.test_env import PROGRAMS, env_of


@pytest.mark.heavy
@pytest.mark.parametrize("compat", [None, "original"])
def test_damaged_programs_are_observations(compat: str | None):
    env = env_of("sort", compat=compat, program=True)
    start = env.snapshot()
    for text in mutants(PROGRAMS, 400, seed=13):
        env.restore(start)
        observation, _, terminated, _, info = env.step(text)
        # A Finish that is damaged itself is the one thing that ends nothing.
        assert terminated or "return_type must be" in observation["result"]
        assert info["valid"]
        json.loads(observation["result"] or "null")
