"""Sentences and clauses: where they begin and end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

# A full stop ends no sentence after these, nor after a single letter ("p.m.", "J. Doe"), nor after the number
# that an item of a list begins with.
_NO_END = re.compile(
    r"(?:^|[\s(.])(?:[a-z]|mr|mrs|ms|dr|st|nr|approx|ca|vs|etc|min|max|dep|arr|incl|excl|tel|e\.g|i\.e)\.$|"
    r"^\W*\d{1,2}\.$",
    re.IGNORECASE,
)
# What must not stand before a mark is looked for behind it: a search for marks is quick.
_END = re.compile(r"[.!?…](?<![.!?…].)[.!?…]*[\"”’')\]*_»]{0,4}(?=\s|$)\s*|\n\s*")
_CLAUSE = re.compile(
    r"[;—–|()\t]\s*|:[*_]{0,3}(?=\s|$)\s*|\s-+\s+|,\s+|"
    r"(?<!anything)\s(?=(?:but|and|while|whereas|although|though|because|however|yet|which|who|rather than|"
    r"instead of|or(?! (?:after|before|more|less|later|earlier)\b)|nor)\b)",
    re.IGNORECASE,
)


class Span(NamedTuple):
    """A part of a text, without blanks at its ends.

    Attributes:
        start: Where it begins.
        end: Where it ends.
        mark: What closes it: the mark after it, or an empty string.
    """

    start: int
    end: int
    mark: str


def sentences(text: str, start: int = 0, end: int | None = None) -> Iterator[Span]:
    """Yield the sentences of a part of a text; a line, an item of a list or a row of a table is one, too.

    Examples:
        >>> text = "It leaves at 2 p.m. sharp. Anything else?"
        >>> [(text[span.start : span.end], span.mark) for span in sentences(text)]
        [('It leaves at 2 p.m. sharp', '.'), ('Anything else', '?')]
    """
    end = len(text) if end is None else end
    begun = start
    for match in _END.finditer(text, start, end):
        mark = "?" if "?" in match[0] else match[0].strip()[:1]
        tail = text[max(begun, match.start() - 8) : match.start() + 1]
        if mark == "." and "\n" not in match[0] and _NO_END.search(tail):
            continue
        span = _stripped(text, begun, match.start(), mark)
        if span.start < span.end:
            yield span
        begun = match.end()
    span = _stripped(text, begun, end, "")
    if span.start < span.end:
        yield span


def clauses(text: str, sentence: Span) -> Iterator[Span]:
    """Yield the clauses of a sentence; each begins with the word that joins it to the one before.

    Examples:
        >>> text = "It leaves at 14:05, not at 9:00, and costs 12"
        >>> [text[span.start : span.end] for span in clauses(text, Span(0, len(text), ""))]
        ['It leaves at 14:05', 'not at 9:00', 'and costs 12']
    """
    begun = sentence.start
    for match in _CLAUSE.finditer(text, sentence.start, sentence.end):
        span = _stripped(text, begun, match.start(), match[0].strip()[:1])
        if span.start < span.end:
            yield span
        begun = match.end()
    span = _stripped(text, begun, sentence.end, sentence.mark)
    if span.start < span.end:
        yield span


def _stripped(text: str, start: int, end: int, mark: str) -> Span:
    part = text[start:end]
    left = len(part) - len(part.lstrip())
    return Span(start + left, max(start + left, start + len(part.rstrip())), mark)
