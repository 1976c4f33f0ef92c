"""A process that plays on and on does not grow."""

from __future__ import annotations

import subprocess
import sys

MEGABYTES = 2**20 if sys.platform == "darwin" else 2**10
"""What the system counts the high-water mark in, a megabyte."""

# A process of its own, since the mark of this one is as high as its other tests took it.
PLAYED = """
import resource
from stb_env.suites.sambanova.open_weather.env import make

env = make(split="train", program=True)
for index in range(10_000):
    env.reset(seed=0, options={"task_id": f"train-{index}"})
    env.step(env.task.goal["labels"][0])
    if index in (1_999, 9_999):
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def test_ten_thousand_resets_with_their_requests_leave_the_memory_flat():
    done = subprocess.run([sys.executable, "-c", PLAYED], capture_output=True, text=True, check=True)
    warm, last = (int(line) / MEGABYTES for line in done.stdout.split())
    assert last - warm < 8
