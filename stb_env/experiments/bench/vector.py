"""Steps a second of many episodes at a time, beside Gymnasium's own loop over single environments."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

from gymnasium.vector import SyncVectorEnv

from stb_env import Case, Judge, ToolEnv, Verdict
from stb_env.core import jsontext
from stb_env.core.request import Request, Slow
from stb_env.envs.vector import ToolVectorEnv
from stb_env.experiments.bench.measurement import TURNS, Measurement, rate
from stb_env.runs.make import make_env

_ENV = "stb/Sandbox-v1"
_SIZES = (1, 16, 256)
_WAIT = 0.05
_ANSWER = {"name": "Finish", "arguments": {"return_type": "give_answer", "final_answer": "Done."}}


def vector_measurements(seconds: float) -> Iterator[Measurement]:
    """Measure steps that hit a world, in every size and way, then steps that wait for a slow judge."""
    for size in _SIZES:
        single = [_made() for _ in range(size)]
        alone = rate(partial(_each, single), seconds, batch=size * TURNS)
        sync = SyncVectorEnv([_made] * size)
        ours = ToolVectorEnv(_made(), size)
        note = f"{alone:,.0f} /s as {size} single environments"
        for name, envs in (("SyncVectorEnv", sync), ("vector env", ours)):
            figure = rate(partial(_vector, envs), seconds, batch=size * TURNS)
            yield Measurement(f"{name} of {size}, Sandbox steps", figure, "/s", note)
    yield _overlap(_SIZES[1])


class _SlowJudge:
    """Judges as another does, after as long as a model takes."""

    def __init__(self, judge: Judge) -> None:
        self._judge, self.name = judge, judge.name

    def judge(self, case: Case) -> Slow[Verdict]:
        """Return the other's verdict, later."""
        yield Request(run=partial(time.sleep, _WAIT), arun=partial(asyncio.sleep, _WAIT))
        return (yield from self._judge.judge(case))


def _overlap(size: int) -> Measurement:
    """Return how long a step takes in which every episode is judged."""
    env = _made()
    slow = ToolEnv(env.tasks, env.rules.backend, _SlowJudge(env.rules.judge))
    envs = ToolVectorEnv(slow, size)
    envs.reset(seed=0)
    begun = time.perf_counter()
    envs.step([_ANSWER] * size)
    spent = time.perf_counter() - begun
    note = f"{1e3 * _WAIT:.0f} ms each, {1e3 * _WAIT * size:,.0f} ms one after the other"
    return Measurement(f"vector env of {size}, slow judges", 1e3 * spent, "ms", note)


def _made() -> ToolEnv:
    return make_env(_ENV, {"split": "train", "max_turns": TURNS + 1})


def _each(envs: list[ToolEnv]) -> None:
    for seed, env in enumerate(envs):
        env.reset(seed=seed)
    for _ in range(TURNS):
        for env in envs:
            env.step(_action(env))


def _vector(envs: Any) -> None:
    envs.reset(seed=0)
    for _ in range(TURNS):
        envs.step([_action(env) for env in envs.envs])


def _action(env: ToolEnv) -> str:
    call = env.task.gold[0]
    return jsontext.dumps({"name": call.name, "arguments": call.arguments})
