"""Checks of solutions: what is known to solve a task must be worth the maximum."""

from __future__ import annotations

import math
from collections.abc import Sequence

from stb_env.runs.metrics.rates import summarize
from stb_env.testing.report import Report
from stb_env.testing.subject import Subject
from stb_env.trajectory import Trajectory


def check_gold(report: Report, subject: Subject) -> list[Trajectory]:
    """Play the gold agent, check what it scores, and return its episodes."""
    played = subject.play("gold")
    calls = [call for t in played for step in t.steps for call in step["calls"] if call["source"] != "env"]
    # A task can be about a refusal: what is refused on the way to a solution is as it should be.
    refused = sum(
        call["status"] == 1 for t in played if t.solved for step in t.steps for call in step["calls"]
    )
    answered = sum(call["status"] == 0 for call in calls)
    summary = summarize(played)
    report.counts |= {
        "gold_calls": {"tried": len(calls), "reproduced": answered, "explained": refused},
        "scores": {"gold": summary["mean"]},
        "gold_solved": summary["solved"],
    }
    na = [t.task_id for t in played if nothing_to_judge(t)]
    if na:
        report.counts["na"] = na
    check_failures(report, "no failures", played)
    if subject.exact:
        _check_maximum(report, subject, played)
    else:
        share = answered / len(calls) if calls else 0.0
        report.add(
            "gold calls answered", bool(calls), f"{answered} of {len(calls)} ({share:.1%}) without an error"
        )
    return played


def _check_maximum(report: Report, subject: Subject, played: Sequence[Trajectory]) -> None:
    known = {job.key for job in subject.solvable()}
    judged = [t for t in played if t.key in known and not nothing_to_judge(t)]
    short = [t for t in judged if not math.isclose(t.reward, 1.0)]
    without = [t.task_id for t in played if t.key not in known]
    detail = f"{len(judged) - len(short)} of {len(judged)} reach the maximum"
    if short:
        detail += f", not {_named(short)}"
    if without:
        detail += f"; {len(without)} without gold, so nothing shows that they can be solved: {without[:5]}"
        report.counts["without_gold"] = without
    report.add("gold", not short, detail)


def check_failures(
    report: Report, name: str, played: Sequence[Trajectory], *, unrecorded: bool = False
) -> None:
    """Check that no episode was invalid for any other reason than that there was nothing to judge.

    Args:
        report: Gets the check.
        name: Its name.
        played: The episodes.
        unrecorded: Whether calls may be made that nobody recorded, where a recording is replayed.
    """
    # Such a task is no failure; it is invalid because its reward means nothing.
    na = [t.task_id for t in played if nothing_to_judge(t)]
    failed = [t for t in played if not t.valid and not nothing_to_judge(t)]
    if unrecorded:
        failed = [t for t in failed if (t.failure or {}).get("kind") != "cache_miss"]
    detail = f"{len(failed)} of {len(played)} episodes failed"
    if failed:
        failure = failed[0].failure or {}
        detail += f", the first ({failed[0].task_id}): {failure.get('message', 'no reason was given')}"
    if na:
        detail += f"; {len(na)} with nothing to judge: {', '.join(na[:5])}"
    report.add(name, not failed, detail)


def nothing_to_judge(episode: Trajectory) -> bool:
    """Return whether a judge had nothing to decide on."""
    return episode.verdict is not None and episode.verdict["status"] == "na"


def _named(episodes: Sequence[Trajectory]) -> str:
    return ", ".join(f"{t.task_id} ({t.reward:g})" for t in episodes[:5])
