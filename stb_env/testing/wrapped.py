"""Checks of wrappers: what they keep of the contract, whatever they make of rewards, texts and calls."""

from __future__ import annotations

import json
import pickle
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import gymnasium as gym
from gymnasium.utils.env_checker import check_env, data_equivalence

from stb_env.core.background import wait_for
from stb_env.runs import Job, plan
from stb_env.spaces import TextSpace
from stb_env.testing.report import Report
from stb_env.wrappers import ToolWrapper

_STEPS = 4
_ANSWER = {"name": "Finish", "arguments": {"return_type": "give_answer", "final_answer": "Done."}}

Played = list[Any]
"""What came back, from the reset to the last step."""


def check_wrapped(env: ToolWrapper, *, seeds: int, seed: int = 0) -> Report:
    """Examine an environment in wrappers of this package.

    Args:
        env: The environment; forks of it are played.
        seeds: How many tasks to draw.
        seed: Seed of the draws.

    Returns:
        The report, with a check for each promise.

    Examples:
        >>> from stb_env.testing.notes import notes
        >>> from stb_env.wrappers import ChainOfThought
        >>> check_wrapped(ChainOfThought(notes()), seeds=2).passed
        True
    """
    report = Report(type(env).__name__)
    _check_gymnasium(report, env)
    jobs = plan(env.tasks, episodes=seeds, seed=seed)
    walks = [(job, *_walk(env.fork(), job)) for job in jobs]
    checks: dict[str, Callable[[ToolWrapper, Job, list[Any]], Played]] = {
        "same seed, same bytes": lambda one, job, actions: _played(one.fork(), job, actions),
        "async equals sync": lambda one, job, actions: wait_for(_awaited(one.fork(), job, actions)),
        "forks are independent": _forked,
        "environment pickles": lambda one, job, actions: _continued(one, job, actions, _pickled),
        "snapshot pickles": lambda one, job, actions: _continued(one, job, actions, _restored),
    }
    for name, play in checks.items():
        different = [
            job.task_id
            for job, actions, seen in walks
            if not data_equivalence(play(env, job, actions), seen, exact=True)
        ]
        report.add(
            name, not different, f"{len(different)} of {len(jobs)} episodes differ {different[:5] or ''}"
        )
    report.counts["tasks"] = len(jobs)
    return report


def _check_gymnasium(report: Report, env: ToolWrapper) -> None:
    try:
        with warnings.catch_warnings():
            # Advice about array observations, which text observations cannot take.
            warnings.simplefilter("ignore")
            check_env(env.fork(), skip_render_check=True, skip_close_check=True)
    except (AssertionError, gym.error.Error) as error:
        report.add("check_env", False, str(error))
    else:
        report.add("check_env", True, "Gymnasium's own checker accepts it")


def _walk(env: ToolWrapper, job: Job) -> tuple[list[object], Played]:
    """Take sampled actions and an answer; return the actions and what came back."""
    seen: Played = [_started(env, job)]
    env.action_space.seed(job.seed)
    actions: list[Any] = []
    over = False
    while not over and len(actions) <= _STEPS:
        actions.append(_action(env, seen[-1][-1], last=len(actions) == _STEPS))
        seen.append(env.step(actions[-1]))
        over = seen[-1][2] or seen[-1][3]
    return actions, seen


def _action(env: ToolWrapper, info: dict[str, object], *, last: bool) -> object:
    if not isinstance(env.action_space, TextSpace):
        return env.action_space.sample(info.get("action_mask"))
    return json.dumps(_ANSWER) if last else env.action_space.sample()


def _started(env: ToolWrapper, job: Job) -> object:
    return env.reset(seed=job.seed, options={"task_id": job.task_id})


def _played(env: ToolWrapper, job: Job, actions: Sequence[object]) -> Played:
    return [_started(env, job), *(env.step(action) for action in actions)]


async def _awaited(env: ToolWrapper, job: Job, actions: Sequence[object]) -> Played:
    first = await env.areset(seed=job.seed, options={"task_id": job.task_id})
    return [first, *[await env.astep(action) for action in actions]]


def _forked(env: ToolWrapper, job: Job, actions: Sequence[object]) -> Played:
    """Play, and before each step let a fork take it first and another be restored to it."""
    env = env.fork()
    seen = [_started(env, job)]
    for action in actions:
        branch, before = env.fork(), env.snapshot()
        taken = branch.step(action)
        env.step(action)
        env.restore(before)
        again = env.step(action)
        seen.append(again if data_equivalence(taken, again, exact=True) else None)
    return seen


def _continued(
    env: ToolWrapper,
    job: Job,
    actions: Sequence[object],
    copied: Callable[[ToolWrapper, ToolWrapper], ToolWrapper],
) -> Played:
    half, first = len(actions) // 2, env.fork()
    seen = _played(first, job, actions[:half])
    rest = copied(env, first)
    return [*seen, *(rest.step(action) for action in actions[half:])]


def _pickled(_env: ToolWrapper, played: ToolWrapper) -> ToolWrapper:
    same: ToolWrapper = pickle.loads(pickle.dumps(played))  # noqa: S301 (its own bytes)
    return same


def _restored(env: ToolWrapper, played: ToolWrapper) -> ToolWrapper:
    other = env.fork()
    other.reset(seed=0)
    other.restore(pickle.loads(pickle.dumps(played.snapshot())))  # noqa: S301 (its own bytes)
    return other
