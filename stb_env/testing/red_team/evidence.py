"""Material of a cheat: everything from which it can make up its answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from stb_env.core.jsontypes import Json, JsonMapping, JsonObject
from stb_env.envs.finish import ACTS_FINISH, FinishForm

_ROOM = 10_000
"""Characters of a result; nobody writes more than that."""

Ending = JsonObject
"""The arguments of a Finish."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Material of a cheat: everything from which it can make up its answer.

    Attributes:
        query: What the user asks.
        results: What its calls answered without an error, in order.
        errors: The errors of its calls, in order.
        rng: Chooses among wordings; follows from the episode's seed.
        form: How the episode ends.
        gold: The Finish that solves the task; empty for a cheat that does not know it.
        other: The Finish that solves another task.
    """

    query: str
    results: Sequence[Json]
    rng: Random
    form: FinishForm = field(default_factory=lambda: FinishForm("acts", ACTS_FINISH))
    errors: Sequence[str] = ()
    gold: JsonMapping = field(default_factory=dict)
    other: JsonMapping = field(default_factory=dict)

    @property
    def texts(self) -> list[str]:
        """The results as text, each in bounded length."""
        texts = (result if isinstance(result, str) else json.dumps(result) for result in self.results)
        return [text[:_ROOM] for text in texts]

    @property
    def gold_text(self) -> str:
        """The prose of the answer that solves the task."""
        return str(self.gold.get("final_answer", ""))

    @property
    def other_text(self) -> str:
        """The prose of the answer that solves another task."""
        return str(self.other.get("final_answer", ""))

    @property
    def answer(self) -> JsonMapping:
        """The typed answer that solves the task; empty where there is none."""
        given: JsonMapping = self.gold.get("answer") or {}
        return given

    @property
    def fields(self) -> Mapping[str, Mapping[str, object]]:
        """The schema of every field of the typed answer; empty where there is none."""
        schema: JsonMapping = self.form.tool.parameters["properties"].get("answer", {})
        fields: Mapping[str, JsonMapping] = schema.get("properties", {})
        return fields


Say = Callable[[Evidence], Ending | None]
"""Makes up a Finish; None where a cheat has nothing to say, and is not played."""


def leaves(value: object, limit: int = 400) -> list[str]:
    """Return the single values inside a result as text, each once, in order.

    Examples:
        >>> leaves({"city": "Oslo", "days": [{"high": 3}, {"high": 3}], "more": None})
        ['Oslo', '3']
    """
    found: dict[str, None] = {}
    for leaf in values_in(value):
        if str(leaf).strip():
            found[str(leaf)] = None
        if len(found) == limit:
            break
    return list(found)


def values_in(value: object) -> Iterator[object]:
    """Yield the single values inside a result, in order."""
    if isinstance(value, dict):
        for member in value.values():
            yield from values_in(member)
    elif isinstance(value, list | tuple):
        for member in value:
            yield from values_in(member)
    elif value is not None:
        yield value
