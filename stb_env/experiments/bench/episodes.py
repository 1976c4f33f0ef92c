"""Whole episodes of the Sandbox, and what the parts of one cost: reset, steps, the verdict."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from stb_env import ToolEnv
from stb_env.core.jsontypes import JsonObject
from stb_env.envs.state import State
from stb_env.experiments.bench.measurement import Measurement, cycle, rate
from stb_env.runs.baselines.gold import Gold
from stb_env.runs.make import make_env
from stb_env.tools import FINISH

_ENV = "stb/Sandbox-v1"
_TASKS = 50
# A task is new only once.
_NEW = 400
_BRIEF = 0.5


class _Play(NamedTuple):
    """An episode of the gold agent: what chose its task, its actions, the state before the last of them."""

    options: JsonObject
    actions: list[Any]
    before: State


def episode_measurements(seconds: float) -> Iterator[Measurement]:
    """Measure episodes of gold actions in the Sandbox, and their parts; the agent's time is not counted."""
    env = make_env(_ENV, {})
    plays = [_played(env, {"task_id": env.tasks.at(index).id}) for index in range(_TASKS)]
    turn, note = cycle(plays), f"{_TASKS} tasks, played before"
    yield Measurement("Sandbox episode", 1e6 / rate(lambda: _replay(env, next(turn)), seconds), "us", note)
    resets = rate(lambda: env.reset(options=next(turn).options), seconds)
    yield Measurement("Sandbox reset", 1e6 / resets, "us", note)
    yield Measurement("Sandbox step", _best(lambda: _steps(env, plays), seconds), "us", note)
    yield Measurement("Sandbox last step", _best(lambda: _last_steps(env, plays), seconds), "us", note)
    yield Measurement("Sandbox typed verdict", _best(lambda: _verdicts(env, plays), seconds), "us", note)
    fresh = make_env(_ENV, {"split": "train"})
    fresh.reset(seed=0)
    new = [_played(fresh, {}) for _ in range(1 + int(_NEW * min(1.0, seconds / _BRIEF)))]
    yield Measurement("Sandbox last step, new task", _last_steps(fresh, new), "us", f"{len(new)} tasks")


def _played(env: ToolEnv, options: dict[str, object]) -> _Play:
    """Play an episode up to its last action."""
    observation, info = env.reset(options=options)
    agent = Gold()
    agent.reset(env, 0)
    actions = [agent.act(observation, info)]
    while actions[-1]["name"] != FINISH:
        observation, *_, info = env.step(actions[-1])
        actions.append(agent.act(observation, info))
    return _Play(options, actions, env.snapshot())


def _replay(env: ToolEnv, play: _Play) -> None:
    env.reset(options=play.options)
    for action in play.actions:
        env.step(action)


def _steps(env: ToolEnv, plays: Sequence[_Play]) -> float:
    """Return the microseconds of a step that is not the last."""
    spent = 0.0
    for play in plays:
        env.reset(options=play.options)
        begun = time.perf_counter()
        for action in play.actions[:-1]:
            env.step(action)
        spent += time.perf_counter() - begun
    return 1e6 * spent / sum(len(play.actions) - 1 for play in plays)


def _last_steps(env: ToolEnv, plays: Sequence[_Play]) -> float:
    """Return the microseconds of a step that ends an episode."""
    spent = 0.0
    for play in plays:
        env.restore(play.before)
        begun = time.perf_counter()
        env.step(play.actions[-1])
        spent += time.perf_counter() - begun
    return 1e6 * spent / len(plays)


def _verdicts(env: ToolEnv, plays: Sequence[_Play]) -> float:
    """Return the microseconds of a verdict on an episode that was played."""
    cases = []
    for play in plays:
        env.restore(play.before)
        env.step(play.actions[-1])
        cases.append(env.snapshot().case(env.task))
    begun = time.perf_counter()
    for case in cases:
        case.verdict(env.rules.judge)
    return 1e6 * (time.perf_counter() - begun) / len(cases)


def _best(measure: Callable[[], float], seconds: float) -> float:
    until = time.perf_counter() + seconds
    best = measure()
    while time.perf_counter() < until:
        best = min(best, measure())
    return best
