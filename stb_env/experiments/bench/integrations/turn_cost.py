"""The cost of a turn in a framework, beside the same turn in our own loop."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from typing import NamedTuple

from stb_env import ConfigError
from stb_env.experiments.bench.integrations.loop import Loop, Play, Script
from stb_env.experiments.bench.integrations.loops import LOOPS, OURS
from stb_env.experiments.bench.integrations.share import looking

_FEW = 4
"""Tasks of the short evaluation, and of how much more the long one has at least."""
_ROUNDS = 3
_LOOKED = 2.0
"""CPU seconds through which it is looked whose code runs."""


@dataclass(frozen=True, slots=True)
class TurnCost:
    """Cost of a turn, in microseconds of CPU time of all processes together.

    Attributes:
        loop: Whose loop it is.
        us: The whole turn, its part of the episode's start and end included.
        own_us: The same turn in our own loop, played in alternation.
        ours_us: How much of it this process spent in this package.
        server_us: How much of it a server of tools or sessions took, in a process of its own.
    """

    loop: str
    us: float
    own_us: float
    ours_us: float
    server_us: float

    @property
    def ratio(self) -> float:
        """Cost as a multiple of a turn in our own loop."""
        return self.us / self.own_us

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {**asdict(self), "ratio": self.ratio}


def turn_costs(episodes: int = 24) -> Iterator[TurnCost]:
    """Measure a turn of known solutions in every framework that is installed, and in our own loop beside it.

    What a framework does once for all episodes is left out: it is the difference between a long and a short
    evaluation. Everything that it does for an episode is in it, making and resetting it included. The time
    of the model is not.

    Args:
        episodes: Number of episodes that the long evaluation has beyond the short one.

    Raises:
        ConfigError: A framework did not reach every point, so what was measured is not what was meant.
    """
    script = Script(episodes + _FEW)
    with OURS.start(script) as own:
        for loop in LOOPS:
            if find_spec(loop.module) is not None:
                with loop.start(script) as play:
                    yield _cost(loop, play, own, script)


class Spent(NamedTuple):
    """CPU seconds, and how many of them in processes other than this one."""

    total: float
    elsewhere: float


def _cost(loop: Loop, play: Play, own: Play, script: Script) -> TurnCost:
    tasks = list(script.turns)
    few = tasks[:_FEW]
    turns = sum(len(script.turns[task]) for task in tasks[_FEW:])
    theirs, ours = _Watch(loop.name, play, script), _Watch(OURS.name, own, script)
    for watch in (theirs, ours):
        watch.spent(few)
    # Turn about, so that what else the machine does falls upon both; what disturbs only ever adds.
    rounds = [
        (theirs.spent(tasks), theirs.spent(few), ours.spent(tasks), ours.spent(few)) for _ in range(_ROUNDS)
    ]
    here, begun, own_all, own_begun = (min(column) for column in zip(*rounds, strict=True))
    repeats = math.ceil(_LOOKED / here.total)
    part = theirs.ours(tasks, loop.module, repeats) - theirs.ours(few, loop.module, repeats)
    served = here.elsewhere - begun.elsewhere
    return TurnCost(
        loop.name,
        us=1e6 * (here.total - begun.total) / turns,
        own_us=1e6 * (own_all.total - own_begun.total) / turns,
        ours_us=1e6 * part / turns,
        server_us=1e6 * served / turns,
    )


class _Watch:
    """Plays tasks, and says how long it took without the model."""

    def __init__(self, name: str, play: Play, script: Script) -> None:
        self._name, self._play, self._script = name, play, script

    def spent(self, tasks: Sequence[str]) -> Spent:
        """Play tasks once."""
        thought, here, elsewhere = self._script.thought, time.process_time(), self._play.elsewhere()
        mean = self._play.play(tasks)
        here, elsewhere = time.process_time() - here, self._play.elsewhere() - elsewhere
        if mean != 1.0:
            raise ConfigError(
                f"{self._name} earned {mean} instead of 1.0 with known solutions; mend its adapter"
            )
        here -= self._script.thought - thought
        return Spent(here + elsewhere, elsewhere)

    def ours(self, tasks: Sequence[str], framework: str, repeats: int) -> float:
        """Play tasks repeatedly, and return the seconds a time that this process spent in this package."""
        with looking(framework, lambda: self._script.thinking) as share:
            spent = [self.spent(tasks) for _ in range(repeats)]
        return share.part * sum(each.total - each.elsewhere for each in spent) / repeats
