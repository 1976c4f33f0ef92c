"""Draws pairs of requests that look alike: one cannot be met, its twin can."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from random import Random

from stb_env.suites.worlds.data.conditions import TODAY, Days, Path, operand
from stb_env.suites.worlds.data.facts import facts_at_start
from stb_env.suites.worlds.data.rows import Row, State
from stb_env.suites.worlds.drawing.clauses import clauses_of
from stb_env.suites.worlds.drawing.costs import Costs
from stb_env.suites.worlds.drawing.draw_goal import CALLS, Drawn, GoalDrawer, decided, fits
from stb_env.suites.worlds.drawing.shapes import Shapes
from stb_env.suites.worlds.drawing.unknown_names import unknown_name
from stb_env.suites.worlds.goals.evaluation import evaluate
from stb_env.suites.worlds.goals.goal import (
    Change,
    Clause,
    Difference,
    Expected,
    ForEach,
    Goal,
    GoalError,
    Measure,
    Select,
    Several,
    parts_of,
)
from stb_env.suites.worlds.goals.mutants import clause_mutants
from stb_env.suites.worlds.goals.refusals import (
    CodedPolicy,
    Missing,
    Refusal,
    breaking,
    policies_of,
    policies_on,
    refusal_of,
)
from stb_env.suites.worlds.oracle.careful import CarefulPlayer, Ended, play
from stb_env.suites.worlds.oracle.requests import Memory
from stb_env.suites.worlds.oracle.solve import Solved, solve
from stb_env.suites.worlds.schema.actions import Set, Transition
from stb_env.suites.worlds.schema.kit import Category, Day, Life, Quantity
from stb_env.suites.worlds.schema.nouns import forms
from stb_env.suites.worlds.world import Built

_KINDS: Mapping[int, Mapping[str, int]] = {
    1: {"not_found": 1, "wrong_state": 1},
    2: {"policy": 2, "not_found": 1, "wrong_state": 1},
    3: {"policy": 1, "policies": 2, "not_found": 1, "wrong_state": 1},
    4: {"policies": 4, "not_found": 1},
    5: {"policies": 4, "not_found": 1},
    6: {"policies": 4, "not_found": 1},
}
"""Reasons that one of a pair cannot be met, by level: ``policy`` for one row, ``policies`` for many."""
_ROWS: Mapping[int, tuple[int, int]] = {3: (3, 6), 4: (6, 13), 5: (24, 29), 6: (28, 56)}
"""Rows of requests for many, by level."""
_FEW = 3
"""Of the rows of a request for many that cannot be met, one in so many is forbidden at most."""
_TRIES = 30


@dataclass(frozen=True, slots=True)
class Member:
    """One request of a pair.

    Attributes:
        drawn: The goal and what solves it; where the request cannot be met, that nothing is to be done.
        refusal: Why it cannot be met; None where it can.
        missing: The name in it that is no row's, if there is one.
        ended: The oracle's play.
        solved: The plan by which the goal is played.
    """

    drawn: Drawn
    refusal: Refusal | None
    missing: Missing | None
    ended: Ended
    solved: Solved


Pair = tuple[Member, Member]
"""A request that cannot be met, and its twin that can."""


class PairDrawer:
    """Draws pairs in one world.

    Args:
        world: The world.
        drawer: Draws its goals.
        memory: What plans in this world have read.
    """

    def __init__(self, world: Built, drawer: GoalDrawer, memory: Memory) -> None:
        self._world = world
        self._blueprint = world.blueprint
        self._drawer = drawer
        self._memory = memory
        self._clauses = clauses_of(world.blueprint)
        self._costs = Costs(world)
        self._shapes = Shapes(world.blueprint)
        self._facts = facts_at_start(world.blueprint)
        self._kinds: Mapping[str, Callable[[int, Random], tuple[Goal, Goal, Missing | None] | None]] = {
            "policy": self._policy,
            "policies": self._policies,
            "not_found": self._not_found,
            "wrong_state": self._wrong_state,
        }

    def draw(self, level: int, pick: Random) -> Pair | None:
        """Draw a pair of a level, or None where the draw fails: try again with the same generator."""
        kinds = _KINDS[level]
        kind = pick.choices(list(kinds), list(kinds.values()))[0]
        goals = self._kinds[kind](level, pick)
        if goals is None:
            return None
        refused, allowed, missing = goals
        if refusal_of(allowed, self._blueprint) is not None:
            return None
        if not all(self._drawer.is_whole(part) for part in parts_of(allowed)):
            return None
        try:
            evaluate(allowed, self._blueprint, State())
        except GoalError:
            return None
        solved = solve(self._world, allowed, 1, CALLS[level][1], self._memory)
        twin = None if solved is None else self._member(level, allowed, None, None, solved)
        if twin is None or not fits(level, len(twin.ended.requests), twin.drawn.decisions):
            return None
        refusal = refusal_of(refused, self._blueprint)
        if missing is not None:
            refusal = Refusal("not_found", (forms(self._blueprint.entities[missing.entity])[0],))
        # Of several policies that forbid one, which are meant would be a question.
        if refusal is None or len(refusal.what) != 1:
            return None
        other = self._member(level, refused, refusal, missing, twin.solved)
        return None if other is None else (other, twin)

    def _member(
        self, level: int, goal: Goal, refusal: Refusal | None, missing: Missing | None, solved: Solved
    ) -> Member | None:
        """Return a request with what solves it, from tables and from tools; None where it is too long."""
        expected = Expected({}, State())
        if refusal is None:
            try:
                expected = evaluate(goal, self._blueprint, State())
            except GoalError:
                return None
        ended = play(CarefulPlayer(self._world, solved.modes), goal, missing, CALLS[level][1])
        # Of a request for many, each row is held against the policies.
        drawn = Drawn(goal, expected, len(expected.rows))
        if not isinstance(goal, ForEach):
            drawn = decided(drawn, solved, self._blueprint)
        return None if ended is None else Member(drawn, refusal, missing, ended, solved)

    # -- names that are no row's ----------------------------------------------------------------

    def _not_found(self, level: int, pick: Random) -> tuple[Goal, Goal, Missing | None] | None:
        for _ in range(_TRIES):
            drawn = self._drawer.draw(level, pick)
            if drawn is None or isinstance(drawn.goal, Difference | Several):
                continue
            named = list(self._named(drawn.goal.select))
            if named:
                entity, label = pick.choice(named)
                text = unknown_name(self._blueprint, entity, label, pick)
                return (drawn.goal, drawn.goal, Missing(entity, label, text)) if text else None
        return None

    def _named(self, select: Select) -> Iterator[tuple[str, str]]:
        """Yield the entity and label of every row that a selection names."""
        for clause in select.clauses:
            if isinstance(clause, Clause):
                owner, last = self._blueprint.place(select.entity, clause.path)
                if last == self._blueprint.entities[owner].label:
                    yield owner, self._blueprint.text_of(owner, last, clause.value)

    # -- rows that an action does not suit, or must not be done to ------------------------------

    def _wrong_state(self, level: int, pick: Random) -> tuple[Goal, Goal, Missing | None] | None:
        for _ in range(_TRIES):
            drawn = self._drawer.draw(level, pick)
            if (
                drawn is None
                or not isinstance(drawn.goal, Change)
                or not list(self._named(drawn.goal.select))
            ):
                continue
            goal = drawn.goal
            entity = goal.select.entity
            action = self._blueprint.entities[entity].actions[goal.action]
            # The twin is named, so nobody asks for its name.
            if self._blueprint.entities[entity].label in goal.fields:
                continue
            if not isinstance(action, Transition) or refusal_of(goal, self._blueprint) is not None:
                continue
            column = self._facts.column(entity, action.field)
            values = self._states(entity, action)
            # Of two reasons to refuse, which is meant would be a question.
            forbidden = {
                number
                for each in policies_on(self._blueprint, entity, goal.action)
                for number in breaking(self._facts, each, self._facts.rows(entity))
            }
            others = [
                number
                for number, value in enumerate(column)
                if value not in values and number not in forbidden
            ]
            if others:
                return replace(goal, select=self._by_label(entity, pick.choice(others))), goal, None
        return None

    def _states(self, entity: str, action: Transition, *, target: bool = True) -> list[int]:
        """Return the states from which an action starts, and the one to which it leads, if asked for."""
        life = self._blueprint.entities[entity].attributes[action.field]
        listed = (*action.source, *([action.target] if target else []))
        return [life.values.index(each) for each in listed] if isinstance(life, Life) else []

    def _by_label(self, entity: str, number: int) -> Select:
        label = self._blueprint.entities[entity].label
        return Select(entity, (Clause(label, "=", self._facts.column(entity, label)[number]),))

    def _suited(self, entity: str, name: str) -> list[int]:
        """Return the rows that an action can be done to, policies apart."""
        action = self._blueprint.entities[entity].actions[name]
        rows = range(len(self._blueprint.data.rows[entity]))
        if not isinstance(action, Transition):
            return list(rows)
        column, sources = self._facts.column(entity, action.field), self._states(entity, action, target=False)
        return [number for number in rows if column[number] in sources]

    def _policy(self, level: int, pick: Random) -> tuple[Goal, Goal, Missing | None] | None:
        del level
        coded = self._coded(pick)
        if coded is None:
            return None
        entity, name = coded.entity, coded.policy.action
        suited = self._suited(entity, name)
        rows = [each for each in self._facts.rows(entity) if each[0] in set(suited)]
        forbidden = set(breaking(self._facts, coded, rows))
        allowed = [each for each in rows if each[0] not in forbidden]
        fields = self._fields(entity, name)
        if not forbidden or not allowed or not fields:
            return None
        refused = pick.choice(sorted(forbidden))
        twin = pick.choice([number for number, _ in self._near(coded, allowed) or allowed])
        value = self._new_value(entity, name, (refused, twin), pick)
        field = (pick.choice(fields),)
        one, other = (Change(self._by_label(entity, each), name, value, field) for each in (refused, twin))
        return one, other, None

    def _coded(self, pick: Random) -> CodedPolicy | None:
        """Draw a policy on an action that tools do to single rows."""
        found = [
            each
            for each in policies_of(self._blueprint)
            if isinstance(self._blueprint.entities[each.entity].actions[each.policy.action], Transition | Set)
        ]
        return pick.choice(found) if found else None

    def _near(self, coded: CodedPolicy, rows: Sequence[tuple[int, Row]]) -> list[tuple[int, Row]]:
        """Return the rows that one condition alone keeps from being forbidden."""
        tests = [self._facts.test(coded.entity, condition) for condition in coded.policy.when]
        if len(tests) < 2:
            return []
        return [each for each in rows if sum(test(*each) for test in tests) == len(tests) - 1]

    def _fields(self, entity: str, action: str) -> list[str]:
        """Return the values of a row that are worth asking for, hard to guess, that the action keeps."""
        described = self._blueprint.entities[entity]
        taken = {described.label, getattr(described.actions[action], "field", "")}
        paths = [path for path in self._clauses.paths(entity, 1) if path not in taken]
        return [path for path in paths if self._shapes.is_wide(entity, path)]

    def _new_value(self, entity: str, action: str, numbers: Sequence[int], pick: Random) -> int | None:
        """Draw what an action sets, other than what some rows have; None where it sets nothing."""
        what = self._blueprint.entities[entity].actions[action]
        if not isinstance(what, Set):
            return None
        attribute = self._blueprint.entities[entity].attributes[what.field]
        column = self._facts.column(entity, what.field)
        if isinstance(attribute, Category):
            taken = {column[number] for number in numbers}
            return pick.choice([value for value in range(len(attribute.values)) if value not in taken])
        return pick.randint(min(column), max(column))

    def _policies(self, level: int, pick: Random) -> tuple[Goal, Goal, Missing | None] | None:
        coded = self._coded(pick)
        if coded is None:
            return None
        entity, name = coded.entity, coded.policy.action
        action = self._blueprint.entities[entity].actions[name]
        sizes = self._sizes(level, entity, name)
        if not action.bulk or not isinstance(action, Transition | Set):
            return None
        value = None
        if isinstance(action, Transition):
            state = pick.choice(self._states(entity, action, target=False))
            fixed = Clause(action.field, "=", state)
        elif isinstance(self._blueprint.entities[entity].attributes[action.field], Category):
            value = self._new_value(entity, name, (), pick)
            fixed = Clause(action.field, "!=", value or 0)
        else:
            return None
        meant = self._clauses.rows_of(entity, fixed)
        forbidden = meant.intersection(breaking(self._facts, coded, self._facts.rows(entity)))
        measures = self._measures(entity, action.field, pick)
        if not measures or not forbidden or len(meant) - len(forbidden) < sizes[0]:
            return None
        least, most = CALLS[level]
        found: dict[bool, Goal] = {}
        for _ in range(_TRIES):
            # A clause on what a policy looks at leaves out what it forbids more often than others do.
            narrow = self._excluding(coded, forbidden, pick) if False not in found else None
            drawn = self._clauses.select(
                entity,
                sizes,
                pick,
                depth=2,
                fixed=[fixed, narrow] if narrow else [fixed],
                banned=(action.field,),
                fewest=2,
            )
            bad = len(forbidden.intersection(drawn[1])) if drawn else 0
            if drawn is None or bad > max(1, len(drawn[1]) // _FEW) or bool(bad) in found:
                continue
            goal = ForEach(drawn[0], name, value, measures)
            # The policies take one call more.
            if least <= self._costs.cost(goal).calls + 1 <= most and self._carries_weight(goal):
                found[bool(bad)] = goal
            if len(found) == len((True, False)):
                return found[True], found[False], None
        return None

    def _sizes(self, level: int, entity: str, action: str) -> tuple[int, int]:
        """Return how many rows a request for many is about: as many as its calls allow."""
        low, high = _ROWS[level]
        return low, high * (2 if self._costs.acts_in_batches(entity, action) > 1 else 1)

    def _excluding(self, coded: CodedPolicy, forbidden: AbstractSet[int], pick: Random) -> Clause | None:
        """Draw a clause that no row meets that a policy forbids, on one of what it looks at."""
        paths: list[str] = []
        for condition in coded.policy.when:
            match operand(condition.left):
                case Path(path):
                    paths.append(path)
                case Days(start, end):
                    paths += [path for path in (start, end) if path != TODAY]
        paths = [path for path in paths if self._clauses.can_say(coded.entity, path)]
        for _ in range(_FEW if paths else 0):
            clause = self._clauses.clause(coded.entity, pick.choice(paths), pick)
            if clause is not None and not forbidden & self._clauses.rows_of(coded.entity, clause):
                return clause
        return None

    def _measures(self, entity: str, changed: str, pick: Random) -> tuple[Measure, ...]:
        attributes = self._blueprint.entities[entity].attributes
        figures = [
            Measure("total" if isinstance(each, Quantity) and each.sums else "greatest", name)
            for name, each in attributes.items()
            if isinstance(each, Day | Quantity) and name != changed
        ]
        return (Measure("count"), pick.choice(figures)) if figures else ()

    def _carries_weight(self, goal: Goal) -> bool:
        """Return whether each clause would change what is done, were nothing forbidden."""
        try:
            expected = evaluate(goal, self._blueprint, State())
        except GoalError:
            return False
        return not any(mutant.solves(expected) for mutant in clause_mutants(goal, self._blueprint))
