"""The exact verifier: goal state, required facts, no stated falsehood."""

from __future__ import annotations

from collections.abc import Iterator

from stb_env.backend.world import Tables
from stb_env.errors import JudgeError
from stb_env.judges.judge import Case
from stb_env.request import Slow
from stb_env.suites.sandbox.catalog import household
from stb_env.suites.sandbox.changes import changes, same
from stb_env.suites.sandbox.evidence import unsupported
from stb_env.suites.sandbox.facts import holds
from stb_env.verdict import Verdict


class ExactJudge:
    """Checks what a sandbox task declares: nothing that a model decides, nothing that wording decides.

    The verdict's parts are ``fact:LABEL`` for every required fact, ``state:TABLE`` for every table that the
    task writes, ``falsehood:LABEL`` for every falsehood that the answer must not contain, and
    ``untouched:TABLE`` (always failed) for every other table that the episode changed. Where all of these
    hold, ``calls:LABEL`` (always failed) is every fact that nothing the calls returned yields. A task that
    declares nothing to check is ``na``.
    """

    name = "exact"

    def judge(self, case: Case) -> Slow[Verdict]:
        """Return the verdict; yields nothing.

        Raises:
            JudgeError: The task writes state but the case carries none.
        """
        yield from ()
        goal = case.task.goal
        if not (goal.get("facts") or goal.get("writes") or goal.get("falsehoods")):
            return Verdict.of("na", judge=self.name)
        parts = {**dict(_answer_parts(case)), **dict(_state_parts(case))}
        if all(parts.values()):
            parts |= {f"calls:{label}": False for label in unsupported(case.task, case.calls)}
        return Verdict.of("solved" if all(parts.values()) else "unsolved", judge=self.name, parts=parts)


def _answer_parts(case: Case) -> Iterator[tuple[str, bool]]:
    query, facts = case.task.query, case.task.goal.get("facts", ())
    for fact in facts:
        allowed = [other for other in facts if other is not fact]
        yield f"fact:{fact['label']}", holds(fact, case.answer, query, allowed)
    for fact in case.task.goal.get("falsehoods", ()):
        yield f"falsehood:{fact['label']}", not holds(fact, case.answer, query)


def _state_parts(case: Case) -> Iterator[tuple[str, bool]]:
    writes = case.task.goal.get("writes", {})
    if not isinstance(case.state, Tables):
        if writes:
            raise JudgeError(
                f"task {case.task.id} is judged by its final state, got {type(case.state).__name__}; "
                f"pass the world's state in the case",
                kind="internal",
                retryable=False,
            )
        return
    done = changes(household(case.task.record.get("household", 0)), case.state)
    for table, change in writes.items():
        yield f"state:{table}", same(change, done.get(table))
    for table in done:
        if table not in writes:
            yield f"untouched:{table}", False
