"""The exact verifier: goal state, required facts, no stated falsehood."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import ClassVar, Literal

from stb_env.backend.world import Tables
from stb_env.errors import JudgeError
from stb_env.jsontypes import JsonArray
from stb_env.judges.judge import Case
from stb_env.request import Slow
from stb_env.suites.sandbox.asides import lists, strays
from stb_env.suites.sandbox.catalog import household
from stb_env.suites.sandbox.changes import changes, same
from stb_env.suites.sandbox.deeds import undone
from stb_env.suites.sandbox.disclaimers import disclaims
from stb_env.suites.sandbox.evidence import unsupported
from stb_env.suites.sandbox.facts import failure, holds, invented
from stb_env.suites.sandbox.intrusion import intrudes
from stb_env.suites.sandbox.mentions import read
from stb_env.suites.sandbox.records import Records
from stb_env.suites.sandbox.standing import falls
from stb_env.suites.sandbox.subjects import elsewhere
from stb_env.suites.sandbox.values import given_values, parts
from stb_env.tools import FINISH
from stb_env.verdict import Verdict, VerdictStatus, Vote

AnswerForm = Literal["text", "values", "either"]
"""What of an answer counts: its text, its bare values, or these where there are any."""

_UNSEEN = "is right, but nothing that the calls returned says or yields it"


class ExactJudge:
    """Checks what a sandbox task declares: nothing that a model decides, nothing that wording decides.

    The verdict's parts are ``fact:LABEL`` for every required fact, ``answer`` where a task requires none (the
    answer must stand by itself), ``state:TABLE`` for every table that the task writes, ``falsehood:LABEL``
    for every falsehood that the answer must not contain, and ``untouched:TABLE`` (always failed) for every
    other table that the episode changed. Where all of these hold, ``speech`` (always failed) is what an
    answer says beside them that takes them back or that nothing returned; where that holds as well,
    ``calls:LABEL`` (always failed) is every fact that nothing the calls returned yields. A vote with a reason
    says of each failed part what was wanted and what was read. A task that declares nothing to check is
    ``na``.

    Args:
        answer: ``values`` reads the bare values of Finish in place of its text; the part ``values`` then says
            whether any of them was not asked for. ``either`` reads them where they are given.
    """

    name = "exact"

    def __init__(self, answer: AnswerForm = "text") -> None:
        self.answer = answer

    # Not good enough yet, and so written down: what another task's answer says may be taken for a remark
    # beside the right one where it names what this task returned, or nothing at all (docs/trust.md).
    floors: ClassVar[Mapping[str, float]] = {"random": 0.01, "doubled": 0.1}

    def judge(self, case: Case) -> Slow[Verdict]:
        """Return the verdict; yields nothing.

        Raises:
            JudgeError: The task writes state but the case carries none.
        """
        yield from ()
        goal = case.task.goal
        if not (goal.get("facts") or goal.get("writes") or goal.get("falsehoods")):
            return Verdict.of("na", judge=self.name)
        values = None if self.answer == "text" else given_values(case.calls)
        records = Records(call for call in case.calls if call.name != FINISH)
        told = _answer_parts(case, records) if values is None else _value_parts(case, values, records)
        failures = {**dict(told), **dict(_state_parts(case))}
        if values is None and not any(failures.values()) and (said := _speech(case, records)):
            failures["speech"] = said
        if not any(failures.values()):
            failures |= {f"calls:{label}": _UNSEEN for label in unsupported(case.task, case.calls)}
        reasons = [f"{part}: {reason}" for part, reason in failures.items() if reason]
        if self.answer == "either" and reasons:
            reasons.insert(0, f"counted: {'text' if values is None else 'values'}")
        status: VerdictStatus = "unsolved" if reasons else "solved"
        votes = (Vote(status, "; ".join(reasons)),) if reasons else ()
        held = {part: not reason for part, reason in failures.items()}
        return Verdict.of(status, judge=self.name, votes=votes, parts=held)


def _answer_parts(case: Case, records: Records) -> Iterator[tuple[str, str]]:
    """Yield every part that the answer decides, with why it failed or an empty string."""
    query, facts = case.task.query, case.task.goal.get("facts", ())
    for fact in facts:
        allowed = [other for other in facts if other is not fact]
        yield f"fact:{fact['label']}", failure(fact, case.final_answer, query, allowed, records)
    if not facts:
        yield "answer", falls(case.final_answer, query, _known(case, records))
    for fact in case.task.goal.get("falsehoods", ()):
        told = holds(fact, case.final_answer, query)
        yield f"falsehood:{fact['label']}", "read it" if told else ""


def _value_parts(case: Case, values: JsonArray, records: Records) -> Iterator[tuple[str, str]]:
    goal = case.task.goal
    return parts(
        values, goal.get("facts", ()), goal.get("falsehoods", ()), case.task.query, _known(case, records)
    )


def _speech(case: Case, records: Records) -> str:
    """Return what an answer that gives every fact says beside them and must not, or an empty string."""
    query, facts = case.task.query, case.task.goal.get("facts", ())
    stray = strays(case.final_answer, lambda: f"{query}\n{_known(case, records)}\n{_documented(case)}")
    if stray:
        return stray
    if case.task.goal.get("writes") and (denied := undone(read(case.final_answer, query))):
        return denied
    told = facts and (
        intrudes(case.final_answer, query, facts, lambda: _known(case, records))
        or disclaims(read(case.final_answer, query), query, facts)
        or elsewhere(case.final_answer, query, facts, records)
    )
    if told:
        return told
    wanted = sum(len(fact["value"]) if fact["type"] == "names" else 1 for fact in facts)
    if lists(case.final_answer, lambda: records.text, wanted + 1):
        return "a list of what the calls returned"
    for fact in facts if records.calls else ():
        allowed = [other for other in facts if other is not fact]
        made_up = invented(fact, case.final_answer, query, allowed, lambda: records.text)
        if made_up:
            return made_up
    return ""


def _known(case: Case, records: Records) -> str:
    """Return what an answer may name besides what the query does: the right answer, calls and results."""
    calls = [
        f"{call.name} {call.arguments} {call.result.error or response}" for call, response in records.returned
    ]
    gold = [f"{call.name} {call.arguments}" for call in case.task.gold]
    counts = map(str, Counter(call.name for call in records.calls).values())
    lacking = (
        name
        for fact in case.task.goal.get("facts", ())
        if fact["type"] == "lacking"
        for name in fact["value"]
    )
    return "\n".join([str(case.task.record.get("answer", "")), *gold, *calls, " ".join(counts), *lacking])


def _documented(case: Case) -> str:
    return "\n".join(f"{tool.name} {tool.description}" for tool in case.task.tools)


def _state_parts(case: Case) -> Iterator[tuple[str, str]]:
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
        yield f"state:{table}", "" if same(change, done.get(table)) else "not left as asked"
    for table in done:
        if table not in writes:
            yield f"untouched:{table}", "changed, which nobody asked"
