"""Whether the final answer of a task that was done says so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from dataclasses import replace as changed
from typing import Any

from stb_env.jsontypes import Json, JsonObject
from stb_env.judges.account import Acts, faults, is_plain, words_of
from stb_env.judges.judge import Case, Judge
from stb_env.reading.dump import dumps
from stb_env.request import Slow
from stb_env.suites.sambanova.common.evidence import Evidence
from stb_env.tasks import Task
from stb_env.tools import FINISH
from stb_env.verdict import Verdict, Vote

VERSION = 2


def goal_of(task: Task) -> str:
    """Return the words in which a task is set."""
    return task.query


def nothing_seen(_state: Any) -> Json:
    """Return that a state shows no more than the calls returned."""
    return None


def no_things(_task: Task) -> Iterable[str]:
    """Return that no things stand around which could be taken for others."""
    return ()


@dataclass(frozen=True, slots=True)
class Matter:
    """What the answers to a kind of task are about.

    Attributes:
        kinds: Names of which a task is about some; to name another is to speak of another task.
        goal: Returns the words of a task that an answer can rest on.
        seen: Returns what a state shows besides what the calls returned.
        things: Returns what stands around in a task; to say that something is done with a thing that the
            calls left alone is wrong.
    """

    kinds: tuple[str, ...] = ()
    goal: Callable[[Task], str] = goal_of
    seen: Callable[[Any], Json] = nothing_seen
    things: Callable[[Task], Iterable[str]] = no_things


@dataclass(frozen=True)
class ReportJudge:
    """Lets a judge decide what was done, and refuses it to an agent that says otherwise.

    The tasks ask for calls, so that "Done." is as good an answer as any, and none at all is, too. An answer
    that takes back, doubts or denies what was done, or that states numbers, dates or names which neither the
    goal nor the calls bear out, is no report of a task that was solved.

    Attributes:
        inner: Judges what was done.
        matter: What its tasks are about.
    """

    inner: Judge
    matter: Matter = field(default_factory=Matter)

    @property
    def name(self) -> str:
        """The inner judge's name."""
        return self.inner.name

    @property
    def fingerprint(self) -> JsonObject:
        """What decides a verdict."""
        return {"judge": self.name, "report": VERSION}

    def judge(self, case: Case) -> Slow[Verdict]:
        """Return the verdict.

        Raises:
            DataError: A label of the task is broken.
            JudgeError: The case does not carry what is judged.
        """
        verdict = yield from self.inner.judge(case)
        if not case.final_answer.strip() or verdict.score <= 0.0:
            return verdict
        wrong = next(self._wrong(case), "")
        if not wrong:
            return verdict
        parts = {**verdict.parts, "success": False}
        votes = (*verdict.votes, Vote("unsolved", wrong))
        return changed(verdict, status="unsolved", score=0.0, votes=votes, parts=parts)

    def _wrong(self, case: Case) -> Iterator[str]:
        answer = _in_words(case)
        evidence = Evidence(
            lambda: self.matter.goal(case.task), lambda: _made(case), lambda: self._seen(case)
        )
        if not is_plain(answer):
            yield from map(str, faults(answer, evidence.text, self._acts(case)))
        things = tuple if self.matter.things is no_things else lambda: self.matter.things(case.task)
        yield from (
            f"the answer pastes {word!r}, which nothing returned" for word in evidence.misquoted(answer)
        )
        said = evidence.contradicted(answer, self.matter.kinds, things)
        yield from (f"the answer says {word!r}, which nothing bears out" for word in said)

    def _seen(self, case: Case) -> list[Json]:
        results = [call.result.response for call in case.calls if call.name != FINISH]
        return [*results, self.matter.seen(case.state)]

    def _acts(self, case: Case) -> Acts:
        calls = [call for call in case.calls if call.name != FINISH]
        return Acts(
            frozenset([*words_of(self.matter.goal(case.task)), *(words_of(call.name)[0] for call in calls)]),
            failed=any(call.result.error for call in calls),
            several=any(_is_choice(call.result.response) for call in calls),
            empty=any(_is_empty(call.result.response) for call in calls),
        )


def _in_words(case: Case) -> str:
    """Return an answer without the results that it quotes to the letter."""
    parts, begun = [], 0
    for start, end in dumps(case.final_answer):
        quoted = case.final_answer[start:end]
        if any(quoted in call.result.text for call in reversed(case.calls)):
            parts.append(case.final_answer[begun:start])
            begun = end
    return "".join([*parts, case.final_answer[begun:]])


def _made(case: Case) -> list[Json]:
    return [_plain(call.arguments) for call in case.calls if call.name != FINISH]


def _plain(arguments: Any) -> Json:
    return dict(arguments) if isinstance(arguments, Mapping) else arguments


def _is_choice(result: Json) -> bool:
    if isinstance(result, Mapping):
        return any(_is_choice(each) for each in result.values())
    return isinstance(result, list) and len(result) > 1


def _is_empty(result: Json) -> bool:
    if isinstance(result, Mapping):
        return any(_is_empty(each) for each in result.values())
    return isinstance(result, list) and not result
