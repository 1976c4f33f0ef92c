"""Inverted index in flat arrays: a query reads only the entries of its own terms."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from stb_env.retrieval.retriever import Scores


class InvertedIndex:
    """Postings of every term, one weight for each document that has it.

    Args:
        documents: For each document, how often it has each of its terms, or what each weighs in it.

    Attributes:
        size: Number of documents.
        terms: Each term's number.
        documents: Document of each posting, by term, int64 of shape (postings,).
        weights: Weight of each posting, at first its count, float64 of shape (postings,).

    Examples:
        >>> index = InvertedIndex([{"rain": 2}, {"rain": 1, "sun": 1}])
        >>> index.frequencies.tolist(), index.scores({"sun": 1.0, "rain": 0.5, "fog": 9.0}).tolist()
        ([2, 1], [1.0, 1.5])
    """

    def __init__(self, documents: Iterable[Mapping[str, float]]) -> None:
        # Gives every new term the next number.
        self.terms: defaultdict[str, int] = defaultdict()
        self.terms.default_factory = self.terms.__len__
        numbers, counts, lengths = array("q"), array("d"), array("q")
        for counted in documents:
            numbers.extend(map(self.terms.__getitem__, counted))
            counts.extend(counted.values())
            lengths.append(len(counted))
        self.terms.default_factory = None
        self.size = len(lengths)
        term_of = np.array(numbers, dtype=np.int64)
        order = np.argsort(term_of, kind="stable")
        self.documents = np.repeat(np.arange(self.size), np.array(lengths, dtype=np.int64))[order]
        self.weights: Scores = np.array(counts, dtype=np.float64)[order]
        self._starts: list[int] = np.searchsorted(term_of[order], np.arange(len(self.terms) + 1)).tolist()

    @property
    def frequencies(self) -> NDArray[np.int64]:
        """Number of documents that have each term, int64 of shape (terms,)."""
        starts = np.array(self._starts, dtype=np.int64)
        return starts[1:] - starts[:-1]

    def of_terms(self, values: Scores) -> Scores:
        """Return the value of each posting's term, float64 of shape (postings,).

        Args:
            values: One a term, float64 of shape (terms,).
        """
        return np.repeat(values, self.frequencies)

    def totals(self, values: Scores) -> Scores:
        """Return the sum of a value over each document's postings.

        Args:
            values: One a posting, float64 of shape (postings,).
        """
        return _sums(self.documents, values, self.size)

    def scores(self, query: Mapping[str, float]) -> Scores:
        """Return the dot product of a query with every document, float64 of shape (documents,).

        Args:
            query: Weight of each term; unknown ones count for nothing.
        """
        documents, weights = [], []
        for term, weight in query.items():
            number = self.terms.get(term)
            if number is not None:
                postings = slice(self._starts[number], self._starts[number + 1])
                documents.append(self.documents[postings])
                weights.append(self.weights[postings] * weight)
        if not documents:
            return np.zeros(self.size)
        return _sums(np.concatenate(documents), np.concatenate(weights), self.size)


def _sums(documents: NDArray[np.int64], values: Scores, size: int) -> Scores:
    # Adds up in the order of the postings, so that equal documents get equal scores to the last bit.
    return np.bincount(documents, values, minlength=size).astype(np.float64, copy=False)
