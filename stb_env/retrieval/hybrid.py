"""Several rankings made one, without having to compare their scores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stb_env.errors import ConfigError
from stb_env.retrieval.retriever import Hit, Retriever, best

RANK_CONSTANT = 60
"""What is added to every rank: with it, being first in one ranking does not outweigh all the others."""

DEPTH = 100


class HybridRetriever:
    """Merges rankings by reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009).

    A document scores ``1 / (60 + rank)`` in every ranking that has it above zero among the first ``depth``;
    equal documents share their first rank.

    Args:
        parts: Retrievers over the same texts.
        size: Number of texts.
        depth: How much of each ranking counts, in documents.

    Raises:
        ConfigError: There are no parts, or ``depth`` is below 1.

    Examples:
        >>> from stb_env.retrieval import BM25Retriever, NgramRetriever
        >>> texts = ["book a hotel", "cancel a meeting", "current weather"]
        >>> retriever = HybridRetriever([BM25Retriever(texts), NgramRetriever(texts)], size=3)
        >>> [hit.index for hit in retriever.search("cancelling my hotel", k=2)]
        [0, 1]
    """

    def __init__(self, parts: Sequence[Retriever], size: int, depth: int = DEPTH) -> None:
        if not parts or depth < 1:
            raise ConfigError(f"a hybrid needs parts and a depth of at least 1, got {len(parts)} and {depth}")
        self._parts = tuple(parts)
        self._size, self._depth = size, depth

    def search(self, query: str, k: int) -> list[Hit]:
        """Return the ``k`` best documents; see `Retriever.search`."""
        scores = np.zeros(self._size)
        for part in self._parts:
            rank, last = 0, float("inf")
            for position, hit in enumerate(part.search(query, max(k, self._depth)), 1):
                if hit.score != last:
                    rank, last = position, hit.score
                if hit.score > 0:
                    scores[hit.index] += 1 / (RANK_CONSTANT + rank)
        return best(scores, k)
