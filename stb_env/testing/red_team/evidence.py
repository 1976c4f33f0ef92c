"""What a cheat has at hand when it makes up its answer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from stb_env.jsontypes import Json

_ROOM = 10_000
"""Characters of a result; nobody writes more than that."""


class Told(NamedTuple):
    """What an answer tells.

    Attributes:
        text: In words.
        values: As bare values, where the environment takes those.
    """

    text: str = ""
    values: Sequence[Json] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a cheat has at hand when it makes up its answer.

    Attributes:
        query: What the user asks.
        results: What its calls answered without an error, in order.
        rng: Chooses among wordings; follows from the episode's seed.
        gold: The answer that solves the task; empty for a cheat that does not know it.
        other: The answer that solves another task.
        values: The bare values of the answer that solves the task.
        others: Those of the answer that solves another task.
    """

    query: str
    results: Sequence[Json]
    rng: Random
    gold: str = ""
    other: str = ""
    values: Sequence[Json] = ()
    others: Sequence[Json] = ()

    @property
    def texts(self) -> list[str]:
        """The results as text, each in bounded length."""
        texts = (result if isinstance(result, str) else json.dumps(result) for result in self.results)
        return [text[:_ROOM] for text in texts]


def leaves(value: Json, limit: int = 400) -> list[str]:
    """Return the single values inside a result as text, each once, in order.

    Examples:
        >>> leaves({"city": "Oslo", "days": [{"high": 3}, {"high": 3}], "more": None})
        ['Oslo', '3']
    """
    found: dict[str, None] = {}
    for leaf in _leaves(value):
        found[leaf] = None
        if len(found) == limit:
            break
    return list(found)


def _leaves(value: Json) -> Iterator[str]:
    if isinstance(value, dict):
        for member in value.values():
            yield from _leaves(member)
    elif isinstance(value, list | tuple):
        for member in value:
            yield from _leaves(member)
    elif value is not None and str(value).strip():
        yield str(value)
