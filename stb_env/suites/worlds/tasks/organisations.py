"""The kits of the worlds of a group: one a world, or as many as their services take."""

from __future__ import annotations

from collections.abc import Sequence

from stb_env.seeding import rng
from stb_env.suites.worlds.schema.joining import JOIN, can_be_joined, kit_named, services_of


class Organisations:
    """The kits of the worlds of a group, turn by turn.

    Args:
        pool: The names of the kits that the group has; those that are held out are joined with each other
            alone.
        kit: A kit that every world is of; None is any.
        services: How many services worlds have at least: worlds take turns among the numbers.
        fewest: Kits of a world, at least.
        most: Kits of a world, at most.

    Attributes:
        kits: The kits that take turns; none where no world has so many services.
    """

    def __init__(self, pool: Sequence[str], kit: str | None, services: range, fewest: int, most: int) -> None:
        self._pool, self._services, self._fewest, self._most = pool, services, fewest, most
        self.kits = [name for name in pool if kit in (None, name) and self._reaches(name)]

    def at(self, turn: int, tried: int) -> tuple[str, int]:
        """Return the kits of the world of a turn, or of one that stands in, and the place of its seed."""
        first, which = divmod(turn, len(self.kits))
        base = self.kits[which]
        wanted = self._services[turn % len(self._services)]
        if JOIN in base:
            return base, first
        # Kits are read where they have to be counted alone.
        if self._fewest == 1 and (wanted == 1 or services_of(kit_named(base), joined=False) >= wanted):
            return base, first
        names, others = [base], self._others(base)
        rng("joined", base, turn, tried).shuffle(others)
        while len(names) < self._fewest or (_joint(names) < wanted and len(names) < self._most):
            names.append(others.pop())
        # The kits of another turn may be the same ones, so each turn has a seed of its own.
        return JOIN.join(sorted(names)), turn

    def _others(self, base: str) -> list[str]:
        return [name for name in self._pool if name != base and can_be_joined(kit_named(name))]

    def _reaches(self, base: str) -> bool:
        """Return whether a kit has enough services, whichever others it is joined with."""
        wanted = self._services[-1]
        if self._fewest == wanted == 1:
            return True
        alone = services_of(kit_named(base), joined=False)
        if JOIN in base or (self._fewest == 1 and (alone >= wanted or self._most == 1)):
            return alone >= wanted
        if not can_be_joined(kit_named(base)):
            return False
        others = sorted(self._others(base), key=lambda name: services_of(kit_named(name), joined=True))
        names = [base, *others[: self._most - 1]]
        return len(names) >= self._fewest and _joint(names) >= wanted


def _joint(names: Sequence[str]) -> int:
    """Return how many services a world of several kits has."""
    return sum(services_of(kit_named(name), joined=True) for name in names)
