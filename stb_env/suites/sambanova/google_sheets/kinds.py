"""The kinds of goal, by what is done to the table: one change, or several that build on each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

from stb_env.jsontypes import JsonMapping
from stb_env.suites.sambanova.google_sheets import chains, changes, extracts
from stb_env.suites.sambanova.google_sheets.plan import Plan

Kind = Callable[[Plan, Random], JsonMapping | None]
"""Plans a goal, and returns what fills its text, or nothing where it has to be drawn again."""

KINDS: Mapping[str, Kind] = {**chains.KINDS, **extracts.KINDS, **changes.KINDS}
"""The kinds by name, in the order in which they take turns."""
