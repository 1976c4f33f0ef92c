"""Counts the independent decisions of a task.

They are the rows that a plan itself decides, and of which each one alone, decided the other way, changes the
verdict.
"""

from __future__ import annotations

from collections.abc import Mapping, Set

from stb_env.suites.worlds.data.blueprint import Blueprint
from stb_env.suites.worlds.data.facts import Facts, facts_at_start
from stb_env.suites.worlds.data.rows import MISSING
from stb_env.suites.worlds.goals.evaluation import group_figures
from stb_env.suites.worlds.goals.goal import (
    Change,
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
from stb_env.suites.worlds.goals.queues import waiting
from stb_env.suites.worlds.goals.selection import chosen
from stb_env.suites.worlds.schema.kit import Ref

_ALONE = 1
"""Decisions of a task about one row: which one it is."""


def decisions(goal: Goal, blueprint: Blueprint, judged: Mapping[str, Set[int]]) -> int:
    """Return how many decisions of a plan change the verdict, each by itself.

    Args:
        goal: The goal.
        blueprint: The world.
        judged: The rows of each entity that the plan compares or decides itself, rather than a filter.
    """
    parts = parts_of(goal)
    counted = sum(_decisions(part, blueprint, judged) for part in parts)
    # A row is one decision, however many parts it is compared for.
    return min(counted, len(parts) * _ALONE + sum(len(rows) for rows in judged.values()))


def _decisions(goal: Part, blueprint: Blueprint, judged: Mapping[str, Set[int]]) -> int:
    facts = facts_at_start(blueprint)
    entity = goal.one.entity if isinstance(goal, Difference) else goal.select.entity
    own = judged.get(entity, frozenset())
    match goal:
        case Lookup() | Change() | Make():
            return _ALONE
        case Extreme():
            return _first_place(facts, goal, own)
        case Group():
            return _first_group(facts, goal, own)
        case Summary(measures=measures) | ForEach(measures=measures):
            counted = sum(_counts(facts, entity, number, measures) for number in own)
        case Difference(measure=measure):
            counted = sum(_counts(facts, entity, number, (measure,)) for number in own)
        case Listing():
            counted = len(own)
        case Work(queue=queue):
            waits = {number for number, _ in waiting(facts, queue, Select(entity))}
            counted = len(own & waits)
    return counted + _referred(facts, entity, judged)


def _counts(facts: Facts, entity: str, number: int, measures: tuple[Measure, ...]) -> bool:
    """Return whether figures change where a row is taken out, or in."""
    return any(
        measure.kind == "count"
        or (measure.kind == "total" and facts.column(entity, measure.path)[number] not in (0, MISSING))
        for measure in measures
    )


def _first_place(facts: Facts, goal: Extreme, own: Set[int]) -> int:
    """Count the first row, and the rows that would come before it."""
    column = facts.column(goal.select.entity, goal.by)
    meant = [column[number] for number, _ in chosen(facts, goal.select) if column[number] != MISSING]
    first = max(meant) if goal.most else min(meant)
    others = [column[number] for number in own if column[number] != MISSING]
    return _ALONE + sum(value > first if goal.most else value < first for value in others)


def _first_group(facts: Facts, goal: Group, own: Set[int]) -> int:
    """Count the rows of the first group, and those that would bring another one to its place."""
    entity = goal.select.entity
    figures = {value: figure for figure, value, _ in group_figures(facts, goal)}
    first = max(figures, key=lambda value: figures[value])
    meant = {number for number, _ in chosen(facts, goal.select)}
    groups = facts.column(entity, goal.by)
    counted = 0
    for number in own:
        value = facts.column(entity, goal.measure.path)[number] if goal.measure.path else 1
        if value in (0, MISSING) or groups[number] == MISSING:
            continue
        in_first = groups[number] == first
        overtakes = number not in meant and figures.get(groups[number], 0) + value > figures[first]
        counted += in_first or overtakes
    return counted


def _referred(facts: Facts, entity: str, judged: Mapping[str, Set[int]]) -> int:
    """Count the judged rows of other entities to which rows of the entity refer."""
    counted = 0
    for name, attribute in facts.blueprint.entities[entity].attributes.items():
        if isinstance(attribute, Ref) and attribute.to != entity:
            counted += len(judged.get(attribute.to, frozenset()) & set(facts.column(entity, name)))
    return counted
