"""The tools that a task offers: those that it needs, look-alikes of each, and others.

Distractors are drawn by rendezvous hashing (Thaler and Ravishankar, 1998): every tool has a score that
depends on the task and on itself alone, and the best scores win. A tool that is new to the world thus changes
the tasks that come to offer it, and no others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from stb_env import seeding
from stb_env.suites.sandbox.catalog import apis, tools
from stb_env.suites.sandbox.task_key import HELD_OUT_SPLITS, TaskKey
from stb_env.tools import Tool, ToolId

_WORD = re.compile("[a-z]{3,}")
_SAME_SERVICE = 5.0
"""Preference for a look-alike of the same service over any other tool, as a power of e."""

# What a score is for, where it is not for a look-alike of a tool, whose hash stands in its place.
_DISTRACTORS, _ORDER = 1, 2

Mask = NDArray[np.bool_]


def offered(used: tuple[ToolId, ...], key: TaskKey, withheld: tuple[ToolId, ...] = ()) -> tuple[Tool, ...]:
    """Return the needed tools among distractors.

    A look-alike of each needed tool comes first, so that no list of tools gives a solution away; of what
    room is left, tools of the same categories take half.

    Args:
        used: The tools that the gold solution calls.
        key: The task.
        withheld: Tools that are never offered.
    """
    needed = tuple(dict.fromkeys((*used, *(api.id for api in key.template.offers))))
    pool = _pool(key.split not in HELD_OUT_SPLITS)
    seed = seeding.derive("sandbox tools", key.split, key.template.name, key.place)
    return pool.offer(needed, withheld, seed, key.distractors)


@dataclass(frozen=True, eq=False)
class Pool:
    """The tools from which distractors are drawn.

    Attributes:
        tools: The tools, needed ones of any task among them.
        eligible: Which of them may be distractors.
    """

    tools: Sequence[Tool]
    eligible: Mask

    def offer(
        self, needed: Sequence[ToolId], withheld: Sequence[ToolId], seed: int, distractors: int
    ) -> tuple[Tool, ...]:
        """Return the needed tools and the distractors that score best, in an order of scores, too."""
        mine = [self._places[identity] for identity in needed]
        alike = mine[:distractors]
        # Exponential times: the least of several with these rates is each of them with a chance of its rate.
        *alike_times, times, order = self._times(seed, [*self._hashes[alike].tolist(), _DISTRACTORS, _ORDER])
        taken = np.where(self.eligible, 0.0, np.inf)
        taken[[*mine, *(self._places[identity] for identity in withheld)]] = np.inf
        chosen: list[int] = []
        for place, own in zip(alike, alike_times, strict=True):
            best = int((own * self._slowness[place] + taken).argmin())
            if taken[best] == 0.0:
                chosen.append(best)
                taken[best] = np.inf
        near = self._related[mine].any(axis=0)
        room = distractors - len(chosen)
        chosen += _least(np.where(near, times + taken, np.inf), (room + 1) // 2)
        chosen += _least(np.where(near, np.inf, times + taken), distractors - len(chosen))
        every = np.array([*mine, *chosen])
        return tuple(self.tools[place] for place in every[order[every].argsort()])

    def _times(self, seed: int, purposes: Sequence[int]) -> NDArray[np.float64]:
        """Return a row for each purpose: an exponential time for every tool, by task and tool alone."""
        counters = np.array([seeding.mix(seed, purpose) for purpose in purposes], np.uint64)
        drawn = seeding.mix_each(self._hashes, counters[:, np.newaxis])
        times: NDArray[np.float64] = -np.log1p((drawn >> np.uint64(11)) * -(2.0**-53))
        return times

    @cached_property
    def _places(self) -> dict[ToolId, int]:
        return {tool.id: place for place, tool in enumerate(self.tools)}

    @cached_property
    def _hashes(self) -> NDArray[np.uint64]:
        return np.array([seeding.derive(*tool.id) for tool in self.tools], np.uint64)

    @cached_property
    def _related(self) -> Mask:
        """Return the tools of one category."""
        categories = np.array([tool.id.category for tool in self.tools])
        related: Mask = np.equal.outer(categories, categories)
        return related

    @cached_property
    def _slowness(self) -> NDArray[np.float64]:
        """Return the difference of two tools, by words of their documentation, service and category."""
        said = [
            frozenset(_WORD.findall(f"{api.name} {api.description}".lower()))
            for api in (apis()[tool.id] for tool in self.tools)
        ]
        columns = {word: column for column, word in enumerate(sorted(frozenset[str]().union(*said)))}
        words = np.zeros((len(said), len(columns)))
        for row, mine in enumerate(said):
            words[row, [columns[word] for word in mine]] = 1
        counts = words.sum(axis=1)
        likeness = (words @ words.T) / np.sqrt(np.outer(counts, counts))
        services = np.array([seeding.derive(*tool.id[:2]) for tool in self.tools])
        likeness += np.equal.outer(services, services)
        likeness += self._related / 2
        slowness: NDArray[np.float64] = np.exp(-_SAME_SERVICE * likeness)
        return slowness


def _least(times: NDArray[np.float64], count: int) -> list[int]:
    """Return the places of the least times, those that are infinite left out."""
    first = times.argsort()[:count]
    found: list[int] = first[np.isfinite(times[first])].tolist()
    return found


@lru_cache(maxsize=2)
def _pool(training: bool) -> Pool:
    known = list(tools().values())
    return Pool(known, np.array([not (training and apis()[tool.id].tool.held_out) for tool in known]))
