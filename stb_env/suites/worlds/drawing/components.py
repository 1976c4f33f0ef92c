"""Components of goals: draws the rows, fields, figures and values that goals are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from stb_env.suites.worlds.data.blueprint import Blueprint
from stb_env.suites.worlds.drawing.clauses import clauses_of
from stb_env.suites.worlds.goals.goal import Clause, Limit, Measure, Related, Select, Tally
from stb_env.suites.worlds.schema.actions import Delete, Move, Set, Transition
from stb_env.suites.worlds.schema.kit import (
    Category,
    Code,
    Day,
    Email,
    Entity,
    Flag,
    Link,
    Person,
    Quantity,
    Ref,
    Title,
)

OTHERS: Mapping[int, float] = {1: 0.0, 2: 0.1, 3: 0.3, 4: 0.4, 5: 0.5, 6: 0.5}
"""Share of selections of many rows that go by the rows that refer to them."""
ROWS: Mapping[int, tuple[int, int]] = {
    1: (3, 15),
    2: (3, 25),
    3: (4, 40),
    4: (6, 60),
    5: (24, 110),
    6: (24, 200),
}
"""Rows that are meant where they are only read."""
WRITES: Mapping[int, tuple[int, int]] = {
    1: (1, 1),
    2: (2, 3),
    3: (3, 7),
    4: (6, 14),
    5: (14, 30),
    6: (24, 60),
}
"""Rows that are changed."""
DEPTH: Mapping[int, int] = {1: 0, 2: 1, 3: 1, 4: 2, 5: 2, 6: 2}
"""References that a clause goes over at most."""
_PLAUSIBLE = 50
"""Values that a guess at an answer has to choose from, at least."""


class Components:
    """Draws what goals in one world are made of.

    Args:
        blueprint: The world.
    """

    def __init__(self, blueprint: Blueprint) -> None:
        self._blueprint = blueprint
        self._clauses = clauses_of(blueprint)

    # -- entities and actions ------------------------------------------------------------------------

    def _entity(self, pick: Random) -> str:
        """Draw an entity; those with many attributes are commoner."""
        entities = self._entities()
        return pick.choices(list(entities), [len(each.attributes) for each in entities.values()])[0]

    def _entities(self) -> Mapping[str, Entity]:
        """Return the entities whose rows goals are about."""
        return self._blueprint.entities

    def _action(self, pick: Random) -> tuple[str, str]:
        """Draw an action on a single row, and its entity; empty where there is none."""
        found = self._actions()
        return pick.choice(found) if found else ("", "")

    def _actions(self) -> list[tuple[str, str]]:
        """Return the actions on single rows, each with its entity."""
        return [
            (entity, name)
            for entity, described in self._entities().items()
            for name, action in described.actions.items()
            if isinstance(action, Transition | Delete)
            or (
                isinstance(action, Set)
                and isinstance(described.attributes[action.field], Category | Quantity | Day)
            )
        ]

    def _moves(self) -> list[tuple[str, str, Move]]:
        """Return the actions that move a quantity, each with its entity and name."""
        return [
            (entity, name, action)
            for entity, described in self._entities().items()
            for name, action in described.actions.items()
            if isinstance(action, Move)
        ]

    # -- selections ----------------------------------------------------------------------------------

    def _one_row(self, entity: str, level: int, pick: Random) -> Select | None:
        """Draw a selection of one row: by its label, or by clauses that only it meets."""
        alike = self._clauses.look_alikes(entity)
        number = pick.choice(alike or range(len(self._blueprint.data.rows[entity])))
        if level == 1 or pick.random() < 0.6:
            label = self._blueprint.entities[entity].label
            return Select(entity, (Clause(label, "=", self._clauses.column(entity, label)[number]),))
        found = self._clauses.select(entity, (1, 1), pick, depth=DEPTH[level], fewest=2, around=number)
        return found[0] if found else None

    def _select(
        self, entity: str, level: int, pick: Random, banned: Sequence[str] = ()
    ) -> tuple[Select, list[int]] | None:
        fewest = 1 if level < 3 else 2
        return self._clauses.select(
            entity,
            ROWS[level],
            pick,
            depth=DEPTH[level],
            fixed=self._others(entity, OTHERS[level], pick),
            banned=banned,
            fewest=fewest,
        )

    def _others(self, entity: str, share: float, pick: Random) -> list[Limit]:
        """Draw a clause on the rows that refer to a row, or none."""
        drawn = self._related(entity, pick) if pick.random() < share else None
        return [drawn] if drawn else []

    def _related(self, entity: str, pick: Random) -> Related | Tally | None:
        if pick.random() < 0.5:
            return self._clauses.tally(entity, pick)
        referring = self._blueprint.referring(entity)
        if not referring:
            return None
        other, reference = pick.choice(referring)
        label = self._blueprint.entities[other].label
        paths = [path for path in self._clauses.paths(other, 0) if self._clauses.can_say(other, path)]
        paths = [path for path in paths if path != label]
        clause = self._clauses.clause(other, pick.choice(paths), pick) if paths else None
        return None if clause is None else Related(other, reference, (clause,), pick.random() < 0.4)

    # -- fields, figures and values ------------------------------------------------------------------

    def _groupings(self, entity: str) -> list[str]:
        described = self._blueprint.entities[entity]
        return [
            name
            for name, attribute in described.attributes.items()
            if isinstance(attribute, Category | Ref) and not isinstance(attribute, Link)
        ]

    def _values(self, entity: str, *kinds: type) -> list[str]:
        attributes = self._blueprint.entities[entity].attributes
        return [name for name, attribute in attributes.items() if isinstance(attribute, kinds)]

    def _totals(self, entity: str) -> list[str]:
        attributes = self._blueprint.entities[entity].attributes
        return [
            name
            for name, attribute in attributes.items()
            if isinstance(attribute, Quantity) and attribute.sums
        ]

    def _measures(self, entity: str, pick: Random, *, alone: bool) -> tuple[Measure, ...]:
        """Draw a total alone, or a count and another figure."""
        totals = self._totals(entity)
        if totals and alone:
            return (Measure("total", pick.choice(totals)),)
        others = [Measure("total", path) for path in totals]
        for path in self._values(entity, Day, Quantity):
            others += [Measure("greatest", path), Measure("least", path)]
        return (Measure("count"), pick.choice(others)) if others else ()

    def _fields(
        self, entity: str, select: Select | None, depth: int, pick: Random, changed: str = ""
    ) -> tuple[str, ...]:
        """Draw one or two values of a row, one hard to guess, none that the request names or changes."""
        if select is None:
            return ()
        named = [changed, *(clause.path for clause in select.clauses if isinstance(clause, Clause))]
        paths = [
            path
            for path in self._clauses.paths(entity, depth)
            if path not in named and not isinstance(self._clauses.attribute(entity, path), Flag)
        ]
        wide = [path for path in paths if self.is_wide(entity, path)]
        if not wide:
            return ()
        first = pick.choice(wide)
        others = [path for path in paths if path != first]
        second = [pick.choice(others)] if others and pick.random() < 0.4 else []
        return (first, *second)

    def _new_value(self, entity: str, action: str, number: int, pick: Random) -> int | None:
        """Draw what an action sets, other than what any row has; None where it sets nothing."""
        what = self._blueprint.entities[entity].actions[action]
        if not isinstance(what, Set):
            return None
        attribute = self._blueprint.entities[entity].attributes[what.field]
        column = self._clauses.column(entity, what.field)
        if isinstance(attribute, Category):
            others = [index for index in range(len(attribute.values)) if index != column[number]]
            return pick.choice(others)
        taken = set(column)
        low, high = min(column), max(column)
        free = (value for value in (pick.randint(low, high) for _ in range(40)) if value not in taken)
        return next(free, high + 1)

    def is_wide(self, entity: str, path: str) -> bool:
        """Return whether a value has so many others beside it that a guess is worth nothing."""
        owner, _ = self._blueprint.place(entity, path)
        match self._clauses.attribute(entity, path):
            case Person() | Title() | Email() | Code():
                return len(self._blueprint.data.rows[owner]) >= _PLAUSIBLE
            case Day() | Quantity():
                column = self._clauses.column(entity, path)
                return len(set(column)) >= _PLAUSIBLE
        return False
