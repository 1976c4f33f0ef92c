"""Similarity of two texts in their words: BLEU-4 and ROUGE-L.

Both are a few lines and kept here: the packages that have them bring tokenisers for natural language, and
every dependency of the offline path is one more thing that can change a number.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Hashable, Sequence

# Quotes are left out: whether an API writes JSON or Python says nothing about what it answered.
_TOKENS = re.compile(r"\w+|[^\w\s\"']")
_ORDERS = 4


def tokens(text: str) -> list[str]:
    """Split a text into words, numbers and single marks, without case, blanks and quotes.

    Examples:
        >>> tokens('{"Name": 3.5}')
        ['{', 'name', ':', '3', '.', '5', '}']
    """
    return _TOKENS.findall(text.lower())


def bleu4(reference: Sequence[Hashable], candidate: Sequence[Hashable]) -> float:
    """Return the sentence's BLEU-4 (Papineni et al., 2002).

    Orders above the unigram are smoothed by adding one (Lin and Och, 2004): short answers have few 4-grams.

    Args:
        reference: Tokens of the text to be matched.
        candidate: Tokens of the text that is scored.

    Returns:
        From 0 to 1; two empty texts are equal and score 1.

    Examples:
        >>> bleu4(tokens("it rains in Oslo today"), tokens("it rains in Oslo today"))
        1.0
        >>> bleu4(tokens("it rains"), tokens("snow"))
        0.0
    """
    if not reference or not candidate:
        return float(not reference and not candidate)
    logs = 0.0
    for order in range(1, _ORDERS + 1):
        wanted, found = _grams(reference, order), _grams(candidate, order)
        smoothing = order > 1
        matched = (wanted & found).total() + smoothing
        if not matched:
            return 0.0
        logs += math.log(matched / (found.total() + smoothing))
    brevity = min(0.0, 1 - len(reference) / len(candidate))
    return math.exp(brevity + logs / _ORDERS)


def _grams(sequence: Sequence[Hashable], order: int) -> Counter[tuple[Hashable, ...]]:
    return Counter(zip(*(sequence[start:] for start in range(order)), strict=False))


def lcs_f1(reference: Sequence[Hashable], candidate: Sequence[Hashable]) -> float:
    """Return ROUGE-L (Lin, 2004): the F1 score of the longest common subsequence.

    Args:
        reference: Tokens of the text to be matched.
        candidate: Tokens of the text that is scored.

    Returns:
        From 0 to 1; two empty texts are equal and score 1.

    Examples:
        >>> lcs_f1("police killed the gunman".split(), "police kill the gunman".split())
        0.75
    """
    if not reference or not candidate:
        return float(not reference and not candidate)
    return 2 * _common_length(reference, candidate) / (len(reference) + len(candidate))


def _common_length(first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    """Return the length of the longest common subsequence, bit-parallel (Hyyrö, 2004)."""
    places: dict[Hashable, int] = {}
    for position, token in enumerate(first):
        places[token] = places.get(token, 0) | 1 << position
    mask = (1 << len(first)) - 1
    row = mask
    for token in second:
        common = row & places.get(token, 0)
        row = ((row + common) | (row - common)) & mask
    return len(first) - row.bit_count()
