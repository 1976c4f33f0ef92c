"""What a value is said to be: the words beside it that tell what it is of, and those that exclude them.

"The lowest is 28.5" has the right figure and is wrong where the highest was asked for. So words that exclude
each other stand in groups. The label of a fact or else its query says which sense of a group is asked for; a
value whose clause has another sense of the group and not that one is said of something else. A clause without
such words is no failure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial

from stb_env.jsontypes import JsonMapping
from stb_env.reading.statement import index_at, statement_at
from stb_env.suites.sandbox.answers import Place, fold, stem
from stb_env.suites.sandbox.contraries import GROUPS, SEVERAL, TOKEN, Hit, hits
from stb_env.suites.sandbox.mentions import Mention, Text

_PARTY = re.compile(
    r"\b(?:\d{1,3}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?: of us| of them| x\b|"
    r" (?:[a-z-]+ )?[a-z]+s\b)|\ball my\b|\bparty of \d|"
    r"\bfor (?:all )?\d{1,3}\b|\ball of us\b|\d x "
)
"""More than one of something, so that the price of one is another."""

Fact = JsonMapping


def misplaced(
    fact: Fact,
    query: str,
    text: Text,
    own: Iterable[Mention],
    places: Sequence[tuple[int, int]],
    allowed: Iterable[Fact] = (),
) -> str:
    """Return how a value is said to be what was not asked for, or an empty string.

    Args:
        fact: It.
        query: The query.
        text: The answer.
        own: Where it has the value.
        places: Where it has values of the kind, its own among them; words belong to the value beside them.
        allowed: Other facts of the task; the label of one of the same type is another sense than its own.
    """
    said = hits(text.folded)
    mine, theirs = _labelled(fact, allowed)
    turns = "but" in text.folded
    if not (said or theirs or turns):
        return ""
    wanted = partial(asked, label=fact["label"], query=query, kind=fact["type"])
    reason = ""
    usual = _USUAL.search(text.folded) if turns else None
    for mention in own:
        if usual and usual.start() < mention.start < usual.end():
            return f'read as what is not so this time: "{usual[0][:80]}"'
        statement = statement_at(text.said, mention.start)
        if statement.stance != "asserted":
            continue
        swapped = _swapped(text, mention, places, mine, theirs) if theirs else ""
        if swapped:
            reason = f'read it as {swapped}: "{statement.text[:80]}"'
            continue
        senses = dict[int, set[int]]()
        contrary: Hit | None = None
        for hit in _bound(text, said, mention, places):
            sense = wanted(hit.group)
            if sense is not None:
                senses.setdefault(hit.group, set()).add(hit.sense)
                contrary = contrary or (hit if hit.sense != sense else None)
        wrong = [group for group, found in senses.items() if wanted(group) not in found]
        if wanted(SEVERAL) == 0 and _UNIT_PRICE.search(text.folded, statement.start, mention.start):
            reason = f'read it of one: "{statement.text[:80]}"'
            continue
        if not wrong:
            if senses:
                return ""
        elif contrary:
            hit = contrary
            reason = f'read it as {text.folded[hit.start : hit.end]}: "{statement.text[:80]}"'
    return reason


def robbed(
    fact: Fact,
    text: Text,
    own: Sequence[Mention],
    rivals: Sequence[Mention],
    places: Sequence[tuple[int, int]],
) -> str:
    """Return another value that bears the label of a fact where its own bears none, or an empty string.

    "Veldhavn is at 798 metres, so the gap is 673" has the right figure, and another one for the gap. What
    the query or a record has is told for comparison.
    """
    label = _stems(fact["label"]) - _VAGUE_LABELS
    claimed = [one for one in rivals if not (one.asked or one.known) and _bears(text, one, places, label)]
    mine = (TOKEN.findall(statement_at(text.said, one.start).text) for one in own)
    if not claimed or any(stem(word) in label for words in mine for word in words):
        return ""
    for one in claimed:
        if not text.records.holders(text.folded, Place(one.start, one.end)):
            clause = statement_at(text.said, one.start)
            if clause.stance == "asserted":
                return f'read {one.said} in its place: "{clause.text[:80]}"'
    return ""


def _bears(text: Text, one: Mention, places: Sequence[tuple[int, int]], label: frozenset[str]) -> bool:
    left, right = _reach(text, one, places)
    return any(stem(match[0]) in label for match in TOKEN.finditer(text.folded, left, right))


def _labelled(fact: Fact, allowed: Iterable[Fact]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words of a fact's label, and those of the labels of others of its type."""
    mine = _stems(fact["label"])
    others = [_stems(other["label"]) for other in allowed if other["type"] == fact["type"]]
    return mine, frozenset[str]().union(*others) - mine - _VAGUE


@lru_cache(maxsize=512)
def _stems(label: str) -> frozenset[str]:
    return frozenset(stem(word) for word in TOKEN.findall(fold(label).replace("_", " ")))


def _swapped(
    text: Text,
    mention: Mention,
    places: Sequence[tuple[int, int]],
    mine: frozenset[str],
    theirs: frozenset[str],
) -> str:
    """Return the label of another fact that a value stands at without its own: "6847 kB are free"."""
    left, right = _reach(text, mention, places)
    if any(end == left for _, end in places):
        # "712 shares at 35300.96": what stands right behind another value is said of that.
        left += len(_NEXT_WORD.match(text.folded, left, mention.start)[0])  # type: ignore[index]
    behind = _BEHIND.match(text.folded, mention.end, right)
    before = [(stem(match[0]), match[0]) for match in TOKEN.finditer(text.folded, left, mention.start)]
    if mine & {one for one, _ in before} or mine & {
        stem(word) for word in TOKEN.findall(text.folded, mention.end, right)
    }:
        return ""
    after = [(stem(behind[1]), behind[1])] if behind else []
    return next((word for one, word in (*after, *reversed(before)) if one in theirs), "")


def _bound(
    text: Text, said: Sequence[Hit], mention: Mention, places: Sequence[tuple[int, int]]
) -> Iterator[Hit]:
    """Yield the words of senses that belong to a value: in its clause, with no other value between."""
    left, right = _reach(text, mention, places)
    later = _afterwards(text, mention, places)
    for hit in said:
        until = later if GROUPS[hit.group].trailing else right
        if not left <= hit.start < until or mention.start <= hit.start < mention.end:
            continue
        if any(0 < start - hit.end < 3 and start != mention.start for start, _ in places):
            # "The dearer Iron Road": it is said of what follows.
            continue
        behind = GROUPS[hit.group].behind
        if not behind or (0 <= hit.start - mention.end <= _FAR and hit.start >= mention.end):
            yield hit


_FAR = 14
_UNIT_PRICE = re.compile(
    r"\b(?:each|every|one|an?|a single) (?:\w+ )?(?:ticket|copy|portion|night|day|month|room|seat|share|"
    r"person|piece|subscription|one|of them)s? (?:costs?|is|weighs?|comes to|pays?|holds)\W*$"
)
"""Says of one what was asked of several."""
_AFTERWARDS = re.compile(
    r"\W*(?:(?:but|and|so|though) )?(?:then |now )?(?:it|they|that|this|is|are|was|were|has)\b"
)
_VAGUE = frozenset(
    map(stem, ["total", "first", "number", "day", "gap", "difference", "cost", "price", "used"])
)
_VAGUE_LABELS = frozenset(map(stem, ["total", "number", "day", "cost", "price", "used", "amount", "left"]))
_NEXT_WORD = re.compile(r"\s?\w*")
_BEHIND = re.compile(r"\s?(?:of (?:the |them )?)?(?:(?:is|are|was|were)(?: the| still)? )?([a-z]+)")
_USUAL = re.compile(
    r"\b(?:normally|usually|as a rule|(?:was|were|had been) (?:set|planned|scheduled|meant|supposed))\b"
    r"[^.;\n]{0,80}\bbut\b"
)
"""Says how it is at other times, or was to be."""
_WORDLESS = re.compile(r"[^a-z]*")


def _afterwards(text: Text, mention: Mention, places: Sequence[tuple[int, int]]) -> int:
    """Return how far the next clause goes on about a value: "it is at 10:00, but it was cancelled"."""
    index = index_at(text.said, mention.start)
    clause, follows = text.said[index], text.said[index + 1 : index + 2]
    for other in follows:
        taken = any(other.start <= start < other.end for start, _ in places)
        if other.sentence == clause.sentence and not taken and _AFTERWARDS.match(other.text):
            return other.end
    return clause.end


def _reach(text: Text, mention: Mention, places: Sequence[tuple[int, int]]) -> tuple[int, int]:
    index = index_at(text.said, mention.start)
    clause = text.said[index]
    left, right = clause.start, clause.end
    if index and not _WORDLESS.sub("", text.folded[left : mention.start] + text.folded[mention.end : right]):
        # "Lowest: 28.5" and a row of a table have the word in a clause of its own.
        before = text.said[index - 1]
        if before.sentence == clause.sentence and before.stance == "asserted":
            left = before.start
    for start, end in places:
        if end <= mention.start:
            left = max(left, end)
        elif start >= mention.end:
            right = min(right, start)
    return left, right


@lru_cache(maxsize=512)
def asked(number: int, label: str, query: str, kind: str) -> int | None:
    """Return the sense of a group that a fact is asked for in, None where it is asked for in none.

    Examples:
        >>> times = next(n for n, group in enumerate(GROUPS) if group.senses[0].startswith("opens"))
        >>> sense = asked(times, "sunset", "When does it open, and when does the sun set?", "time")
        >>> sense is not None and GROUPS[times].senses[sense]
        'sunset, sets, sundown'
    """
    group, folded = GROUPS[number], fold(query)
    if kind not in group.types:
        return None
    senses = _senses(fold(label).replace("_", " ")).get(number)
    if not (senses or group.labelled):
        senses = _senses(folded).get(number)
    if senses and len(senses) == 1:
        return next(iter(senses))
    if group.implied is None or re.search(group.implied, folded):
        return None
    # What several cost is asked for of several alone.
    return 0 if "in all" not in group.senses[0] or _PARTY.search(folded) else None


@lru_cache(maxsize=512)
def _senses(folded: str) -> Mapping[int, set[int]]:
    found: dict[int, set[int]] = {}
    for hit in hits(folded):
        found.setdefault(hit.group, set()).add(hit.sense)
    return found
