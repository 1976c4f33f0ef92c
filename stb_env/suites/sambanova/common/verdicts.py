"""Verdicts of tasks that calls and the state that they lead to decide."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from stb_env.errors import JudgeError
from stb_env.judges.judge import Case
from stb_env.suites.sambanova.common.agreement import Agreement
from stb_env.tools import FINISH, Status
from stb_env.trajectory import CallRecord
from stb_env.verdict import Verdict, VerdictStatus, Vote

State = TypeVar("State")

MISTAKES = 8
"""Failing calls of an episode that later acts can make good; who fails more often is guessing."""

LATE_FAILURE = "kept:no late failure"
"""Guard that breaks where a call fails after the acts that were asked for."""


def verdict_of(
    judge: str,
    *,
    success: bool,
    executable: bool,
    reason: str = "",
    parts: Mapping[str, bool] | None = None,
    metrics: Mapping[str, float] | None = None,
    score: float | None = None,
) -> Verdict:
    """Return a verdict with the two figures that every task of the paper has.

    Args:
        judge: Name of the judge.
        success: Whether the task is solved.
        executable: Whether there was a call, and none failed.
        reason: What went wrong, where something did.
        parts: What was asked for, and whether it was done; guards are listed where they are broken.
        metrics: Further figures.
        score: The reward; 1 for a success if None.

    Examples:
        >>> verdict = verdict_of("exact", success=False, executable=True, parts={"state:cells": False})
        >>> verdict.status, dict(verdict.parts), dict(verdict.metrics)
        ('unsolved', {'state:cells': False}, {'executable': 1.0, 'success': 0.0})
    """
    value = float(success) if score is None else score
    status: VerdictStatus = "solved" if success and value == 1.0 else "unsolved"
    figures = {"executable": float(executable), "success": float(success)}
    votes = (Vote(status, reason),) if reason else ()
    return Verdict(status, value, judge, votes, parts=parts or {}, metrics=figures | dict(metrics or {}))


def verdict_on_parts(
    judge: str, calls: Sequence[CallRecord], parts: Mapping[str, bool], is_act: Callable[[CallRecord], bool]
) -> Verdict:
    """Return the verdict of a task that is solved once every part is, and no call fails after that.

    Args:
        judge: Name of the judge.
        calls: The calls of the episode.
        parts: What was asked for, and whether it was done.
        is_act: Whether a call that was done is what the task is about.
    """
    late = late_failure(calls, is_act)
    held = {**parts, LATE_FAILURE: False} if late else parts
    return verdict_of(
        judge,
        success=all(held.values()),
        executable=is_executable(calls),
        reason=late or first_error(calls),
        parts=shown(held),
    )


def verdict_on_agreement(
    judge: str,
    agreed: Agreement,
    *,
    executable: bool,
    reason: str = "",
    parts: Mapping[str, bool] | None = None,
) -> Verdict:
    """Return the verdict of a comparison: a success where prediction and label agree completely.

    Args:
        judge: Name of the judge.
        agreed: How far they agree.
        executable: Whether there was a call, and none failed.
        reason: What went wrong, where something did.
        parts: As for `verdict_of`.

    Examples:
        >>> verdict = verdict_on_agreement("exact", Agreement(1.0, 0.5, 2 / 3), executable=True)
        >>> verdict.status, verdict.score, verdict.metrics["recall"]
        ('unsolved', 0.0, 0.5)
    """
    return verdict_of(
        judge,
        success=agreed.complete,
        executable=executable,
        reason=reason,
        parts=parts,
        metrics=agreed._asdict(),
    )


def shown(parts: Mapping[str, bool]) -> dict[str, bool]:
    """Return parts without the guards that hold.

    Examples:
        >>> shown({"state:row 3": False, "kept:title": True, "kept:other rows": False})
        {'state:row 3': False, 'kept:other rows': False}
    """
    return {name: held for name, held in parts.items() if not (held and name.startswith("kept:"))}


def made_calls(case: Case) -> tuple[CallRecord, ...]:
    """Return the calls of a case, Finish left out."""
    return tuple(call for call in case.calls if call.name != FINISH)


def state_of(case: Case, kind: type[State], what: str) -> State:
    """Return the world's state that a case carries.

    Args:
        case: The case.
        kind: Type of the state.
        what: Names it in the error.

    Raises:
        JudgeError: The case carries something else.
    """
    if isinstance(case.state, kind):
        return case.state
    raise JudgeError(
        f"task {case.task.id} is judged by its {what}, got {type(case.state).__name__}; pass the world's "
        "state in the case",
        kind="internal",
        retryable=False,
    )


def is_done(call: CallRecord) -> bool:
    """Return whether a call did not fail."""
    return call.result.status is Status.OK


def is_executable(calls: Sequence[CallRecord]) -> bool:
    """Return whether there was a call and none failed."""
    return bool(calls) and all(map(is_done, calls))


def first_error(calls: Sequence[CallRecord]) -> str:
    """Return the error of the first call that has one."""
    return next((call.result.error for call in calls if call.result.error), "")


def late_failure(calls: Sequence[CallRecord], is_act: Callable[[CallRecord], bool]) -> str:
    """Return what is wrong with the failing calls of an episode, or an empty text.

    A mistake can be made good by a later act; a call that fails when all is done cannot, as in the paper,
    where it ends the program. No act makes up for more than `MISTAKES` of them.

    Args:
        calls: The calls of an episode.
        is_act: Whether a call that was done is what the task is about.
    """
    acts = [at for at, call in enumerate(calls) if is_done(call) and is_act(call)]
    if sum(not is_done(call) for call in calls) > MISTAKES:
        return f"more than {MISTAKES} calls failed"
    late = next((call for call in calls[acts[-1] + 1 if acts else 0 :] if not is_done(call)), None)
    return f"a call failed at the end: {late.result.error}" if late else ""
