"""The tools that a task offers: those that it needs, look-alikes of each, and others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stb_env.suites.sandbox.catalog import apis, tools
from stb_env.suites.sandbox.registry import Api
from stb_env.suites.sandbox.task_key import HELD_OUT_SPLITS, TaskKey
from stb_env.tools import Tool, ToolId

_ALIKE = 4
_WORD = re.compile("[a-z]{3,}")


def offered(
    used: tuple[ToolId, ...], key: TaskKey, withheld: tuple[Api, ...], rng: Random
) -> tuple[Tool, ...]:
    """Return the needed tools among distractors.

    A look-alike of each needed tool comes first, so that no list of tools gives a solution away; of what
    room is left, tools of the same categories take half.

    Args:
        used: The tools that the gold solution calls.
        key: The task.
        withheld: APIs that are never offered.
        rng: Source of randomness.
    """
    pools = _pools(used, key.template.offers, withheld, key.split not in HELD_OUT_SPLITS)
    # By name, as a text keeps its hash and an identity does not.
    chosen: dict[str, Tool] = {}
    for alike in rng.sample(pools.alike, min(len(pools.alike), key.distractors)):
        if chosen.keys().isdisjoint(alike):
            name = rng.choice(alike)
            chosen[name] = pools.by_name[name]
    near = len(chosen) + (key.distractors - len(chosen) + 1) // 2
    for pool, limit in ((pools.near, near), (pools.far, key.distractors)):
        # As many more as are chosen already: at worst, those are what is drawn.
        drawn = rng.sample(pool, min(len(pool), limit))
        fresh = [tool for tool in drawn if tool.name not in chosen]
        chosen |= {tool.name: tool for tool in fresh[: limit - len(chosen)]}
    every = [*pools.needed, *chosen.values()]
    rng.shuffle(every)
    return tuple(every)


class _Pools(NamedTuple):
    """The tools that a task needs, names of look-alikes of each, and distractors near and far."""

    needed: list[Tool]
    alike: list[list[str]]
    by_name: Mapping[str, Tool]
    near: list[Tool]
    far: list[Tool]


@lru_cache(maxsize=1024)
def _pools(
    used: tuple[ToolId, ...], offers: tuple[Api, ...], withheld: tuple[Api, ...], training: bool
) -> _Pools:
    needed = list(dict.fromkeys((*used, *(api.id for api in offers))))
    unfit = {*needed, *(api.id for api in withheld)}
    near, far = _by_category(frozenset(identity.category for identity in needed), training)
    near = [tool for tool in near if tool.id not in unfit]
    if withheld:
        far = [tool for tool in far if tool.id not in unfit]
    fit = {tool.name: tool for tool in (*near, *far)}
    alike = [
        list(islice((tool.name for tool in _ranked(identity) if tool.name in fit), _ALIKE))
        for identity in needed
    ]
    return _Pools([tools()[identity] for identity in needed], alike, fit, near, far)


@lru_cache(maxsize=256)
def _by_category(categories: frozenset[str], training: bool) -> tuple[list[Tool], list[Tool]]:
    known = [tool for identity, tool in tools().items() if not (training and apis()[identity].tool.held_out)]
    near = [tool for tool in known if tool.id.category in categories]
    return near, [tool for tool in known if tool.id.category not in categories]


def _ranked(identity: ToolId) -> Iterator[Tool]:
    """Yield all other tools, those first that look most like one: of its tool, or with words of its name."""
    looks = _looks()
    every, mine = looks.tools, looks.places[identity]
    shared = looks.words[:, looks.words[mine]].sum(axis=1)
    likeness = shared / looks.roots[looks.counts * looks.counts[mine]]
    likeness += looks.services == looks.services[mine]
    likeness += (looks.categories == looks.categories[mine]) / 2
    return (every[place] for place in np.argsort(-likeness, kind="stable").tolist() if place != mine)


class _Looks(NamedTuple):
    """What makes tools look alike: a row of words, their number, service and category for each of them."""

    tools: list[Tool]
    places: Mapping[ToolId, int]
    words: NDArray[np.bool_]
    counts: NDArray[np.int64]
    roots: NDArray[np.float64]
    services: NDArray[np.int64]
    categories: NDArray[np.int64]


@lru_cache(maxsize=1)
def _looks() -> _Looks:
    said = [frozenset(_WORD.findall(f"{api.name} {api.description}".lower())) for api in apis().values()]
    columns = {word: column for column, word in enumerate(frozenset[str]().union(*said))}
    words = np.zeros((len(said), len(columns)), np.bool_)
    for row, mine in enumerate(said):
        words[row, [columns[word] for word in mine]] = True
    counts = words.sum(axis=1)
    roots = np.array([product**0.5 for product in range(counts.max() ** 2 + 1)])
    places = {identity: place for place, identity in enumerate(apis())}
    services, categories = (_numbered([identity[:length] for identity in places]) for length in (2, 1))
    return _Looks(list(tools().values()), places, words, counts, roots, services, categories)


def _numbered(labels: Sequence[tuple[str, ...]]) -> NDArray[np.int64]:
    """Return a number for each label, the same for equal ones."""
    numbers = {label: number for number, label in enumerate(dict.fromkeys(labels))}
    return np.array([numbers[label] for label in labels])
