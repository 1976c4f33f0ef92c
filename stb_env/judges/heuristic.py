"""The keyless judge of open queries: compares an answer with the results of the episode's calls."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import ClassVar

from stb_env.jsontypes import JsonObject
from stb_env.judges.cues import COMMON, DENIALS, DOUBTS
from stb_env.judges.judge import Case
from stb_env.judges.results import Evidence, Vocabulary
from stb_env.judges.terms import Token, sentences, term, terms
from stb_env.request import Slow
from stb_env.tasks import Task
from stb_env.tools import ToolId
from stb_env.verdict import Verdict, VerdictStatus, Vote

VERSION = 5
"""Raised whenever it would decide the same case otherwise."""

_POLAR = (frozenset({"yes", "no"}), frozenset({"true", "false"}))
_OPENING = 3

Decision = tuple[VerdictStatus, str]


class UnnamedJudgeWarning(UserWarning):
    """A heuristic that nobody asked for by name gives rewards."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Where the judge draws its lines.

    Attributes:
        longest: Characters from which an answer is a dump.
        strange: Share of an answer's names that may come from nowhere.
        flood: Values up to which an answer may tell all that there are.
        offered: Share of the values of all results from which an answer that tells more is a dump.
        context: Words of the query that an answer has at least, beside the values that it tells.
        precision: Share of the told values that the query must ask for, where the results have such.
        partial: Share of the relevant APIs up to which an answer is unsolved; up to all of them it is unsure.
    """

    longest: int = 5_000
    strange: float = 0.2
    flood: int = 6
    offered: float = 0.6
    context: int = 2
    precision: float = 0.6
    partial: float = 0.5
    talk: float = 1.0
    prose: float = 0.75


class HeuristicJudge:
    """Decides whether an answer tells what the calls of the episode found out, and what was asked for.

    It reads no sentences. It splits the answer into words, names, numbers and codes and looks for them in
    the query and in the values of the results. An answer is solved where

    1. some call was answered, and its arguments come from the query, an earlier result or the documentation;
    2. no number or code and hardly a name comes from nowhere;
    3. it tells values that the query does not have: not nearly all there are, with words of the query beside
       them, and for the most part under names that the query uses;
    4. none of `DOUBTS` stands in it, and none of `DENIALS` in a sentence that tells a value or says
       nothing, unless the query or a result has the word beside the same one;
    5. it tells values of each relevant API that had any.

    Orders to the judge are words as any others. It is a stand-in where no model judges: free and equal on
    every machine, and no measure of quality. Whoever trains on it trains to please it.

    Args:
        thresholds: Where it draws its lines.
        unnamed: Whether nobody asked for it by name; it then warns at its first verdict, once per process.

    Examples:
        >>> from stb_env.request import drive
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
    # What `stb-env validate` lets a null agent or a cheat earn; 0 for the others.
    floors: ClassVar[Mapping[str, float]] = {
        "random": 0.02, "shifted": 0.15, "doubled": 0.15, "guess_facts": 0.15, "neighbour": 0.15,
    }  # fmt: skip

    def __init__(self, thresholds: Thresholds | None = None, *, unnamed: bool = False) -> None:
        self._limits = thresholds or Thresholds()
        self._unnamed = unnamed

    @property
    def fingerprint(self) -> JsonObject:
        """What decides its verdicts."""
        return {"version": VERSION, **asdict(self._limits)}

    def judge(self, case: Case) -> Slow[Verdict]:
        """Return the verdict, with one vote that names the rule that decided."""
        yield from ()
        if self._unnamed:
            _warn_once()
        status, reason = self._decide(case)
        return Verdict.of(status, judge=self.name, votes=(Vote(status, reason),))

    def _decide(self, case: Case) -> Decision:
        if len(case.final_answer) > self._limits.longest:
            return "unsolved", f"dump: it has {len(case.final_answer)} characters"
        parts = sentences(case.final_answer)
        if not parts:
            return "unsolved", "empty: nothing is left to judge"
        if case.final_answer.lstrip()[:1] in ("{", "["):
            return "unsolved", "dump: it is data and no text"
        evidence = Evidence(case)
        if not evidence.answered:
            return "unsolved", f"no evidence: none of {evidence.tried} calls was answered"
        if not evidence.results:
            return "unsolved", f"guessed: none of {evidence.answered} calls follows from the query or a result"
        answer = _Answer(parts, evidence, terms(case.task.query))
        if not answer.told:
            return "unsolved", "no news: it tells nothing that a call found out"
        reason = self._strangers(answer, evidence, case.task) or self._form(answer) or answer.stance()
        if reason:
            return "unsolved", reason
        return self._complete(frozenset(case.task.relevant), answer)

    def _strangers(self, answer: _Answer, evidence: Evidence, task: Task) -> str:
        """Return what of an answer comes from nowhere, if that is too much."""
        about = (f"{tool.name.replace('_', ' ')} {tool.description}" for tool in task.tools)
        sources = (evidence.given, evidence.found, Vocabulary(*about))
        specific = [token for token in answer.tokens if token.specific and token.text not in COMMON]
        strange = [token for token in specific if not any(source.has(token) for source in sources)]
        for token in strange:
            if token.numeric:
                return f"invented: nothing has {token.text!r:.80}"
        names = sum(not token.numeric for token in specific)
        if len(strange) > self._limits.strange * names:
            return f"invented: nothing has {len(strange)} of {names} names, such as {strange[0].text!r:.80}"
        return ""

    def _form(self, answer: _Answer) -> str:
        limits, told, offered = self._limits, len(answer.told), answer.offered
        if told > limits.flood and told > limits.offered * offered and answer.prose < limits.prose * told:
            return f"dump: it tells {told} of {offered} values"
        if len(answer.context) < limits.context:
            return f"bare: it tells {told} values and hardly says of what"
        asked, judged = answer.precision
        if asked < limits.precision * judged and answer.talk<limits.talk*told:
            return f"beside the point: the query asks for {asked} of the {judged} values that it tells"
        return ""

    def _complete(self, relevant: frozenset[ToolId], answer: _Answer) -> Decision:
        done = relevant & (answer.used | answer.silent)
        facts = f"{len(answer.told)} values told, {len(done)} of {len(relevant)} relevant APIs"
        if relevant and not relevant & answer.used:
            return "unsolved", f"irrelevant: {facts}"
        if len(done) < len(relevant):
            partly = len(done) > self._limits.partial * len(relevant)
            return "unsure" if partly else "unsolved", f"incomplete: {facts}"
        return "solved", f"grounded and complete: {facts}"


class _Answer:
    """An answer beside the evidence.

    Attributes:
        tokens: All of its tokens.
        told: The values that it tells.
        offered: How many values it could have told.
        used: The APIs that it tells a value of.
        silent: The APIs that gave no value.
        context: The terms of the query that it has and no value.
    """

    def __init__(self, parts: list[list[Token]], evidence: Evidence, asked: frozenset[str]) -> None:
        self._parts, self._evidence, self._asked = parts, evidence, asked
        self.tokens = [token for part in parts for token in part]
        words = {word for token in self.tokens for word in (token.text, *token.pieces)}
        stems = frozenset(map(term, words))
        self._told = [
            (result, value) for result in evidence.results for value in result.values if value.is_told(words)
        ]
        self.told = [value for _, value in self._told]
        self.offered = sum(bool(value.news) for result in evidence.results for value in result.values)
        self.used = {
            result.api
            for result in evidence.results
            if result.needed or any(v.is_told(words) or v.is_named(words, stems) for v in result.values)
        }
        self.silent = {result.api for result in evidence.results if not result.values}
        self._values = frozenset[str]().union(*(value.news for value in self.told))
        plain = {token.text for token in self.tokens if not token.specific} - evidence.brief - self._values
        own = frozenset(map(term, plain)) - {""}
        self.talk = len(own - evidence.names)
        self.prose = len(own - evidence.names - asked)
        self.context = frozenset(map(term, words - evidence.brief)) & asked

    @property
    def precision(self) -> tuple[int, int]:
        """How many of the told values the query asks for, and of how many; results without such are left out."""
        asking = {
            id(result) for result in self._evidence.results
            if any(value.is_asked(self._asked) for value in result.values)
        }
        judged = [value for result, value in self._told if id(result) in asking]
        return sum(value.is_asked(self._asked) for value in judged), len(judged)

    def stance(self) -> str:
        """Return where it denies or doubts what it tells, or tells both of two opposites."""
        opening = {token.text for token in self.tokens[:_OPENING]}
        if any(pair <= opening for pair in _POLAR):
            return "no answer: it says yes and no"
        for part in self._parts:
            told = any(word in self._values for token in part for word in (token.text, *token.pieces))
            about = told or any(term(token.text) in self._asked for token in part)
            before = ""
            for token, after in zip(part, [*part[1:], None], strict=True):
                word = token.text
                if word in DOUBTS or ((told or not about) and (word in DENIALS or word.endswith(("n't", "n’t")))):
                    if not self._is_quoted(before, word, after):
                        return f"not claimed: {word!r}"
                before = word
        return ""

    def _is_quoted(self, before: str, word: str, after: Token | None) -> bool:
        """Return whether the query or a result has a word beside the one that it stands beside here."""
        pairs = {(before, word), (word, "" if after is None else after.text)}
        return not pairs.isdisjoint(self._evidence.given.pairs) or not pairs.isdisjoint(self._evidence.found.pairs)


@lru_cache(maxsize=1)
def _warn_once() -> None:
    warnings.warn(
        "no model judges, so a heuristic scores open queries; as a training reward it can be gamed. "
        'Name it with judge="heuristic" if you mean it, or give a judge model (models=..., or its key)',
        UnnamedJudgeWarning,
        stacklevel=2,
    )
