"""Judges of declared environments: each task's own check and answer, or the environment's judge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from stb_env.core.request import Request, Slow, settled
from stb_env.declare.declaration import Declaration
from stb_env.declare.queries import Query, takes_case
from stb_env.declare.states import Timed, handed
from stb_env.errors import DataError, others_code
from stb_env.judges.judge import Case
from stb_env.judges.own_judge import FAILURE, OwnJudge, as_verdict
from stb_env.judges.task_judge import TaskJudge, goal_checks
from stb_env.verdict import KEPT, Verdict, Vote


class DeclaredJudge(OwnJudge):
    """The judge that an environment was declared with; pickled as the place of the declaration.

    Args:
        declaration: The environment's declaration.
    """

    def __init__(self, declaration: Declaration) -> None:
        super().__init__(declaration.judge)
        self._declared = declaration

    def __reduce__(self) -> tuple[type[DeclaredJudge], tuple[Declaration]]:
        return DeclaredJudge, (self._declared,)

    def judge(self, case: Case) -> Slow[Verdict]:
        """Return the verdict; the case has a state of its own and the clock."""
        return (yield from super().judge(seen(case, self._declared)))


class CheckJudge(TaskJudge):
    """Asks what a task declares: its answer must be the right one, and its checks must hold.

    A function that checks is a part of the verdict as ``kept:check``: nobody knows whether it held at the
    start, so it earns no part of a reward. One that returns parts by name makes each a part, as
    ``check:NAME``. One that raises decides nothing: the episode is invalid, never unsolved.

    Args:
        declaration: The environment's declaration.
    """

    def __init__(self, declaration: Declaration) -> None:
        super().__init__(tools={name: one.tool for name, one in declaration.functions.items()})
        self._declared = declaration

    @property
    def fingerprint(self) -> dict[str, object]:
        """The environment's id and a hash of the files that declare it."""
        return {"judge": self.name, "env": self._declared.env_id, "source": self._declared.source}

    def judge(self, case: Case) -> Slow[Verdict]:
        """Return the verdict.

        Raises:
            JudgeError: The check raised something, or returned what is no verdict.
            DataError: The task belongs to another environment.
        """
        query = self._declared.query(case.task.id)
        if query is None:
            raise DataError(f"{self._declared.env_id} has no task {case.task.id!r} to check")
        verdict = self.decided(case)
        if query.check is None:
            return verdict
        case = seen(case, self._declared)
        given = _given(query, case)
        if given is None:
            why = verdict.votes or (Vote("unsolved", "wanted an answer, got cannot"),)
            return Verdict.of("unsolved", judge=self.name, votes=why, parts=verdict.parts)
        with others_code(f"the check of task {case.task.id!r}", query.check, FAILURE):
            asked = Request(run=lambda: _asked(query, given, case), inline=True)
            said: Any = yield from settled((yield asked))
        checked = as_verdict(said, self.name)
        votes: tuple[Vote, ...] = verdict.votes
        parts = {**checked.parts, **verdict.parts}
        if isinstance(said, Mapping):
            lacking = self.unsupported(case, goal_checks(case.task))
            parts = {**verdict.parts, **{_part(name): held and not lacking for name, held in said.items()}}
            votes = votes or ((Vote("unsolved", lacking),) if lacking else ())
        elif verdict.parts:
            parts[f"{KEPT}check"] = checked.status == "solved"
        if votes:
            return Verdict.of("unsolved", judge=self.name, votes=votes, parts=parts)
        return replace(checked, parts=parts)


def seen(case: Case, declaration: Declaration) -> Case:
    """Return a case as functions of the environment see it: with a state of their own, and the clock."""
    state = case.state
    clock = declaration.clock(case.task.id, state)
    return replace(case, state=handed(state.own if isinstance(state, Timed) else state), clock=clock)


def _asked(query: Query, given: object, case: Case) -> object:
    if query.check is None:
        return True
    return query.check(case) if takes_case(query.check) else query.check(given, case.state)


def _part(name: str) -> str:
    return name if name.startswith(KEPT) else f"check:{name}"


def _given(query: Query, case: Case) -> str | Mapping[str, object] | None:
    """Return what a check is given: the final text or the typed answer; None where that is not given."""
    if query.schema is None or (query.check is not None and takes_case(query.check)):
        return case.final_answer
    typed = case.answer if query.cannot is None else case.cannot
    return None if typed is None else dict(typed)
