"""Mutants: goals with one mistake in them, as a careless solver makes it.

A task is kept only if a mutant that ignores a clause gets another answer or another state. Mistakes in rules
say how often a rule, an exception or the order of rules decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

from stb_env.suites.worlds.data.blueprint import Blueprint
from stb_env.suites.worlds.data.facts import facts_at_start
from stb_env.suites.worlds.data.rows import State
from stb_env.suites.worlds.goals.evaluation import evaluate
from stb_env.suites.worlds.goals.goal import (
    Change,
    Difference,
    Expected,
    Goal,
    GoalError,
    Limit,
    Operator,
    Related,
    Select,
    Several,
    Tally,
    Work,
)
from stb_env.suites.worlds.goals.queues import Applied, applied, first_action, waiting

_CONTRARY: Mapping[Operator, Operator] = {"=": "!=", "!=": "=", ">": "<", "<": ">"}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A goal with a mistake.

    Attributes:
        name: What the mistake is: ``drops clause 2``.
        kind: Mistakes of a kind are counted together.
        goal: The goal with the mistake.
        blueprint: The world.
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
    if isinstance(goal, Several):
        for place, part in enumerate(goal.parts):
            before, after = goal.parts[:place], goal.parts[place + 1 :]
            for mutant in clause_mutants(part, blueprint):
                if not isinstance(mutant.goal, Several):
                    whole = Several((*before, mutant.goal, *after))
                    yield replace(mutant, name=f"{mutant.name} of part {place + 1}", goal=whole)
    elif isinstance(goal, Difference):
        for name, altered in _altered(goal.one):
            yield Mutant(f"{name} of the first", name.split()[0], replace(goal, one=altered), blueprint)
        for name, altered in _altered(goal.other):
            yield Mutant(f"{name} of the second", name.split()[0], replace(goal, other=altered), blueprint)
    else:
        if isinstance(goal, Change) and goal.target is not None:
            swapped = replace(goal, select=goal.target, target=goal.select)
            yield Mutant("turns the direction", "turns", swapped, blueprint)
        for name, altered in _altered(goal.select):
            yield Mutant(name, name.split()[0], replace(goal, select=altered), blueprint)


def _altered(select: Select) -> Iterator[tuple[str, Select]]:
    for place, clause in enumerate(select.clauses):
        before, after = select.clauses[:place], select.clauses[place + 1 :]
        yield f"drops clause {place + 1}", replace(select, clauses=(*before, *after))
        yield f"turns clause {place + 1}", replace(select, clauses=(*before, _turned(clause), *after))


def _turned(clause: Limit) -> Limit:
    if isinstance(clause, Related):
        return replace(clause, present=not clause.present)
    if isinstance(clause, Tally):
        return replace(clause, op="<" if clause.op == ">" else ">")
    return replace(clause, op=_CONTRARY[clause.op])


@dataclass(frozen=True, slots=True)
class RuleMistake:
    """A mistake in the rules of a queue, and how many rows it decides wrongly.

    Attributes:
        name: What the mistake is: ``ignores rule 2``.
        kind: Mistakes of a kind are counted together.
        wrong: Rows that get another action.
    """

    name: str
    kind: str
    wrong: int


def rule_mistakes(goal: Work, blueprint: Blueprint) -> list[RuleMistake]:
    """Return the mistakes of solvers that ignore a rule, a condition, an exception or the rules' order."""
    facts = facts_at_start(blueprint)
    entity = goal.select.entity
    queue = blueprint.entities[entity].queues[goal.queue]
    table = applied(facts, entity, goal.queue, waiting(facts, goal.queue, goal.select))
    right = [first_action(rules, queue.otherwise) for rules in table]

    def mistake(name: str, kind: str, change: Callable[[list[Applied]], list[Applied]]) -> RuleMistake:
        wrong = sum(
            first_action(change(rules), queue.otherwise) != action
            for rules, action in zip(table, right, strict=True)
        )
        return RuleMistake(name, kind, wrong)

    found: list[RuleMistake] = []
    for place, rule in enumerate(queue.rules):
        number = place + 1
        found.append(mistake(f"ignores rule {number}", "ignores a rule", partial(_without_rule, place)))
        if rule.unless:
            name = f"ignores exceptions of rule {number}"
            found.append(mistake(name, "ignores exceptions", partial(_without_exceptions, place)))
        for each in range(len(rule.when) if len(rule.when) > 1 else 0):
            name = f"ignores condition {each + 1} of rule {number}"
            found.append(mistake(name, "ignores a condition", partial(_without_condition, place, each)))
    found.append(mistake("reverses the order of rules", "ignores precedence", lambda rules: rules[::-1]))
    return found


def _without_rule(place: int, rules: list[Applied]) -> list[Applied]:
    return rules[:place] + rules[place + 1 :]


def _without_exceptions(place: int, rules: list[Applied]) -> list[Applied]:
    return [*rules[:place], replace(rules[place], unless=()), *rules[place + 1 :]]


def _without_condition(place: int, condition: int, rules: list[Applied]) -> list[Applied]:
    when = rules[place].when
    loose = replace(rules[place], when=when[:condition] + when[condition + 1 :])
    return [*rules[:place], loose, *rules[place + 1 :]]
