"""Standing checks of an environment: contract, gold, null agents, determinism, fork isolation."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, runtime_checkable

import gymnasium as gym
from gymnasium.utils.env_checker import check_env

from stb_env.baselines import load_agent
from stb_env.envs.tool_env import ToolEnv
from stb_env.judges.protocol import Case
from stb_env.metrics.rates import summarize
from stb_env.request import drive
from stb_env.rollout import Job, plan, play
from stb_env.suite import resolved, suite_of
from stb_env.tasks import TaskSource
from stb_env.testing.report import Report
from stb_env.trajectory import Trajectory

NULL_AGENTS = ("noop", "give_up", "echo", "inject", "random")

# What an undeserving agent may score. An exact verifier lets sampled calls through about never; the
# heuristic judge of open queries can be taken in by sampled calls that happen to hit the right APIs.
EXACT_FLOOR = {"random": 0.01}
OPEN_FLOOR = {"random": 0.02}


@runtime_checkable
class _Extensible(Protocol):
    """A listed split of a suite that generates tasks; its ``get`` knows those ids too."""

    def endless(self) -> TaskSource: ...


@runtime_checkable
class _Lucky(Protocol):
    """A judge whose tasks can be solved in part by chance, and which says how much that may come to."""

    floors: Mapping[str, float]


Progress = Callable[[str, int, int], None]


def validate(
    env_id: str, env: ToolEnv, *, seeds: int | None = None, seed: int = 0, progress: Progress | None = None
) -> Report:
    """Check an environment.

    Args:
        env_id: Its id, for the report.
        env: The environment.
        seeds: How many tasks to draw; None for all of a finite set, 200 of an endless one. Where a listed
            split has fewer and the suite generates training tasks, those make up the number.
        seed: Seed of the draws.
        progress: Called with a stage's name, the episodes done and all of them.

    Examples:
        >>> from stb_env.testing.notes import notes
        >>> validate("test/Notes-v0", notes(), seeds=3).passed
        True
    """
    report = Report(env_id)
    episodes = seeds if seeds is not None else (env.tasks.size or 200)
    jobs = _draws(env, episodes, seed)
    tell = progress or (lambda _stage, _done, _all: None)
    _check_contract(report, env)
    gold = _play_all(env, "gold", jobs, tell)
    _check_gold(report, env, gold)
    suite = suite_of(env_id)
    if suite is not None and suite.checks is not None:
        resolved(suite.checks)(report, env, [env.tasks.get(job.task_id) for job in jobs])
    _check_nulls(report, env, jobs, tell)
    if _is_exact(env):
        _check_leaks(report, env, jobs)
    _check_determinism(report, env, jobs[:20], gold)
    _check_forks(report, env, jobs[:20])
    report.counts["tasks"] = len(jobs)
    return report


def _draws(env: ToolEnv, episodes: int, seed: int) -> list[Job]:
    jobs = plan(env.tasks, episodes=episodes, seed=seed)
    if len(jobs) < episodes and isinstance(env.tasks, _Extensible):
        jobs += plan(env.tasks.endless(), episodes=episodes - len(jobs), seed=seed)
    return jobs


def _play_all(env: ToolEnv, name: str, jobs: Sequence[Job], tell: Progress) -> list[Trajectory]:
    agent = load_agent(name)()
    played = []
    for done, job in enumerate(jobs, 1):
        played.append(play(env, agent, task_id=job.task_id, seed=job.seed))
        tell(name, done, len(jobs))
    return played


def floors(env: ToolEnv) -> Mapping[str, float]:
    """Return what each null agent may score at most; 0 where an agent is not named."""
    judge = env.rules.judge
    if isinstance(judge, _Lucky):
        return judge.floors
    return EXACT_FLOOR if _is_exact(env) else OPEN_FLOOR


def _check_contract(report: Report, env: ToolEnv) -> None:
    fork = env.fork()
    try:
        with warnings.catch_warnings():
            # Advice about array observations, which text observations cannot take.
            warnings.simplefilter("ignore")
            check_env(fork, skip_render_check=True, skip_close_check=True)
    except (AssertionError, gym.error.Error) as error:
        report.add("check_env", False, str(error))
    else:
        report.add("check_env", True, "Gymnasium's own checker accepts it")


def _check_gold(report: Report, env: ToolEnv, gold: Sequence[Trajectory]) -> None:
    calls = [call for t in gold for step in t.steps for call in step["calls"] if call["source"] != "env"]
    answered = sum(call["status"] == 0 for call in calls)
    # A task can be about a refusal: what is refused on the way to a solution is as it should be.
    refused = sum(call["status"] == 1 for t in gold if t.solved for step in t.steps for call in step["calls"])
    summary = summarize(gold)
    report.counts |= {
        "gold_calls": {"tried": len(calls), "reproduced": answered, "explained": refused},
        "scores": {"gold": summary["mean"]},
        "gold_solved": summary["solved"],
    }
    # A task with nothing to judge is no failure; it is invalid because its reward means nothing.
    na = [t.task_id for t in gold if t.verdict is not None and t.verdict["status"] == "na"]
    failed = summary["invalid"] - len(na)
    noted = f"; {len(na)} with nothing to judge: {', '.join(na[:5])}" if na else ""
    report.add("no failures", failed == 0, f"{failed} of {len(gold)} episodes failed{noted}")
    if na:
        report.counts["na"] = na
    if _is_exact(env):
        judged = [t for t in gold if t.task_id not in na]
        unsolved = [t.task_id for t in judged if t.reward != 1.0]
        report.add(
            "oracle",
            not unsolved,
            f"{len(judged) - len(unsolved)} of {len(judged)} solved {unsolved[:5] or ''}",
        )
    else:
        share = answered / len(calls) if calls else 0.0
        report.add(
            "gold calls answered", bool(calls), f"{answered} of {len(calls)} ({share:.1%}) without an error"
        )


def _check_nulls(report: Report, env: ToolEnv, jobs: Sequence[Job], tell: Progress) -> None:
    allowed = floors(env)
    for name in NULL_AGENTS:
        score = summarize(_play_all(env, name, jobs, tell))["mean"]
        floor = allowed.get(name, 0.0)
        report.counts["scores"][name] = score
        report.add(f"null agent {name}", score <= floor, f"scores {score:.4f}, at most {floor:g} allowed")


def _check_leaks(report: Report, env: ToolEnv, jobs: Sequence[Job]) -> None:
    leaking = [job.task_id for job in jobs if _documentation_answers(env, job)]
    detail = f"the documentation of no tool is an answer, in {len(jobs)} tasks {leaking[:5] or ''}"
    report.add("no answer in the documentation", not leaking, detail)


def _documentation_answers(env: ToolEnv, job: Job) -> bool:
    task = env.tasks.get(job.task_id)
    state = env.rules.backend.start(task, job.seed)
    return any(
        drive(env.rules.judge.judge(Case(task, tool.spec, (), state))).status == "solved"
        for tool in task.tools
    )


def _check_determinism(report: Report, env: ToolEnv, jobs: Sequence[Job], gold: Sequence[Trajectory]) -> None:
    agent = load_agent("gold")()
    different = [
        job.task_id
        for job, first in zip(jobs, gold, strict=False)
        if play(env.fork(), agent, task_id=job.task_id, seed=job.seed).to_json() != first.to_json()
    ]
    report.add(
        "same seed, same bytes", not different, f"{len(jobs)} episodes played twice {different[:5] or ''}"
    )


def _check_forks(report: Report, env: ToolEnv, jobs: Sequence[Job]) -> None:
    broken = [job.task_id for job in jobs if not _fork_is_isolated(env, job)]
    report.add(
        "forks are independent", not broken, f"{len(jobs)} episodes forked at every turn {broken[:5] or ''}"
    )


def _fork_is_isolated(env: ToolEnv, job: Job) -> bool:
    """Play gold in the original while a fork of every turn plays it ahead: both must see the same."""
    agent = load_agent("gold")()
    options = {"task_id": job.task_id}
    observation, info = env.reset(seed=job.seed, options=options)
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


def _is_exact(env: ToolEnv) -> bool:
    return env.oracle is not None
