"""Checks whether the rules of a kit decide enough, by the rows of several worlds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from stb_env.suites.worlds.data.blueprint import Blueprint, draw_world
from stb_env.suites.worlds.data.facts import facts_at_start
from stb_env.suites.worlds.data.pruning import conditions_resolve
from stb_env.suites.worlds.goals.goal import Measure, Select, Work
from stb_env.suites.worlds.goals.mutants import rule_mistakes
from stb_env.suites.worlds.goals.queues import waiting
from stb_env.suites.worlds.schema.kit import Kit

_WORLDS = 6
"""Worlds in which each rule has to decide something."""
_FEWEST_DECIDED = 0.02
"""Share of the waiting rows that each rule, condition and exception decides at least."""
_PLACE = re.compile(r"rule (\d+)")


def rule_faults(kit: Kit) -> Iterator[str]:
    """Yield the rules, conditions and exceptions that change too few decisions in several worlds."""
    wrong: Counter[tuple[str, str, str]] = Counter()
    rows: Counter[tuple[str, str, str]] = Counter()
    for seed in range(_WORLDS):
        blueprint = draw_world(seed, kit)
        for name, entity in blueprint.entities.items():
            for key, queue in entity.queues.items():
                goal = Work(key, Select(name), queue.otherwise, (Measure("count"),))
                count = len(waiting(facts_at_start(blueprint), key, goal.select))
                places = _kept(blueprint, name, key)
                for mistake in rule_mistakes(goal, blueprint):
                    told = _numbered(mistake.name, places)
                    wrong[name, key, told] += mistake.wrong
                    rows[name, key, told] += count
    for (name, key, told), count in rows.items():
        decided = wrong[name, key, told]
        least = 0 if told.startswith("reverses") else _FEWEST_DECIDED * count
        if not decided or decided < least:
            yield (
                f"entities.{name}.queues.{key}: a solver that {told} is wrong about {decided} of "
                f"{count} rows of {_WORLDS} worlds, which is less than {_FEWEST_DECIDED:.0%}"
            )


def _kept(blueprint: Blueprint, name: str, queue: str) -> Sequence[int]:
    """Return the numbers in the kit of the rules that a world has."""
    actions = blueprint.entities[name].actions
    return [
        number
        for number, rule in enumerate(blueprint.kit.entities[name].queues[queue].rules, 1)
        if rule.do in actions and conditions_resolve(blueprint.entities, name, (*rule.when, *rule.unless))
    ]


def _numbered(mistake: str, numbers: Sequence[int]) -> str:
    """Return the name of a mistake with the number that its rule has in the kit."""
    return _PLACE.sub(lambda found: f"rule {numbers[int(found[1]) - 1]}", mistake)
