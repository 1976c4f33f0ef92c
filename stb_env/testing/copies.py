"""Checks of copies: the same episode again, elsewhere, asynchronously, forked, pickled or made anew."""

from __future__ import annotations

import json
import pickle
from collections.abc import Sequence
from typing import Any

import gymnasium as gym
from gymnasium.envs.registration import EnvSpec, registry

from stb_env.backend.virtual import VirtualBackend
from stb_env.core.background import wait_for
from stb_env.envs.tool_env import ToolEnv, Transition
from stb_env.errors import STBError
from stb_env.runs import Job, play
from stb_env.runs.baselines import load_agent
from stb_env.runs.make import make_env
from stb_env.testing.report import Report
from stb_env.testing.subject import Subject, gold_actions, replay, start
from stb_env.trajectory import Trajectory

_UNPICKLED = (pickle.PickleError, AttributeError, TypeError, ImportError, RecursionError, STBError)


def check_determinism(
    report: Report, subject: Subject, jobs: Sequence[Job], gold: Sequence[Trajectory]
) -> None:
    """Check that an episode is the same when it is played again."""
    agent = load_agent("gold")()

    def played(job: Job) -> Trajectory:
        return play(subject.env.fork(), agent, task_id=job.task_id, seed=job.seed)

    backend = subject.env.rules.backend
    if isinstance(backend, VirtualBackend) and backend.mode == "record":
        # What gold asked a service for is recorded since, and says so.
        gold = [played(job) for job in jobs]
    different = [
        job.task_id
        for job, first in zip(jobs, gold, strict=False)
        if played(job).to_json() != first.to_json()
    ]
    report.add(
        "same seed, same bytes", not different, f"{len(jobs)} episodes played twice {different[:5] or ''}"
    )


def check_async(report: Report, subject: Subject, jobs: Sequence[Job]) -> None:
    """Check that ``areset`` and ``astep`` do what ``reset`` and ``step`` do."""
    different = [job.task_id for job in jobs if not _async_is_equal(subject.env, job)]
    report.add(
        "async equals sync", not different, f"{len(jobs)} episodes played both ways {different[:5] or ''}"
    )


def check_forks(report: Report, subject: Subject, jobs: Sequence[Job]) -> None:
    """Check that a fork knows nothing of what its origin does, and the other way round."""
    broken = [job.task_id for job in jobs if not _fork_is_isolated(subject.env, job)]
    report.add(
        "forks are independent", not broken, f"{len(jobs)} episodes forked at every turn {broken[:5] or ''}"
    )


def check_pickling(report: Report, subject: Subject, jobs: Sequence[Job]) -> None:
    """Check that an environment and a snapshot go on equally after they were pickled half-way."""
    for name, copied in (("environment pickles", _pickled), ("snapshot pickles", _restored)):
        try:
            different = [job.task_id for job in jobs if not _goes_on(subject.env, job, copied)]
        except _UNPICKLED as error:
            advice = "a lambda or local function cannot travel, one that a module names can"
            report.add(name, False, f"{type(error).__name__}: {error}; {advice}")
        else:
            report.add(name, not different, f"{len(jobs)} episodes went on equally {different[:5] or ''}")


def check_spec(report: Report, subject: Subject, env_id: str) -> None:
    """Check that the environment can be made again from what `EnvSpec.to_json` wrote."""
    name, registered = "specification round trip", registry.get(env_id)
    env, text = subject.env, _as_json(subject.env.spec)
    try:
        if text is None and registered is not None:
            # It was made with objects; without them it must do.
            env, text = make_env(env_id, {}), _as_json(registered)
        if text is None:
            report.add(name, False, "no specification of plain data; register a Maker with its kwargs")
            return
        same = _first(gym.make(EnvSpec.from_json(text)).unwrapped) == _first(env.fork())
    except (gym.error.Error, STBError, ImportError, AttributeError, TypeError, ValueError) as error:
        report.add(name, False, f"{type(error).__name__}: {error}")
        return
    report.add(name, same, "it can be made again from its specification as JSON")


def _as_json(spec: EnvSpec | None) -> str | None:
    """Return a specification as JSON, or None where that would not be the same."""
    if spec is None or not isinstance(spec.entry_point, str):
        return None
    try:
        text = spec.to_json()
    except (TypeError, ValueError):
        return None
    return text if json.loads(text)["kwargs"] == spec.kwargs else None


def _first(env: Any) -> object:
    return env.tasks.hash, env.reset(seed=0)


def _async_is_equal(env: ToolEnv, job: Job) -> bool:
    actions = gold_actions(env.fork(), job)
    sync, other = env.fork(), env.fork()
    return (start(sync, job), replay(sync, actions)) == wait_for(_awaited(other, job, actions))


async def _awaited(env: ToolEnv, job: Job, actions: Sequence[object]) -> tuple[object, list[Transition]]:
    first = await env.areset(seed=job.seed, options={"task_id": job.task_id})
    return first, [await env.astep(action) for action in actions]


def _fork_is_isolated(env: ToolEnv, job: Job) -> bool:
    """Play gold in the original while a fork of every turn plays it ahead: both must see the same."""
    agent = load_agent("gold")()
    observation, info = start(env, job)
    agent.reset(env, job.seed)
    over = False
    while not over:
        before = env.snapshot()
        action = agent.act(observation, info)
        ahead = env.fork().step(action)
        if env.snapshot() is not before:
            return False
        here = env.step(action)
        if ahead != here:
            return False
        observation, _, terminated, truncated, info = here
        over = terminated or truncated
    return True


def _goes_on(env: ToolEnv, job: Job, copied: Any) -> bool:
    actions = gold_actions(env.fork(), job)
    half = len(actions) // 2
    first = env.fork()
    start(first, job)
    replay(first, actions[:half])
    other = copied(first, env)
    return replay(first, actions[half:]) == replay(other, actions[half:])


def _pickled(running: ToolEnv, _: ToolEnv) -> ToolEnv:
    copy: ToolEnv = pickle.loads(pickle.dumps(running))  # noqa: S301 (its own pickle)
    return copy


def _restored(running: ToolEnv, env: ToolEnv) -> ToolEnv:
    other = env.fork()
    other.restore(pickle.loads(pickle.dumps(running.snapshot())))  # noqa: S301 (its own pickle)
    return other
