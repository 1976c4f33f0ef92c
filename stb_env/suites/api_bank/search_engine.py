"""The search engine's ranking: BM25 Okapi over its tokenised documents."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stb_env.core.jsontypes import JsonMapping

K1 = 1.5
B = 0.75
EPSILON = 0.25

_SEPARATE = re.compile(r"([;@#$%&?!()\[\]{}<>\"]|--|\.\.\.|[,:](?!\d)|\.(?=\s*$))")
_CLITIC = re.compile(r"(n't|'(?:s|m|d|ll|re|ve))\b")


def words(text: str) -> list[str]:
    """Split a text into words and punctuation marks, lower-cased, as the Penn Treebank does.

    Examples:
        >>> words(" What's AI-powered, really? ")
        ['what', "'s", 'ai-powered', ',', 'really', '?']
    """
    return _CLITIC.sub(r" \1", _SEPARATE.sub(r" \1 ", text.lower().strip())).split()


@dataclass(frozen=True, slots=True)
class SearchIndex:
    """Documents with their word counts; made once for a database.

    Attributes:
        documents: The documents as a search returns them.
        counts: How often each word occurs in each document.
        weights: Weight of each word.
        lengths: Length penalty of each document.
    """

    documents: Sequence[JsonMapping]
    counts: Sequence[Mapping[str, int]]
    weights: Mapping[str, float]
    lengths: Sequence[float]

    @classmethod
    def of(cls, documents: Sequence[JsonMapping], tokenized: Sequence[Sequence[str]]) -> SearchIndex:
        """Index documents.

        Args:
            documents: What a search returns.
            tokenized: The words of each.

        Examples:
            >>> texts = ["rain and wind", "sun", "wind and sea"]
            >>> index = SearchIndex.of([{"title": text} for text in texts], [words(text) for text in texts])
            >>> index.best("the wind", 2)
            [{'title': 'rain and wind'}, {'title': 'wind and sea'}]
        """
        counts = [Counter(tokens) for tokens in tokenized]
        mean = sum(map(len, tokenized)) / max(1, len(tokenized)) or 1.0
        lengths = [K1 * (1 - B + B * len(tokens) / mean) for tokens in tokenized]
        return cls(documents, counts, _weights(counts), lengths)

    def best(self, query: str, number: int) -> list[JsonMapping]:
        """Return the best documents, equal ones in their order, however little they have to do with it."""
        asked = [word for word in words(query) if word in self.weights]
        scores = [self._score(at, asked) for at in range(len(self.documents))]
        order = sorted(range(len(scores)), key=lambda at: -scores[at])
        return [self.documents[at] for at in order[:number]]

    def _score(self, at: int, asked: list[str]) -> float:
        counts, length = self.counts[at], self.lengths[at]
        return sum(
            self.weights[word] * count * (K1 + 1) / (count + length)
            for word in asked
            if (count := counts.get(word, 0))
        )


def _weights(counts: Sequence[Mapping[str, int]]) -> dict[str, float]:
    holders = Counter(word for counted in counts for word in counted)
    size = len(counts)
    weights = {word: math.log(size - n + 0.5) - math.log(n + 0.5) for word, n in holders.items()}
    floor = EPSILON * sum(weights.values()) / max(1, len(weights))
    return {word: weight if weight >= 0 else floor for word, weight in weights.items()}
