"""The tools that a task offers: those that it needs, look-alikes of each, and others."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import NamedTuple

from stb_env.suites.sandbox.catalog import apis, tools
from stb_env.suites.sandbox.registry import Api
from stb_env.suites.sandbox.task_key import HELD_OUT_SPLITS, TaskKey
from stb_env.tools import Tool, ToolId

_ALIKE = 4
_WORD = re.compile("[a-z]{3,}")


def offered(used: tuple[ToolId, ...], key: TaskKey, rng: Random) -> tuple[Tool, ...]:
    """Return the needed tools among distractors.

    A look-alike of each needed tool comes first, so that no list of tools gives a solution away; of what
    room is left, tools of the same categories take half.

    Args:
        used: The tools that the gold solution calls.
        key: The task.
        rng: Source of randomness.
    """
    pools = _pools(used, key.template.offers, key.template.withheld, key.split not in HELD_OUT_SPLITS)
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
    alike = [[tool.name for tool in _ranked(identity) if tool.name in fit][:_ALIKE] for identity in needed]
    return _Pools([tools()[identity] for identity in needed], alike, fit, near, far)


@lru_cache(maxsize=256)
def _by_category(categories: frozenset[str], training: bool) -> tuple[list[Tool], list[Tool]]:
    known = [tool for identity, tool in tools().items() if not (training and apis()[identity].tool.held_out)]
    near = [tool for tool in known if tool.id.category in categories]
    return near, [tool for tool in known if tool.id.category not in categories]


@lru_cache(maxsize=512)
def _ranked(identity: ToolId) -> Sequence[Tool]:
    """Return all other tools, those first that look most like one: of its tool, or with words of its name."""
    words, users = _words()
    mine = words[identity]
    shared = Counter(user for word in mine for user in users[word])

    def likeness(tool: Tool) -> float:
        other = tool.id
        alike = shared[other] / (len(mine) * len(words[other])) ** 0.5
        return float(alike + (other[:2] == identity[:2]) + (other.category == identity.category) / 2)

    others = [tool for tool in tools().values() if tool.id != identity]
    return sorted(others, key=likeness, reverse=True)


@lru_cache(maxsize=1)
def _words() -> tuple[Mapping[ToolId, frozenset[str]], Mapping[str, list[ToolId]]]:
    """Return the words that say what each tool does, and the tools that each word is said of."""
    words = {
        api.id: frozenset(_WORD.findall(f"{api.name} {api.description}".lower())) for api in apis().values()
    }
    users: dict[str, list[ToolId]] = {}
    for identity, said in words.items():
        for word in said:
            users.setdefault(word, []).append(identity)
    return words, users
