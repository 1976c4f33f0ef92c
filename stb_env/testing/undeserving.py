"""Checks of what nobody deserves: agents that do nothing for it, and answers that anyone can read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from stb_env.core import jsontext
from stb_env.core.request import drive
from stb_env.errors import InfrastructureError
from stb_env.judges.judge import Case
from stb_env.runs import Job
from stb_env.runs.metrics.rates import summarize
from stb_env.testing.gold import check_failures
from stb_env.testing.report import Report
from stb_env.testing.subject import Subject
from stb_env.trajectory import Trajectory

NULL_AGENTS = ("noop", "give_up", "echo", "inject", "random")

# What an undeserving agent may score: the heuristic judge of open queries can be taken in by sampled calls
# that happen to hit the right APIs.
EXACT_FLOOR: Mapping[str, float] = {}
OPEN_FLOOR = {"random": 0.02}


@runtime_checkable
class _Lucky(Protocol):
    """A judge whose tasks can be solved in part by chance, and which says how much that may come to."""

    floors: Mapping[str, float]


def floors(subject: Subject) -> Mapping[str, float]:
    """Return what each null agent may score at most; 0 where an agent is not named."""
    judge = subject.env.rules.judge
    if isinstance(judge, _Lucky):
        return judge.floors
    return EXACT_FLOOR if subject.exact else OPEN_FLOOR


def impossible_share(subject: Subject) -> float:
    """Return the share of tasks that the likeliest refusal is right for, which all suites keep to a half."""
    tasks = subject.tasks()
    refused = Counter(jsontext.dumps(task.goal["cannot"]) for task in tasks if task.goal.get("cannot"))
    most = max(refused.values(), default=0)
    return min(0.5, most / len(tasks)) if tasks else 0.0


def check_nulls(report: Report, subject: Subject) -> None:
    """Check that agents that deserve nothing get nothing, and that none of them escapes judgement."""
    allowed = floors(subject)
    every: list[Trajectory] = []
    for name in NULL_AGENTS:
        played = subject.play(name)
        every += played
        score = summarize(played)["mean"]
        floor = max(allowed.get(name, 0.0), impossible_share(subject) if name == "give_up" else 0.0)
        report.counts["scores"][name] = score
        report.add(f"null agent {name}", score <= floor, f"scores {score:.4f}, at most {floor:g} allowed")
    check_failures(report, "null agents are judged", every, unrecorded=True)


def check_leaks(report: Report, subject: Subject) -> None:
    """Check that what tools say of themselves is no answer, where an exact verifier reads text."""
    textual = [job for job, task in zip(subject.jobs, subject.tasks(), strict=True) if task.answer is None]
    if not subject.exact or not textual:
        return
    leaking = [job.task_id for job in textual if _documentation_answers(subject, job)]
    detail = f"the documentation of no tool is an answer, in {len(subject.jobs)} tasks {leaking[:5] or ''}"
    report.add("no answer in the documentation", not leaking, detail)


def _documentation_answers(subject: Subject, job: Job) -> bool:
    env = subject.env
    task = env.tasks.get(job.task_id)
    state = env.rules.backend.start(task, job.seed)
    try:
        return any(
            drive(env.rules.judge.judge(Case(task, tool.spec, (), state))).status == "solved"
            for tool in task.tools
        )
    except InfrastructureError:
        # A judge that fails passes nothing; other checks say that it does.
        return False
