"""Words of a text that carry its meaning, for comparisons that no wording should decide."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W_]+(?:'\w+)?")
_LISTED = (
    "a an and at be by do for from her his i in is it its me my of on or our please the their this that "
    "to with your dr mr mrs ms doctor "
)
_EMPTY = frozenset(_LISTED.split())
_ENDINGS = ("'s", "ing", "ed", "es", "s")
_STEM = 3


def words_of(text: str) -> set[str]:
    """Return the words of a text that mean something, without endings.

    Examples:
        >>> sorted(words_of("Meeting with John at the offices"))
        ['john', 'meet', 'offic']
    """
    return {_stem(word) for word in _WORD.findall(text.casefold().replace("_", " "))} - _EMPTY


def word_list(text: str) -> list[str]:
    """Return every word of a text without its ending, in order.

    Examples:
        >>> word_list("Searching hotels")
        ['search', 'hotel']
    """
    return [_stem(word) for word in _WORD.findall(text.casefold().replace("_", " ")) if word not in _EMPTY]


def share_of(part: str, whole: str) -> float:
    """Return which share of the words of one text stands in another; 1 for a text without any.

    Examples:
        >>> share_of("Team meeting", "a meeting of our teams in June")
        1.0
    """
    words = words_of(part)
    return len(words & words_of(whole)) / len(words) if words else 1.0


def alike(one: str, other: str) -> bool:
    """Return whether at least half of all the words of two texts are shared.

    Examples:
        >>> alike("Meeting with John", "Meeting with John at the office"), alike("Tea", "Meeting")
        (True, False)
    """
    ours, theirs = words_of(one), words_of(other)
    if not ours or not theirs:
        return one.strip().casefold() == other.strip().casefold()
    return len(ours & theirs) * 2 >= len(ours | theirs)


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _STEM:
            return word.removesuffix(ending)
    return word
