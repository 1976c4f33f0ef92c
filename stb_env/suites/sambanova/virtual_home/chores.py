"""Household activities of our own, each with the programs that are accepted for it."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import product
from typing import NamedTuple

from stb_env.seeding import rng
from stb_env.suites.sambanova.virtual_home.step import Step

VERSION = 1

_MOST_SOLUTIONS = 8
_FIXED = frozenset({"goal", "steps", "skip"})


class Activity(NamedTuple):
    """An activity and its known solutions.

    Attributes:
        name: What is to be done.
        solutions: Programs, one step a line.
    """

    name: str
    solutions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Chore:
    """A kind of activity with its objects filled in.

    Attributes:
        name: What is to be done.
        steps: Each step, and whether it may be left out.
    """

    name: str
    steps: tuple[tuple[Step, bool], ...]

    def solutions(self, count: int, draw: random.Random) -> tuple[str, ...]:
        """Return so many different programs, or all there are; the complete one comes first."""
        optional = sum(is_optional for _, is_optional in self.steps)
        others = list(product((True, False), repeat=optional))[1:]
        chosen = [(True,) * optional, *draw.sample(others, min(count - 1, len(others)))]
        return tuple(dict.fromkeys("\n".join(self._lines(kept)) for kept in chosen))

    def _lines(self, kept: tuple[bool, ...]) -> Iterator[str]:
        choices = iter(kept)
        for step, is_optional in self.steps:
            if not is_optional or next(choices):
                yield step.line


@cache
def chores() -> tuple[Chore, ...]:
    """Return all chores in an order that is fixed once and for all.

    Examples:
        >>> len({chore.name for chore in chores()}) == len(chores()) > 400
        True
    """
    content = files("stb_env.suites.sambanova.virtual_home") / "content" / "chores.json"
    made = [chore for kind in json.loads(content.read_text(encoding="utf-8")) for chore in _fill(kind)]
    rng("virtual_home", VERSION).shuffle(made)
    return tuple(made)


def activity(chore: Chore, count: int | None = None) -> Activity:
    """Return an activity with so many of its solutions, or with a number that follows from its name."""
    draw = rng("virtual_home", "solutions", chore.name)
    drawn = draw.randint(3, _MOST_SOLUTIONS)
    return Activity(chore.name, chore.solutions(count or drawn, draw))


def joined(first: Chore, second: Chore) -> Chore:
    """Return the chore of doing one thing after another.

    Examples:
        >>> sleep, eat = Chore("Sleep", ((Step("Sleep"), False),)), Chore("Eat", ((Step("Eat"), False),))
        >>> joined(sleep, eat).name
        'Sleep, then eat'
    """
    then = second.name[0].lower() + second.name[1:]
    return Chore(f"{first.name}, then {then}", first.steps + second.steps)


def _fill(kind: Mapping[str, str]) -> Iterator[Chore]:
    slots = {name: text.split() for name, text in kind.items() if name not in _FIXED}
    for objects in product(*slots.values()):
        if "/".join(objects) in kind.get("skip", "").split():
            continue
        filled = dict(zip(slots, objects, strict=True))
        words = {name: _words(thing) for name, thing in filled.items()}
        steps = tuple(_step(text.format_map(filled)) for text in kind["steps"].split(" / "))
        yield Chore(kind["goal"].format_map(words), steps)


def _step(text: str) -> tuple[Step, bool]:
    name, _, objects = text.removesuffix("?").partition(" ")
    return Step(name, tuple(objects.split(", ")) if objects else ()), text.endswith("?")


def _words(thing: str) -> str:
    """Return an object's name as a person says it."""
    plain = thing.removeprefix("clothes_").removeprefix("food_").removesuffix("_both")
    return plain.replace("_", " ")
