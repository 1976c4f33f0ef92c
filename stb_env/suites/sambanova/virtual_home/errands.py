"""Errands: kinds of small household work with their objects filled in, of which activities are made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product
from typing import Literal

from stb_env.suites.sambanova.common.content import content
from stb_env.suites.sambanova.virtual_home.step import Step

Pool = Literal["test", "train"]
"""The kinds of the test activities, or those of training and demonstrations; none is in both."""

_FIXED = frozenset({"goal", "steps", "reaches", "given", "skip", "alone"})


@dataclass(frozen=True)
class Errand:
    """One piece of work.

    Attributes:
        kind: Number of its kind within the pool.
        name: What is to be done, and how the home is where that is not as usual.
        steps: Each step, and whether it may be left out.
        reaches: What is so when it is done, see `Home.meets`.
        given: What is so at the start, besides what is usual.
        alone: Whether it is an activity of its own and goes with no other.
    """

    kind: int
    name: str
    steps: tuple[tuple[Step, bool], ...]
    reaches: tuple[str, ...]
    given: tuple[str, ...]
    alone: bool

    @cached_property
    def lines(self) -> tuple[tuple[str, bool], ...]:
        """Each step as a line of a program, and whether it may be left out."""
        return tuple((step.line, is_optional) for step, is_optional in self.steps)

    @cached_property
    def things(self) -> frozenset[str]:
        """The objects of its steps."""
        return frozenset(thing for step, _ in self.steps for thing in step.objects)


@cache
def errands(pool: Pool) -> tuple[Errand, ...]:
    """Return all errands of a pool, kind after kind.

    Examples:
        >>> len({errand.name for errand in errands("train")}) == len(errands("train")) > 300
        True
    """
    kinds = enumerate(content("virtual_home", f"{pool}_chores"))
    return tuple(errand for number, kind in kinds for errand in _filled(number, kind))


def _filled(number: int, kind: Mapping[str, str]) -> Iterator[Errand]:
    slots = {name: text.split() for name, text in kind.items() if name not in _FIXED}
    for objects in product(*slots.values()):
        if "/".join(objects) in kind.get("skip", "").split():
            continue
        filled = dict(zip(slots, objects, strict=True))
        yield Errand(
            number,
            kind["goal"].format_map({name: plain_name(thing) for name, thing in filled.items()}),
            tuple(_step(text.format_map(filled)) for text in kind["steps"].split(" / ")),
            _facts(kind["reaches"].format_map(filled)),
            _facts(kind.get("given", "").format_map(filled)),
            "alone" in kind,
        )


def _facts(text: str) -> tuple[str, ...]:
    return tuple(text.split(", ")) if text else ()


def _step(text: str) -> tuple[Step, bool]:
    name, _, objects = text.removesuffix("?").partition(" ")
    return Step(name, tuple(objects.split(", ")) if objects else ()), text.endswith("?")


def plain_name(thing: str) -> str:
    """Return an object's name as a person says it.

    Examples:
        >>> plain_name("clothes_scarf"), plain_name("coffee_maker")
        ('scarf', 'coffee maker')
    """
    plain = thing.removeprefix("clothes_").removeprefix("food_").removesuffix("_both")
    return plain.replace("_", " ")
