"""The libraries that programs may import; the original lets none be, and gives np and the shapes."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any

from stb_env.suites.sambanova.common.interpreter.arrays import NUMPY
from stb_env.suites.sambanova.common.interpreter.budget import MAX_ITEMS
from stb_env.suites.sambanova.common.interpreter.builtins import MATH, take
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.common.interpreter.kinds import Module, Native
from stb_env.suites.sambanova.tabletop import costs
from stb_env.suites.sambanova.tabletop.shapes import AFFINITY, GEOMETRY

_MOST_TIMES = 16


def _choices(name: str, choose: Callable[..., Iterable[tuple[object, ...]]]) -> Native:
    """Return a function of ``itertools`` whose result is bounded."""

    def call(*items: Any, repeat: int = 1) -> list[tuple[object, ...]]:
        if not 0 <= repeat <= _MOST_TIMES:
            raise CrashError(f"{name} repeats up to {_MOST_TIMES} times")
        # What is no collection says how many are chosen.
        sets = [each if isinstance(each, int) else take(each) for each in items] * repeat
        found: list[tuple[object, ...]] = []
        for choice in choose(*sets):
            found.append(choice)
            if len(found) * max(1, len(choice)) > MAX_ITEMS:
                raise CrashError(f"{name} gives more than {MAX_ITEMS} members")
        return found

    return Native(name, call, costs.ITERTOOLS[name])


_ITERTOOLS = Module(
    "itertools",
    {
        name: _choices(name, getattr(itertools, name))
        for name in ("combinations", "pairwise", "permutations", "product")
    },
)
_GEOMETRY = Module("shapely.geometry", GEOMETRY)
MODULES = {
    "numpy": NUMPY,
    "math": MATH,
    "itertools": _ITERTOOLS,
    # Annotations are not looked at.
    "typing": Module(
        "typing",
        {
            name: Module(f"typing.{name}", {})
            for name in ("Any", "Dict", "Iterable", "List", "Optional", "Sequence", "Tuple")
        },
    ),
    "shapely": Module("shapely", {"geometry": _GEOMETRY, "affinity": AFFINITY}),
    "shapely.geometry": _GEOMETRY,
    "shapely.affinity": AFFINITY,
}
"""The libraries by name."""
