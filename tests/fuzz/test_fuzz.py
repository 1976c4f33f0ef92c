"""A minute of strange actions shared over all environments, and bombs that Python's own names make.

``STB_FUZZ_S`` plays for as many seconds, and ``STB_BOMBS`` so many bombs.
"""

from __future__ import annotations

import os
import sys

import pytest

from stb_env.runs.make import env_ids
from tests.fuzz.bombs import too_dear
from tests.fuzz.steps import faults

SECONDS = float(os.environ.get("STB_FUZZ_S", "60"))
BOMBS = int(os.environ.get("STB_BOMBS", "60"))


@pytest.mark.heavy
@pytest.mark.timeout(0)
def test_no_action_makes_step_raise_or_an_episode_invalid() -> None:
    ids = env_ids()
    for env_id in ids:
        *found, steps = faults(env_id, SECONDS / len(ids), seed=1)
        assert not found, found[0]
        assert steps, env_id


@pytest.mark.heavy
@pytest.mark.timeout(0)
@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_no_bomb_takes_two_seconds_or_300_megabytes() -> None:
    assert not too_dear(BOMBS, seed=2)
