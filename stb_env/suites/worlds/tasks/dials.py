"""Dials: what makes an episode harder beside its world and its goal, and how ids carry them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields

RANGES: Mapping[str, tuple[int, int]] = {
    "budget": (100, 1000),
    "tools": (20, 200),
    "faults": (1, 50),
    "events": (1, 1),
    "hidden": (1, 4),
}
"""Least and greatest number of each dial that is on: every world has more tools than the least of its own."""
_TOKEN = re.compile(r"([a-z])([1-9]\d{0,3})")


@dataclass(frozen=True, slots=True)
class Dials:
    """Conditions of an episode. Each is 0 where it is off.

    Attributes:
        budget: Calls that are allowed, as a percentage of those that gold makes.
        tools: Tools that are offered at least: of organisations nearby, too.
        faults: Calls that fail, as a percentage.
        events: 1 where rows change by themselves.
        hidden: Details of the request that only the user knows, at most.

    Examples:
        >>> Dials(budget=150, hidden=2).suffix, Dials.of("b150h2") == Dials(budget=150, hidden=2)
        ('b150h2', True)
    """

    budget: int = 0
    tools: int = 0
    faults: int = 0
    events: int = 0
    hidden: int = 0

    @property
    def suffix(self) -> str:
        """Part of an id that tells the dials: the first letter of each that is on, with its number."""
        return "".join(
            f"{each.name[0]}{value}" for each in fields(self) if (value := getattr(self, each.name))
        )

    @property
    def fault(self) -> str:
        """Message about the first dial that is out of its range; empty where none is."""
        for name, (least, most) in RANGES.items():
            value = getattr(self, name)
            if value and not least <= value <= most:
                allowed = f"from {least} to {most}" if least < most else str(least)
                return f"{name[0]} ({name}) is {allowed}, got {value}"
        return ""

    @classmethod
    def of(cls, suffix: str) -> Dials | None:
        """Return the dials of a part of an id, or None where it is none."""
        letters = {each.name[0]: each.name for each in fields(cls)}
        found = {letters.get(letter, ""): int(number) for letter, number in _TOKEN.findall(suffix)}
        if "" in found:
            return None
        dials = cls(**found)
        return dials if dials.suffix == suffix else None


PLAIN = Dials()
