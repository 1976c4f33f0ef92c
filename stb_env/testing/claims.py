"""Checks of own tasks: whoever only claims that a task is done earns nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from stb_env.backend.epochs import Episode
from stb_env.core.jsontypes import JsonObject
from stb_env.declare.states import Timed
from stb_env.envs.tool_env import ToolEnv
from stb_env.judges.task_judge import TaskJudge
from stb_env.runs import Job
from stb_env.testing.red_team.known_solutions import gold_line
from stb_env.testing.report import Report
from stb_env.testing.subject import Subject
from stb_env.tools import FINISH
from stb_env.verdict import reward_of

Line = tuple[Sequence[object], JsonObject]
"""Actions, and the arguments of the Finish after them."""


def _claim(_env: ToolEnv, _calls: Sequence[object], ending: dict[str, object]) -> Line | None:
    """Return gold's ending without a call."""
    return [], ending


def _sentence(env: ToolEnv, _calls: Sequence[object], _ending: dict[str, object]) -> Line | None:
    """Return no more than a sentence."""
    return [], {"final_answer": f"Done, as you asked: {env.task.query}"}


def _liar(env: ToolEnv, calls: Sequence[object], ending: dict[str, object]) -> Line | None:
    """Return what gold does but for the calls that change something; None where there are no others."""
    copy, reading = env.fork(), []
    for call in calls:
        before = _changes(copy.snapshot().backend)
        copy.step(call)
        if copy.snapshot().over:
            return None
        if _changes(copy.snapshot().backend) == before:
            reading.append(call)
    return (reading, ending) if 0 < len(reading) < len(calls) else None


CLAIMS: Mapping[str, Callable[[ToolEnv, Sequence[object], JsonObject], Line | None]] = {
    "claim": _claim,
    "sentence": _sentence,
    "liar": _liar,
}
"""What says that a task is done, by name."""


def check_claims(report: Report, subject: Subject) -> None:
    """Check that claims earn nothing: of every task whose gold makes calls, each of `CLAIMS` is played.

    An episode in which nothing could be judged, such as one that nobody recorded, pays nothing.
    """
    if not isinstance(subject.env.rules.judge, TaskJudge):
        return
    jobs = subject.solvable()
    paid: dict[str, list[str]] = {claim: [] for claim in CLAIMS}
    asked, parts = 0, dict[str, None]()
    for done, job in enumerate(jobs, 1):
        found = list(_paid(subject.env, job))
        asked += bool(found)
        for claim, earned in found:
            if earned:
                paid[claim].append(job.task_id)
            parts |= dict.fromkeys(earned)
        subject.tell("claims", done, len(jobs))
    report.counts["claims"] = {"tasks": asked, "paid": paid}
    wrong = [f"{claim} is paid in {', '.join(ids[:5])}" for claim, ids in paid.items() if ids]
    detail = "; ".join(wrong) or f"{', '.join(CLAIMS)} are paid in none of {asked} tasks"
    if wrong:
        detail += (
            f" (for {', '.join(parts)}). Check what was done: called, state, or a function of the state. A "
            "state that holds at the start earns nothing with kept=True"
        )
    report.add("claims", not wrong, detail)


def _paid(env: ToolEnv, job: Job) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield each claim that can be made in a task, and for which parts of the verdict it is paid."""
    start: dict[str, Any] = {"seed": job.seed, "options": {"task_id": job.task_id}}
    env.reset(**start)
    calls, ending = gold_line(env, job.task_id, job.seed)
    if not calls:
        return
    for claim, made in CLAIMS.items():
        env.reset(**start)
        line = made(env, calls, ending)
        if line is None:
            continue
        info: JsonObject = {}
        for action in [*line[0], {"name": FINISH, "arguments": line[1]}]:
            *_, info = env.step(action)
        verdict = info["verdict"] if info["valid"] and "verdict" in info else {}
        held = [part for part, holds in verdict.get("parts", {}).items() if holds] or ["the verdict"]
        yield claim, held if verdict and reward_of(verdict, "partial") > 0 else []


def _changes(state: object) -> object:
    """Return what differs between two states if a call between them has changed something."""
    if isinstance(state, Episode):
        return state.epoch
    return state.own if isinstance(state, Timed) else state
