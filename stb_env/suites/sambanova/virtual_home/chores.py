"""Household activities of our own: errands that are done together, and programs that do them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import permutations
from math import factorial
from typing import NamedTuple

from stb_env.seeding import rng
from stb_env.suites.sambanova.virtual_home.errands import Errand, Pool, errands

VERSION = 2

DEMONSTRATED = 83
"""Activities that the demonstrations are of."""

_MOST_SOLUTIONS = 8
_SIZES = (1, 1, 2)
_PATIENCE = 50


class Activity(NamedTuple):
    """An activity and what is known of it.

    Attributes:
        name: What is to be done.
        solutions: Known programs, one step a line.
        reaches: What is so when it is done, see `Home.meets`; empty where the programs alone are known.
        given: What is so at the start, besides what is usual.
        rests: How the person sits or lies when all is done; of several errands alone, of which a later one
            may have to walk.
    """

    name: str
    solutions: tuple[str, ...]
    reaches: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    rests: tuple[str, ...] = ()


@dataclass(frozen=True)
class Chore:
    """Some errands that have no object in common, so that they can be done in any order.

    Attributes:
        errands: The errands, in the order in which they are asked for.
    """

    errands: tuple[Errand, ...]

    @cached_property
    def name(self) -> str:
        """The goal, a sentence for each errand."""
        return ". ".join(errand.name for errand in self.errands)

    @property
    def variety(self) -> int:
        """The number of its programs, if none are equal."""
        optional = sum(is_optional for errand in self.errands for _, is_optional in errand.steps)
        return int(factorial(len(self.errands)) * 2**optional)

    def solutions(self, count: int, draw: random.Random) -> tuple[str, ...]:
        """Return so many different programs, or nearly all there are; the complete one comes first."""
        found = {self._program(self.errands, None): None}
        orders = list(permutations(self.errands))
        most = min(count, self.variety)
        for _ in range(_PATIENCE * count):
            if len(found) == most:
                break
            found[self._program(draw.choice(orders), draw)] = None
        return tuple(found)

    def _program(self, order: Sequence[Errand], draw: random.Random | None) -> str:
        lines = (each for errand in order for each in errand.lines)
        return "\n".join(
            [line for line, is_optional in lines if not (is_optional and draw) or draw.random() < 0.5]
        )


def activity(chore: Chore, count: int | None = None) -> Activity:
    """Return an activity with so many of its solutions, or with a number that follows from its name."""
    draw = rng("virtual_home", "solutions", chore.name)
    drawn = draw.randint(3, _MOST_SOLUTIONS)
    reaches = [condition for errand in chore.errands for condition in errand.reaches]
    rests = [each for each in reaches if len(chore.errands) > 1 and each.startswith(("sitting ", "lying "))]
    return Activity(
        chore.name,
        chore.solutions(count or drawn, draw),
        tuple(condition for condition in reaches if condition not in rests),
        tuple(fact for errand in chore.errands for fact in errand.given),
        tuple(rests),
    )


@cache
def test_chores(count: int) -> tuple[Chore, ...]:
    """Return the chores of the test activities, in which each kind of errand comes about equally often.

    Examples:
        >>> len({chore.name for chore in test_chores(100)})
        100
    """
    return _distinct("test", count)


@cache
def demonstrated_chores() -> tuple[Chore, ...]:
    """Return the chores that the demonstrations are of, each with as many programs as they need."""
    return _distinct("train", DEMONSTRATED, 16)


def training_chore(index: int) -> Chore:
    """Return a chore for training that is not demonstrated."""
    draw = rng("virtual_home", VERSION, "train", index)
    while True:
        chore = Chore(_together(draw, draw.sample(errands("train"), 24)))
        if chore.name not in _demonstrated():
            return chore


@cache
def _demonstrated() -> frozenset[str]:
    return frozenset(chore.name for chore in demonstrated_chores())


def _distinct(pool: Pool, count: int, variety: int = 1) -> tuple[Chore, ...]:
    draw = rng("virtual_home", VERSION, pool)
    found: dict[str, Chore] = {}
    waiting = _rounds(draw, pool)
    while len(found) < count:
        chore = Chore(_together(draw, [next(waiting) for _ in range(6)]))
        if chore.variety >= variety:
            found.setdefault(chore.name, chore)
    return tuple(found.values())


def _rounds(draw: random.Random, pool: Pool) -> Iterator[Errand]:
    """Yield errands without end, in each round one of every kind."""
    kinds: dict[int, list[Errand]] = {}
    for errand in errands(pool):
        kinds.setdefault(errand.kind, []).append(errand)
    while True:
        yield from (draw.choice(kinds[number]) for number in draw.sample(list(kinds), len(kinds)))


def _together(draw: random.Random, candidates: Sequence[Errand]) -> tuple[Errand, ...]:
    """Return the first candidate, and others that fit, up to a number that is drawn."""
    chosen = [candidates[0]]
    size = 1 if chosen[0].alone else draw.choice(_SIZES)
    for errand in candidates[1:]:
        taken = {thing for other in chosen for thing in other.things}
        if len(chosen) < size and not errand.alone and taken.isdisjoint(errand.things):
            chosen.append(errand)
    return tuple(chosen)
