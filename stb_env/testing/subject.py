"""The environment under examination, with the episodes that it is examined on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from stb_env.core.jsontypes import JsonArray, JsonMapping, JsonObject
from stb_env.envs.tool_env import Observation, ToolEnv, Transition
from stb_env.runs import Job, plan, play
from stb_env.runs.baselines import load_agent
from stb_env.runs.baselines.gold import gold_oracle
from stb_env.suite import Suite
from stb_env.tasks import Task, TaskSource
from stb_env.trajectory import Trajectory

Progress = Callable[[str, int, int], None]
"""Told a stage's name, the episodes done and all of them."""


@runtime_checkable
class _Extensible(Protocol):
    """A listed split of a suite that generates tasks; its ``get`` knows those ids too."""

    def endless(self) -> TaskSource: ...


@runtime_checkable
class _Standing(Protocol):
    """A judge that stands in for that of another suite, and says itself whether it is exact."""

    exact: bool


@dataclass(frozen=True, slots=True)
class Subject:
    """An environment with the episodes that it is examined on.

    Attributes:
        env: The environment.
        suite: Its suite, where one is registered.
        jobs: The episodes.
        tell: Told how far the examination is.
    """

    env: ToolEnv
    suite: Suite | None
    jobs: Sequence[Job]
    tell: Progress

    @property
    def exact(self) -> bool:
        """True if an exact verifier decides, so that gold must reach the maximum."""
        judge = self.env.rules.judge
        if isinstance(judge, _Standing):
            return judge.exact
        return self.suite is None or self.suite.exact

    def tasks(self) -> list[Task]:
        """Return the task of each episode."""
        return [self.env.tasks.get(job.task_id) for job in self.jobs]

    def solvable(self) -> list[Job]:
        """Return the episodes whose solution is known."""
        if self.env.oracle not in (None, gold_oracle):
            return list(self.jobs)
        return [job for job, task in zip(self.jobs, self.tasks(), strict=True) if task.gold]

    def play(self, agent: str, jobs: Sequence[Job] | None = None) -> list[Trajectory]:
        """Let an agent play the episodes."""
        jobs = self.jobs if jobs is None else jobs
        player = load_agent(agent)()
        played = []
        for done, job in enumerate(jobs, 1):
            played.append(play(self.env, player, task_id=job.task_id, seed=job.seed))
            self.tell(agent, done, len(jobs))
        return played


def draws(env: ToolEnv, seeds: int | None, seed: int) -> list[Job]:
    """Draw the episodes to examine; where a listed split has too few, generated tasks make up the number.

    Args:
        env: The environment.
        seeds: How many; None for all tasks of a finite set and 200 of an endless one.
        seed: Seed of the draws.
    """
    episodes = seeds if seeds is not None else (env.tasks.size or 200)
    jobs = plan(env.tasks, episodes=episodes, seed=seed)
    if len(jobs) < episodes and isinstance(env.tasks, _Extensible):
        jobs += plan(env.tasks.endless(), episodes=episodes - len(jobs), seed=seed)
    return jobs


def gold_actions(env: ToolEnv, job: Job) -> list[object]:
    """Return what the gold agent does in an episode."""
    agent = load_agent("gold")()
    observation: JsonMapping
    observation, info = env.reset(seed=job.seed, options={"task_id": job.task_id})
    agent.reset(env, job.seed)
    actions: JsonArray = []
    over = False
    while not over:
        actions.append(agent.act(observation, info))
        observation, _, terminated, truncated, info = env.step(actions[-1])
        over = terminated or truncated
    return actions


def replay(env: ToolEnv, actions: Sequence[object]) -> list[Transition]:
    """Take actions in an environment, and return all that follows."""
    return [env.step(action) for action in actions]


def start(env: ToolEnv, job: Job) -> tuple[Observation, JsonObject]:
    """Start an episode."""
    return env.reset(seed=job.seed, options={"task_id": job.task_id})
