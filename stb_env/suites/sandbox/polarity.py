"""Whether an answer says yes or no, in one word or in a sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from stb_env.reading import cue
from stb_env.reading.statement import Statement
from stb_env.suites.sandbox.answers import plain

_YES = re.compile(
    r"\b(?:yes|yeah|yep|yup|affirmative|indeed|aye|absolutely|certainly|definitely)\b|"
    r"^\W*(?:correct|true|right|it is true)\W*$"
)
_NO = re.compile(
    r"^\W*(?:no|none|nope|negative|nay|false|incorrect|not true)\W*$|^\W*no (?:it|they|you|he|she|i|"
    r"that|this|there)\b|"
    r"(?:\bis|\ba|\bclear|\bsay|['’]s|[:=|])\W+no\W*$|\bnope\b|\bafraid not\b|"
    r"\b(?:unfortunately|sadly|regrettably|alas|sorry)\W+(?:no\W*$|not\b)|"
    r"^\W*(?:no|none|nobody)(?! (?:fees?|charge|extra|need|problem|worr|doubt|further|more|other)) [a-z]+"
    r"(?: (?:of|for|in|on|at) (?:the |this |that )?\w+)? (?:can|could|may|is|are|was|were|has|have|"
    r"remains?)\b"
)
_CONCLUDED = re.compile(r"(?:^|\b(?:so|is|a|be|hence|thus|therefore)|['’]s|[:=|])\W{0,6}(yes|no)\W*$")
"""Ends with the answer, whatever it began with: "the second is dearer, so the answer is no"."""
_JOINED = re.compile(r"^\W*(?:and|but|or|so|that is to say)[ ,]+")
_BARE = {"yes": True, "true": True, "no": False, "false": False}
_ENDS = tuple(_BARE)
_EDGES = " .,!*_\"'"
_REFUSED = re.compile(
    r"\b(?:refus\w+|reject\w*|declin\w+|fail\w*|unable|impossible|unsuccessful(?:ly)?|too late|"
    r"too few|too little|"
    r"too young|insufficient|unavailable|sold out|out of stock|no longer|without success|"
    r"turned (?:me |it )?down|"
    r"denied|disallowed|forbidden|barred)\b"
)
_ECHO = re.compile(
    r"^\W*(?:(?:and|so|well) )?(?:it|they|you|he|she|that|this|there|i|we)(?: \w+)? "
    r"(?:did|does|do|is|was|are|were|can|could|has|have|had|will|would)(?: been)?(?: so| indeed)?\W*$|"
    r"\b(?:it|they|he|she|there|that|this) do(?:es)? (?:indeed |really |still |also )?[a-z]{3,}\b|"
    r"\b(?:worked|succeeded|successful(?:ly)?|accepted|went through|is possible|was possible|allowed)\b"
)


def says(
    said: Sequence[Statement], yes: Sequence[str] = (), no: Sequence[str] = (), subject: str = ""
) -> bool | None:
    """Return whether statements say yes or no: what it concludes, else the first clear word.

    Args:
        said: The statements of a folded answer.
        yes: Words that say yes where they are asserted, and no where they are denied.
        no: Words that say no where they are asserted.
        subject: What the question is about; where it stands after the word, the other way round holds.
    """
    bare = _bare(said)
    if bare:
        return bare.pop() if len(bare) == 1 else None
    found = None
    for statement in said:
        said_so = statement.stance == "asserted" or (statement.stance == "denied" and not statement.framed)
        concluded = _CONCLUDED.search(statement.text) if said_so else None
        if concluded:
            return concluded[1] == "yes"
        if found is None:
            found = _told(statement, yes, no, plain(subject))
    return found


def contradicts(
    said: Sequence[Statement], value: bool, yes: Sequence[str], no: Sequence[str], subject: str
) -> bool:
    """Return whether a clause that names what the question is about tells the other way round.

    Args:
        said: The statements of a folded answer that says yes or no.
        value: Which of both it says.
        yes: Words that say yes.
        no: Words that say no.
        subject: What the question is about.
    """
    name = plain(subject)
    return len(name) > 2 and any(
        part.stance == "asserted"
        and name in plain(part.text)
        and _worded(part.text, yes, no, name) is not value
        for part in said
        if _worded(part.text, yes, no, name) is not None
    )


def contradictory(said: Sequence[Statement]) -> bool:
    """Return whether statements answer the same with a bare yes and with a bare no."""
    if len(_bare(said)) < 2:
        return False
    to: dict[str, set[bool]] = {}
    for before, statement in zip((None, *said), said, strict=False):
        # "Was it full? No. Is it booked? Yes." answers two questions.
        question = before.text if before and before.stance == "asked" else ""
        to.setdefault(question, set()).update(_bare([statement]))
    return any(len(told) == 2 for told in to.values())


def _bare(said: Sequence[Statement]) -> set[bool]:
    return {
        _BARE[word]
        for statement in said
        if statement.stance == "asserted"
        # What most statements end with is read at a fifth of the cost of what they begin with.
        and (text := statement.text.rstrip(_EDGES)).endswith(_ENDS)
        and (word := _JOINED.sub("", text).lstrip(_EDGES)) in _BARE
    }


def _told(statement: Statement, yes: Sequence[str], no: Sequence[str], subject: str) -> bool | None:
    if statement.stance not in ("asserted", "denied"):
        return None
    text, denied = statement.text, statement.stance == "denied"
    first, second = _YES.search(text) is not None, _NO.search(text) is not None
    if first or second:
        return None if first and second else first is not (denied and statement.framed)
    refused = _REFUSED.search(text)
    if refused and denied and refused.start() == statement.scope - statement.start:
        # The refusal itself is the negation.
        return False
    told = False if refused else _worded(text, yes, no, subject)
    if told is None and _ECHO.search(text):
        told = True
    if denied:
        untrue = statement.framed or cue.VERACITY.search(text) is not None
        return not told if told is not None else None if untrue else False
    return told


def _worded(text: str, yes: Sequence[str], no: Sequence[str], subject: str) -> bool | None:
    words = plain(text)
    found = [
        (place, -len(form), told)
        for told, spellings in ((False, no), (True, yes))
        for form in _forms(tuple(spellings))
        if (place := words.find(form)) >= 0
    ]
    if not found:
        return None
    place, _, told = min(found)
    turned = len(subject) > 2 and subject in words[place:] and subject not in words[:place]
    return told is not turned


@lru_cache(maxsize=256)
def _forms(spellings: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(plain, spellings))
