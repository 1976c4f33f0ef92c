"""Verdicts of the tasks whose action is one curl command."""

from __future__ import annotations

from stb_env.judges.judge import Case
from stb_env.suites.sambanova.common.agreement import Agreement
from stb_env.suites.sambanova.common.curl.reader import command_of
from stb_env.tools import FINISH, Status, ToolCall
from stb_env.trajectory import CallRecord
from stb_env.verdict import Verdict, VerdictStatus, Vote


def rule(judge: str, agreed: Agreement, *, executable: bool, reason: str = "") -> Verdict:
    """Return the verdict: solved where prediction and label agree completely.

    Args:
        judge: Name of the judge.
        agreed: How far they agree.
        executable: Whether nothing failed.
        reason: What went wrong, where something did.

    Examples:
        >>> verdict = rule("exact", Agreement(1.0, 0.5, 2 / 3), executable=True)
        >>> verdict.status, verdict.score, dict(verdict.parts)
        ('unsolved', 0.0, {'executable': True, 'success': False})
    """
    success = agreed.complete
    status: VerdictStatus = "solved" if success else "unsolved"
    return Verdict(
        status,
        float(success),
        judge,
        votes=(Vote(status, reason),) if reason else (),
        parts={"executable": executable, "success": success},
        metrics=agreed._asdict(),
    )


def made_calls(case: Case) -> tuple[CallRecord, ...]:
    """Return the calls of a case, Finish left out."""
    return tuple(call for call in case.calls if call.name != FINISH)


def last_command(case: Case) -> str:
    """Return the command of the last call; an empty text where the last call is none of `curl`."""
    calls = made_calls(case)
    if not calls:
        return ""
    return command_of(ToolCall(calls[-1].name, calls[-1].arguments)) or ""


def is_executable(calls: tuple[CallRecord, ...]) -> bool:
    """Return whether there was a call and none failed."""
    return bool(calls) and all(call.result.status is Status.OK for call in calls)
