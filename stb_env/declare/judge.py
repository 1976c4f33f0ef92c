"""Who decides in a declared environment: each task's own check and answer, or the environment's judge."""

from __future__ import annotations

from stb_env.declare.answers import same_answer
from stb_env.declare.declaration import Declaration
from stb_env.declare.states import own
from stb_env.errors import DataError, others_code
from stb_env.jsontypes import JsonObject
from stb_env.judges.judge import Case
from stb_env.judges.own_judge import FAILURE, OwnJudge, as_verdict
from stb_env.request import Slow, settled
from stb_env.verdict import Verdict, Vote


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

    A check that raises decides nothing: the episode is invalid, never unsolved.

    Args:
        declaration: The environment's declaration.
    """

    name = "exact"

    def __init__(self, declaration: Declaration) -> None:
        self._declared = declaration

    @property
    def fingerprint(self) -> JsonObject:
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
        if query.answer is not None and not same_answer(case.final_answer, query.answer):
            reason = f"the answer is not {str(query.answer)[:80]!r}"
            return Verdict.of("unsolved", judge=self.name, votes=(Vote("unsolved", reason),))
        if query.check is None:
            return Verdict.of("solved", judge=self.name)
        with others_code(f"the check of task {case.task.id!r}", query.check, FAILURE):
            said = yield from settled(query.check(case.final_answer, own(case.state)))
        return as_verdict(said, self.name)
