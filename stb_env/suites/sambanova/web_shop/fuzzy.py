"""Likeness of two short texts, as thefuzz 0.19 measures it with Python's own matcher."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import lru_cache

_LATIN = re.compile("[\u0080-\u00ff]")
_NO_WORD = re.compile(r"\W")


@lru_cache(maxsize=65_536)
def token_set_ratio(left: str, right: str) -> int:
    """Return the likeness of two texts as sets of words, from 0 to 100.

    The words that both have are compared with all words of each side, and these with one another; the
    highest ratio counts.

    Examples:
        >>> token_set_ratio("usb port", "usb ports"), token_set_ratio("solid wood", "wood")
        (94, 100)
        >>> token_set_ratio("!!!", "wood")
        0
    """
    ours, theirs = _words(left), _words(right)
    if not ours or not theirs:
        return 0
    common = " ".join(sorted(ours & theirs))
    first = f"{common} {' '.join(sorted(ours - theirs))}".strip()
    second = f"{common} {' '.join(sorted(theirs - ours))}".strip()
    return max(_ratio(common, first), _ratio(common, second), _ratio(first, second))


def _words(text: str) -> set[str]:
    return set(_NO_WORD.sub(" ", _LATIN.sub("", text)).lower().split())


def _ratio(left: str, right: str) -> int:
    if left == right:
        return 100
    if not left or not right:
        return 0
    return round(100 * SequenceMatcher(None, left, right).ratio())
