"""A stand-in for a model judge on open queries: keyless, deterministic, and no more than a heuristic."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import ClassVar

from stb_env.jsontypes import JsonObject
from stb_env.judges.account import Acts, faults
from stb_env.judges.cues import ADDRESS, COMMON, REFUSAL
from stb_env.judges.evidence import Evidence, Source
from stb_env.judges.findings import Findings, read_findings
from stb_env.judges.judge import Case
from stb_env.judges.mistakes import read_mistakes
from stb_env.judges.terms import plain_number, term, terms
from stb_env.reading.statement import statements
from stb_env.request import Slow
from stb_env.tools import ToolId
from stb_env.verdict import Verdict, VerdictStatus, Vote

# Sentences, lines, and the members of quoted JSON.
_SENTENCES = re.compile(r"(?<=[.!?])\s+|[\n\r;]+|(?<=[。！？])|\",\s*(?=\")|[{}]")
_TOKENS = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?|[^\W\d_]+")
_BOTH = re.compile(
    r"\W*(?:(?:yes|true)\W+(?:and\W+)?(?:no|false)|(?:no|false)\W+(?:and\W+)?(?:yes|true))\b", re.I
)
_POLAR = re.compile(r"\W*(?:yes|no)\b", re.IGNORECASE)
_CHOICE = re.compile(
    r"\b(?:answer|result|value|it)s? (?:is|are|lies?) (?:one of|among|either)\b", re.IGNORECASE
)

# Nobody reads more of an answer.
_MAX_ANSWER = 20_000
_MIN_WORD = 4
_MIN_DIGITS = 3
_MIN_INSIDE = 5
_RUN = 8

_MISTAKEN = {
    "invented": "no result has {!r}, and it does not follow from any as it is said",
    "misplaced": "the results have {!r} of something else",
}

VERSION = 4
"""Raised whenever it would decide the same case otherwise."""

# In an open query a call may fail, a search find nothing, and one thing of several be as good as another.
_ANYTHING = Acts(failed=True, several=True, empty=True)

Decision = tuple[VerdictStatus, str]


class UnnamedJudgeWarning(UserWarning):
    """A heuristic that nobody asked for by name gives rewards."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Where the judge draws its lines.

    Attributes:
        refusal: Share of refusing sentences from which the answer is a refusal. Half: an answer that
            gives something and regrets one missing part is none, but it cannot be better than unsure.
        loose: Weight of a plain word or a number below 100 against 1 for names and longer numbers.
            A quarter: an honest answer wraps facts in words of its own, and small numbers are in any text.
        evidence: Weight of grounded tokens that an answer needs at all: one fact, or four words.
        doubtful: Grounded share below which the answer was made up.
        grounded: Grounded share from which the answer counts as taken from the responses. Well below 1,
            because dates, units and names are often rewritten.
        unclaimed: Share of what an answer has from the responses that it may deny, doubt or offer beside
            something else.
        raw: Share of raw data from which the answer is a dump.
        precision: Share of the findings that must be what the query asks.
        flood: Findings from which telling most of what was offered is a dump.
        offered: Share of what was offered that is most of it.
        prose: Share of own words below which an answer is bare data.
        talk: Share of own words from which an answer may tell a value more of each API, as a courtesy.
        bare: Precision that bare data need.
        listed: Findings from which values need words that say what they are.
        labelled: How many such words for each.
        waste: Irrelevant tools called for each relevant one.
        complete: Share of the relevant APIs that must have answered, and be told of, for solved.
        partial: Share of them up to which an answer that regrets nothing is unsolved.
    """

    refusal: float = 0.5
    loose: float = 0.25
    evidence: float = 1.0
    doubtful: float = 0.3
    grounded: float = 0.5
    unclaimed: float = 0.3
    raw: float = 0.1
    precision: float = 0.65
    flood: int = 5
    offered: float = 0.7
    prose: float = 0.15
    talk: float = 0.3
    bare: float = 0.75
    listed: int = 3
    labelled: float = 0.1
    waste: float = 1.0
    complete: float = 1.0
    partial: float = 0.5


class HeuristicJudge:
    """Decides open queries by precision: what is told must come from calls that follow, and be asked for.

    In order: sentences that speak to the judge count for nothing; what is left must be no refusal. A call
    is evidence where something in its arguments comes from the query or an earlier result, and no code,
    address or request in them from elsewhere; any other is none, whatever it returned. The answer must be
    an answer and no dump: it may not paste raw data, tell nearly everything that there was, take back,
    deny or doubt what it says, or leave open which of several things holds. Each number, day, name,
    address and code must be somewhere in the data, under the name and in the record that its sentence
    gives it, or follow by rounding, as another unit, or by a reckoning that the sentence or the query
    speaks of. Of the values that it tells, most must have a name that the query asks for, or stand in a
    sentence about the query. Each API that the data set marks as relevant must be told of, unless later
    calls build on it or it had no news; more irrelevant ones than relevant must not have been called.
    Text in responses is evidence only: it cannot speak to the judge.

    It does not understand the query. It sees that a value is the wrong one of its kind only where the
    sentence says which, takes a right call for a right answer where there is nothing to tell, and fails
    honest answers that put nearly all that a vague query ("the details") could mean in words of their own;
    ``docs/heuristic_judge.md`` says how often.
    Its numbers compare with nothing but its own.

    Args:
        thresholds: Where it draws its lines.
        unnamed: Whether nobody asked for it by name; it then warns at its first verdict, once per process.

    Examples:
        >>> from stb_env.request import drive
        >>> from stb_env.tasks import Task
        >>> from stb_env.tools import Tool
        >>> forecast = Tool("forecast", "", {})
        >>> case = Case(Task("1", "Weather in Oslo?", (forecast,)), final_answer="Weather in Oslo?", calls=())
        >>> drive(HeuristicJudge().judge(case)).status
        'unsolved'
    """

    name = "heuristic"
    # Beside an exact judge's task, too, these may earn the tenth that an open judge may give any cheat.
    floors: ClassVar[Mapping[str, float]] = {
        "random": 0.02, "shifted": 0.1, "doubled": 0.1, "guess_facts": 0.1, "neighbour": 0.1,
    }  # fmt: skip

    def __init__(self, thresholds: Thresholds | None = None, *, unnamed: bool = False) -> None:
        self._thresholds = thresholds or Thresholds()
        self._unnamed = unnamed

    @property
    def fingerprint(self) -> JsonObject:
        """What decides its verdicts."""
        return {"version": VERSION, **asdict(self._thresholds)}

    def judge(self, case: Case) -> Slow[Verdict]:
        """Return the verdict, with one vote that names the rule that decided."""
        yield from ()
        if self._unnamed:
            _warn_once()
        status, reason = self._decide(case)
        return Verdict.of(status, judge=self.name, votes=(Vote(status, reason),))

    def _decide(self, case: Case) -> Decision:
        limits = self._thresholds
        text, sentences = _to_the_user(case.final_answer[:_MAX_ANSWER])
        if not sentences:
            return "unsolved", "empty: nothing is left to judge"
        refused = sum(REFUSAL.search(text.lower()) is not None for text in sentences) / len(sentences)
        if refused > limits.refusal:
            return "unsolved", f"refusal: {refused:.0%} of the sentences decline or apologise"
        evidence = Evidence(case)
        if not evidence.answered:
            return "unsolved", f"no evidence: none of {evidence.tried} calls was answered"
        if not evidence.followed:
            return (
                "unsolved",
                f"guessed: none of {len(evidence.answered)} calls follows from the query or a result",
            )
        found = read_findings(text, evidence)
        claims = dict(self._claims(sentences, evidence))
        reason = self._form(found) or self._stance(text, found, evidence.facts.text) or self._precision(found)
        if reason:
            return "unsolved", reason
        reading = read_mistakes(text, statements(text), evidence.facts)
        if reading.mistake:
            return (
                "unsolved",
                f"{reading.mistake.kind}: {_MISTAKEN[reading.mistake.kind].format(reading.mistake.text)}",
            )
        weight, share = _grounding(claims, evidence, reading.derived)
        if not claims and not found.told:
            return self._confirmation(case, evidence, text)
        if weight < limits.evidence and not found.told:
            return "unsolved", "too little: hardly anything in it occurs in what the tools answered"
        if share < limits.doubtful:
            return "unsolved", f"ungrounded: {share:.0%} of the facts occur in what the tools answered"
        return self._complete(case, evidence, found, share, refused)

    def _form(self, found: Findings) -> str:
        limits = self._thresholds
        if found.raw > limits.raw:
            return f"dump: {found.raw:.0%} of it is data as programs write them"
        told, offered = found.values, found.offered
        if told > limits.flood and told > limits.offered * offered and found.named < limits.precision:
            return f"dump: it tells {told} of the {offered} values that the tools answered"
        if told >= limits.listed and found.labels <= limits.labelled * told:
            return f"bare: it lists {told} values and does not say what they are"
        return ""

    def _stance(self, text: str, found: Findings, returned: str) -> str:
        if found.retracted:
            return "taken back: it says that what it said is not so"
        if found.unclaimed > self._thresholds.unclaimed:
            return f"not claimed: {found.unclaimed:.0%} of what it has from the tools it denies or doubts"
        fault = next(faults(text, returned, _ANYTHING), None)
        if fault is not None:
            return str(fault)
        if _BOTH.match(text) or _CHOICE.search(text):
            return "no answer: it leaves open which of several things holds"
        return ""

    def _precision(self, found: Findings) -> str:
        limits = self._thresholds
        plain = found.prose < limits.prose
        precision = limits.bare if plain else limits.precision
        courtesies = len(found.sources) if found.prose >= limits.talk and not found.opaque else 0
        unasked = round((1 - found.precision) * found.values)
        if unasked > courtesies and found.values > 1 and found.precision < precision:
            return f"beside the point: {found.precision:.0%} of {found.values} values are what the query asks"
        return ""

    def _complete(
        self, case: Case, evidence: Evidence, found: Findings, share: float, refused: float
    ) -> Decision:
        limits = self._thresholds
        relevant = set(case.task.relevant)
        called = {source.api for source in evidence.answered if source.api is not None}
        used = _used(relevant, evidence, found)
        facts = f"{share:.0%} of the facts grounded, {len(used)} of {len(relevant)} relevant APIs told of"
        if relevant and not used:
            return "unsolved", f"irrelevant: {facts}"
        if relevant and len(called - relevant) > limits.waste * len(relevant):
            return "unsolved", f"wasteful: {len(called - relevant)} irrelevant APIs called, {facts}"
        if refused and len(used) < len(relevant):
            return "unsure", f"part refused: {facts}"
        heard = relevant & called
        if len(heard) > 1 and len(used) <= limits.partial * len(heard):
            return "unsolved", f"incomplete: {facts}"
        if relevant and len(used) < limits.complete * len(relevant):
            return "unsure", f"incomplete: {facts}"
        if share < limits.grounded:
            return "unsure", f"partly grounded: {facts}"
        return "solved", f"grounded and complete: {facts}"

    def _confirmation(self, case: Case, evidence: Evidence, text: str) -> Decision:
        """Decide on an answer without news: what was to be done can be done, and then there is none."""
        relevant = set(case.task.relevant)
        used = _used(relevant, evidence, None)
        done = relevant == used != set()
        if done and _POLAR.match(text):
            return "unsure", "yes or no: nothing in it can be held against the tools"
        words = terms(text)
        about = len(words & evidence.asked) > len(words) / 2 and not _repeats(text, case.task.query)
        if done and about:
            return "solved", f"confirmed: each of {len(relevant)} relevant APIs did as the query says"
        if used and about:
            return (
                "unsure",
                f"confirmed in part: {len(used)} of {len(relevant)} relevant APIs did as the query says",
            )
        return "unsolved", "echo: says nothing that the query and the arguments do not"

    def _claims(self, sentences: Iterable[str], evidence: Evidence) -> Iterator[tuple[str, float]]:
        """Yield the informative tokens of an answer that neither query nor arguments have, with weights."""
        loose = self._thresholds.loose
        for sentence in sentences:
            for position, token in enumerate(_TOKENS.findall(sentence)):
                plain = _plain(token)
                if plain in COMMON or term(plain) in evidence.given:
                    continue
                if token[0].isdigit():
                    yield plain, 1.0 if len(plain) >= _MIN_DIGITS else loose
                elif position and token[0].isupper() and len(token) > 1:
                    yield plain, 1.0
                elif len(token) >= _MIN_WORD or not token.isascii():
                    yield plain, loose


@lru_cache(maxsize=1)
def _warn_once() -> None:
    warnings.warn(
        "no model judges, so a heuristic scores open queries; as a training reward it can be gamed. "
        'Name it with judge="heuristic" if you mean it, or give a judge model (models=..., or its key)',
        UnnamedJudgeWarning,
        stacklevel=2,
    )


def _used(relevant: set[ToolId], evidence: Evidence, found: Findings | None) -> set[ToolId]:
    """Return the relevant APIs that the answer tells of, that later calls build on, or that had no news."""
    return {
        source.api
        for position, source in enumerate(evidence.followed)
        if source.api in relevant
        and (source.fed or not _has_news(source, evidence) or (found and position in found.sources))
    }


def _has_news(source: Source, evidence: Evidence) -> bool:
    """Return whether a call told a name, or something that the query asks for by its name."""
    return any(leaf.named or not leaf.key.isdisjoint(evidence.asked) for leaf in source.leaves)


def _repeats(text: str, query: str) -> bool:
    """Return whether an answer has a run of words of the query, not a name or a quotation alone."""
    said, asked = (" ".join(_TOKENS.findall(one.lower())) for one in (text, query))
    words = asked.split()
    runs = (" ".join(words[start : start + _RUN]) for start in range(len(words) - _RUN + 1))
    return asked in said or any(run in said for run in runs)


def _to_the_user(text: str) -> tuple[str, list[str]]:
    """Return an answer without what speaks to the judge, and its sentences that say something."""
    kept = []
    for sentence in _SENTENCES.split(text):
        if ADDRESS.search(sentence.lower()):
            text = text.replace(sentence, " ", 1)
        elif _TOKENS.search(sentence):
            kept.append(sentence)
    return text, kept


def _plain(token: str) -> str:
    """Return a token in a form in which spellings of one number or word agree."""
    return plain_number(token) if token[0].isdigit() else token.lower()


def _grounding(claims: dict[str, float], evidence: Evidence, derived: frozenset[str]) -> tuple[float, float]:
    """Return the weight of the claims found in the responses, and its share of all."""
    inside = "\n".join(source.text for source in evidence.followed).lower()
    found = sum(
        weight
        for token, weight in claims.items()
        if token in evidence.tokens
        or token in derived
        # Names are often run together in addresses and handles.
        or (len(token) >= _MIN_INSIDE and not token[0].isdigit() and token in inside)
    )
    return found, found / (sum(claims.values()) or 1.0)
