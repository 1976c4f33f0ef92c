"""Whether an answer says that what was asked for is not known, is not there, or was not looked up.

Who gives a value does not say so as well: "A mail from Zelda gives 271.06. Edda's mentions no price."
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from stb_env.jsontypes import JsonMapping
from stb_env.reading.phrase import Phrase, words
from stb_env.suites.sandbox.answers import fold, stem
from stb_env.suites.sandbox.mentions import Text, stems

Fact = JsonMapping

_WORD = re.compile(r"[^\W\d_]+")
_HINT = re.compile(
    r"known\b|\bno[tn]?\b|n['’]t\b|\b(?:cannot|never|none|nothing|empty|else|order|one of the|another)\b"
)
"""What each of the others has at least one of."""
_MANY = re.compile(r"\bin no particular order\b|\bone of the (?:two|three)\W*$|\bor not at all\b")
_UNKNOWN = Phrase(
    r"\b(?:is|was|are|were) (?:someone|somebody|something|another one)(?: else)?\W*$|"
    r"(?:\bnot|n['’]t)(?: yet| exactly| really)? known\b|\bunknown\b|"
    r"\bi (?:(?:could|can|did|do|have|was)(?:n['’]t| not)|cannot|never)(?: yet| really| been| able| to){0,3} "
    r"(?:find|found|see|know|learn|determine|establish|get at|open|opened|look(?:ed)?(?: \w+)? up|"
    r"look(?:ed)? (?:at|into))\b"
    r"(?! (?:an?|any\w*|other\w*|no|more|further|of|earlier|later|cheaper|free|anybody|another|such)\b)|"
    r"(?:\bnot|n['’]t) (?:the|what) (?:\w+ )?(?:you|that was|was) (?:mean|meant|want|wanted|asked|need|"
    r"looking for)\b|"
    r"\b(?:is|are|was|were)(?:n['’]t| not) (?:(?:among|part of) (?:it|them|these|those|the|this)|"
    r"included|one of (?:them|these|those|the))\b"
)
_NOTHING = re.compile(
    r"\b(?:has|have|had|holds?|shows?|lists?|gives?|mentions?|names?|published|wrote|is|are|there['’]s) "
    r"(?:none|nothing|empty)(?: (?:in|at|on|for|by) (?:that|this|the) (?!morning|afternoon|evening)\w+)?"
    r"\W*$"
)
_NO_NEWS = re.compile(
    r"\b(?:i (?:have|found|saw|got)|there (?:is|was)|there['’]s|has) no(?:thing)?\b ?([a-z -]{0,24}?)"
    r"(?: (?:for|on|of|about|as to)\b([^.;\n]*)| (?:listed|given|recorded|on record)|\W*$)"
)
"""Names what was not found, and what it would be of."""
_NOT_TOLD = Phrase(
    r"\b(?:(?:does|do|did)(?:n['’]t| not) (?:say|mention|tell|state)|"
    r"i (?:could|can)(?:n['’]t| not) (?:get|obtain))\b"
    r"([^.;\n]*)|([^.;\n]*)\bnot on record\b"
)
_NEWS = frozenset(map(stem, ["quote", "record", "detail", "entry"]))
_BESIDE = re.compile(
    r"\b(?:other|others|further|else|more|earlier|later|another|any\w*|again|such|cheaper)\b"
)
"""Speaks of something beside what was asked for."""
_LACKS = re.compile(
    r"\b(?:has|have|had|holds?|shows?|lists?|gives?|mentions?|names?|found|find) no ((?:\w+ ?){1,2})|"
    r"\bnothing (?:is|was) (\w+)"
)


def disclaims(text: Text, query: str, facts: Iterable[Fact]) -> str:
    """Return where an answer disclaims what it gives, or an empty string.

    Args:
        text: The answer.
        query: The query.
        facts: The facts of the task; where one is that something is not so, saying so is no disclaimer.

    Examples:
        >>> from stb_env.suites.sandbox.mentions import read
        >>> price = [{"type": "number", "label": "price", "value": 12}]
        >>> disclaims(read("Ann says 12. The mail of Bob gives no price.", ""), "What price?", price)
        'read that it is not known: "the mail of bob gives no price"'
        >>> disclaims(read("It is 12; I found no fee.", ""), "What price?", price)
        ''
    """
    if not _HINT.search(text.folded):
        return ""
    facts = list(facts)
    single = all(fact["type"] != "names" or len(fact["value"]) == 1 for fact in facts)
    if single and (found := _MANY.search(text.folded)):
        return f'read without saying which: "{found[0]}"'
    if any(fact["type"] == "lacking" for fact in facts):
        return ""
    denial = any(fact["type"] == "yes_no" for fact in facts)
    asked: frozenset[str] | None = None
    for part in text.said:
        if part.stance in ("asked", "quoted", "retracted"):
            continue
        bare = not denial and _NOTHING.search(part.text)
        lacking = None if denial else _LACKS.search(part.text)
        if denial or _BESIDE.search(part.text):
            bare = lacking = None
        elif _silent(text, part.text, facts):
            return f'read that it is not known: "{part.text[:80]}"'
        if lacking and asked is None:
            asked = frozenset(_asked(query, facts))
        about = {stem(word) for word in _WORD.findall((lacking[1] or lacking[2]) if lacking else "")}
        if (
            bare
            or (asked and about & asked)
            or (_UNKNOWN.search(part.text, words(text.folded)) and not denial)
        ):
            return f'read that it is not known: "{part.text[:80]}"'
    return ""


def _silent(text: Text, clause: str, facts: Iterable[Fact]) -> bool:
    """Return whether a clause says that nothing tells what was asked for: "I have no quote for the Barge"."""
    untold, news = _NOT_TOLD.search(clause, words(text.folded)), _NO_NEWS.search(clause)
    if not (untold or news):
        return False
    labels = stems(" ".join(fold(fact["label"]) for fact in facts))
    if untold and stems(untold[1] or untold[2] or "") & (text.asked | labels):
        return True
    if not news:
        return False
    known, noun = stems(fold(text.query)) | labels, stems(news[1])
    return not noun - _NEWS - known and bool((stems(news[2]) if news[2] else noun) & known)


def _asked(query: str, facts: Iterable[Fact]) -> Iterator[str]:
    """Yield the stems of the labels and of the names in the query."""
    for fact in facts:
        yield from map(stem, _WORD.findall(fold(fact["label"])))
    for name in re.findall(r"(?<=[\w,\"] )[\"“]?([A-Z]\w+)", query):
        yield stem(fold(name))
