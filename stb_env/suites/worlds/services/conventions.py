"""Conventions: what services ask of callers beside the call itself, drawn for each world."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from stb_env.seeding import rng
from stb_env.suites.worlds.data.blueprint import Blueprint
from stb_env.suites.worlds.data.rates import has_money
from stb_env.suites.worlds.schema.actions import Create, Delete, Move, Set, Transition
from stb_env.suites.worlds.schema.kit import Category, Life, Quantity

_SIGNS_IN, _QUOTED, _EXPORTED, _REPORTED, _VOIDED = 0.15, 0.12, 0.1, 0.2, 0.5
_CONVERTS = 0.4
_MOST_POLLS = 3


@dataclass(frozen=True, slots=True)
class Conventions:
    """The conventions of one world.

    Attributes:
        signs_in: Services that answer nobody who has not signed in.
        quoted: Actions, each with its entity, that are quoted first and done where the quote is confirmed.
        exported: Entities whose list comes as an export: a job that is started, asked for and fetched. Each
            with the times that it is asked for until it is done.
        reported: Entities on which there is a report, each with the attribute that it goes by.
        voided: Entities whose rows are voided with a reason, rather than deleted.
        converts: Whether a tool converts amounts of money.
    """

    signs_in: frozenset[str]
    quoted: frozenset[tuple[str, str]]
    exported: Mapping[str, int]
    reported: Mapping[str, str]
    voided: frozenset[str]
    converts: bool


@lru_cache(maxsize=32)
def conventions_of(blueprint: Blueprint) -> Conventions:
    """Draw the conventions of a world."""
    entities = blueprint.entities

    def chance(what: str, *names: str) -> float:
        return rng("convention", blueprint.kit.name, blueprint.seed, what, *names).random()

    services = dict.fromkeys(each.service for each in entities.values())
    reported: dict[str, str] = {}
    for entity, described in entities.items():
        attributes = described.attributes
        by = [name for name, each in attributes.items() if isinstance(each, Category | Life)]
        totals = [each for each in attributes.values() if isinstance(each, Quantity) and each.sums]
        if by and totals and chance("report", entity) < _REPORTED:
            reported[entity] = rng("report by", blueprint.kit.name, blueprint.seed, entity).choice(by)
    return Conventions(
        signs_in=frozenset(each for each in services if chance("sign in", each) < _SIGNS_IN),
        quoted=frozenset(
            (entity, name)
            for entity, described in entities.items()
            for name, action in described.actions.items()
            if isinstance(action, Create | Delete | Move | Set | Transition)
            and chance("quote", entity, name) < _QUOTED
        ),
        exported={
            entity: 1 + int(chance("polls", entity) * _MOST_POLLS)
            for entity in entities
            if chance("export", entity) < _EXPORTED
        },
        reported=reported,
        voided=frozenset(
            entity
            for entity, described in entities.items()
            if any(isinstance(each, Delete) for each in described.actions.values())
            and chance("void", entity) < _VOIDED
        ),
        converts=has_money(blueprint) and chance("convert") < _CONVERTS,
    )
