"""Queues: the rows that wait in one, and the action that its rules ask for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from stb_env.suites.worlds.data.blueprint import Blueprint
from stb_env.suites.worlds.data.facts import Facts, facts_at_start
from stb_env.suites.worlds.data.rows import Row
from stb_env.suites.worlds.goals.goal import Select
from stb_env.suites.worlds.goals.selection import chosen


@dataclass(frozen=True, slots=True)
class Applied:
    """Outcome of a rule for one row: the conditions and exceptions that hold."""

    action: str
    when: tuple[bool, ...]
    unless: tuple[bool, ...]

    @property
    def applies(self) -> bool:
        """True where the rule asks for its action."""
        return all(self.when) and not any(self.unless)


def applied(facts: Facts, entity: str, queue: str, found: list[tuple[int, Row]]) -> list[list[Applied]]:
    """Return what each rule of a queue says of each of some rows; of rows at the start it is kept."""
    blueprint = facts.blueprint
    kept = _at_start(blueprint) if facts is facts_at_start(blueprint) else {}
    known = kept.setdefault((entity, queue), {})
    lacking = [each for each in found if each[0] not in known]
    if lacking:
        said = _applied(facts, entity, queue, lacking)
        known.update((number, rules) for (number, _), rules in zip(lacking, said, strict=True))
    return [known[number] for number, _ in found]


@lru_cache(maxsize=32)
def _at_start(blueprint: Blueprint) -> dict[tuple[str, str], dict[int, list[Applied]]]:
    """Return what rules say of rows that nobody has touched, by entity and queue, then by row."""
    del blueprint
    return {}


def _applied(facts: Facts, entity: str, queue: str, found: list[tuple[int, Row]]) -> list[list[Applied]]:
    rules = [
        (
            rule.do,
            [facts.test(entity, condition) for condition in rule.when],
            [facts.test(entity, condition) for condition in rule.unless],
        )
        for rule in facts.blueprint.entities[entity].queues[queue].rules
    ]
    return [
        [
            Applied(do, tuple(test(*each) for test in when), tuple(test(*each) for test in unless))
            for do, when, unless in rules
        ]
        for each in found
    ]


def first_action(rules: Iterable[Applied], otherwise: str) -> str:
    """Return the action that the first rule that applies asks for."""
    return next((rule.action for rule in rules if rule.applies), otherwise)


def decide(facts: Facts, entity: str, queue: str, found: list[tuple[int, Row]]) -> list[str]:
    """Return the action that the rules of a queue ask for, for each of some rows."""
    otherwise = facts.blueprint.entities[entity].queues[queue].otherwise
    return [first_action(rules, otherwise) for rules in applied(facts, entity, queue, found)]


def waiting(facts: Facts, queue: str, select: Select) -> list[tuple[int, Row]]:
    """Return the rows of a selection that wait in a queue."""
    declared = facts.blueprint.entities[select.entity].queues[queue]
    waits = facts.all_hold(select.entity, declared.select)
    return [(number, row) for number, row in chosen(facts, select) if waits(number, row)]
