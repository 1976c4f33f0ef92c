"""Cosine of character n-grams: finds ``hotel booking`` where the documentation says BookHotel."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np

from stb_env.retrieval.inverted import InvertedIndex
from stb_env.retrieval.retriever import Hit, Scores, best

SIZES = (3, 4)

_GAP = re.compile(r"[\W_]+")


class NgramRetriever:
    """Ranks texts by the cosine of TF-IDF vectors over character 3- and 4-grams.

    It needs no model and no list of word forms, and takes spelling mistakes and endings as they come.

    Args:
        texts: The documents.

    Examples:
        >>> retriever = NgramRetriever(["book a hotel", "cancel a meeting", "current weather"])
        >>> [hit.index for hit in retriever.search("hotel bookings", k=1)]
        [0]
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._index = index = InvertedIndex(ngrams(text) for text in texts)
        # One more document that has every term keeps the weight of the commonest above zero.
        idf = np.log((1 + index.size) / (1 + index.frequencies)) + 1
        self._idf: list[float] = idf.tolist()
        weights = index.weights * index.of_terms(idf)
        lengths = np.sqrt(index.totals(weights**2))
        index.weights = weights / lengths[index.documents]

    def scores(self, query: str) -> Scores:
        """Return every document's cosine, float64 of shape (documents,), from 0 to 1."""
        return self._index.scores(self._weighed(ngrams(query)))

    def search(self, query: str, k: int) -> list[Hit]:
        """Return the ``k`` best documents; see `Retriever.search`."""
        return best(self.scores(query), k)

    def _weighed(self, counts: Mapping[str, int]) -> dict[str, float]:
        known = self._index.terms
        weights = {term: count * self._idf[known[term]] for term, count in counts.items() if term in known}
        length = math.sqrt(sum(weight * weight for weight in weights.values()))
        return {term: weight / length for term, weight in weights.items()}


def ngrams(text: str) -> Counter[str]:
    """Count the 3- and 4-grams of a text in lower case, with one blank for all that is no letter or digit.

    Examples:
        >>> sorted(ngrams("To do!"))
        [' do', ' do ', ' to', ' to ', 'do ', 'o d', 'o do', 'to ', 'to d']
    """
    text = f" {_GAP.sub(' ', text.lower()).strip()} "
    # A list is counted faster than a generator, and this is most of the work of indexing.
    return Counter([text[start : start + size] for size in SIZES for start in range(len(text) - size + 1)])
