"""Similarity of two programs: their longest common subsequence over the longer one's length."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence


def common_length(left: Sequence[Hashable], right: Sequence[Hashable]) -> int:
    """Return the length of the longest common subsequence.

    One row of the usual table is one integer, a bit for each item (Hyyrö, Bit-parallel LCS-length
    computation revisited, 2004).

    Examples:
        >>> common_length("stand up", "sit down"), common_length("", "sit")
        (3, 0)
    """
    positions: defaultdict[Hashable, int] = defaultdict(int)
    for index, item in enumerate(left):
        positions[item] |= 1 << index
    full = (1 << len(left)) - 1
    row = full
    for item in right:
        matched = row & positions[item]
        row = ((row + matched) | (row - matched)) & full
    return len(left) - row.bit_count()


def similarity(left: Sequence[Hashable], right: Sequence[Hashable]) -> float:
    """Return the normalised length, from 0 to 1; 0 where one is empty.

    Examples:
        >>> similarity("abcd", "abxd"), similarity("", "")
        (0.75, 0.0)
    """
    longer = max(len(left), len(right))
    return common_length(left, right) / longer if longer else 0.0


def best_similarity(program: Sequence[Hashable], labels: Iterable[Sequence[Hashable]]) -> tuple[float, int]:
    """Return the highest similarity to a label, and the index of the first label that has it.

    Examples:
        >>> best_similarity("ab", ["xb", "ab", "ab"])
        (1.0, 1)
    """
    found = [similarity(program, label) for label in labels]
    score = max(found)
    return score, found.index(score)
