"""Draws the values of rows that requests ask to be made."""

from __future__ import annotations

from random import Random

from stb_env.suites.worlds.data.blueprint import Blueprint
from stb_env.suites.worlds.data.facts import facts_at_start
from stb_env.suites.worlds.schema.actions import Create
from stb_env.suites.worlds.schema.kit import Category, Day, Flag, Quantity, Ref

_STEPS = 40
"""Numbers are as round as leaves so many of them between the least and the greatest."""


def creations(blueprint: Blueprint) -> list[tuple[str, str, str]]:
    """Return the entity and action of what can be made, and the entity that it refers to."""
    found: list[tuple[str, str, str]] = []
    for entity, described in blueprint.entities.items():
        for name, action in described.actions.items():
            if isinstance(action, Create):
                reference = described.attributes[action.fields[0]]
                others = [described.attributes[each] for each in action.fields[1:]]
                if isinstance(reference, Ref) and all(
                    isinstance(each, Category | Day | Flag | Quantity) for each in others
                ):
                    found.append((entity, name, reference.to))
    return found


def new_values(
    blueprint: Blueprint, entity: str, action: str, meant: int, pick: Random
) -> tuple[tuple[str, int], ...]:
    """Draw the values of a new row.

    Args:
        blueprint: The world.
        entity: The entity of the row.
        action: The action that makes it.
        meant: The row that it refers to.
        pick: Draws.
    """
    what = blueprint.entities[entity].actions[action]
    fields = what.fields if isinstance(what, Create) else ()
    return tuple((name, _value(blueprint, entity, fields[0], name, meant, pick)) for name in fields[1:])


def _value(blueprint: Blueprint, entity: str, reference: str, name: str, meant: int, pick: Random) -> int:
    match blueprint.entities[entity].attributes[name]:
        case Category(values=values):
            return pick.randrange(len(values))
        case Flag():
            return pick.randrange(2)
        case Day(between=between, after=after):
            start = blueprint.today
            parent = blueprint.entity_at(entity, reference)
            if after.startswith(f"{reference}."):
                start = facts_at_start(blueprint).column(parent, after.partition(".")[2])[meant]
            return start + pick.randint(*between)
        case Quantity(low=low, high=high, digits=digits):
            step: int = max(1, 10 ** (len(str((high - low) * 10**digits // _STEPS)) - 1))
            return pick.randint(low * 10**digits // step + 1, high * 10**digits // step) * step
    raise TypeError(f"nobody gives {name!r} to a new row of {entity!r}")
