"""Memory and forks of generated worlds: what is kept is bounded, and a fork copies nothing."""

from __future__ import annotations

import gc
import time
import tracemalloc
import weakref

import pytest

import stb_env
from stb_env.envs.tool_env import ToolEnv
from stb_env.suites.worlds.tasks.making import drawer, formed, memory
from stb_env.suites.worlds.world import built

_LIMIT = 500e6
"""Bytes that a thousand worlds may take."""
_SLOW = 20
"""By how much a busy machine may be slower than the aim."""


@pytest.mark.heavy
def test_worlds_that_are_kept_take_bounded_memory() -> None:
    formed("vet_clinic-30000", 1, 0, "")
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for seed in range(10):
            formed(f"vet_clinic-{30_001 + seed}", 1, 0, "")
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    kept = built.cache_info().maxsize
    assert kept is not None
    # Those that are kept count in full; of others only their tasks' tools are left.
    assert (after - before) / 10 * kept < _LIMIT


@pytest.mark.heavy
def test_a_task_does_not_keep_its_world() -> None:
    made = formed("vet_clinic-30020", 2, 0, "")
    assert made is not None
    world = weakref.ref(made.world.blueprint)
    for kept in (built, drawer, memory):
        kept.cache_clear()
    for seed in range(33):
        # What is read of worlds is kept for the last ones alone.
        formed(f"vet_clinic-{30_030 + seed}", 1, 0, "")
    built.cache_clear()
    gc.collect()
    assert world() is None
    assert made.world.key == "vet_clinic-30020"


def test_a_fork_takes_microseconds() -> None:
    env = stb_env.make("stb/Worlds-v0", level=2)
    assert isinstance(env, ToolEnv)
    env.reset(seed=0)
    call = env.task.gold[0]
    env.step({"name": call.name, "arguments": call.arguments})
    best = float("inf")
    for _ in range(20):
        begun = time.perf_counter()
        for _ in range(20):
            env.fork()
        best = min(best, (time.perf_counter() - begun) / 20)
    assert best < 5e-6 * _SLOW
