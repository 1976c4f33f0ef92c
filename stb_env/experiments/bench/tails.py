"""Time of many episodes whose latency has a heavy tail, beside a plain loop that saves nothing."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, Literal

from stb_env import Agent, Job, ToolEnv, Trajectory
from stb_env.core.gymtypes import AnyEnv
from stb_env.core.jsontypes import JsonObject
from stb_env.experiments.bench.measurement import Measurement
from stb_env.experiments.bench.shop import TASKS, Shop
from stb_env.judges.heuristic import HeuristicJudge
from stb_env.runs import Run, aplay, arun_batch
from stb_env.seeding import rng

Tail = Literal["constant", "lognormal", "hangs"]
EPISODES = 600

_SIGMA = 1.5
_HANG, _HANGS = 0.01, 100
_FINISH = {"name": "Finish", "arguments": {"final_answer": "Green tea."}}


def tail_measurements(
    in_flight: Sequence[int], latency: float, tail: Tail, *, episodes: int = EPISODES
) -> Iterator[Measurement]:
    """Measure episodes of one slow decision each, in a run on disk and in a plain loop of this process.

    The plain loop is a task for each episode and a semaphore. Latencies are the same in both, drawn by the
    number of the episode.

    Args:
        in_flight: Number of episodes played at once.
        latency: The median of the seconds that a decision takes.
        tail: ``constant``, ``lognormal`` (sigma 1.5), or ``hangs``: one of a hundred takes 100 times as long.
        episodes: Number of episodes.
    """
    env = ToolEnv(TASKS, Shop(), HeuristicJudge(), max_turns=2)
    jobs = [Job("tea", 0, seed) for seed in range(episodes)]
    waits = [latency * _factor(tail, seed) for seed in range(episodes)]
    for places in in_flight:
        plain = _took(partial(_plain, env, jobs, places, waits))
        ended: dict[int, float] = {}
        saved: list[float] = []
        took = _took(partial(_saved, env, jobs, places, waits, ended, saved))
        name = f"{episodes} episodes, {places} places, {tail}"
        yield Measurement(name, took / plain, "times", f"a plain loop's {plain:.2f} s, unsaved")
        yield Measurement(f"{name}, to disk", 1e3 * max(saved), "ms", "the slowest, after its end")


def _factor(tail: Tail, seed: int) -> float:
    drawn = rng("latency of the benchmark", seed)
    if tail == "lognormal":
        return drawn.lognormvariate(0.0, _SIGMA)
    return float(_HANGS) if tail == "hangs" and drawn.random() < _HANG else 1.0


class _Late(Agent):
    """Answers after the while that belongs to its episode."""

    name = "late"

    def __init__(self, waits: Sequence[float], ended: dict[int, float]) -> None:
        self._waits, self._ended = waits, ended
        self._seed = 0

    def reset(self, env: AnyEnv, seed: int) -> None:  # noqa: ARG002 (as `Agent` has it)
        self._seed = seed

    async def act(self, observation: Mapping[str, object], info: Mapping[str, object]) -> JsonObject:  # noqa: ARG002 (as `Agent` has it)
        await asyncio.sleep(self._waits[self._seed])
        self._ended[self._seed] = time.perf_counter()
        return _FINISH


def _took(play: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    asyncio.run(play())
    return time.perf_counter() - begun


async def _plain(env: ToolEnv, jobs: Sequence[Job], places: int, waits: Sequence[float]) -> None:
    semaphore = asyncio.Semaphore(places)

    async def one(job: Job) -> Trajectory:
        async with semaphore:
            return await aplay(env.fork(), _Late(waits, {}), task_id=job.task_id, seed=job.seed)

    await asyncio.gather(*map(one, jobs))


async def _saved(
    env: ToolEnv,
    jobs: Sequence[Job],
    places: int,
    waits: Sequence[float],
    ended: dict[int, float],
    saved: list[float],
) -> None:
    def note(episode: Trajectory) -> None:
        saved.append(time.perf_counter() - ended[episode.seed])

    with tempfile.TemporaryDirectory() as folder, closing(Run(Path(folder), {})) as run:
        make_agent = partial(_Late, waits, ended)
        await arun_batch(env.fork, make_agent, jobs, run, concurrency=places, progress=note)
