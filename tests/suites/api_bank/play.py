"""Plays calls on the embedded databases, for the tests beside it."""

from __future__ import annotations

from typing import Any

from stb_env.suites.api_bank.api_set import LEVEL_3
from stb_env.suites.api_bank.databases import embedded
from stb_env.suites.api_bank.state import State
from stb_env.suites.api_bank.world import ApiBankWorld
from stb_env.tools import ToolResult

WORLD = ApiBankWorld()
ORIGINAL = ApiBankWorld(compat="original")
LEVEL_3_WORLD = ApiBankWorld(LEVEL_3)
MIRA = embedded().tables["Account"]["mira"]["token"]
OSKAR = embedded().tables["Account"]["oskar"]["token"]
INGRID = embedded().tables["Account"]["ingrid"]["token"]

Call = tuple[str, dict[str, Any]]


def play(*calls: Call, world: ApiBankWorld = WORLD, seed: int = 0) -> ToolResult:
    """Play calls one after another on a fresh state and return the last result."""
    return play_on(world.fresh(seed), *calls, world=world)[0]


def play_on(state: State, *calls: Call, world: ApiBankWorld = WORLD) -> tuple[ToolResult, State]:
    """Play calls one after another; those before the last must succeed."""
    for name, arguments in calls[:-1]:
        before, state = world.call(state, world.tools[name], arguments)
        assert not before.error, (name, before.error)
    name, arguments = calls[-1]
    return world.call(state, world.tools[name], arguments)
