"""Search by the meaning that a sentence encoder gives to texts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stb_env.retrieval.encoders import Encoder
from stb_env.retrieval.retriever import Hit, Scores, best


class DenseRetriever:
    """Ranks texts by the cosine of their vectors; texts are encoded once, a query at each search.

    Args:
        encoder: Makes the vectors.
        texts: The documents.
    """

    def __init__(self, encoder: Encoder, texts: Iterable[str]) -> None:
        self._encoder = encoder
        documents = list(texts)
        self._vectors = _units(encoder.encode(documents)) if documents else None

    def scores(self, query: str) -> Scores:
        """Return every document's cosine, float64 of shape (documents,)."""
        if self._vectors is None:
            return np.zeros(0)
        # Not a matrix product: how a BLAS splits that up, and so its last digits, differs between machines.
        scores: Scores = np.einsum("ij,j->i", self._vectors, _units(self._encoder.encode([query]))[0])
        return scores

    def search(self, query: str, k: int) -> list[Hit]:
        """Return the ``k`` best documents; see `Retriever.search`."""
        return best(self.scores(query), k)


def _units(vectors: NDArray[Any]) -> NDArray[np.float64]:
    vectors = vectors.astype(np.float64)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1)
