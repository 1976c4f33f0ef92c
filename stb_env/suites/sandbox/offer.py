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
_FONDNESS = 5.0
"""How much a tool of the same service is preferred to a strange one as a look-alike: e to the power of it."""

# What a score is for, where it is not for a look-alike of a tool, whose hash stands in its place.
_DISTRACTORS, _ORDER = 1, 2

Mask = NDArray[np.bool_]


def offered(used: tuple[ToolId, ...], key: TaskKey) -> tuple[Tool, ...]:
    """Return the needed tools among distractors.

    A look-alike of each needed tool comes first, so that no list of tools gives a solution away; of what
    room is left, tools of the same categories take half.

    Args:
        used: The tools that the gold solution calls.
        key: The task.
    """
    needed = tuple(dict.fromkeys((*used, *(api.id for api in key.template.offers))))
    withheld = tuple(api.id for api in key.template.withheld)
    pool = _pool(key.split not in HELD_OUT_SPLITS)
    seed = seeding.derive("sandbox tools", key.split, key.template.name, key.turn)
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
        free = self.eligible.copy()
        free[[*mine, *(self._places[identity] for identity in withheld)]] = False
        chosen: list[int] = []
        for place in mine[:distractors]:
            # The least of exponential times of these rates is each of them with a chance of its rate.
            times = self._times(seed, int(self._hashes[place])) * self._slowness[place]
            chosen += self._least(times, free, 1)
            free[chosen] = False
        times = self._times(seed, _DISTRACTORS)
        near = np.isin(self._categories, self._categories[mine])
        room = distractors - len(chosen)
        chosen += self._least(times, free & near, (room + 1) // 2)
        chosen += self._least(times, free & ~near, distractors - len(chosen))
        every = np.array([*mine, *chosen])
        return tuple(self.tools[place] for place in every[np.argsort(self._times(seed, _ORDER)[every])])

    def _least(self, times: NDArray[np.float64], among: Mask, count: int) -> list[int]:
        places = np.flatnonzero(among)
        order = np.argsort(times[places])[:count]
        found: list[int] = places[order].tolist()
        return found

    def _times(self, seed: int, purpose: int) -> NDArray[np.float64]:
        """Return an exponentially distributed number for every tool, by task, tool and purpose alone."""
        drawn = seeding.mix_each(self._hashes, seeding.mix(seed, purpose))
        uniform = (drawn >> np.uint64(11)).astype(np.float64) * 2.0**-53
        times: NDArray[np.float64] = -np.log1p(-uniform)
        return times

    @cached_property
    def _places(self) -> dict[ToolId, int]:
        return {tool.id: place for place, tool in enumerate(self.tools)}

    @cached_property
    def _hashes(self) -> NDArray[np.uint64]:
        return np.array([seeding.derive(*tool.id) for tool in self.tools], np.uint64)

    @cached_property
    def _categories(self) -> NDArray[np.uint64]:
        return np.array([seeding.derive(tool.id.category) for tool in self.tools], np.uint64)

    @cached_property
    def _slowness(self) -> NDArray[np.float64]:
        """How unlike two tools are, by words of their documentation, service and category."""
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
        likeness += np.equal.outer(self._categories, self._categories) / 2
        slowness: NDArray[np.float64] = np.exp(-_FONDNESS * likeness)
        return slowness


@lru_cache(maxsize=2)
def _pool(training: bool) -> Pool:
    known = list(tools().values())
    return Pool(known, np.array([not (training and apis()[tool.id].tool.held_out) for tool in known]))
