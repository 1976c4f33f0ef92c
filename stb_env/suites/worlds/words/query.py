"""The sentence planner: says a goal as a person would ask for it."""

from __future__ import annotations

from random import Random

from stb_env.suites.worlds.data.blueprint import Blueprint
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
    Several,
    Summary,
    Work,
)
from stb_env.suites.worlds.words.instructions import Instructions
from stb_env.suites.worlds.words.phrases import Phrases
from stb_env.suites.worlds.words.questions import Questions

_COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")
_ORDINALS = ("Firstly", "Secondly", "Thirdly", "Fourthly", "Fifthly", "Sixthly", "Seventhly", "Eighthly")


def query(goal: Goal, blueprint: Blueprint, pick: Random, *, rules: bool = False) -> str:
    """Return a goal in words.

    Args:
        goal: The goal.
        blueprint: The world.
        pick: Draws among ways to say the same.
        rules: Whether the rules of a queue are part of the request; else the agent has to look them up.
    """
    return _Planner(Phrases(blueprint, pick), rules).goal(goal)


class _Planner:
    def __init__(self, say: Phrases, rules: bool) -> None:
        self._pick = say.pick
        self._with_rules = rules
        named: set[tuple[str, int]] = set()
        self._questions, self._instructions = Questions(say, named), Instructions(say, named)

    def goal(self, goal: Goal) -> str:
        """Return a goal in words."""
        match goal:
            case Lookup():
                return self._questions.lookup(goal)
            case Extreme():
                return self._questions.extreme(goal)
            case Summary():
                return self._questions.summary(goal)
            case Group():
                return self._questions.group(goal)
            case Difference():
                return self._questions.difference(goal)
            case Listing():
                return self._questions.listing(goal)
            case Change():
                return self._instructions.change(goal)
            case Make():
                return self._instructions.make(goal)
            case ForEach():
                return self._instructions.for_each(goal)
            case Work():
                return self._instructions.work(goal, rules=self._with_rules)
            case Several():
                return self._several(goal)

    def _several(self, goal: Several) -> str:
        """Return requests for several things, each marked as one of them."""
        said = [self.goal(part) for part in goal.parts]
        count = _COUNTS[len(said)]
        opening = self._pick.choice(
            [
                f"There are {count} things to do.",
                f"I have {count} requests.",
                f"{count.capitalize()} things, please.",
                "",
            ]
        )
        marks = self._pick.choice(
            [
                [f"({place})" for place in range(1, len(said) + 1)],
                [f"{place}." for place in range(1, len(said) + 1)],
                ["First:", *[self._pick.choice(["Next:", "Then:", "Also:"]) for _ in said[2:]], "Last:"],
                [f"{word}:" for word in _ORDINALS[: len(said)]],
            ]
        )
        marked = [f"{mark} {each}" for mark, each in zip(marks, said, strict=True)]
        return self._pick.choice([" ", "\n"]).join([*([opening] if opening else []), *marked])
