"""Runs tools of other worlds than a task's own, over their own rows.

An episode's state holds what they change apart, under the key of their world, so that a judge sees it among
the changes that nobody asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from stb_env.suites.worlds.data.rows import State
from stb_env.suites.worlds.services.archetypes.tool import Bound, WorldTool

ELSEWHERE = "Worlds elsewhere"
"""The category of the tools of other worlds; the tool of their identity is the key of the task's world."""
OF = "/"
"""Stands between the key of a world and what it has: an entity in a state, a tool in an identity."""
_Value = TypeVar("_Value")


def elsewhere(tool: WorldTool, key: str) -> WorldTool:
    """Return a tool of a world as one that runs in the episodes of another.

    Args:
        tool: The tool.
        key: The key of its world.
    """

    def run(state: State, bound: Bound) -> tuple[object, State]:
        there = State(_own(state.changed, key), _own(state.made, key), notes=_own(state.notes, key))
        response, after = tool.run(there, bound)
        changed, made = _kept(state.changed, after.changed, key), _kept(state.made, after.made, key)
        notes = _kept(state.notes, after.notes, key)
        return response, replace(state, changed=changed, made=made, notes=notes)

    # No row of the task's world has to do with it, whatever is made of entities elsewhere.
    return replace(tool, kind="elsewhere", entity="", run=run)


def _own(tables: Mapping[str, _Value], key: str) -> dict[str, _Value]:
    """Return what a state holds of a world elsewhere."""
    start = f"{key}{OF}"
    return {name.removeprefix(start): each for name, each in tables.items() if name.startswith(start)}


def _kept(tables: Mapping[str, _Value], own: Mapping[str, _Value], key: str) -> dict[str, _Value]:
    """Return what a state holds with that of a world elsewhere replaced."""
    start = f"{key}{OF}"
    others = {name: each for name, each in tables.items() if not name.startswith(start)}
    return {**others, **{f"{start}{name}": each for name, each in own.items()}}
