"""Estimates of how many calls a goal takes in a world, so that draws of the wrong length are given up early.

Only the oracle, which plays a goal, says how many calls it takes: an estimate decides which goals it plays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from stb_env.suites.worlds.data.conditions import TODAY, Count, Days, Path, operand
from stb_env.suites.worlds.data.facts import facts_at_start
from stb_env.suites.worlds.drawing.clauses import clauses_of, queue_clauses
from stb_env.suites.worlds.drawing.search_costs import Known, Search, SearchCosts
from stb_env.suites.worlds.goals.goal import (
    Change,
    Clause,
    Difference,
    Extreme,
    ForEach,
    Goal,
    Group,
    Listing,
    Lookup,
    Make,
    Measure,
    Part,
    Select,
    Summary,
    Work,
    parts_of,
)
from stb_env.suites.worlds.schema.actions import Condition
from stb_env.suites.worlds.schema.kit import Ref
from stb_env.suites.worlds.services.conventions import conventions_of
from stb_env.suites.worlds.world import Built


@dataclass(frozen=True, slots=True)
class Cost:
    """An estimate.

    Attributes:
        calls: Calls of a short plan.
        compared: Rows that the plan itself compares or decides, rather than a filter.
    """

    calls: int
    compared: int


@dataclass(frozen=True, slots=True)
class Sofar:
    """Estimate for the first parts of a goal.

    Attributes:
        calls: Their calls, beside those that sign in.
        known: What is known after them.
    """

    calls: int
    known: Known


class Costs:
    """Estimates the costs of goals in one world.

    Args:
        world: The world.
    """

    def __init__(self, world: Built) -> None:
        self._world = world
        self._entities = world.blueprint.entities
        self._search = SearchCosts(world)
        self._conventions = conventions_of(world.blueprint)
        self._clauses = clauses_of(world.blueprint)
        self._facts = facts_at_start(world.blueprint)
        self._conditions: dict[tuple[str, str, str, object], set[int]] = {}

    def cost(self, goal: Goal) -> Cost:
        """Return an estimate for a goal."""
        self._search.forget()
        costs = [self._cost(part) for part in parts_of(goal)]
        return Cost(
            sum(each.calls for each in costs) + self._sign_ins(), sum(each.compared for each in costs)
        )

    def calls_of(self, part: Part, before: Sofar | None) -> tuple[int, Sofar]:
        """Return how many calls a part of a goal takes in all with those before it, and what goes on from it.

        Args:
            part: The part.
            before: What this gave for the part before it; None for the first.
        """
        if before is None:
            self._search.forget()
        else:
            self._search.known = before.known.copy()
        calls = self._cost(part).calls + (0 if before is None else before.calls)
        return calls + self._sign_ins(), Sofar(calls, self._search.known)

    def _sign_ins(self) -> int:
        return len(self._conventions.signs_in & self._search.services)

    def _cost(self, goal: Part) -> Cost:
        match goal:
            case Lookup() | Listing():
                fields = goal.fields if isinstance(goal, Lookup) else (goal.path,)
                converts = isinstance(goal, Lookup) and goal.currency != ""
                found = self._search.find(goal.select, self._said(goal.select.entity, fields))
                return self._total(found, int(converts))
            case Extreme():
                return self._extreme(goal)
            case Summary():
                entity = goal.select.entity
                if self._is_told(goal):
                    self._search.use(entity)
                    return Cost(1 + self._search.waiting(entity), 0)
                if self._is_reported(goal):
                    self._search.use(entity)
                    return Cost(2, 0)
                return self._total(self._search.find(goal.select, _paths(goal.measures)))
            case Group():
                by = self._said(goal.select.entity, (goal.by,))
                return self._total(self._search.find(goal.select, [*by, *_paths((goal.measure,))]))
            case Difference():
                one = self._total(self._search.find(goal.one, _paths((goal.measure,))))
                other = self._total(self._search.find(goal.other, _paths((goal.measure,))))
                return Cost(one.calls + other.calls, one.compared + other.compared)
            case Change() | Make():
                found = self._search.find(goal.select, self._said(goal.select.entity, goal.fields))
                entity = goal.entity if isinstance(goal, Make) else goal.select.entity
                self._search.use(entity)
                acts = self._steps(entity, goal.action)
                if isinstance(goal, Change) and goal.target is not None:
                    acts += self._search.find(goal.target, ()).calls
                return self._total(found, acts)
            case ForEach():
                found = self._search.find(goal.select, _paths(goal.measures))
                acts = self._acts(goal.select.entity, goal.action, len(found.rows))
                return self._total(found, acts)
            case Work():
                return self._work(goal)

    def acts_in_batches(self, entity: str, action: str) -> int:
        """Return how many rows one call of an action takes."""
        tool = self._search.tool("transition", entity, action)
        return 1 if tool is None else tool.limit

    # -- shapes ---------------------------------------------------------------------------------

    def _total(self, found: Search, acts: int = 0) -> Cost:
        return Cost(found.calls + acts, found.compared)

    def _acts(self, entity: str, action: str, count: int) -> int:
        return -(-count // self.acts_in_batches(entity, action)) * self._steps(entity, action)

    def _steps(self, entity: str, action: str) -> int:
        """Return how many calls do an action: one that is quoted is confirmed, too."""
        return 2 if (entity, action) in self._conventions.quoted else 1

    def _said(self, entity: str, paths: Iterable[str]) -> list[str]:
        """Return paths whose values can be said: a reference is said by its target's label."""
        said: list[str] = []
        for path in paths:
            attribute = self._world.blueprint.attribute(entity, path)
            if isinstance(attribute, Ref):
                said.append(f"{path}.{self._entities[attribute.to].label}")
            else:
                said.append(path)
        return said

    def _extreme(self, goal: Extreme) -> Cost:
        entity, clauses = goal.select.entity, goal.select.clauses
        search = self._search.find(goal.select, [goal.by, *self._said(entity, goal.fields)])
        found = self._total(search)
        listing = self._search.listing(entity)
        if not search.rows or all(each.attribute != goal.by for each in listing.sorts):
            return found
        # In order, rows are read until one meets every clause.
        served = [each for each in self._search.direct(clauses) if self._search.serves(listing, each)]
        if len(served) == len(clauses):
            self._search.use(entity)
            return Cost(1 + self._search.waiting(entity), 0)
        column = self._clauses.column(entity, goal.by)
        values = sorted((column[number] for number in self._search.served(entity, served)), reverse=goal.most)
        meant = [column[number] for number in search.rows]
        before = values.index(max(meant) if goal.most else min(meant)) + 1
        hops = sum(not isinstance(each, Clause) or "." in each.path for each in clauses)
        read = self._search.waiting(entity) - (-before // listing.limit) + hops * before
        return Cost(min(found.calls, read), min(found.compared, before))

    def _is_told(self, goal: Summary) -> bool:
        """Return whether the first page of a list in order tells all figures."""
        entity, clauses = goal.select.entity, goal.select.clauses
        listing = self._search.listing(entity)
        ordered = {each.path for each in goal.measures if each.kind in ("greatest", "least")}
        return (
            self._world.codec.style(entity).total
            and len(ordered) == 1
            and ordered <= {each.attribute for each in listing.sorts}
            and all(isinstance(each, Clause) and self._search.serves(listing, each) for each in clauses)
        )

    def _is_reported(self, goal: Summary) -> bool:
        """Return whether a report tells all figures."""
        clauses = goal.select.clauses
        return (
            len(clauses) == 1
            and isinstance(clauses[0], Clause)
            and clauses[0].op == "="
            and clauses[0].path == self._conventions.reported.get(goal.select.entity)
            and all(each.kind in ("count", "total") for each in goal.measures)
        )

    def _work(self, goal: Work) -> Cost:
        entity, blueprint = goal.select.entity, self._world.blueprint
        clauses = (*goal.select.clauses, *queue_clauses(blueprint, entity, goal.queue))
        found = self._search.find(Select(entity, clauses), ())
        waiting = len(found.rows)
        queue = self._entities[entity].queues[goal.queue]
        calls, acts = found.calls + 1, Counter[str]()
        counted: set[str] = set()
        dated = False
        left = found.rows
        for rule in queue.rules:
            meeting = left
            for condition in rule.when:
                dated |= TODAY in f"{condition.left} {condition.right}"
                calls += self._weighed(entity, found, meeting, condition, counted)
                meeting = self._meeting(entity, meeting, condition)
            excepted: set[int] = set()
            for condition in rule.unless:
                dated |= TODAY in f"{condition.left} {condition.right}"
                calls += self._weighed(entity, found, meeting - excepted, condition, counted)
                excepted |= self._meeting(entity, meeting - excepted, condition)
            acts[rule.do] += len(meeting - excepted)
            left = left - (meeting - excepted)
        acts[queue.otherwise] += len(left)
        self._search.use(entity)
        calls += dated + sum(self._acts(entity, action, count) for action, count in acts.items())
        return Cost(calls, found.compared + waiting)

    def _weighed(
        self, entity: str, found: Search, rows: set[int], condition: Condition, counted: set[str]
    ) -> int:
        """Return how many calls show what a condition looks at."""
        sides = [condition.left]
        if isinstance(condition.right, str) and condition.right.startswith("@"):
            sides.append(condition.right[1:])
        calls = 0
        for side in sides:
            match operand(side):
                case Path(path):
                    paths = [path]
                case Days(start, end):
                    paths = [start, end]
                case Count(other, _):
                    paths = []
                    if other not in counted:
                        counted.add(other)
                        calls += self._search.pages(other, len(self._search.rows(other)))
                        calls += self._search.waiting(other)
            asked = [path for path in paths if path != TODAY]
            calls += self._search.provided(entity, Search(rows, found.known, 0, 0), asked)
        return calls

    def _meeting(self, entity: str, rows: set[int], condition: Condition) -> set[int]:
        key = (entity, condition.left, condition.op, condition.right)
        found = self._conditions.get(key)
        if found is None:
            test = self._facts.test(entity, condition)
            found = {number for number, row in self._facts.rows(entity) if test(number, row)}
            self._conditions[key] = found
        return rows & found


def _paths(measures: Iterable[Measure]) -> list[str]:
    return [measure.path for measure in measures if measure.path]
