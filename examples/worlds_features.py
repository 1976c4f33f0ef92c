"""Features of candidate actions that name no tool, so that they carry over to tools never seen."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stb_env import DiscreteActions

KINDS = {
    "list": "list query browse filter all",
    "get": "get fetch read show details load",
    "look up": "find lookup resolve by",
    "search": "search match",
}
"""Words of a tool's name that tell what kind of tool it is, the later kind first; others change something."""
KIND_NAMES = (*KINDS, "change")
CROSSED = ("from_query", "from_results", "from_default", "code", "first", "later", "words")
FEATURES = (
    *DiscreteActions.feature_names,
    *(f"{kind}: {what}" for kind in KIND_NAMES for what in CROSSED),
    "words_best",  # whether no candidate's tool shares more words with the query
    "parameters",  # share of the words of the arguments' names that the query says
    "arguments",  # how many arguments there are, of four
    "example",  # whether an argument is only the documented example
    "field_in_result",  # whether an argument's value is in the latest result
    "empty",  # share of an answer's values that stand for nothing known
    "named",  # share of an answer's values that stand in a field of a result named like them
    "known",  # share of the asked values that some result has a field for
    "done",  # whether an answer comes after a call that changed something
)
BUCKETS = 2**12

Floats = NDArray[np.float64]
Places = NDArray[np.int64]


class Episode:
    """The results that an episode has shown so far, for features that look back."""

    def __init__(self) -> None:
        self.fields: list[tuple[str, Any]] = []
        self.chosen, self.calls, self.changed = "", 0, False

    def read(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> tuple[Floats, Places]:
        """Return the features of every candidate, and its pairs with the words of the query."""
        latest: list[tuple[str, Any]] = []
        if self.chosen and not json.loads(observation["result"])["error"]:
            latest = list(flat(json.loads(observation["result"])["response"]))
            self.fields += latest
            self.calls += 1
            self.changed |= kind_of(self.chosen) == "change"
        query, seen = observation["query"], {str(value) for _, value in latest}
        given = [parsed(candidate) for candidate in info["candidates"]]
        table = np.zeros((len(given), len(FEATURES)))
        plain = observation["features"][: len(given)]
        table[:, : plain.shape[1]] = plain
        best, found = max(shared(name, query) for name, _ in given), known(observation["tools"], self.fields)
        for row, text, (name, arguments) in zip(table, info["candidates"], given, strict=True):
            if name == "Finish":
                row[-4:] = (*self.answered(arguments.get("answer", {})), found, self.changed)
                continue
            place = plain.shape[1] + KIND_NAMES.index(kind_of(name)) * len(CROSSED)
            row[place : place + 3] = row[8:11]  # from_query, from_results, from_default
            row[place + 3], row[-8:-5] = said(text, query)
            overlap = shared(name, query)
            row[place + 4 : place + 7] = (self.calls == 0, self.calls > 0, overlap)
            row[-9], row[-5] = overlap == best, not seen.isdisjoint(map(str, arguments.values()))
        later = f"{min(self.calls, 2)} {self.changed}"
        return table, np.stack([pairs_of(query, f"{kind_of(name)} {later}") for name, _ in given])

    def answered(self, answer: Mapping[str, Any]) -> tuple[float, float]:
        """Return which shares of an answer's values stand for nothing, and are in fields named like them."""
        empty = sum(value in (0, "unknown", "2026-01-01", []) for value in answer.values())
        named = 0.0
        for name, value in answer.items():
            asked = words(name)
            hits = [len(asked & words(field)) for field, held in self.fields if str(held) == str(value)]
            named += max(hits, default=0) / max(1, len(asked))
        return empty / max(1, len(answer)), named / max(1, len(answer))


@lru_cache(maxsize=100_000)
def words(text: str) -> frozenset[str]:
    """Return the words of a text or name, in lower case and without the plural's s."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)
    return frozenset(word.removesuffix("s") for word in re.findall(r"[a-z]+", spaced.lower()))


@lru_cache(maxsize=10_000)
def parsed(candidate: str) -> tuple[str, dict[str, Any]]:
    """Return name and arguments of a candidate."""
    call = json.loads(candidate)
    return call["name"], call["arguments"]


@lru_cache(maxsize=10_000)
def said(candidate: str, query: str) -> tuple[float, tuple[float, float, float]]:
    """Return whether a call gives a code that the query says, and the features of its arguments."""
    arguments = parsed(candidate)[1]
    values, named = [str(value) for value in arguments.values()], words(" ".join(arguments))
    code = any(re.search(r"\d", value) and value in query for value in values)
    overlap = len(named & words(query)) / max(1, len(named))
    return code, (overlap, min(1.0, len(values) / 4), "example" in values)


@lru_cache(maxsize=100_000)
def kind_of(tool: str) -> str:
    """Return what kind of tool a name tells."""
    if tool == "Finish":
        return tool
    return next((kind for kind in reversed(KINDS) if words(tool) & words(KINDS[kind])), "change")


@lru_cache(maxsize=100_000)
def shared(tool: str, query: str) -> float:
    """Return which share of a tool's words the query says, those left out that tell its kind."""
    said = words(tool) - words(" ".join(KINDS.values()))
    return len(said & words(query)) / max(1, len(said))


@lru_cache(maxsize=100_000)
def pairs_of(query: str, kind: str) -> Places:
    """Return the buckets of all pairs of a lower-case word of the query and the kind of action."""
    spoken = sorted(set(re.findall(r"\b[a-z]+\b", query))) or [""]
    return np.array([zlib.crc32(f"{word} {kind}".encode()) % BUCKETS for word in spoken])


def flat(value: Any, name: str = "") -> list[tuple[str, Any]]:
    """Return the fields of a response that hold one value, however deep, with their names."""
    if isinstance(value, Mapping):
        return [field for key, part in value.items() for field in flat(part, f"{name} {key}")]
    if isinstance(value, list):
        return [field for part in value[:10] for field in flat(part, name)]
    return [(name, value)]


def known(tools: str, fields: list[tuple[str, Any]]) -> float:
    """Return for which share of the asked values a field with all words of their name has been shown."""
    asked = asked_for(tools)
    found = frozenset(words(name) for name, _ in fields)
    return sum(any(each <= names for names in found) for each in asked) / max(1, len(asked))


@lru_cache(maxsize=1000)
def asked_for(tools: str) -> list[frozenset[str]]:
    """Return the words of each value's name that the answer must have."""
    finish = next((tool for tool in json.loads(tools) if tool["function"]["name"] == "Finish"), None)
    properties = finish["function"]["parameters"].get("properties", {}) if finish else {}
    return [words(name) for name in properties.get("answer", {}).get("properties", {})]
