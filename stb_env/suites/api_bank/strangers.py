"""Things that a reply speaks of, and that nobody mentioned and no call returned."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stb_env.judges.cues import COMMON
from stb_env.reading.fold import fold
from stb_env.reading.numerals import numbers
from stb_env.reading.sentence import sentences

_STEM, _MANY = 4, 4
_COUNT = 12
"""A sentence with a larger number is about that."""
_LONG = 8
"""Words from which a sentence that has hardly one in common with all before is about something else."""
_HARDLY = 0.25
_WORD = re.compile(r"[^\W\d_]{4,}")
_SPOKEN = re.compile(r"\b(?:i|you|your|we|me|us|please|sorry|thanks?)\b")
_QUOTATION = re.compile(r"\"([^\"\n]{1,80})\"|“([^”\n]{1,80})”")
_LIST = re.compile(r":\s+([^:\n]{3,200})$")
_ITEM = re.compile(r",\s*(?:and |or )?|\s+and\s+")
_ASIDE = re.compile(r"\s{0,3}\([^()\n]{0,120}\)")
_DATED = re.compile(
    r"\d|\b(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec|mon|tues|wednes|thurs|fri|satur|sun)[a-z]*\b",
    re.IGNORECASE,
)
_CODE = re.compile(r"\b[a-z]{3,}(?:[-_][a-z]+)*[-_]\d+\b")
_FEW = 3
"""Words of an item of a list; what is longer is a clause."""
_OWNER = re.compile(
    r"([A-Z][a-z]+)(?: has (?:these|this|those|an?|the|no|one|two|three|several)\b|['’]s (?=[a-z]{4}))"
)
_ANYBODY = (
    "this that he she it each every nobody everybody everyone anyone one today yesterday tomorrow "
    "here there let what who where how"
)


def strangers(text: str, heard: str) -> Iterator[str]:
    """Yield what a reply speaks of out of nowhere.

    That is a quotation with a word that nobody used, a code such as a password, an item of a list of which
    no word was used, an owner of something who was never named, a sentence without a single word in common
    with all before, and a long one with hardly any.

    Args:
        text: The reply.
        heard: All that was said and returned.

    Examples:
        >>> list(strangers('The scene "baking day" is there.', "Is my scene wake up still there?"))
        ['baking day']
        >>> list(strangers("Take these: shorts, raincoat.", "What shall I wear? Shorts, Raincoat"))
        []
        >>> list(strangers("Take these: shorts, warm gloves.", "What shall I wear? Shorts, Raincoat"))
        ['warm gloves']
        >>> list(strangers("Your password is willow-3 now.", "My password is tin-3."))
        ['willow-3']
        >>> list(strangers("Jerry has these meetings: Budget.", "Which meetings does Peter have? Budget"))
        ['Jerry']
    """
    known = _stems(heard.replace("\\n", " "))
    for span in sentences(text):
        said = text[span.start : span.end]
        if span.mark == "?":
            continue
        quoted = ("".join(match.groups("")) for match in _QUOTATION.finditer(said))
        yield from (words for words in quoted if not _stems(words) <= known)
        yield from (item for item in _items(said) if (stems := _stems(item)) and not stems & known)
        yield from (code for code in _CODE.findall(said) if code not in heard)
        owner = _OWNER.match(said.lstrip())
        if owner and owner[1].lower() not in f"{_ANYBODY} {heard.lower()}":
            yield owner[1]
        counted = any(abs(number.quantity.value) > _COUNT for number in numbers(fold(said)))
        if (
            not counted
            and len(_words(said)) >= _MANY
            and not _SPOKEN.search(said.lower())
            and _is_strange(said, known)
        ):
            yield said


def _is_strange(sentence: str, known: set[str]) -> bool:
    stems = _stems(sentence)
    return len(stems & known) <= (_HARDLY * len(stems) if len(stems) >= _LONG else 0)


def _items(sentence: str) -> list[str]:
    """Return the items of a list that ends a sentence; one of a single item is none."""
    listed = _LIST.search(_ASIDE.sub("", sentence).rstrip(" ."))
    items = [item for item in _ITEM.split(listed[1]) if not _DATED.search(item)] if listed else []
    return items if len(items) > 1 and all(len(item.split()) <= _FEW for item in items) else []


def _words(text: str) -> set[str]:
    return {word for word in _WORD.findall(text.lower()) if word not in COMMON}


def _stems(text: str) -> set[str]:
    return {word[:_STEM] for word in _words(text)}
