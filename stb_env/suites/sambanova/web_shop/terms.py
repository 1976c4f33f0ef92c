"""Terms of a text for search, much as Lucene's English analyser finds them (WebShop, section 9.3)."""

from __future__ import annotations

import re
import threading
from functools import lru_cache

import snowballstemmer

_WORD = re.compile(r"\w+(?:['.]\w+)*")
_STOPS = """
    a an and are as at be but by for if in into is it no not of on or such that the their then there these
    they this to was will with
"""
_STOP_WORDS = frozenset(_STOPS.split())
_STEMMER = snowballstemmer.stemmer("porter")
# A stemmer keeps the word that it works on; two threads at once would mix theirs.
_STEMMING = threading.Lock()


def terms(text: str) -> list[str]:
    """Return the stems of a text's words, those that nearly every text has left out.

    Examples:
        >>> terms("A lamp's berries, and glass mats for 3.5 feet")
        ['lamp', 'berri', 'glass', 'mat', '3.5', 'feet']
    """
    words = (word.removesuffix("'s") for word in _WORD.findall(text.lower()))
    return [_stem(word) for word in words if word not in _STOP_WORDS]


@lru_cache(maxsize=200_000)
def _stem(word: str) -> str:
    with _STEMMING:
        stem: str = _STEMMER.stemWord(word)
    return stem
