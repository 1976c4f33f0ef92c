"""Leaves out what an export holds already: equal conversations, and tasks whose queries are near-equal."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from hashlib import blake2b
from math import ceil
from typing import Literal

from stb_env.core import jsontext
from stb_env.formats.sft import shown
from stb_env.trajectory import Trajectory

Kind = Literal["none", "exact", "near"]

THRESHOLD = 0.8
"""Queries that share at least so many of their words (Jaccard's index) are near-equal."""

_WORD = re.compile(r"\w+")


class Duplicates:
    """Notices episodes that were seen before; it remembers 16 bytes of each, and the words of each query.

    Args:
        kind: ``exact`` notices equal conversations with equal tools; ``near`` also other tasks whose query
            is near-equal to that of an earlier one. Trials of one task are never near-duplicates.

    Examples:
        >>> def episode(task_id, query):
        ...     chat = [{"role": "user", "content": query}]
        ...     rest = ([], None, "", None, 0.0, True, None, {})
        ...     return Trajectory("", "", task_id, 0, 0, query, [], chat, *rest)
        >>> seen = Duplicates("near")
        >>> first, again = episode("1", "Is it wet in Oslo now?"), episode("2", "is it wet in Oslo, now")
        >>> [seen.reason(each) for each in (first, again, first)]
        [None, 'near_duplicate', 'duplicate']
    """

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self._contents: set[bytes] = set()
        self._tasks: dict[tuple[str, str], bool] = {}
        self._queries: list[frozenset[str]] = []
        self._places: dict[str, list[int]] = defaultdict(list)

    def reason(self, episode: Trajectory) -> str | None:
        """Return why an episode is left out, or None where it is new; it is known from then on."""
        if self._kind == "none":
            return None
        content = jsontext.dumps([shown(episode), list(episode.tools)])
        digest = blake2b(content.encode(), digest_size=16).digest()
        if digest in self._contents:
            return "duplicate"
        self._contents.add(digest)
        return "near_duplicate" if self._kind == "near" and self._near(episode) else None

    def _near(self, episode: Trajectory) -> bool:
        task = episode.suite, episode.task_id
        if task not in self._tasks:
            query = frozenset(_WORD.findall(episode.query.lower()))
            self._tasks[task] = any(_overlap(query, other) for other in self._candidates(query))
            if not self._tasks[task]:
                self._remember(query)
        return self._tasks[task]

    def _candidates(self, query: frozenset[str]) -> Iterator[frozenset[str]]:
        places = {place for word in _head(query) for place in self._places[word]}
        return (self._queries[place] for place in sorted(places))

    def _remember(self, query: frozenset[str]) -> None:
        for word in _head(query):
            self._places[word].append(len(self._queries))
        self._queries.append(query)


def _head(query: frozenset[str]) -> list[str]:
    """Return words of which two near-equal queries share at least one, whatever else they hold.

    Of two sets with so much in common, the first few words in any one order cannot all differ. Long words
    go first: few queries share them.
    """
    count = len(query) - ceil(THRESHOLD * len(query)) + 1
    return sorted(query, key=lambda word: (-len(word), word))[:count] or [""]


def _overlap(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= THRESHOLD * len(one | other)
