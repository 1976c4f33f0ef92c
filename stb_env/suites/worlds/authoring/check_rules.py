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

_WORLDS, _MOST_WORLDS = 6, 30
"""Worlds in which each rule has to decide something; so many where too few rows of the first are decided."""
_FEWEST_DECIDED = 0.02
"""Share of the waiting rows that each rule, condition and exception decides at least."""
_Mistake = tuple[str, str, str]
"""A mistake: the entity, the queue, and what a solver who makes it does."""
_PLACE = re.compile(r"rule (\d+)")


def rule_faults(kit: Kit) -> Iterator[str]:
    """Yield the rules, conditions and exceptions that change too few decisions in several worlds."""
    wrong: Counter[_Mistake] = Counter()
    rows: Counter[_Mistake] = Counter()
    for seed in range(_MOST_WORLDS):
        if seed >= _WORLDS and not any(_short(wrong, rows, seed)):
            return
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
    yield from _short(wrong, rows, _MOST_WORLDS)


def _short(wrong: Counter[_Mistake], rows: Counter[_Mistake], worlds: int) -> Iterator[str]:
    """Yield the mistakes that are wrong about too few rows of some worlds."""
    for (name, key, told), count in rows.items():
        decided = wrong[name, key, told]
        least = 0 if told.startswith("reverses") else _FEWEST_DECIDED * count
        if not decided or decided < least:
            yield (
                f"entities.{name}.queues.{key}: a solver that {told} is wrong about {decided} of "
                f"{count} rows of {worlds} worlds, which is less than {_FEWEST_DECIDED:.0%}"
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
