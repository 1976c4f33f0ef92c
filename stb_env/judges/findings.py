"""What an answer to an open query tells: where it comes from, and whether it was asked for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from stb_env.judges.evidence import Evidence, Leaf
from stb_env.judges.terms import terms
from stb_env.reading.statement import Statement, statements

# Names of members as data write them, and what stands around them there.
_FIELD = re.compile(r"\b\w+(?:_\w+)+\s*[:|=]|\\?[\"']\s*:|[{}]")
_WORDS = re.compile(r"[^\W_]+")
_OPENING = re.compile(r"[^.:?!\n]{1,120}(?=:\s)")
# A sentence with more news than that is a list, whatever it begins with.
_CROWD = 16
_ROW = re.compile(r"\|.*\|")
_ROOT = 4
_JOINED, _PART, _SINGLE = 10, 5, 2
_ITEM = re.compile(r"[^\n]{0,4}\n\s*(?:[-*•]|\d{1,2}[.)])\s", re.ASCII)
_MARK = 8
_CLAUSE = 15


@dataclass(frozen=True, slots=True)
class Finding:
    """A member of a response that an answer tells.

    Attributes:
        source: Position of its call among those that follow from the query.
        value: The terms that tell it.
        asked: Whether its name is what the query asks, or what a thing is called.
        tied: Whether a sentence tells it that is about the query.
        opaque: Whether its name says nothing, as that of an id.
    """

    source: int
    value: frozenset[str]
    asked: bool
    tied: bool
    opaque: bool


@dataclass(frozen=True)
class Findings:
    """An answer held against the evidence.

    Attributes:
        told: The members of responses that it asserts.
        offered: How many members it could have told.
        labels: How many words it has that are no values and not in any text: what it says that they are.
        prose: Share of its words that are its own.
        unclaimed: Share of what it has from the responses that it denies, doubts, offers beside something
            else, or takes back.
        retracted: Whether it takes something back.
        raw: Share of its text that is data as programs write them.
    """

    told: tuple[Finding, ...]
    offered: int
    labels: int
    prose: float
    unclaimed: float
    retracted: bool
    raw: float

    @cached_property
    def values(self) -> int:
        """How many different values it tells; a response has many a value twice."""
        return len({finding.value for finding in self.told})

    @property
    def named(self) -> float:
        """Share of these whose name the query asks for."""
        return len({finding.value for finding in self.told if finding.asked}) / max(1, self.values)

    @property
    def precision(self) -> float:
        """Share of these that were asked for."""
        wanted = {finding.value for finding in self.told if finding.asked or finding.tied}
        return len(wanted) / max(1, self.values)

    @property
    def opaque(self) -> bool:
        """Whether it tells ids that nothing asks for, as no one does who has read what came back."""
        return any(finding.opaque and not finding.tied for finding in self.told)

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
    claimed, tied = _claimed(text, said, evidence)
    leaves = [(position, leaf) for position, source in enumerate(evidence.followed) for leaf in source.leaves]
    found = [(position, leaf) for position, leaf in leaves if _tells(claimed, leaf)]
    labels = frozenset(word for word in claimed - evidence.values if not word[0].isdigit())
    # A bare name is an answer only where something else shows what it is the name of.
    touched = not labels.isdisjoint(evidence.asked)
    told = tuple(
        Finding(
            position,
            leaf.news & claimed,
            asked=(leaf.named and touched) or not leaf.key.isdisjoint(evidence.asked),
            tied=_tells(tied, leaf),
            opaque=not leaf.key and not leaf.named,
        )
        for position, leaf in found
    )
    return Findings(
        told=told,
        offered=len(leaves),
        labels=len(labels),
        prose=_prose(text, evidence),
        unclaimed=_unclaimed(text, said, evidence),
        retracted=any(one.stance == "retracted" for one in said),
        raw=_raw(text, said),
    )


def _prose(text: str, evidence: Evidence) -> float:
    words = _WORDS.findall(text.lower())
    own = sum(not word[0].isdigit() and word not in evidence.tokens for word in words)
    return own / max(1, len(words))


def _claimed(
    text: str, said: Sequence[Statement], evidence: Evidence
) -> tuple[frozenset[str], frozenset[str]]:
    """Return the terms that are asserted, and those of them in sentences that are about the query.

    A line that ends in a colon is about what is listed below it, and the head of a table about its rows.
    """
    by_sentence: dict[int, list[Statement]] = {}
    for one in said:
        if one.stance == "asserted":
            by_sentence.setdefault(one.sentence, []).append(one)
    asked = _roots(evidence.asked)
    claimed: set[str] = set()
    about: set[str] = set()
    heads = False
    for parts in by_sentence.values():
        sentence = text[parts[0].start : parts[-1].end]
        words = terms(sentence)
        claimed |= words
        row = _ROW.search(sentence) is not None
        opens = row or text[parts[-1].end : parts[-1].end + 2].startswith(":")
        # What stands at the head of a list or table are labels, even where values have the same words.
        labels = words if opens and not heads else words - evidence.values
        ties = not _roots(labels).isdisjoint(asked)
        listed = row or _ITEM.match(text, max(0, parts[0].start - _MARK)) is not None
        if (ties or (heads and listed)) and len(words - evidence.given) <= _CROWD:
            about |= words
        heads = (ties and opens) or (heads and listed)
    return frozenset(claimed), frozenset(about)


def _roots(words: Iterable[str]) -> set[str]:
    """Return the beginnings of words: who asks for players is told who plays."""
    return {word if word[0].isdigit() else word[:_ROOT] for word in words}


def _tells(claimed: frozenset[str], leaf: Leaf) -> bool:
    if len(leaf.news & claimed) >= leaf.gist:
        return True
    # Names are often run together in addresses and handles.
    joined = [word for word in leaf.news if len(word) >= _JOINED]
    return len(leaf.news) <= _SINGLE and any(
        len(part) >= _PART and part in word for word in joined for part in claimed
    )


def _unclaimed(text: str, said: Sequence[Statement], evidence: Evidence) -> float:
    if _disowned(text):
        return 1.0
    known = evidence.words - evidence.given
    asserted = others = 0
    for one in said:
        weight = len(terms(one.text) & known)
        if one.stance in ("asserted", "quoted") or _stands(one.text, evidence):
            asserted += weight
        elif one.stance != "asked":
            others += weight
    return others / (asserted + others) if others else 0.0


def _stands(clause: str, evidence: Evidence) -> bool:
    """Return whether a clause is a tool's own, who quotes it being in no doubt himself."""
    return len(clause) >= _CLAUSE and clause.lower() in evidence.facts.text


def _disowned(text: str) -> bool:
    """Return whether the answer opens with a denial or a doubt, and a colon: it is about all that follows."""
    opening = _OPENING.match(text)
    return opening is not None and all(one.stance != "asserted" for one in statements(opening[0]))


def _raw(text: str, said: Sequence[Statement]) -> float:
    quoted = sum(len(one.text) for one in said if one.stance == "quoted") / max(1, len(text))
    words = len(_WORDS.findall(text))
    return max(quoted, len(_FIELD.findall(text)) / max(1, words))
