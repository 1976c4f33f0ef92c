"""Goals that cross: their rows and values are spread over services, and over the kits of a joined world."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random

from stb_env.suites.worlds.data.blueprint import Blueprint
from stb_env.suites.worlds.data.conditions import TODAY, Days, Path, operands
from stb_env.suites.worlds.drawing.clauses import Clauses
from stb_env.suites.worlds.drawing.shapes import Shapes
from stb_env.suites.worlds.goals.goal import (
    Clause,
    Difference,
    Goal,
    Group,
    Limit,
    Part,
    Select,
    Work,
    parts_of,
    selections,
)
from stb_env.suites.worlds.schema.joining import JOIN, kit_of
from stb_env.suites.worlds.schema.kit import Entity, Link, Ref

SERVICES, KITS = 3, 2
"""Services and kits that a goal touches that crosses."""
_FURTHEST = 4
"""References on the way to a value of another kit, at most."""
_TRIES = 6


def is_joined(blueprint: Blueprint) -> bool:
    """Return whether a world is of several kits."""
    return JOIN in blueprint.kit.name


def crosses(blueprint: Blueprint, entities: Iterable[str]) -> bool:
    """Return whether some entities are of several kits, and of more services than one kit usually needs."""
    services = {blueprint.entities[each].service for each in entities}
    kits = {kit_of(blueprint.kit, each) for each in entities}
    return len(services) >= SERVICES and len(kits) >= KITS


def entities_of(goal: Goal, blueprint: Blueprint) -> set[str]:
    """Return the entities that a goal speaks of, those on the way to its values included."""
    found: set[str] = set()
    for select in selections(goal):
        found.add(select.entity)
        for clause in select.clauses:
            if isinstance(clause, Clause):
                found.update(_way(blueprint, select.entity, clause.path))
                continue
            found.add(clause.entity)
            for each in clause.clauses:
                found.update(_way(blueprint, clause.entity, each.path))
    for part in parts_of(goal):
        if not isinstance(part, Difference):
            for path in _paths_of(part, blueprint):
                found.update(_way(blueprint, part.select.entity, path))
    return found


def _paths_of(goal: Part, blueprint: Blueprint) -> Iterator[str]:
    """Yield the paths to the values that a request asks for or decides by."""
    yield from getattr(goal, "fields", ())
    if isinstance(goal, Group):
        yield goal.by
    if isinstance(goal, Work):
        for rule in blueprint.entities[goal.select.entity].queues[goal.queue].rules:
            for condition in (*rule.when, *rule.unless):
                for read in operands(condition):
                    if isinstance(read, Path):
                        yield read.path
                    elif isinstance(read, Days):
                        yield from (each for each in (read.start, read.end) if each != TODAY)


def _way(blueprint: Blueprint, entity: str, path: str) -> Iterator[str]:
    for name in path.split("."):
        attribute = blueprint.entities[entity].attributes.get(name)
        if isinstance(attribute, Ref):
            entity = attribute.to
            yield entity


class _CrossingClauses(Clauses):
    """Draws selections in a joined world that have a clause on what another kit's service keeps."""

    def __init__(self, blueprint: Blueprint) -> None:
        super().__init__(blueprint)
        self.crossing = {
            entity: [path for path in self.paths(entity, _FURTHEST) if _is_linked(blueprint, entity, path)]
            for entity in blueprint.entities
        }
        self.said = {
            entity: [path for path in paths if self.can_say(entity, path)]
            for entity, paths in self.crossing.items()
        }

    def select(
        self,
        entity: str,
        sizes: tuple[int, int],
        pick: Random,
        *,
        depth: int,
        fixed: Sequence[Limit] = (),
        banned: Sequence[str] = (),
        fewest: int = 1,
        around: int | None = None,
    ) -> tuple[Select, list[int]] | None:
        """Draw a selection as `Clauses` does, with such a clause among the fixed ones."""
        return super().select(
            entity,
            sizes,
            pick,
            depth=depth,
            fixed=[*fixed, *self._clause(entity, pick, around)],
            banned=banned,
            fewest=fewest,
            around=around,
        )

    def _clause(self, entity: str, pick: Random, around: int | None) -> list[Clause]:
        paths = self.said[entity]
        for _ in range(_TRIES if paths else 0):
            # Nobody can follow a sentence over many rows, so the shorter way of two is taken.
            path = min(pick.choices(paths, k=2), key=lambda each: each.count("."))
            clause = self.clause(entity, path, pick, around)
            if clause is not None:
                return [clause]
        return []


class CrossingShapes(Shapes):
    """Draws goals of every shape in a joined world, each with a clause or a value of another kit.

    Args:
        blueprint: The world.
    """

    def __init__(self, blueprint: Blueprint) -> None:
        super().__init__(blueprint)
        self._clauses = clauses = _CrossingClauses(blueprint)
        self._crossing = clauses.crossing
        self._wide = {
            entity: self._spread(entity, [path for path in paths if self.is_wide(entity, path)])
            for entity, paths in clauses.crossing.items()
        }
        self._about = {
            entity: each for entity, each in blueprint.entities.items() if clauses.said[entity]
        } or blueprint.entities

    def _spread(self, entity: str, paths: list[str]) -> list[str]:
        """Return those of some paths that lead over enough services by themselves, or all if none does."""
        blueprint = self._blueprint
        return [
            path for path in paths if crosses(blueprint, [entity, *_way(blueprint, entity, path)])
        ] or paths

    def _entities(self) -> Mapping[str, Entity]:
        return self._about

    def _fields(
        self, entity: str, select: Select | None, depth: int, pick: Random, changed: str = ""
    ) -> tuple[str, ...]:
        clauses = () if select is None else select.clauses
        if any(isinstance(clause, Clause) and clause.path in self._crossing[entity] for clause in clauses):
            return super()._fields(entity, select, depth, pick, changed)
        wide = self._wide[entity] if select is not None else []
        first = [pick.choice(wide)] if wide else []
        others = super()._fields(entity, select, depth, pick, changed) if pick.random() < 0.4 else ()
        return (*first, *others[:1])


def _is_linked(blueprint: Blueprint, entity: str, path: str) -> bool:
    """Return whether a path leads to what another kit's service keeps."""
    for name in path.split(".")[:-1]:
        attribute = blueprint.entities[entity].attributes[name]
        if isinstance(attribute, Link):
            return True
        entity = blueprint.entity_at(entity, name)
    return False
