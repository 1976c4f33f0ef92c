"""Dirt: values that are missing, and copies of other services' values that are out of date."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from stb_env.core.jsontypes import Json
from stb_env.seeding import rng
from stb_env.suites.worlds.data.conditions import TODAY, Count, Days, Path, operands
from stb_env.suites.worlds.data.rows import MISSING, Data
from stb_env.suites.worlds.schema.actions import Condition, Create, Delete, Move
from stb_env.suites.worlds.schema.kit import Category, Day, Entity, Life, Link, Quantity, Ref

_SHARE = 0.5
"""Share of the attributes that can lack values that do."""
_COPIED = 0.5
"""Share of the references beside which a copy stands."""


def missing_shares(
    kit: str, entities: Mapping[str, Entity], seed: int, dirt: int
) -> dict[tuple[str, str], float]:
    """Return for each attribute of which values are missing how many: where nothing goes by them.

    Args:
        kit: The name of the kit.
        entities: The entities of the world.
        seed: The world's seed.
        dirt: How many values are missing, per cent, where the kit does not say it.
    """
    needed = set(_needed(entities))
    found: dict[tuple[str, str], float] = {}
    for entity, described in entities.items():
        for name, attribute in described.attributes.items():
            chosen = rng("lacks", kit, seed, entity, name).random() < _SHARE
            if isinstance(attribute, Quantity | Category | Day) and (entity, name) not in needed:
                share = attribute.missing or (dirt / 100 if chosen else 0)
                if share:
                    found[entity, name] = share
    return found


def _needed(entities: Mapping[str, Entity]) -> Iterator[tuple[str, str]]:
    """Yield the attributes by which rules, policies, actions and other attributes go."""
    for entity, described in entities.items():
        paths = [path for condition in _conditions(described) for path in _paths(condition)]
        for attribute in described.attributes.values():
            if isinstance(attribute, Day) and attribute.after:
                paths.append(attribute.after)
            if isinstance(attribute, Quantity | Category | Life) and attribute.by is not None:
                paths.append(attribute.by.path)
        for action in described.actions.values():
            match action:
                case Create():
                    paths += [*action.fields, *action.start]
                case Move():
                    paths += [action.field, *action.same]
                case Delete():
                    pass
                case _:
                    paths.append(action.field)
        for path in paths:
            owner = entity
            *references, last = path.split(".")
            for reference in references:
                led = entities[owner].attributes.get(reference)
                owner = led.to if isinstance(led, Ref) else owner
            yield owner, last


def _conditions(described: Entity) -> Iterator[Condition]:
    for action in described.actions.values():
        yield from action.when
    for policy in described.policies:
        yield from policy.when
    for queue in described.queues.values():
        yield from queue.select
        for rule in queue.rules:
            yield from (*rule.when, *rule.unless)


def _paths(condition: Condition) -> Iterator[str]:
    for read in operands(condition):
        match read:
            case Path(path):
                yield path
            case Days(start, end):
                yield from (path for path in (start, end) if path != TODAY)
            case Count():
                pass


@dataclass(frozen=True, slots=True)
class Copied:
    """A value of another row that rows carry along.

    Attributes:
        reference: The reference to the other row.
        attribute: The attribute of that row.
        values: The copy in each drawn row, as rows hold values.
    """

    reference: str
    attribute: str
    values: Sequence[int]


def copies(entities: Mapping[str, Entity], data: Data, entity: str, seed: int, dirt: int) -> Iterator[Copied]:
    """Yield the copies that the rows of an entity carry along; some are out of date.

    Args:
        entities: The entities of the world.
        data: Its rows.
        entity: The entity.
        seed: The world's seed.
        dirt: How many copies are out of date, per cent.
    """
    described = entities[entity]
    for name, reference in described.attributes.items():
        pick = rng("copy", seed, entity, name)
        if not isinstance(reference, Ref) or isinstance(reference, Link) or pick.random() > _COPIED:
            continue
        target = entities[reference.to]
        known = [
            key for key, each in target.attributes.items() if isinstance(each, Category | Quantity | Life)
        ]
        if not known:
            continue
        chosen = pick.choice(known)
        column, place = target.columns[chosen], described.columns[name]
        held = [row[column] for row in data.rows[reference.to]]
        values = [
            pick.choice(held)
            if pick.random() < dirt / 100
            else (MISSING if row[place] == MISSING else held[row[place]])
            for row in data.rows[entity]
        ]
        yield Copied(name, chosen, values)


@dataclass(frozen=True, slots=True)
class CopyField:
    """A field that holds a copy of a value of another row.

    Attributes:
        name: Its name in rows.
        reference: The attribute that refers to the other row.
        holder: What tools call the other row.
        values: The copy in each drawn row.
        write: Turns a copy into JSON.
    """

    name: str
    reference: str
    holder: str
    values: Sequence[int]
    write: Callable[[int], Json]
