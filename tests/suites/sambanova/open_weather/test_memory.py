"""A process that plays on and on does not grow."""

from __future__ import annotations

import resource
import sys

from stb_env.suites.sambanova.open_weather.env import make

MEGABYTES = 2**20 if sys.platform == "darwin" else 2**10
"""What the system counts the high-water mark in, a megabyte."""
WARM, RESETS = 2_000, 10_000


def high_water() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MEGABYTES


def test_ten_thousand_resets_with_their_requests_leave_the_memory_flat():
    env = make(split="train", program=True)

    def play(first: int, last: int) -> None:
        for index in range(first, last):
            env.reset(seed=0, options={"task_id": f"train-{index}"})
            env.step(env.task.goal["labels"][0])

    play(0, WARM)
    before = high_water()
    play(WARM, RESETS)
    assert high_water() - before < 8
