"""Task templates: a draw of slots, wordings of the query, and a solution as a generator."""

from __future__ import annotations

import random
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias, TypeVar

from stb_env.backend.world import Tables
from stb_env.core.jsontypes import Json
from stb_env.suites.sandbox.cannot import NO_GAP, Gap
from stb_env.suites.sandbox.catalog import household, modules_of
from stb_env.suites.sandbox.content.edition import edition
from stb_env.suites.sandbox.content.households import COUNT
from stb_env.suites.sandbox.facts import Fact
from stb_env.suites.sandbox.registry import Api, ApiCall, ToolDoc

T = TypeVar("T")


class Answer(NamedTuple):
    """The end of a solution.

    Attributes:
        text: A final answer in prose that holds every fact.
        facts: The fields of the typed answer, in order; none where the query asks for acts alone.
        gap: Why the request cannot be met, in place of facts.
    """

    text: str
    facts: Sequence[Fact] = ()
    gap: Gap = NO_GAP

    @classmethod
    def of(cls, text: str, *facts: Fact) -> Answer:
        """Return the answer that has these facts."""
        return cls(text, facts)


Steps: TypeAlias = Generator[ApiCall, Json, T]
"""Yields API calls, is sent their responses (or gets an `ApiError` thrown in), returns a ``T``."""

Solution: TypeAlias = Steps[Answer]
"""Steps to the answer."""


def refusal(gap: Gap) -> Answer:
    """Return the answer to a request that cannot be met."""
    return Answer(str(gap), gap=gap)


class Undecided(LookupError):
    """A draw has more than one right answer, or a clause that changes nothing; another is drawn.

    A drawing function may raise it, and a solution from what no call can change.
    """


def ranked(rows: Iterable[T], key: Callable[[T], Any], *, most: bool = False) -> list[T]:
    """Sort by a value, the least first, or the greatest; the first has no equal.

    Raises:
        Undecided: The first two have the same value.

    Examples:
        >>> ranked(["bb", "c"], key=len), ranked(["bb", "c"], key=len, most=True)
        (['c', 'bb'], ['bb', 'c'])
    """
    ordered = sorted(rows, key=key, reverse=most)
    if len(ordered) > 1 and key(ordered[0]) == key(ordered[1]):
        raise Undecided
    return ordered


class Alternative(NamedTuple):
    """Another way to see what a call of the solution shows.

    Attributes:
        api: The API of the solution's call.
        call: A call that shows it too, whether it is accepted or refused.
        values: Values in results from which it follows by a rule that the API's description states.
    """

    api: Api
    call: ApiCall | None = None
    values: tuple[Json, ...] = ()


class Plan(NamedTuple):
    """One instance of a template.

    Attributes:
        wordings: Ways to put the same query.
        solve: Makes a fresh solution. It looks before it acts, so that it works from any state that
            an agent can have reached.
        gap: What keeps the request from being met.
        looks: Calls each of which shows whether a hidden gap is there.
        alternatives: Other ways to see what calls of the solution show.
    """

    wordings: Sequence[str]
    solve: Callable[[], Solution]
    gap: Gap = NO_GAP
    looks: Sequence[ApiCall] = ()
    alternatives: Sequence[Alternative] = ()

    @classmethod
    def of(
        cls,
        *wordings: str,
        solve: Callable[[], Solution],
        looks: Sequence[ApiCall] = (),
        alternatives: Sequence[Alternative] = (),
    ) -> Plan:
        """Return the plan of a query with these wordings."""
        return cls(wordings, solve, looks=looks, alternatives=alternatives)


class Draw:
    """Seeded choices of slot values. What was chosen identifies the instance, so choose through it only.

    Args:
        rng: Source of randomness.
        feasible: Whether the request can be met.
        number: Which of the gaps keeps it from being met, where it cannot.
    """

    def __init__(self, rng: random.Random, *, feasible: bool = True, number: int = 0) -> None:
        self.rng = rng
        self.feasible = feasible
        self.number = number
        self.slots: list[str] = []
        self.household = edition() * COUNT

    def pick(self, options: Sequence[T]) -> T:
        """Choose one."""
        chosen = self.rng.choice(options)
        self.slots.append(_label(chosen))
        return chosen

    def pick_some(self, options: Sequence[T], count: int) -> list[T]:
        """Choose several different ones, in random order."""
        chosen = self.rng.sample(options, count)
        self.slots += map(_label, chosen)
        return chosen

    def between(self, low: int, high: int) -> int:
        """Choose an integer, both ends included."""
        chosen = self.rng.randint(low, high)
        self.slots.append(str(chosen))
        return chosen

    def home(self) -> Tables:
        """Choose the household in which the task plays, and return its starting state."""
        self.household = edition() * COUNT + self.rng.randrange(COUNT)
        self.slots.append(str(self.household))
        return household(self.household)

    def gap(self, *gaps: Gap) -> Gap:
        """Return what keeps the request from being met, each gap in turn; none in a feasible twin."""
        chosen = gaps[self.number % len(gaps)]
        self.slots += (chosen.reason, *chosen.what)
        return NO_GAP if self.feasible else chosen


def _label(value: object) -> str:
    if isinstance(value, str):
        return value
    # The first field of every row of content is its id.
    return str(next(iter(value.values()))) if isinstance(value, Mapping) else str(value)


# Each is the one of its name: compared and hashed as itself, it may key caches.
@dataclass(frozen=True, slots=True, eq=False)
class Template:
    """A family of tasks.

    Attributes:
        name: Unique; part of task ids.
        draw: Chooses slots and returns the plan.
        tools: The tools that its solution needs.
        calls: How many calls its longest solution needs, which is the task's level.
        writes: The tables that a solved task may leave changed.
        group: One of the six groups of StableToolBench, or `NEW_TEMPLATES`.
        offers: APIs that a task offers although its solution calls none of them.
        unseen: Whether training never sees it, though it sees the tools.
        twins: Whether each task has an impossible twin, in which the right answer says what is lacking.
    """

    name: str
    draw: Callable[[Draw], Plan]
    tools: tuple[ToolDoc, ...]
    calls: int
    writes: tuple[str, ...]
    group: str
    offers: tuple[Api, ...] = ()
    unseen: bool = False
    twins: bool = False

    @property
    def held_out(self) -> bool:
        """True if training must not see it."""
        return self.unseen or any(tool.held_out for tool in self.tools)


NEW_TEMPLATES = "New-Templates"
"""The group of test tasks whose tools training has seen, but not what is done with them."""
GROUPS = (
    "I1-Instruction",
    "I1-Tool",
    "I1-Category",
    "I2-Instruction",
    "I2-Category",
    "I3-Instruction",
    NEW_TEMPLATES,
)
_TEMPLATES: dict[str, Template] = {}


Drawing = Callable[[Draw], Plan]
TwinDrawing = Callable[[Draw, Gap], Plan]


def template(
    *tools: ToolDoc, calls: int, writes: Iterable[str] = (), offers: Iterable[Api] = (), unseen: bool = False
) -> Callable[[Drawing], Drawing]:
    """Return a decorator that registers a function of a `Draw` as a template, under its own name.

    Args:
        *tools: The tools that the solution needs.
        calls: Number of calls that the solution needs.
        writes: Tables that it may change.
        offers: APIs that another branch of the plan needs, so that the list of tools names no branch.
        unseen: Whether training never sees the template, though it sees the tools.
    """

    def register(draw: Drawing) -> Drawing:
        group = NEW_TEMPLATES if unseen else group_of(tools)
        _register(
            Template(draw.__name__, draw, tools, calls, tuple(writes), group, tuple(offers), unseen=unseen)
        )
        return draw

    return register


def twins(
    *tools: ToolDoc,
    calls: int,
    gaps: Sequence[Gap],
    writes: Iterable[str] = (),
    offers: Iterable[Api] = (),
    name: str = "",
) -> Callable[[TwinDrawing], TwinDrawing]:
    """Return a decorator as `template` does, for split ``missing``: every task has an impossible twin.

    The function takes the draw and the gap of the twin, which is empty where the request can be met. Its
    solution tells of a hidden gap where it looks for something and sees it; any other is told at once.

    Args:
        *tools: The tools that the solution needs.
        calls: Number of calls that the solution needs.
        gaps: What may keep the request from being met, each in turn.
        writes: Tables that it changes.
        offers: APIs with which an agent could do something else.
        name: The name of the template, unless it is the function's.
    """

    def register(function: TwinDrawing) -> TwinDrawing:
        def draw(choices: Draw) -> Plan:
            gap = choices.gap(*gaps)
            return function(choices, gap)._replace(gap=gap)

        known, group = name or function.__name__, group_of(tools)
        _register(Template(known, draw, tools, calls, tuple(writes), group, tuple(offers), twins=True))
        return function

    return register


def _register(made: Template) -> None:
    if made.name in _TEMPLATES:
        raise ValueError(f"two templates are named {made.name!r}; rename one")
    _TEMPLATES[made.name] = made


def group_of(tools: Iterable[ToolDoc]) -> str:
    """Return the group that a task with these tools belongs to.

    Raises:
        ValueError: None: a held-out tool would meet others, which no group means.
    """
    tools = list(tools)
    categories = {tool.category for tool in tools}
    held_out = {tool.held_out for tool in tools}
    kind = "I1" if len(tools) == 1 else "I2" if len(categories) == 1 else "I3"
    meaning = "Instruction" if held_out == {""} else next(iter(held_out)).capitalize()
    group = f"{kind}-{meaning}"
    if group not in GROUPS or len(held_out) > 1:
        raise ValueError(f"tools {[tool.name for tool in tools]} fit none of the groups {', '.join(GROUPS)}")
    return group


@lru_cache(maxsize=1)
def templates() -> Mapping[str, Template]:
    """Return every template of the files in ``templates/`` whose tasks can all be done, by name."""
    return _sorted(twins=False)


@lru_cache(maxsize=1)
def twin_templates() -> Mapping[str, Template]:
    """Return every template of the files in ``templates/`` whose tasks have impossible twins, by name."""
    return _sorted(twins=True)


def _sorted(*, twins: bool) -> dict[str, Template]:
    modules_of("stb_env.suites.sandbox.templates")
    return {name: known for name, known in sorted(_TEMPLATES.items()) if known.twins is twins}
