"""An inverted index in a database file, and the ranking by it: BM25 as Lucene computes it.

bm25s has the same formula and keeps all postings in memory while it builds; SQLite's own full-text search has
other constants and needs a second for a common word among a million texts.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections import Counter, defaultdict
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stb_env.suites.sambanova.web_shop.terms import terms

K1 = 0.9
B = 0.4

_PART = 4_000_000
_MOST_COUNTED = 65_535
_REMEMBERED, _FEW = 256, 20_000


class PostingsWriter:
    """Adds texts, numbered from 0 in the order they come, and holds no more of them than one part.

    Args:
        database: An open database without postings.
        part: Postings that are held before they are written.
    """

    def __init__(self, database: sqlite3.Connection, part: int = _PART) -> None:
        self._database, self._part = database, part
        self._lengths = array("i")
        database.execute("CREATE TABLE postings (term TEXT, texts BLOB, counts BLOB)")
        database.execute("CREATE TABLE lengths (lengths BLOB)")
        self._begin()

    def add(self, text: str) -> None:
        """Add a text."""
        counted = Counter(terms(text))
        self._terms.extend(map(self._numbers.__getitem__, counted))
        self._texts.extend([len(self._lengths)] * len(counted))
        self._counts.extend(min(count, _MOST_COUNTED) for count in counted.values())
        self._lengths.append(counted.total())
        if len(self._texts) >= self._part:
            self._flush()

    def close(self) -> None:
        """Write what is held, and make it searchable."""
        self._flush()
        self._database.execute("CREATE INDEX by_term ON postings (term)")
        self._database.execute("INSERT INTO lengths VALUES (?)", (self._lengths.tobytes(),))

    def _begin(self) -> None:
        # Gives every new term the next number.
        self._numbers: defaultdict[str, int] = defaultdict()
        self._numbers.default_factory = self._numbers.__len__
        self._terms, self._texts, self._counts = array("i"), array("i"), array("H")

    def _flush(self) -> None:
        order = np.argsort(np.array(self._terms), kind="stable")
        texts, counts = np.array(self._texts)[order], np.array(self._counts)[order]
        ends = np.cumsum(np.bincount(np.array(self._terms), minlength=len(self._numbers))).tolist()
        starts = [0, *ends][: len(ends)]
        self._database.executemany(
            "INSERT INTO postings VALUES (?, ?, ?)",
            (
                (term, texts[start:end].tobytes(), counts[start:end].tobytes())
                for term, start, end in zip(self._numbers, starts, ends, strict=True)
            ),
        )
        self._begin()


class Postings:
    """Ranks the texts of a database by Okapi BM25 with Lucene's weights and the original's constants.

    Args:
        database: Runs a statement and returns its rows.

    Examples:
        >>> database = sqlite3.connect(":memory:")
        >>> writer = PostingsWriter(database)
        >>> for text in ("red cup", "red cups, two red cups", "spoon"):
        ...     writer.add(text)
        >>> writer.close()
        >>> Postings(lambda *query: database.execute(*query).fetchall()).best("red cup", 2)
        [1, 0]
    """

    def __init__(self, database: Any) -> None:
        self._rows = database
        ((lengths,),) = self._rows("SELECT lengths FROM lengths")
        known = np.frombuffer(lengths, dtype=np.int32)
        mean = float(known.mean()) or 1.0
        # Single precision halves what a million texts take, and is finer than Lucene's own norms.
        self._norms = (K1 * (1 - B + B * known / mean)).astype(np.float32)
        # Words come again; of a large shop they would take too much memory.
        self._having = lru_cache(_REMEMBERED)(self._read) if len(known) <= _FEW else self._read

    def best(self, query: str, k: int) -> list[int]:
        """Return the numbers of the ``k`` best texts that have a word of the query; equals in their order."""
        texts, scores = [], []
        for term, times in Counter(terms(query)).items():
            having, weights = self._having(term)
            if len(having):
                texts.append(having)
                scores.append(times * weights)
        if not texts:
            return []
        return _best(np.concatenate(texts), np.concatenate(scores), len(self._norms), k)

    def _read(self, term: str) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Return the texts that have a term, and what it weighs in each."""
        rows = self._rows("SELECT texts, counts FROM postings WHERE term = ? ORDER BY rowid", (term,))
        having = np.frombuffer(b"".join(row[0] for row in rows), dtype=np.int32)
        counts = np.frombuffer(b"".join(row[1] for row in rows), dtype=np.uint16)
        return having, self._weights(having, counts)

    def _weights(self, texts: NDArray[np.int32], counts: NDArray[np.uint16]) -> NDArray[np.float64]:
        idf = np.log1p((len(self._norms) - len(texts) + 0.5) / (len(texts) + 0.5))
        weights: NDArray[np.float64] = idf * counts / (counts + self._norms[texts].astype(np.float64))
        return weights


def _best(texts: NDArray[np.int32], scores: NDArray[np.float64], size: int, k: int) -> list[int]:
    totals = np.bincount(texts, scores, minlength=size)
    kept = np.flatnonzero(totals)
    if len(kept) > k:
        least = np.partition(totals[kept], len(kept) - k)[len(kept) - k]
        kept = kept[totals[kept] >= least]
    numbers: list[int] = kept[np.argsort(-totals[kept], kind="stable")][:k].tolist()
    return numbers
