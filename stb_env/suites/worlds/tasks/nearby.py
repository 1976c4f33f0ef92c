"""Offers tools of organisations nearby: real ones, beside those that a request needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from stb_env.seeding import rng
from stb_env.suites.worlds.data.blueprint import names
from stb_env.suites.worlds.data.traits import Key
from stb_env.suites.worlds.episode.elsewhere import ELSEWHERE, OF
from stb_env.suites.worlds.world import Built, built
from stb_env.tools import Tool, ToolId

_LONGEST = 64


@lru_cache(maxsize=256)
def tools_nearby(key: str, count: int, seeds: range) -> tuple[Tool, ...]:
    """Return so many tools of organisations of the same kinds as a world, in other towns.

    Args:
        key: The world's key.
        count: How many.
        seeds: The seeds of worlds of its split.
    """
    pick = rng("nearby", key)
    places, found = {_place(built(key))}, list[Tool]()
    taken = {tool.tool.name for tool in built(key).tools.values()}
    kits = Key.of(key).kits
    turn = 0
    while len(found) < count:
        other = built(f"{kits[turn % len(kits)]}-{pick.choice(seeds)}")
        turn += 1
        if _place(other) in places:
            continue
        places.add(_place(other))
        offered = [each for each in _offered(other, key) if each.name not in taken]
        chosen = sorted(pick.sample(range(len(offered)), min(len(offered), count - len(found))))
        found += [offered[place] for place in chosen]
        taken.update(each.name for each in found)
    return tuple(found)


def _offered(other: Built, key: str) -> Iterator[Tool]:
    """Yield the tools of another world as tasks of a world offer them: they say whose they are."""
    first = next(iter(other.blueprint.entities))
    for each in other.tools.values():
        if each.kind == "policies":
            continue
        style, name = other.codec.style(each.entity or first), each.tool.name
        named = style.before(_place(other), name)
        if len(named) <= _LONGEST:
            identity = ToolId(ELSEWHERE, key, f"{other.key}{OF}{name}")
            about = f"Of {other.blueprint.name}, another organisation. {each.tool.description}"
            yield replace(each.tool, name=named, description=about, id=identity)


def _place(world: Built) -> str:
    return next(place for place in names()["places"] if world.blueprint.name.startswith(f"{place} "))
