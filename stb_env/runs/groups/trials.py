"""Play one group."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

from stb_env.core.request import Slow
from stb_env.core.settings import check_settings
from stb_env.errors import ConfigError
from stb_env.runs.agent import Agent
from stb_env.runs.deadlines import Watch
from stb_env.runs.episode import continued
from stb_env.runs.groups.advantages import ESTIMATORS, Estimator, varied
from stb_env.runs.groups.group import Group
from stb_env.runs.groups.prefix import Prefix, marked, prefix_actions
from stb_env.runs.groups.start import ForkableEnv, LeadAgent, Start, started
from stb_env.runs.groups.workers import Workers
from stb_env.runs.timing import Stopwatch, Timing
from stb_env.seeding import derive
from stb_env.trajectory import Trajectory

Timed: TypeAlias = tuple[Trajectory, Timing]
"""An episode, and how long it took from where it began."""


@dataclass(frozen=True, slots=True)
class Trials:
    """Settings of a group's trials.

    Attributes:
        k: How many trials.
        branch_at: After how many steps of the first trial the others begin; None for at the start, or where
            the given prefix ends.
        stop_equal: After how many trials of equal reward the rest is left out; None plays all.
        estimator: How advantages are computed.

    Raises:
        ConfigError: A number is none or out of range, or there is no such estimator.

    Examples:
        >>> Trials(8, stop_equal=4).estimator
        'grpo'
        >>> Trials(1)
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: a group takes at least 2 trials, got k=1
    """

    k: int
    branch_at: int | None = None
    stop_equal: int | None = None
    estimator: Estimator = "grpo"

    def __post_init__(self) -> None:
        numbers = {"k": self.k, "branch_at": self.branch_at, "stop_equal": self.stop_equal}
        check_settings(Trials, numbers, "a group")
        if self.k < 2:
            raise ConfigError(f"a group takes at least 2 trials, got k={self.k}")
        if self.branch_at is not None and self.branch_at < 0:
            raise ConfigError(f"branch_at must be at least 0, got {self.branch_at}")
        if self.stop_equal is not None and self.stop_equal < 2:
            raise ConfigError(f"stop_equal must be at least 2, got {self.stop_equal}")
        if self.estimator not in ESTIMATORS:
            known = ", ".join(ESTIMATORS)
            raise ConfigError(f"there is no estimator {self.estimator!r}; expected one of {known}")

    @property
    def first(self) -> int:
        """Number of trials before the first check whether the rest is worth playing."""
        return self.k if self.stop_equal is None else min(self.k, self.stop_equal)

    def ahead(self, concurrency: int) -> int:
        """Return how many groups are played at the same time where so many trials are.

        Enough that trials of the groups behind it fill the places of one whose last trial is slow.
        """
        return concurrency // self.first + 1


@dataclass(frozen=True, slots=True)
class GroupJob:
    """One group to play.

    Attributes:
        task_id: The task.
        seed: Seed of the episode.
        prefix: What all trials begin with.
        before: How many trials of the same episode came before, in other groups; these are numbered on.
    """

    task_id: str
    seed: int
    prefix: Prefix | None = None
    before: int = 0


def group(workers: Workers, trials: Trials, job: GroupJob) -> Slow[Group]:
    """Yield the slow work of one group, and return it.

    Args:
        workers: Who plays.
        trials: How.
        job: What is played.

    Raises:
        ConfigError: The prefix is too short, or ends the episode.
    """
    task_id, seed, prefix, before = job.task_id, job.seed, job.prefix, job.before
    played: list[Timed] = []
    with workers.worker() as (env, _):
        first = yield from started(env, task_id, seed)
    actions = [] if prefix is None else prefix_actions(prefix, trials.branch_at)
    branch = trials.branch_at or len(actions)
    start: Start | None = first
    if branch:
        lead, start = yield from _lead(workers, first, actions, branch, seed, before)
        played.append(lead)
    for upto in (trials.first, trials.k):
        if start is None or (len(played) >= trials.first and _alike(trials, played)):
            break
        todo = [_trial(workers, start, seed, before + place) for place in range(len(played), upto)]
        played += yield from workers.play(todo)
    return Group(
        task_id=task_id,
        seed=seed,
        episodes=tuple(episode for episode, _ in played),
        planned=trials.k,
        branch=0 if start is None else len(start.opening.steps),
        version=workers.current_version(),
        estimator=trials.estimator,
        timings=tuple(timing for _, timing in played),
    )


def _lead(
    workers: Workers, start: Start, actions: list[object], branch: int, seed: int, trial: int
) -> Slow[tuple[Timed, Start | None]]:
    """Play the first trial, and return it with where the others begin, if it came there."""
    with workers.worker() as (env, agent):
        lead = LeadAgent(agent, workers.tell, actions, branch)
        env.restore(start.state)
        ((episode, timing),) = yield from workers.play([_played(workers, env, lead, start, seed, trial)])
    found = lead.start(episode)
    if episode.valid and len(episode.steps) <= len(actions):
        raise ConfigError(
            f"the prefix of task {episode.task_id!r} ends its episode after {len(episode.steps)} actions; "
            "trials need one that goes on"
        )
    shared = 0 if found is None else len(found.opening.steps)
    return (replace(episode, steps=marked(episode.steps, shared)), timing), found


def _trial(workers: Workers, start: Start, seed: int, trial: int) -> Slow[Timed]:
    with workers.worker() as (env, agent):
        env.restore(start.state)
        return (yield from _played(workers, env, agent, start, seed, trial))


def _played(
    workers: Workers, env: ForkableEnv, agent: Agent, start: Start, seed: int, trial: int
) -> Slow[Timed]:
    stopwatch = Stopwatch()
    episode = yield from continued(
        env,
        agent,
        start.own_opening(),
        seed=seed,
        trial=trial,
        agent_seed=derive(seed, trial, "agent"),
        watch=Watch(workers.deadlines, stopwatch.now),
        stopwatch=stopwatch,
    )
    return episode, stopwatch.read()


def _alike(trials: Trials, played: list[Timed]) -> bool:
    """Say whether the first trials leave no hope of variance; invalid ones say nothing."""
    rewards = [episode.reward for episode, _ in played if episode.valid]
    return trials.stop_equal is not None and len(rewards) > 1 and not varied(rewards)
