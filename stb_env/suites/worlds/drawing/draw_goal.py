"""Draws goals toward a level, and refuses those in which a clause carries no weight."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from random import Random
from typing import Literal

from stb_env.seeding import derive
from stb_env.suites.worlds.data.blueprint import Blueprint
from stb_env.suites.worlds.data.conditions import is_unclear_at
from stb_env.suites.worlds.data.facts import facts_at_start
from stb_env.suites.worlds.data.rows import MISSING, State
from stb_env.suites.worlds.drawing.costs import Costs, Sofar
from stb_env.suites.worlds.drawing.crossing import CrossingShapes, crosses, entities_of, is_joined
from stb_env.suites.worlds.drawing.shapes import Shapes
from stb_env.suites.worlds.goals.answer_fields import answer_schema, part_name
from stb_env.suites.worlds.goals.decisions import decisions
from stb_env.suites.worlds.goals.evaluation import evaluate, group_figures
from stb_env.suites.worlds.goals.goal import (
    Clause,
    Difference,
    Expected,
    Extreme,
    ForEach,
    Goal,
    GoalError,
    Group,
    Listing,
    Lookup,
    Measure,
    Part,
    Select,
    Several,
    Summary,
    Work,
    parts_of,
    selections,
)
from stb_env.suites.worlds.goals.mutants import clause_mutants, rule_mistakes
from stb_env.suites.worlds.goals.queues import waiting
from stb_env.suites.worlds.goals.selection import chosen
from stb_env.suites.worlds.oracle.solve import Solved
from stb_env.suites.worlds.schema.kit import (
    Day,
)

Share = Literal["train", "val", "test"]
CALLS: Mapping[int, tuple[int, int]] = {
    1: (1, 2),
    2: (3, 5),
    3: (6, 10),
    4: (11, 20),
    5: (21, 40),
    6: (41, 80),
}
"""Least and greatest number of calls of each level."""
DECISIONS: Mapping[int, int] = {1: 0, 2: 0, 3: 0, 4: 6, 5: 24, 6: 24}
"""Least number of independent decisions of each level."""

_HARD = 5
"""From this level on filters alone never choose the rows: a clause is on another row, or a rule is."""
_CANDIDATES = 20
"""Goals of which the first that suits is taken."""
_PART_DRAWS, _MOST_PARTS = 30, 8
"""Draws of parts of a request for several things, and the most that it has."""
_SEVERAL: Mapping[int, float] = {1: 0.0, 2: 0.25, 3: 0.3, 4: 0.35, 5: 0.4, 6: 0.4}
"""Share of requests for several things, by level."""
_LINKED = 0.6
"""Share of parts that are about a row to which the row of the part before refers, where there is one."""
_HARMLESS = 0.4
"""Share of the mistakes of a kind that change nothing, at most, at hard levels."""
_DRAWS_A_PART = 120
"""Draws in which a goal of one part is looked for."""
_PARTS: Mapping[int, Share] = {0: "test", 1: "val"}
"""Of so many in eight goals of a world, the split that alone has them; the others are for training."""
_MARGIN = 100
"""The runner-up is worse by at least one part in so many."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A goal that carries its weight.

    Attributes:
        goal: The goal.
        expected: What solves it.
        decisions: How many decisions change the verdict, each by itself; they are counted once it is played.
    """

    goal: Goal
    expected: Expected
    decisions: int = 0


def fits(level: int, calls: int, decisions: int) -> bool:
    """Return whether a task of so many calls and decisions is one of a level."""
    least, most = CALLS[level]
    return least <= calls <= most and decisions >= DECISIONS[level]


class GoalDrawer:
    """Draws goals in one world; what it looked up once serves all of them.

    Args:
        blueprint: The world.
        costs: Estimates how long a goal takes with the world's tools; None draws goals of any length.
    """

    def __init__(self, blueprint: Blueprint, costs: Costs | None = None) -> None:
        self._blueprint = blueprint
        self._costs = costs
        self._facts = facts_at_start(blueprint)
        self._shapes = Shapes(blueprint)
        self._crossing = CrossingShapes(blueprint) if is_joined(blueprint) else None

    def draw(
        self, level: int, pick: Random, part: Share | None = None, *, crossing: bool = False
    ) -> Drawn | None:
        """Draw a goal toward a level, or None where the draw fails: try again with the same generator.

        Args:
            level: From 1 to 6. The number of calls, which the oracle tells, can still make it another.
            pick: Draws.
            part: The part of the world's goals that it is of; None is any.
            crossing: Whether it is spread over the kits of a joined world.
        """
        candidates = self.candidates(level, pick, part, crossing=crossing)
        return next((drawn for _, drawn in candidates if drawn is not None), None)

    def candidates(
        self, level: int, pick: Random, part: Share | None = None, *, crossing: bool = False
    ) -> Iterator[tuple[Goal, Drawn | None]]:
        """Yield goals about as long as the level asks, until one does; each with what is made of it."""
        failed: Counter[str] = Counter()
        candidates = 0
        shapes = (self._crossing if crossing else None) or self._shapes
        several = pick.random() < _SEVERAL[level]
        for _ in range(_CANDIDATES if part is None else _DRAWS_A_PART):
            shape, goal = shapes.draw(level, pick, failed) if not several else self._joined(level, pick)
            if goal is not None and part not in (None, part_of(goal)):
                continue
            if crossing and goal is not None and not self._spreads(goal):
                goal = None
            candidates += 1
            if candidates > _CANDIDATES:
                break
            if goal is not None and self._suits(level, goal):
                drawn = self._checked(level, goal)
                yield goal, drawn
                if drawn is not None:
                    return
            failed[shape] += 1

    def _spreads(self, goal: Goal) -> bool:
        """Return whether a goal speaks of rows of several kits and services."""
        return crosses(self._blueprint, entities_of(goal, self._blueprint))

    def drawn(self, level: int, goal: Goal) -> Drawn | None:
        """Return a goal that was drawn elsewhere with what solves it; None where it is none of a level."""
        return self._checked(level, goal) if self._suits(level, goal) else None

    def _joined(self, level: int, pick: Random) -> tuple[str, Several | None]:
        """Draw a request for several things, as long as the level asks; None where the draw fails."""
        least, most = CALLS[level]
        aim = pick.randint(least, most)
        parts: list[Part] = []
        sofar: Sofar | None = None
        for _ in range(_PART_DRAWS):
            linked = self._shapes.linked(parts[-1], pick) if parts and pick.random() < _LINKED else None
            lower = pick.randint(1, max(1, level - 1))
            part = linked or self._shapes.draw(lower, pick, Counter())[1]
            if part is None or not self._is_hard_to_guess(part):
                continue
            calls, after = (aim, None) if self._costs is None else self._costs.calls_of(part, sofar)
            if calls > most or self._checked(lower, part) is None:
                continue
            parts.append(part)
            sofar = after
            if len(parts) > 1 and (calls >= aim or len(parts) == _MOST_PARTS):
                return "several", Several(tuple(parts))
        return "several", Several(tuple(parts)) if len(parts) > 1 else None

    def _suits(self, level: int, goal: Goal) -> bool:
        """Return whether a goal cannot be guessed, and is about as long and as hard as its level asks."""
        if not self._is_hard_to_guess(goal):
            return False
        works = any(isinstance(part, Work) for part in parts_of(goal))
        if level >= _HARD and not works and not _goes_over_references(goal):
            return False
        if self._costs is None:
            return True
        cost = self._costs.cost(goal)
        return fits(level, cost.calls, cost.compared)

    def _checked(self, level: int, goal: Goal) -> Drawn | None:
        """Return a goal with what solves it; None where it has no single answer or a part has no weight."""
        if isinstance(goal, Work) and self._is_on_a_bound(goal):
            return None
        try:
            expected = evaluate(goal, self._blueprint, State())
        except GoalError:
            return None
        if isinstance(goal, Several):
            # Each part carries its weight alone.
            return Drawn(goal, expected) if self._is_independent(goal, expected) else None
        if not self.is_whole(goal) or not self._is_clear(goal) or not self._rules_decide(level, goal):
            return None
        if any(mutant.solves(expected) for mutant in clause_mutants(goal, self._blueprint)):
            return None
        return Drawn(goal, expected)

    # -- checks ---------------------------------------------------------------------------------

    def _is_independent(self, goal: Several, expected: Expected) -> bool:
        """Return whether the order in which parts are done changes nothing, and no two ask for one thing."""
        names = [
            part_name(self._blueprint, part, name)
            for part in goal.parts
            for name in answer_schema(part, self._blueprint)["properties"]
        ]
        if len(names) > len(set(names)):
            return False
        try:
            other = evaluate(replace(goal, parts=goal.parts[::-1]), self._blueprint, State())
            alone = [evaluate(part, self._blueprint, State()) for part in goal.parts]
        except GoalError:
            return False
        changed = [
            (entity, number)
            for each in alone
            for entity, rows in each.state.changed.items()
            for number in rows
        ]
        made = [entity for each in alone for entity in each.state.made]
        return (
            other.answer == expected.answer
            and len(changed) == len(set(changed))
            and len(made) == len(set(made))
        )

    def _is_hard_to_guess(self, goal: Goal) -> bool:
        match goal:
            case Several():
                return all(self._is_hard_to_guess(part) for part in goal.parts)
            case Lookup() | Extreme():
                return any(self._shapes.is_wide(goal.select.entity, path) for path in goal.fields)
            case Summary():
                return any(self._is_wide_figure(goal.select.entity, each) for each in goal.measures)
            case Group():
                return self._is_wide_figure(goal.select.entity, goal.measure)
            case Listing():
                return (
                    self._shapes.is_wide(goal.select.entity, goal.path)
                    or len(chosen(self._facts, goal.select)) > 2
                )
        return True

    def _is_wide_figure(self, entity: str, measure: Measure) -> bool:
        return measure.kind == "total" or (
            measure.kind != "count" and self._shapes.is_wide(entity, measure.path)
        )

    def is_whole(self, goal: Part) -> bool:
        """Return whether no row lacks a value by which figures, an order or groups go."""
        if not self._blueprint.traits.dirt:
            return True
        match goal:
            case Extreme(by=by):
                paths = [by]
            case Group(by=by, measure=measure):
                paths = [by, measure.path]
            case Difference(measure=measure):
                paths = [measure.path]
            case Summary(measures=measures) | ForEach(measures=measures) | Work(measures=measures):
                paths = [each.path for each in measures]
            case _:
                return True
        for select in selections(goal):
            rows = (
                waiting(self._facts, goal.queue, select)
                if isinstance(goal, Work)
                else chosen(self._facts, select)
            )
            columns = [self._facts.column(select.entity, path) for path in paths if path]
            if any(column[number] == MISSING for column in columns for number, _ in rows):
                return False
        return True

    def _is_clear(self, goal: Goal) -> bool:
        """Return whether the first place is held by a margin, where a goal asks for one."""
        if isinstance(goal, Group):
            figures = [each[0] for each in group_figures(self._facts, goal)]
        elif isinstance(goal, Extreme):
            if isinstance(self._blueprint.attribute(goal.select.entity, goal.by), Day):
                return True
            column = self._facts.column(goal.select.entity, goal.by)
            rows = chosen(self._facts, goal.select)
            figures = sorted((column[number] for number, _ in rows), reverse=goal.most)
        else:
            return True
        return len(figures) > 1 and _MARGIN * abs(figures[0] - figures[1]) >= abs(figures[0])

    def _is_on_a_bound(self, goal: Work) -> bool:
        """Return whether a row has the very number that a rule compares with, in words that leave it open."""
        entity = goal.select.entity
        rows = waiting(self._facts, goal.queue, goal.select)
        for rule in self._blueprint.entities[entity].queues[goal.queue].rules:
            for condition in (*rule.when, *rule.unless):
                bound = condition.right
                if isinstance(bound, int) and is_unclear_at(condition, rule.text, bound):
                    equal = self._facts.test(entity, condition.model_copy(update={"op": "="}))
                    if any(equal(*each) for each in rows):
                        return True
        return False

    def _rules_decide(self, level: int, goal: Goal) -> bool:
        """Return whether enough of a queue's rules, exceptions and order matter."""
        if not isinstance(goal, Work):
            return True
        mistakes = rule_mistakes(goal, self._blueprint)
        harmless = Counter(mistake.kind for mistake in mistakes if not mistake.wrong)
        if level < _HARD:
            return harmless.total() <= len(mistakes) // 2
        # So no mistake of a kind solves more of the tasks in which it can be made than that.
        stands = Counter(mistake.kind for mistake in mistakes)
        return harmless.total() <= len(mistakes) // 6 and all(
            count <= _HARMLESS * stands[kind] for kind, count in harmless.items()
        )


def part_of(goal: Goal) -> Share:
    """Return the split that alone has a goal, where splits share a world.

    The order of clauses, fields and figures makes no other goal of it.
    """
    return _PARTS.get(derive("part", identity(goal)) % 8, "train")


def identity(goal: Goal) -> str:
    """Return a text that two goals share exactly where they ask for the same."""
    if isinstance(goal, Several):
        return " and ".join(sorted(identity(part) for part in goal.parts))
    said: list[str] = [type(goal).__name__]
    for each in fields(goal):
        value = getattr(goal, each.name)
        if isinstance(value, Select):
            said.append(f"{value.entity} {sorted(map(repr, value.clauses))}")
        else:
            said.append(repr(sorted(map(repr, value)) if isinstance(value, tuple) else value))
    return " | ".join(said)


def decided(drawn: Drawn, solved: Solved, blueprint: Blueprint) -> Drawn:
    """Return a goal with the decisions that the oracle's plan takes counted."""
    return replace(drawn, decisions=decisions(drawn.goal, blueprint, solved.judged))


def _goes_over_references(goal: Goal) -> bool:
    """Return whether a clause of a goal is on a row that is referred to, or on rows that refer."""
    return any(
        not isinstance(clause, Clause) or "." in clause.path
        for select in selections(goal)
        for clause in select.clauses
    )
