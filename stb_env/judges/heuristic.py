"""The keyless judge of open queries: compares an answer with the results of the episode's calls."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache

from stb_env.core.request import Slow
from stb_env.judges.cues import COMMON, DOUBTS, is_denial
from stb_env.judges.judge import Case
from stb_env.judges.results import Evidence, Vocabulary
from stb_env.judges.terms import Token, sentences, term, terms
from stb_env.tasks import Task
from stb_env.tools import ToolId
from stb_env.verdict import Verdict, VerdictStatus, Vote

VERSION = 5
"""Raised whenever it would decide the same case otherwise."""

_OPPOSITES = (frozenset({"yes", "no"}), frozenset({"true", "false"}))
_OPENING = 3

Decision = tuple[VerdictStatus, str]


class UnnamedJudgeWarning(UserWarning):
    """A heuristic that nobody asked for by name gives rewards."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Thresholds of the judge's rules.

    Attributes:
        longest: Characters above which an answer is a dump.
        strange: Share of an answer's names that may come from nowhere.
        flood: Values up to which an answer may tell all that there are.
        offered: Share of all values above which an answer that tells more than `flood` of them is a dump.
        prose: Words of its own for each value that excuse an answer from that.
        context: Words of the query beside each value that an answer needs, and at least one.
        precision: Share of the values that must be asked for, where the results have such.
        partial: Share of the relevant APIs above which an answer is unsure, and no more unsolved.
    """

    longest: int = 5_000
    strange: float = 0.2
    flood: int = 6
    offered: float = 0.6
    prose: float = 0.75
    context: float = 0.25
    precision: float = 0.6
    partial: float = 0.5


class HeuristicJudge:
    """Decides whether an answer tells what the calls found out, by comparing it with their results as data.

    It does not read sentences. It splits the answer into words, names, numbers and codes, and looks for them
    in the query and among the values of the results. An answer is solved where all of this holds:

    1. A call was answered whose arguments come from the query, an earlier result or the documentation.
    2. Every number and code, and nearly every name, occurs in the query, a result or the documentation.
    3. It tells values that the query does not have, with words of the query beside them: not nearly all that
       there are, unless in words of its own, and mostly those that the query asks for by name or that stand
       in a sentence with a word of the query.
    4. It has no word of doubt, and no word of denial in a sentence that tells a value or says nothing else.
       Words that the query or a result has beside the same neighbour do not count.
    5. It tells a value of each relevant API that gave any, or a later call was made with one.

    Orders to the judge are words as any others. The judge is a stand-in where no model judges: free and equal
    on every machine, and no measure of quality. An agent that is trained on it learns to please it;
    ``docs/heuristic_judge.md`` says what honest answers and cheats earn.

    Args:
        thresholds: Where it draws its lines.
        unnamed: Whether nobody asked for it by name; it then warns at its first verdict, once per process.

    Examples:
        >>> from stb_env.core.request import drive
        >>> from stb_env.tasks import Task
        >>> from stb_env.tools import Tool, ToolResult
        >>> from stb_env.trajectory import CallRecord
        >>> task = Task("1", "How is the weather in Oslo?", (Tool("weather", "Tells it.", {}),))
        >>> drizzle = ToolResult.of({"weather": "light drizzle"}, source="world")
        >>> calls = (CallRecord("", "weather", {"city": "Oslo"}, drizzle),)
        >>> for answer in ("In Oslo the weather is a light drizzle.", "Sorry, I cannot tell."):
        ...     drive(HeuristicJudge().judge(Case(task, answer, calls))).status
        'solved'
        'unsolved'
    """

    name = "heuristic"
    needs_tasks = True

    def __init__(self, thresholds: Thresholds | None = None, *, unnamed: bool = False) -> None:
        self._limits = thresholds or Thresholds()
        self._unnamed = unnamed

    @property
    def fingerprint(self) -> dict[str, object]:
        """Settings that decide its verdicts, as plain data."""
        return {"version": VERSION, **asdict(self._limits)}

    def judge(self, case: Case) -> Slow[Verdict]:
        """Return the verdict, with one vote that names the rule that decided."""
        yield from ()
        if self._unnamed:
            _warn_once()
        status, reason = self._decide(case)
        return Verdict.of(status, judge=self.name, votes=(Vote(status, reason),))

    def _decide(self, case: Case) -> Decision:
        text = case.final_answer
        if len(text) > self._limits.longest:
            return "unsolved", f"dump: it has {len(text)} characters"
        if text.lstrip()[:1] in ("{", "["):
            return "unsolved", "dump: it is data and no text"
        if not any(sentences(text)):
            return "unsolved", "empty: nothing is left to judge"
        evidence = Evidence(case)
        if not evidence.answered:
            return "unsolved", f"no evidence: none of {evidence.tried} calls was answered"
        if not evidence.results:
            return "unsolved", f"guessed: none of {evidence.answered} calls follows from what was known"
        answer = _Answer(text, evidence, terms(case.task.query))
        if not answer.told:
            return "unsolved", "no news: it tells nothing that a call found out"
        reason = self._invented(answer, evidence, case.task) or self._form(answer) or answer.disclaimer()
        if reason:
            return "unsolved", reason
        return self._completeness(frozenset(case.task.relevant), answer)

    def _invented(self, answer: _Answer, evidence: Evidence, task: Task) -> str:
        """Return what of an answer comes from nowhere, where that is too much."""
        about = (f"{tool.name.replace('_', ' ')} {tool.description}" for tool in task.tools)
        sources = (evidence.given, evidence.found, Vocabulary(*about))
        specific = [token for token in answer.tokens if token.specific and token.text not in COMMON]
        strange = [token for token in specific if not any(source.has(token) for source in sources)]
        names = sum(not token.numeric for token in specific)
        for token in strange:
            if token.numeric or len(strange) > self._limits.strange * names:
                return f"invented: nothing has {token.text!r:.80}"
        return ""

    def _form(self, answer: _Answer) -> str:
        """Return why an answer hands over data instead of telling what was asked for, where it does."""
        limits, told = self._limits, len(answer.told)
        if told > max(limits.flood, limits.offered * answer.offered) and answer.prose < limits.prose * told:
            return f"dump: it tells {told} of {answer.offered} values"
        if answer.context < max(1, limits.context * told):
            return f"bare: it tells {told} values and hardly says of what"
        asked, judged = answer.precision()
        if asked < limits.precision * judged:
            return f"beside the point: the query asks for {asked} of the {judged} values that it tells"
        return ""

    def _completeness(self, relevant: frozenset[ToolId], answer: _Answer) -> Decision:
        done = relevant & (answer.used | answer.silent)
        facts = f"it tells {len(answer.told)} values, of {len(done)} of {len(relevant)} relevant APIs"
        if len(done) == len(relevant):
            return "solved", f"grounded and complete: {facts}"
        status: VerdictStatus = "unsure" if len(done) > self._limits.partial * len(relevant) else "unsolved"
        return status, f"incomplete: {facts}"


class _Answer:
    """An answer beside the evidence.

    Attributes:
        tokens: Its tokens.
        told: The values that it tells.
        offered: How many values with news there are.
        used: The APIs of which it tells a value, or on which a later call builds.
        silent: The APIs that gave no value.
        context: How many terms of the query it has that are no values.
        prose: How many terms that are neither values nor their names, nor of the query.
    """

    def __init__(self, text: str, evidence: Evidence, asked: frozenset[str]) -> None:
        self._sentences, self._evidence, self._asked = sentences(text), evidence, asked
        self.tokens = [token for sentence in self._sentences for token in sentence]
        self._words = words = _words(self.tokens)
        stems = frozenset(map(term, words))
        self.told = [value for result in evidence.results for value in result.values if value.is_told(words)]
        self.offered = sum(bool(value.news) for result in evidence.results for value in result.values)
        self.used = {
            result.api
            for result in evidence.results
            if result.needed or any(v.is_told(words) or v.is_named(words, stems) for v in result.values)
        }
        self.silent = {result.api for result in evidence.results if not result.values}
        self._values = frozenset[str]().union(*(value.news for value in self.told))
        beside = evidence.brief | self._values
        plain = {token.text for token in self.tokens if not token.specific} - beside
        self.prose = len(frozenset(map(term, plain)) - evidence.names - asked - {""})
        self.context = len(frozenset(map(term, words - beside)) & asked)
        parts = map(_words, self._sentences)
        self._about = frozenset[str]().union(
            *(part for part in parts if not asked.isdisjoint(map(term, part - beside)))
        )

    def precision(self) -> tuple[int, int]:
        """Return how many of the told values are asked for, and of how many in all that count.

        A value is asked for by its name, or where a sentence that tells it has another word of the query.
        """
        judged: list[bool] = []
        for result in self._evidence.results:
            if any(value.news and value.is_asked(self._asked) for value in result.values):
                told = [value for value in result.values if value.is_told(self._words)]
                judged += [
                    value.is_asked(self._asked) or not value.news.isdisjoint(self._about) for value in told
                ]
        return sum(judged), len(judged)

    def disclaimer(self) -> str:
        """Return the word by which the answer denies or doubts what it tells; empty where it claims it."""
        opening = {token.text for token in self.tokens[:_OPENING]}
        if any(pair <= opening for pair in _OPPOSITES):
            return "no answer: it says both yes and no"
        for sentence in self._sentences:
            words = _words(sentence)
            denying = not words.isdisjoint(self._values) or self._asked.isdisjoint(map(term, words))
            texts = ["", *(token.text for token in sentence), ""]
            for before, word, after in zip(texts, texts[1:], texts[2:], strict=False):
                disclaims = word in DOUBTS or (denying and is_denial(word))
                if disclaims and not self._is_quoted(before, word, after):
                    return f"not claimed: it says {word!r}"
        return ""

    def _is_quoted(self, before: str, word: str, after: str) -> bool:
        known = (self._evidence.given.pairs, self._evidence.found.pairs)
        return any((before, word) in pairs or (word, after) in pairs for pairs in known)


def _words(told: Sequence[Token]) -> frozenset[str]:
    return frozenset(word for token in told for word in (token.text, *token.pieces))


@lru_cache(maxsize=1)
def _warn_once() -> None:
    warnings.warn(
        "no model judges, so a heuristic scores open queries; as a training reward it can be gamed. "
        'Name it with judge="heuristic" if you mean it, or give a judge model (models=..., or its key)',
        UnnamedJudgeWarning,
        stacklevel=2,
    )
