"""The shapes of goals: draws a goal of each, before anyone asks whether it carries weight."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from random import Random

from stb_env.suites.worlds.data.blueprint import Blueprint
from stb_env.suites.worlds.data.facts import facts_at_start
from stb_env.suites.worlds.data.rates import rate_of
from stb_env.suites.worlds.data.rows import MISSING
from stb_env.suites.worlds.drawing.clauses import queue_clauses
from stb_env.suites.worlds.drawing.components import DEPTH, OTHERS, ROWS, WRITES, Components
from stb_env.suites.worlds.drawing.new_rows import creations, new_values
from stb_env.suites.worlds.goals.goal import (
    Change,
    Clause,
    Difference,
    Extreme,
    ForEach,
    Group,
    Limit,
    Listing,
    Lookup,
    Make,
    Measure,
    Part,
    Related,
    Select,
    Summary,
    Work,
)
from stb_env.suites.worlds.goals.queues import decide, waiting
from stb_env.suites.worlds.goals.selection import chosen
from stb_env.suites.worlds.schema.actions import Move, Set, Transition
from stb_env.suites.worlds.schema.kit import (
    Category,
    Day,
    Flag,
    Life,
    Link,
    Quantity,
    Ref,
)
from stb_env.suites.worlds.services.conventions import conventions_of

_SHAPES: Mapping[int, Mapping[str, int]] = {
    1: {"lookup": 5, "extreme": 3, "change": 3, "make": 1, "summary": 2},
    2: {
        "lookup": 3,
        "extreme": 3,
        "change": 2,
        "make": 1,
        "summary": 3,
        "group": 1,
        "listing": 1,
    },
    3: {"extreme": 2, "summary": 3, "group": 2, "difference": 2, "listing": 2, "for_each": 4},
    4: {"summary": 2, "group": 1, "difference": 2, "listing": 2, "for_each": 5, "work": 4},
    5: {"summary": 1, "difference": 1, "listing": 1, "for_each": 4, "work": 20},
    6: {"difference": 1, "for_each": 3, "work": 20},
}
_REPORTED = 2
"""Up to this level, figures that a report has are over as many rows as there are."""
_CONVERTED = 0.3
"""Share of look-ups that ask for an amount in another currency, where a tool converts it."""
_MOVES = 0.4
"""Share of changes that move a quantity, where one can be moved."""
_RARER = 2.0
"""By how much a shape becomes rarer each time that a goal of it does not do."""


class Shapes(Components):
    """Draws goals of every shape in one world.

    Args:
        blueprint: The world.
    """

    def __init__(self, blueprint: Blueprint) -> None:
        super().__init__(blueprint)
        self._facts = facts_at_start(blueprint)
        self._shapes: Mapping[str, Callable[[int, Random], Part | None]] = {
            "lookup": self._lookup,
            "extreme": self._extreme,
            "summary": self._summary,
            "group": self._group,
            "difference": self._difference,
            "listing": self._listing,
            "change": self._change,
            "make": self._make,
            "for_each": self._for_each,
            "work": self._work,
        }

    def draw(self, level: int, pick: Random, failed: Counter[str]) -> tuple[str, Part | None]:
        """Draw a shape that suits a level, and a goal of it; None where the draw fails.

        Args:
            level: From 1 to 6.
            pick: Draws.
            failed: How often a goal of each shape did not do: such shapes become rarer.
        """
        weights = _SHAPES[level]
        chances = [weight / _RARER ** failed[shape] for shape, weight in weights.items()]
        shape = pick.choices(list(weights), chances)[0]
        return shape, self._shapes[shape](level, pick)

    # -- shapes ---------------------------------------------------------------------------------

    def _lookup(self, level: int, pick: Random) -> Part | None:
        entity = self._entity(pick)
        select = self._one_row(entity, level, pick)
        depth = DEPTH[level] if level < 4 else 1
        fields = self._fields(entity, select, depth, pick)
        if select and conventions_of(self._blueprint).converts and pick.random() < _CONVERTED:
            amounts = [path for path in self._clauses.paths(entity, depth) if self._is_amount(entity, path)]
            if amounts:
                return Lookup(select, (pick.choice(amounts),), rate_of(self._blueprint)[0])
        return Lookup(select, fields) if select and fields else None

    def _is_amount(self, entity: str, path: str) -> bool:
        """Return whether a value is an amount of money that nobody can guess."""
        attribute = self._blueprint.attribute(entity, path)
        return isinstance(attribute, Quantity) and attribute.type == "money" and self.is_wide(entity, path)

    def _extreme(self, level: int, pick: Random) -> Part | None:
        entity = self._entity(pick)
        ordered = self._values(entity, Day, Quantity)
        if not ordered:
            return None
        by = pick.choice(ordered)
        found = self._select(entity, level, pick, banned=(by,))
        label = self._blueprint.entities[entity].label
        return found and Extreme(found[0], by, pick.random() < 0.5, (label, by))

    def _summary(self, level: int, pick: Random) -> Part | None:
        entity = self._entity(pick)
        measures = self._measures(entity, pick, alone=pick.random() < 0.5)
        by = conventions_of(self._blueprint).reported.get(entity)
        if by and level <= _REPORTED and all(each.kind in ("count", "total") for each in measures):
            clause = self._clauses.clause(entity, by, pick)
            if clause is not None and clause.op == "=":
                return Summary(Select(entity, (clause,)), measures) if measures else None
        found = self._select(entity, level, pick, banned=[each.path for each in measures if each.path])
        return (found and measures and Summary(found[0], measures)) or None

    def _group(self, level: int, pick: Random) -> Part | None:
        entity = self._entity(pick)
        by = self._groupings(entity)
        totals = self._totals(entity)
        if not by:
            return None
        group = pick.choice(by)
        measure = Measure("total", pick.choice(totals)) if totals else Measure("count")
        found = self._select(entity, max(level, 3), pick, banned=(group,))
        # Nobody knows whether a group without rows has the least.
        return found and Group(found[0], group, measure, most=True)

    def _difference(self, level: int, pick: Random) -> Part | None:
        entity = self._entity(pick)
        totals = self._totals(entity)
        between = self._values(entity, Category, Life, Flag)
        if not totals or not between:
            return None
        path = pick.choice(between)
        values = sorted(set(self._clauses.column(entity, path)) - {MISSING})
        if len(values) < 2:
            return None
        first, second = pick.sample(values, 2)
        side = Clause(path, "=", first)
        total = pick.choice(totals)
        sizes = ROWS[level][0] // 2 or 1, ROWS[level][1]
        found = self._clauses.select(
            entity, sizes, pick, depth=DEPTH[level], fixed=(side,), banned=(total,), fewest=2
        )
        if found is None:
            return None
        other = tuple(Clause(path, "=", second) if each == side else each for each in found[0].clauses)
        return Difference(found[0], Select(entity, other), Measure("total", total))

    def _listing(self, level: int, pick: Random) -> Part | None:
        entity = self._entity(pick)
        sizes = (2, 12) if level < 5 else (24, 40)
        found = self._clauses.select(
            entity, sizes, pick, depth=DEPTH[level], fixed=self._others(entity, 0.6, pick)
        )
        return found and Listing(found[0], self._blueprint.entities[entity].label)

    def _change(self, level: int, pick: Random) -> Part | None:
        moves = self._moves()
        if moves and pick.random() < _MOVES:
            return self._move(level, *pick.choice(moves), pick)
        entity, action = self._action(pick)
        select = self._one_row(entity, level, pick) if entity else None
        if select is None:
            return None
        value = self._new_value(entity, action, chosen(self._facts, select)[0][0], pick)
        what = self._blueprint.entities[entity].actions[action]
        fields = self._fields(entity, select, min(DEPTH[level], 1), pick, getattr(what, "field", ""))
        return Change(select, action, value, fields[:1]) if fields else None

    def _move(self, level: int, entity: str, name: str, move: Move, pick: Random) -> Part | None:
        """Draw a part that moves a quantity to a row of a name."""
        select, described = self._one_row(entity, level, pick), self._blueprint.entities[entity]
        if select is None:
            return None
        rows, label = self._blueprint.data.rows[entity], described.columns[described.label]
        start, row = chosen(self._facts, select)[0]
        column, same = described.columns[move.field], [described.columns[each] for each in move.same]
        others = [
            number
            for number, other in enumerate(rows)
            if number != start and all(other[each] == row[each] for each in same)
        ]
        fields = self._fields(entity, select, 0, pick, move.field)
        step: int = max(1, 10 ** (len(str(row[column])) - 2))
        if not others or not fields or row[column] < 2 * step:
            return None
        target = Select(entity, (Clause(described.label, "=", rows[pick.choice(others)][label]),))
        value = pick.randint(1, row[column] // step - 1) * step
        return Change(select, name, value, fields[:1], target)

    def _make(self, level: int, pick: Random) -> Part | None:
        found = creations(self._blueprint)
        if not found:
            return None
        entity, action, parent = pick.choice(found)
        select = self._one_row(parent, level, pick)
        fields = self._fields(parent, select, 0, pick)
        if select is None or not fields:
            return None
        meant = chosen(self._facts, select)[0][0]
        values = new_values(self._blueprint, entity, action, meant, pick)
        return Make(select, entity, action, values, fields[:1])

    def _for_each(self, level: int, pick: Random) -> Part | None:
        entity, action = self._action(pick)
        if not entity:
            return None
        described = self._blueprint.entities[entity]
        what = described.actions[action]
        if not what.bulk:
            return None
        fixed: list[Limit] = []
        value = None
        field = what.field if isinstance(what, Transition | Set) else ""
        attribute = described.attributes.get(field)
        if isinstance(what, Transition) and isinstance(attribute, Life):
            fixed = [Clause(field, "=", attribute.values.index(pick.choice(what.source)))]
        elif isinstance(attribute, Category):
            old, value = pick.sample(range(len(attribute.values)), 2)
            fixed = [Clause(field, "=", old)]
        fixed += self._others(entity, OTHERS[level], pick)
        found = self._clauses.select(
            entity, WRITES[level], pick, depth=DEPTH[level], fixed=fixed, banned=(field,), fewest=2
        )
        if found is None:
            return None
        if isinstance(what, Set) and value is None:
            value = self._new_value(entity, action, found[1][0], pick)
        measures = self._measures(entity, pick, alone=pick.random() < 0.5)
        kept = tuple(each for each in measures if each.path != field) or (Measure("count"),)
        return ForEach(found[0], action, value, kept)

    def _work(self, level: int, pick: Random) -> Part | None:
        queues = [
            (entity, name) for entity, described in self._entities().items() for name in described.queues
        ]
        if not queues:
            return None
        entity, name = pick.choice(queues)
        fixed = queue_clauses(self._blueprint, entity, name)
        # A clause on what rules look at would decide them for all rows alike.
        rules = self._blueprint.entities[entity].queues[name].rules
        conditions = [condition for rule in rules for condition in (*rule.when, *rule.unless)]
        decided_by = [each.left for each in conditions if each.op in ("=", "!=", "in", "not in")]
        found = self._clauses.select(
            entity,
            WRITES[level],
            pick,
            depth=1,
            fixed=fixed,
            banned=decided_by,
            fewest=len(fixed) + 1 + (pick.random() < 0.6),
        )
        if found is None:
            return None
        extra = tuple(clause for clause in found[0].clauses if clause not in fixed)
        select = Select(entity, extra)
        decided = decide(self._facts, entity, name, waiting(self._facts, name, select))
        decision = pick.choice(sorted(set(decided)))
        return Work(name, select, decision, self._measures(entity, pick, alone=pick.random() < 0.5))

    def linked(self, before: Part, pick: Random) -> Part | None:
        """Draw a part about a row to which the row of the part before refers."""
        if not isinstance(before, Lookup | Change | Make) or len(before.select.clauses) != 1:
            return None
        entity, clause = before.select.entity, before.select.clauses[0]
        described = self._blueprint.entities[entity]
        if not isinstance(clause, Clause) or clause.path != described.label:
            return None
        references = [
            name
            for name, each in described.attributes.items()
            if isinstance(each, Ref) and not isinstance(each, Link)
        ]
        if not references:
            return None
        reference = pick.choice(references)
        target = self._blueprint.entity_at(entity, reference)
        select = Select(target, (Related(entity, reference, (clause,), present=True),))
        actions = [action for other, action in self._actions() if other == target]
        fields = self._fields(target, select, 1, pick)
        if not actions or not fields:
            return Lookup(select, fields) if fields else None
        action = pick.choice(actions)
        number = chosen(self._facts, select)[0][0]
        what = self._blueprint.entities[target].actions[action]
        fields = self._fields(target, select, 1, pick, getattr(what, "field", ""))
        return (
            Change(select, action, self._new_value(target, action, number, pick), fields[:1])
            if fields
            else None
        )
