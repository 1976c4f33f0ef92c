"""Mutants: goals with one mistake in them, as a careless solver makes it.

A task is kept only if a mutant that ignores a clause gets another answer or another state. Mutants of rules
say how often a rule, an exception or the order of rules decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from stb_env.suites.worlds.blueprint import Blueprint
from stb_env.suites.worlds.evaluation import evaluate
from stb_env.suites.worlds.goals import (
    Clause,
    Difference,
    Expected,
    Goal,
    GoalError,
    Operator,
    Related,
    Select,
    Work,
)
from stb_env.suites.worlds.kit import Rule
from stb_env.suites.worlds.rows import State

_CONTRARY: Mapping[Operator, Operator] = {"=": "!=", "!=": "=", ">": "<", "<": ">"}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A goal with a mistake.

    Attributes:
        name: What the mistake is: ``drops clause 2``.
        kind: Mistakes of a kind are counted together.
        goal: The goal with the mistake.
        blueprint: The world with the mistake, where it is one in the rules.
    """

    name: str
    kind: str
    goal: Goal
    blueprint: Blueprint

    def solves(self, expected: Expected) -> bool:
        """Return whether the mistake changes nothing: neither a field of the answer nor the state."""
        try:
            got = evaluate(self.goal, self.blueprint, State(), skips=True)
        except GoalError:
            return False
        return got.answer == expected.answer and got.state == expected.state


def clause_mutants(goal: Goal, blueprint: Blueprint) -> Iterator[Mutant]:
    """Yield the mutants that drop a clause of a selection, or take it for its contrary."""
    if isinstance(goal, Difference):
        for name, altered in _altered(goal.one):
            yield Mutant(f"{name} of the first", name.split()[0], replace(goal, one=altered), blueprint)
        for name, altered in _altered(goal.other):
            yield Mutant(f"{name} of the second", name.split()[0], replace(goal, other=altered), blueprint)
    else:
        for name, altered in _altered(goal.select):
            yield Mutant(name, name.split()[0], replace(goal, select=altered), blueprint)


def _altered(select: Select) -> Iterator[tuple[str, Select]]:
    for place, clause in enumerate(select.clauses):
        before, after = select.clauses[:place], select.clauses[place + 1 :]
        yield f"drops clause {place + 1}", replace(select, clauses=(*before, *after))
        yield f"turns clause {place + 1}", replace(select, clauses=(*before, _turned(clause), *after))


def _turned(clause: Clause | Related) -> Clause | Related:
    if isinstance(clause, Related):
        return replace(clause, present=not clause.present)
    return replace(clause, op=_CONTRARY[clause.op])


def rule_mutants(goal: Goal, blueprint: Blueprint) -> Iterator[Mutant]:
    """Yield the mutants that ignore a rule of a queue, a condition, an exception or the rules' order."""
    if not isinstance(goal, Work):
        return
    rules = blueprint.entities[goal.select.entity].queues[goal.queue].rules
    for place, rule in enumerate(rules):
        number, before, after = place + 1, rules[:place], rules[place + 1 :]
        yield _ruled(goal, blueprint, f"ignores rule {number}", "ignores a rule", (*before, *after))
        if rule.unless:
            bare = rule.model_copy(update={"unless": ()})
            name = f"ignores exceptions of rule {number}"
            yield _ruled(goal, blueprint, name, "ignores exceptions", (*before, bare, *after))
        for each in range(len(rule.when) if len(rule.when) > 1 else 0):
            loose = rule.model_copy(update={"when": rule.when[:each] + rule.when[each + 1 :]})
            name = f"ignores condition {each + 1} of rule {number}"
            yield _ruled(goal, blueprint, name, "ignores a condition", (*before, loose, *after))
    yield _ruled(goal, blueprint, "reverses the order of rules", "ignores precedence", rules[::-1])


def _ruled(goal: Work, blueprint: Blueprint, name: str, kind: str, rules: tuple[Rule, ...]) -> Mutant:
    entity = blueprint.entities[goal.select.entity]
    queue = entity.queues[goal.queue].model_copy(update={"rules": rules})
    changed = entity.model_copy(update={"queues": {**entity.queues, goal.queue: queue}})
    entities = {**blueprint.entities, goal.select.entity: changed}
    return Mutant(name, kind, goal, replace(blueprint, entities=entities))
