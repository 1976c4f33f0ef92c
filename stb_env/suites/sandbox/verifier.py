"""The exact verifier: typed answers, final state, and whether an answer comes from calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from stb_env.backend.world import Tables
from stb_env.core import jsontext
from stb_env.core.answers import right_fields
from stb_env.core.jsontypes import JsonMapping
from stb_env.core.request import Slow
from stb_env.errors import JudgeError
from stb_env.judges.judge import Case
from stb_env.suites.sandbox.catalog import household
from stb_env.suites.sandbox.changes import changes, same
from stb_env.suites.sandbox.support import Evidence, shown, sources
from stb_env.verdict import KEPT, Verdict, VerdictStatus, Vote

_UNSUPPORTED = "is right, but no call of the episode shows it"


class ExactJudge:
    """Compares an episode with what its task declares: data with data.

    The verdict's parts are ``answer:FIELD`` for every field of the typed answer, right and supported;
    ``cannot`` where the request cannot be met; ``state:TABLE`` for every table that the task changes; and
    ``kept:TABLE``, which is always false, for every other table that the episode changed. A vote says of each
    part that failed what was wanted and what was got.
    """

    name = "exact"

    def judge(self, case: Case) -> Slow[Verdict]:
        """Return the verdict; yields nothing.

        Raises:
            JudgeError: The task changes tables but the case carries no state.
        """
        yield from ()
        told = _cannot_part(case) if case.task.goal["cannot"] else _answer_parts(case)
        return verdict_of({**dict(told), **dict(state_parts(case))}, self.name)


def verdict_of(problems: Mapping[str, str], judge: str) -> Verdict:
    """Return the verdict of a judge that found these problems, by part; parts that are right have none."""
    reasons = [f"{part}: {problem}" for part, problem in problems.items() if problem]
    status: VerdictStatus = "unsolved" if reasons else "solved"
    votes = (Vote(status, "; ".join(reasons)),) if reasons else ()
    parts = {part: not problem for part, problem in problems.items()}
    return Verdict.of(status, judge=judge, votes=votes, parts=parts)


def _answer_parts(case: Case) -> Iterator[tuple[str, str]]:
    """Yield the part of every field with why it failed, or an empty string."""
    task, given = case.task, case.answer or {}
    expected: JsonMapping = task.goal["answer"]
    schema = task.answer if isinstance(task.answer, dict) else {"properties": {}}
    right = right_fields(schema, expected, case.answer)
    evidence = Evidence(case.calls)
    everything = evidence.has_all(task.gold)
    for field, value in expected.items():
        if not right[field]:
            got = jsontext.dumps(given[field])[:200] if field in given else "nothing"
            yield f"answer:{field}", f"wanted {jsontext.dumps(value)}, got {got}"
        elif everything or evidence.shows(value) or all(map(evidence.has, sources(task))):
            yield f"answer:{field}", ""
        else:
            yield f"answer:{field}", _UNSUPPORTED
    if case.cannot is not None:
        # Whoever did the work and says that it cannot be done has not done it.
        yield f"{KEPT}request", f"can be met, got {jsontext.dumps(case.cannot)}"


def _cannot_part(case: Case) -> Iterator[tuple[str, str]]:
    wanted, given = case.task.goal["cannot"], case.cannot
    if given is None or given["reason"] != wanted["reason"] or set(given["what"]) != set(wanted["what"]):
        yield "cannot", f"wanted {jsontext.dumps(wanted)}, got {jsontext.dumps(given)[:200]}"
    elif not shown(case.task, case.calls):
        yield "cannot", "is right, but no call of the episode would have shown it"
    else:
        yield "cannot", ""


def state_parts(case: Case) -> Iterator[tuple[str, str]]:
    """Yield the part of every table that changed or had to, with why it failed, or an empty string.

    Raises:
        JudgeError: The task changes tables but the case carries no state.
    """
    writes = case.task.goal["writes"]
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
        yield f"state:{table}", "" if same(change, done.get(table)) else "not left as asked"
    for table in done:
        if table not in writes:
            yield f"{KEPT}{table}", "changed, which nobody asked"
