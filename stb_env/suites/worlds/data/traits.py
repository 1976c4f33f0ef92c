"""Traits of worlds: what their data are like beside their kits and seeds, and how keys of worlds tell it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from stb_env.errors import DataError
from stb_env.suites.worlds.schema.joining import JOIN

_KIT = r"[a-z][a-z0-9_]*"
KEY = rf"{_KIT}(?:\+{_KIT})*-(?:0|[1-9]\d{{0,8}})(?:d[1-9]\d?)?(?:l\d)?"
"""Pattern of the keys of worlds."""
_PARTS = re.compile(rf"({_KIT}(?:\+{_KIT})*)-(0|[1-9]\d*)(?:d([1-9]\d?))?(?:l(\d))?")
MOST_DIRT, MOST_ALIKE = 50, 3


@dataclass(frozen=True, slots=True)
class Traits:
    """Properties of a world's data beside its kit and seed.

    Attributes:
        dirt: How many values are missing, and copies out of date, per cent.
        look_alikes: How many rows look like each that people name by a name; None is some for some.

    Examples:
        >>> Traits(dirt=5, look_alikes=2).suffix
        'd5l2'
    """

    dirt: int = 0
    look_alikes: int | None = None

    @property
    def suffix(self) -> str:
        """End of the key of a world, which tells its traits."""
        alike = "" if self.look_alikes is None else f"l{self.look_alikes}"
        return (f"d{self.dirt}" if self.dirt else "") + alike


USUAL = Traits()


@dataclass(frozen=True, slots=True)
class Key:
    """Parts of the key of a world: ``court_registry+vet_clinic-3d5``.

    Attributes:
        name: The name of the kit, or those of several.
        seed: The seed.
        traits: What its data are like.
    """

    name: str
    seed: int
    traits: Traits = USUAL

    @classmethod
    def of(cls, text: str) -> Key:
        """Return the parts of a key.

        Raises:
            DataError: It is none.
        """
        found = _PARTS.fullmatch(text)
        if found is None:
            raise DataError(f"a world is named kit-seed, such as vet_clinic-17, got {text!r:.60}")
        dirt, alike = int(found[3] or 0), None if found[4] is None else int(found[4])
        if dirt > MOST_DIRT or (alike or 0) > MOST_ALIKE:
            raise DataError(f"world {text!r:.60}: d is up to {MOST_DIRT}, and l up to {MOST_ALIKE}")
        return cls(found[1], int(found[2]), Traits(dirt, alike))

    @property
    def kits(self) -> list[str]:
        """The names of the kits."""
        return self.name.split(JOIN)

    def __str__(self) -> str:
        return f"{self.name}-{self.seed}{self.traits.suffix}"
