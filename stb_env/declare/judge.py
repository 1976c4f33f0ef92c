"""Judges of declared environments: each task's own check and answer, or the environment's judge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from stb_env.core import jsontext
from stb_env.core.answers import right_fields
from stb_env.core.request import Slow, settled
from stb_env.declare.declaration import Declaration
from stb_env.declare.queries import Query
from stb_env.declare.states import own
from stb_env.errors import DataError, others_code
from stb_env.judges.judge import Case
from stb_env.judges.own_judge import FAILURE, OwnJudge, as_verdict
from stb_env.tools import FINISH
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


class CheckJudge:
    """Asks what a task declares: its answer must be the right one, and its check must hold.

    A right value counts where a call of the episode succeeded, if gold makes any: what is known from memory
    was not looked up. The verdict's parts are ``answer:FIELD`` for each declared value, ``cannot`` where the
    request cannot be met, and ``kept:check``: nobody knows whether a check held at the start, so it earns no
    part of a reward.
    A check that raises decides nothing: the episode is invalid, never unsolved.

    Args:
        declaration: The environment's declaration.
    """

    name = "exact"

    def __init__(self, declaration: Declaration) -> None:
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
        query = self._declared.queries.get(case.task.id)
        if query is None:
            raise DataError(f"{self._declared.env_id} has no task {case.task.id!r} to check")
        problems = dict(_problems(query, case))
        reasons = [f"{part}: {problem}" for part, problem in problems.items() if problem]
        votes = (Vote("unsolved", "; ".join(reasons)),) if reasons else ()
        parts = {part: not problem for part, problem in problems.items()}
        if query.check is None:
            return Verdict.of("unsolved" if reasons else "solved", judge=self.name, votes=votes, parts=parts)
        given = _given(query, case)
        if given is None:
            votes = votes or (Vote("unsolved", "wanted an answer, got cannot"),)
            return Verdict.of("unsolved", judge=self.name, votes=votes, parts=parts)
        with others_code(f"the check of task {case.task.id!r}", query.check, FAILURE):
            said = yield from settled(query.check(given, own(case.state)))
        verdict = as_verdict(said, self.name)
        if problems:
            parts[f"{KEPT}check"] = verdict.status == "solved"
        if reasons:
            return Verdict.of("unsolved", judge=self.name, votes=votes, parts=parts)
        return replace(verdict, parts={**verdict.parts, **parts})


def _given(query: Query, case: Case) -> str | dict[str, object] | None:
    """Return what a check is given: the final text or the typed answer; None where that is not given."""
    if query.schema is None:
        return case.final_answer
    typed = case.answer if query.cannot is None else case.cannot
    return None if typed is None else dict(typed)


def _problems(query: Query, case: Case) -> Iterator[tuple[str, str]]:
    """Yield the part of each declared value with why it failed, or an empty string."""
    if query.cannot is not None:
        given = case.cannot
        right = given is not None and given["reason"] == query.cannot["reason"]
        right = right and given is not None and set(given["what"]) == set(query.cannot["what"])
        yield "cannot", "" if right else _other(query.cannot, given)
    if query.answer is None or query.schema is None:
        return
    answer: Mapping[str, object] = case.answer or {}
    # Where gold calls a tool, an answer without any call that succeeded is from memory.
    looked = any(call.name != FINISH and not call.result.error for call in case.calls)
    supported = looked or all(call.name == FINISH for call in case.task.gold)
    for name, right in right_fields(query.schema, query.answer, case.answer).items():
        if right:
            yield f"answer:{name}", "" if supported else "is right, but no call of the episode succeeded"
        else:
            yield f"answer:{name}", _other(query.answer[name], answer.get(name))


def _other(wanted: object, got: object) -> str:
    told = "nothing" if got is None else jsontext.dumps(got)[:80]
    return f"wanted {jsontext.dumps(wanted)[:80]}, got {told}"
