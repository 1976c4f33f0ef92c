"""Refusals: why a request cannot be met, and the evaluator that decides it over a world's tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from stb_env.suites.worlds.data.blueprint import Blueprint
from stb_env.suites.worlds.data.facts import Facts, facts_at_start
from stb_env.suites.worlds.data.rows import Row, State
from stb_env.suites.worlds.goals.goal import (
    Change,
    ForEach,
    Goal,
    RowId,
    Several,
)
from stb_env.suites.worlds.goals.selection import chosen
from stb_env.suites.worlds.schema.actions import Policy, Transition
from stb_env.suites.worlds.schema.kit import Life
from stb_env.suites.worlds.schema.nouns import forms

Reason = Literal["policy", "not_found", "wrong_state"]

BOOK = "policies:"
"""Text before an entity's name, by which a state says that the policies of the entity were shown."""


@dataclass(frozen=True, slots=True)
class Missing:
    """A name that no row has.

    Attributes:
        entity: The entity whose row it seems to name.
        label: The name of a row that stands in its place in the request that can be met.
        text: The name.
    """

    entity: str
    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """Reason that a request cannot be met.

    Attributes:
        reason: ``policy``: one forbids it; ``not_found``: a name in it is no row's; ``wrong_state``: the row
            is in a state from which the action does not start.
        what: The code of the policy, the noun of what is not there, or the name of the state.
        rows: The rows that show it.
    """

    reason: Reason
    what: tuple[str, ...]
    rows: tuple[RowId, ...] = ()


@dataclass(frozen=True, slots=True)
class CodedPolicy:
    """A policy of a world.

    Attributes:
        code: Names it: ``P2``.
        entity: The entity whose rows it protects.
        policy: The policy, with its numbers drawn.
    """

    code: str
    entity: str
    policy: Policy


@lru_cache(maxsize=32)
def policies_of(blueprint: Blueprint) -> tuple[CodedPolicy, ...]:
    """Return the policies of a world with their codes."""
    found = [(name, policy) for name, entity in blueprint.entities.items() for policy in entity.policies]
    return tuple(
        CodedPolicy(f"P{place}", entity, policy) for place, (entity, policy) in enumerate(found, start=1)
    )


def policies_on(blueprint: Blueprint, entity: str, action: str) -> list[CodedPolicy]:
    """Return the policies on an action."""
    return [each for each in policies_of(blueprint) if each.entity == entity and each.policy.action == action]


def reasons_of(blueprint: Blueprint) -> Mapping[str, tuple[str, ...]]:
    """Return the reasons for which requests in a world can be refused, each with what it may name."""
    reasons: dict[str, tuple[str, ...]] = {}
    codes = tuple(each.code for each in policies_of(blueprint))
    if codes:
        reasons["policy"] = codes
    reasons["not_found"] = tuple(forms(entity)[0] for entity in blueprint.entities.values())
    states = tuple(
        state_name(blueprint, entity, name)
        for entity, described in blueprint.entities.items()
        for name, attribute in described.attributes.items()
        if isinstance(attribute, Life)
    )
    if states:
        reasons["wrong_state"] = states
    return reasons


def state_name(blueprint: Blueprint, entity: str, field: str) -> str:
    """Return what a refusal calls a state: ``claim status``."""
    described = blueprint.entities[entity]
    noun, word = forms(described)[0], described.attributes[field].words[0]
    return word if noun in word.split() else f"{noun} {word}"


def refusal_of(goal: Goal, blueprint: Blueprint, state: State | None = None) -> Refusal | None:
    """Return why a request cannot be met, all of whose names are rows'; None where it can be.

    Args:
        goal: The request.
        blueprint: The world.
        state: Its state; None is the start.
    """
    if isinstance(goal, Several):
        return next((found for part in goal.parts if (found := refusal_of(part, blueprint, state))), None)
    if not isinstance(goal, Change | ForEach):
        return None
    entity = goal.select.entity
    facts = facts_at_start(blueprint) if state is None else Facts(blueprint, state)
    rows = chosen(facts, goal.select)
    action = blueprint.entities[entity].actions[goal.action]
    if isinstance(action, Transition):
        life = blueprint.entities[entity].attributes[action.field]
        values = life.values if isinstance(life, Life) else ()
        column = blueprint.entities[entity].columns[action.field]
        wrong = [(entity, number) for number, row in rows if values[row[column]] not in action.source]
        if wrong:
            return Refusal("wrong_state", (state_name(blueprint, entity, action.field),), tuple(wrong))
    broken: dict[str, None] = {}
    forbidden: dict[RowId, None] = {}
    for each in policies_on(blueprint, entity, goal.action):
        for number in breaking(facts, each, rows):
            broken[each.code] = None
            forbidden[entity, number] = None
    return Refusal("policy", tuple(broken), tuple(forbidden)) if broken else None


def breaking(facts: Facts, coded: CodedPolicy, rows: Iterable[tuple[int, Row]]) -> list[int]:
    """Return the numbers of those of some rows for which a policy forbids its action."""
    meets = facts.all_hold(coded.entity, coded.policy.when)
    return [number for number, row in rows if meets(number, row)]
