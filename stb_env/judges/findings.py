"""What an answer to an open query says: what it claims, where that comes from, and whether it was asked for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from stb_env.judges.evidence import Evidence, Leaf
from stb_env.judges.terms import numbers, terms
from stb_env.reading.statement import Statement, statements

# Names of members as data write them, and what stands around them there.
_FIELD = re.compile(r"\b\w+(?:_\w+|\.\w+)+\s*[:|=]|\\?[\"']\s*:|[{}]")
_WORDS = re.compile(r"[^\W_]+")
_WHOLE = 0.6
# Of a long text an answer tells the gist, of a long list a few.
_GIST = 5
# A sentence with more values than that is a list, whatever it begins with.
_CROWD = 16
# A bare name is an answer where the answer is about the query at all.
_TOUCHED = 0.25


@dataclass(frozen=True, slots=True)
class Finding:
    """A member of a response that an answer tells.

    Attributes:
        source: Position of its call among those that follow from the query.
        asked: Whether its name, or the sentence that tells it, is about what the query asks.
    """

    source: int
    asked: bool


@dataclass(frozen=True, slots=True)
class Findings:
    """An answer held against the evidence.

    Attributes:
        told: The members of responses that it asserts.
        offered: How many members it could have told.
        said: Share of the query's terms that it takes up.
        unclaimed: Share of what it has from the responses that it denies, doubts, offers beside something
            else, or takes back.
        retracted: Whether it takes something back.
        invented: Share of its numbers that neither the query nor a response has, nor follow by rounding.
        raw: Share of its text that is data as programs write them.
    """

    told: tuple[Finding, ...]
    offered: int
    said: float
    unclaimed: float
    retracted: bool
    invented: float
    raw: float

    @property
    def precision(self) -> float:
        """Share of what it tells that was asked for."""
        return sum(finding.asked for finding in self.told) / len(self.told) if self.told else 0.0

    @property
    def sources(self) -> set[int]:
        """The calls that it tells something of."""
        return {finding.source for finding in self.told}


def read_findings(text: str, evidence: Evidence) -> Findings:
    """Hold an answer against the evidence.

    Args:
        text: What the answer says to the user.
        evidence: The calls.
    """
    said = statements(text)
    asserted = [one for one in said if one.stance == "asserted"]
    claimed, tied = _claimed(asserted, evidence)
    told, offered = [], 0
    share = len(claimed & evidence.asked) / max(1, len(evidence.asked))
    for position, source in enumerate(evidence.followed):
        for leaf in source.leaves:
            offered += 1
            if _tells(claimed, leaf):
                asked = (leaf.named and share > _TOUCHED) or not leaf.key.isdisjoint(evidence.asked) or _tells(tied, leaf)
                told.append(Finding(position, asked))
    known = frozenset().union(*(source.words for source in evidence.followed))
    return Findings(
        told=tuple(told),
        offered=offered,
        said=share,
        unclaimed=_unclaimed(said, known - evidence.given),
        retracted=any(one.stance == "retracted" for one in said),
        invented=_invented(asserted, evidence),
        raw=_raw(text, said),
    )


def _claimed(asserted: Iterable[Statement], evidence: Evidence) -> tuple[frozenset[str], frozenset[str]]:
    """Return the terms that are asserted, and those of them in sentences that are about the query."""
    by_sentence: dict[int, set[str]] = {}
    for one in asserted:
        by_sentence.setdefault(one.sentence, set()).update(terms(one.text))
    claimed = frozenset().union(*by_sentence.values())
    about = [
        words
        for words in by_sentence.values()
        if not words.isdisjoint(evidence.asked) and len(words - evidence.given) <= _CROWD
    ]
    return claimed, frozenset().union(*about)


def _tells(claimed: frozenset[str], leaf: Leaf) -> bool:
    return len(leaf.value & claimed) >= min(_GIST, _WHOLE * len(leaf.value))


def _unclaimed(said: Sequence[Statement], known: frozenset[str]) -> float:
    asserted = sum(len(terms(one.text) & known) for one in said if one.stance in ("asserted", "quoted"))
    others = sum(len(terms(one.text) & known) for one in said if one.stance not in ("asserted", "quoted", "asked"))
    return others / (asserted + others) if others else 0.0


def _invented(asserted: Iterable[Statement], evidence: Evidence) -> float:
    said = numbers("\n".join(one.text for one in asserted)) - numbers_given(evidence)
    weights = {number: 1.0 if len(number.strip("0.")) > 2 else 0.5 for number in said if len(number) > 1}
    if not weights:
        return 0.0
    known = frozenset().union(*(source.numbers for source in evidence.followed))
    missing = [number for number in weights if number not in known]
    if missing:
        values = [float(number) for number in known]
        missing = [number for number in missing if not any(_rounds(value, number) for value in values)]
    return sum(weights[number] for number in missing) / sum(weights.values())


def numbers_given(evidence: Evidence) -> frozenset[str]:
    """Return the numbers that an answer has from the query and the arguments."""
    return frozenset(term for term in evidence.given if term[0].isdigit())


def _rounds(value: float, number: str) -> bool:
    """Return whether a number is a value with fewer places, or cut off."""
    _, _, places = number.partition(".")
    target = float(number)
    zeros = len(number) - len(number.rstrip("0")) if not places else 0
    return round(value, len(places)) == target or (
        zeros > 1 and value >= 100 and round(value, -zeros) == target
    ) or (not places and value >= 100 and int(value) == target)


def _raw(text: str, said: Sequence[Statement]) -> float:
    quoted = sum(len(one.text) for one in said if one.stance == "quoted") / max(1, len(text))
    words = len(_WORDS.findall(text))
    return max(quoted, len(_FIELD.findall(text)) / max(1, words))
