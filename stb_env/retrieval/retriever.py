"""Interface of all searches over texts, and the order of their results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from stb_env.errors import ConfigError

Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Hit:
    """One found document.

    Attributes:
        index: Its position among the indexed texts, from 0.
        score: How well it fits; comparable within one search only.
    """

    index: int
    score: float


class Retriever(Protocol):
    """Finds documents for a query; everything else about the index is its own affair."""

    def search(self, query: str, k: int) -> list[Hit]:
        """Return the ``k`` best documents, best first, equal scores in order of index.

        A document that has nothing in common with the query comes last, not never: with fewer than ``k``
        documents all of them are returned.

        Raises:
            ConfigError: ``k`` is below 1.
        """
        ...


def best(scores: Scores, k: int) -> list[Hit]:
    """Return the ``k`` highest scores, equal ones in order of index.

    Args:
        scores: One score a document, float64 of shape (documents,).
        k: How many, at least 1.

    Raises:
        ConfigError: ``k`` is below 1.

    Examples:
        >>> [hit.index for hit in best(np.array([0.0, 2.0, 1.0, 2.0]), 3)]
        [1, 3, 2]
    """
    if k < 1:
        raise ConfigError(f"k must be at least 1 document, got {k}")
    # Scores are mostly equal zeros, which a full stable sort takes in its stride and a partition does not.
    order = np.argsort(-scores, kind="stable")[:k]
    return [Hit(int(index), float(scores[index])) for index in order]
