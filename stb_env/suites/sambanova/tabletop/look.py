"""The table as tests of goals see it."""

from __future__ import annotations

from typing import NamedTuple

from stb_env.suites.sambanova.tabletop.aims import Positions, Slots, blocks_of


class Look(NamedTuple):
    """The table at the start and now.

    Attributes:
        slots: The goal's own words, such as which block.
        start: Positions at the start.
        now: Positions now.
    """

    slots: Slots
    start: Positions
    now: Positions

    def extent(self, axis: int) -> float:
        """Return how far the blocks lie apart along x (0) or y (1), in metres."""
        places = [at[axis] for at in blocks_of(self.now).values()]
        return max(places) - min(places)
