"""Draws what a request leaves open, and how the user tells it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from statistics import mode

from stb_env.suites.worlds.blueprint import Blueprint
from stb_env.suites.worlds.clauses import another_bound, clauses_of
from stb_env.suites.worlds.evaluation import evaluate
from stb_env.suites.worlds.goals import Expected, Goal, GoalError
from stb_env.suites.worlds.holes import Slot, revalued, slots
from stb_env.suites.worlds.kit import Day, Quantity
from stb_env.suites.worlds.kit_actions import Set
from stb_env.suites.worlds.refusals import Missing
from stb_env.suites.worlds.rows import MISSING, State
from stb_env.suites.worlds.user import Manner, fact_names

_PLAUSIBLE = 30
"""Rows from which a name is left open, at least."""
_OTHERS = 24
"""Other values that are tried for one that is left open."""
_COMMON = 8
"""Of so many plausible values one gives the outcome that is right, at most."""
_MANNERS: Mapping[Manner, int] = {"tells": 3, "points": 3, "refuses": 2, "corrects": 3, "changes": 2}
_SAFE: tuple[Manner, ...] = ("tells", "points", "refuses")
"""Manners in which the user never tells a wrong value."""


@dataclass(frozen=True, slots=True)
class Detail:
    """Detail of a goal that only the user knows.

    Attributes:
        about: What the user calls it.
        slot: Where it stands in the goal.
        manner: How the user tells it.
        wrong: What the user says at first, where that is wrong.
        source: The entity, number and path of the record that shows it, where the user points to one.
        text: What the user says in the place of the name, where it is no row's.
    """

    about: str
    slot: Slot
    manner: Manner = "tells"
    wrong: int | None = None
    source: tuple[str, int, str] | None = None
    text: str = ""


def place_of(blueprint: Blueprint, slot: Slot) -> tuple[str, str]:
    """Return the entity and the name of the attribute whose value a place has."""
    if slot.op == "set":
        action = blueprint.entities[slot.entity].actions[slot.path]
        if not isinstance(action, Set):
            raise TypeError(f"{slot.path} of {slot.entity} sets nothing")
        return slot.entity, action.field
    return blueprint.place(slot.entity, slot.path)


class Hider:
    """Draws the details that a request leaves open.

    Args:
        blueprint: The world.
        goal: What is asked.
        expected: What solves it.
        missing: The name that is no row's, where the request cannot be met for that.
    """

    def __init__(self, blueprint: Blueprint, goal: Goal, expected: Expected, missing: Missing | None) -> None:
        self._blueprint = blueprint
        self._goal = goal
        self._expected = expected
        self._missing = missing
        self._clauses = clauses_of(blueprint)

    def details(self, count: int, pick: Random) -> list[Detail]:
        """Draw up to some details, of which the first cannot be guessed; none where no place suits."""
        names = fact_names(self._blueprint)
        found: list[Detail] = []
        eligible = [slot for slot in slots(self._goal) if self.is_eligible(slot)]
        for slot in pick.sample(eligible, len(eligible)):
            about = names[place_of(self._blueprint, slot)]
            if about in (each.about for each in found):
                continue
            # The first detail decides alone; a further one has to matter.
            if not self.can_be_open(slot, pick, 2 if found else _COMMON):
                continue
            found.append(Detail(about, slot))
            if len(found) == count:
                break
        return [] if self.is_guessed([each.slot for each in found]) else found

    def same(self, details: Sequence[Detail]) -> list[Detail]:
        """Return details of another goal as they stand in this one, those that do."""
        own = {
            (slot.entity, slot.path, slot.op): slot for slot in slots(self._goal) if self.is_eligible(slot)
        }
        places = [(each, (each.slot.entity, each.slot.path, each.slot.op)) for each in details]
        return [replace(each, slot=own[place]) for each, place in places if place in own]

    def can_be_open(self, slot: Slot, pick: Random, common: int = _COMMON) -> bool:
        """Return whether at most one in so many plausible values gives the outcome that is right."""
        others = self.others(slot, pick)
        same = sum(self._is_right(self.outcome({slot: value})) for value in others)
        return len(others) >= _COMMON and common * same <= len(others)

    def is_eligible(self, slot: Slot) -> bool:
        """Return whether the value of a place can be left open at all."""
        entity, name = place_of(self._blueprint, slot)
        described = self._blueprint.entities[entity]
        if slot.op == "=":
            return name == described.label and len(self._blueprint.data.rows[entity]) >= _PLAUSIBLE
        return isinstance(described.attributes[name], Day | Quantity)

    def others(self, slot: Slot, pick: Random, count: int = _OTHERS) -> list[int]:
        """Draw other values that a place could have."""
        column = [value for value in self._column(slot) if value != MISSING]
        if slot.op == "=":
            names = [value for value in dict.fromkeys(column) if value != slot.value]
            return pick.sample(names, min(count, len(names)))
        draw: Callable[[], int | None]
        if slot.op in ("set", "give"):
            taken, step = set(column), _step(slot.value)
            low, high = min(column) // step, max(column) // step

            def draw() -> int | None:
                value = pick.randint(low, high) * step
                return None if value in taken or value <= 0 else value
        else:
            attribute = self._measured(slot)

            def draw() -> int | None:
                return another_bound(sorted(column), attribute, pick)

        drawn = dict.fromkeys(draw() for _ in range(count))
        return [value for value in drawn if value is not None and value != slot.value]

    def outcome(self, values: Mapping[Slot, int]) -> Expected | None:
        """Return what solves the goal with other values; None where nothing does."""
        try:
            return evaluate(revalued(self._goal, values), self._blueprint, State())
        except GoalError:
            return None

    def is_wrong(self, slot: Slot, value: int) -> bool:
        """Return whether another value has an outcome, and another one than the goal's."""
        outcome = self.outcome({slot: value})
        return outcome is not None and not self._is_right(outcome)

    def _is_right(self, outcome: Expected | None) -> bool:
        return (
            outcome is not None
            and outcome.answer == self._expected.answer
            and outcome.state == self._expected.state
        )

    def is_guessed(self, places: Sequence[Slot]) -> bool:
        """Return whether one who never asks, but takes a likely value everywhere, gets what is right."""
        return any(self.guesses(places).values())

    def guesses(self, places: Sequence[Slot]) -> dict[str, bool]:
        """Return the ways of a guesser who never asks, and whether each solves the goal."""
        solved: dict[str, bool] = {}
        for name, guess in _GUESSES.items():
            values = {
                slot: guess([value for value in self._column(slot) if value != MISSING]) for slot in places
            }
            solved[name] = self._is_right(self.outcome(values))
        return solved

    def _column(self, slot: Slot) -> list[int]:
        entity, name = place_of(self._blueprint, slot)
        return self._clauses.column(entity, name)

    def _measured(self, slot: Slot) -> Day | Quantity:
        entity, name = place_of(self._blueprint, slot)
        attribute = self._blueprint.entities[entity].attributes[name]
        if not isinstance(attribute, Day | Quantity):
            raise TypeError(f"{name!r} of {entity!r} has no bounds")
        return attribute

    # -- how the user tells it --------------------------------------------------------------------

    def sources(self, slot: Slot) -> Iterator[tuple[str, int, str]]:
        """Yield the records that lead to the row whose name is left open: entity, number and path."""
        if slot.op != "=":
            return
        entity, label = place_of(self._blueprint, slot)
        number = self._clauses.column(entity, label).index(slot.value)
        for other, reference in self._blueprint.referring(entity):
            column = self._clauses.column(other, reference)
            for row, target in enumerate(column):
                if target == number and other != entity:
                    yield other, row, f"{reference}.{label}"

    def told_with_mistakes(self, details: Sequence[Detail], pick: Random, wrong: int) -> list[Detail]:
        """Draw how the user tells each detail; a wrong value is one that gives another outcome.

        Args:
            details: The details.
            pick: Draws.
            wrong: A wrong value of the first.
        """
        found: list[Detail] = []
        manners = dict(_MANNERS)
        for place, detail in enumerate(details):
            manner = pick.choices(list(manners), list(manners.values()))[0]
            chance = Random(pick.getrandbits(64))
            if manner in _SAFE:
                found.append(self._told(detail, manner, chance))
                continue
            other = self._wrong(detail, chance) if place else wrong
            if other is None:
                found.append(detail)
                continue
            found.append(replace(detail, manner=manner, wrong=other))
            if manner == "changes":
                # News are about one detail.
                del manners["changes"]
        return found

    def told(self, details: Sequence[Detail], pick: Random, missing: Missing | None) -> list[Detail]:
        """Draw how the user tells each detail without a mistake.

        Args:
            details: The details.
            pick: Draws.
            missing: The name that is no row's in one of a pair of requests: no record leads to it.
        """
        manners = {manner: _MANNERS[manner] for manner in _SAFE}
        found: list[Detail] = []
        for detail in details:
            manner = pick.choices(list(manners), list(manners.values()))[0]
            chance = Random(pick.getrandbits(64))
            if missing is not None and self._is_name_of(detail.slot, missing):
                manner = "refuses" if manner == "refuses" else "tells"
                if self._missing is not None:
                    detail = replace(detail, text=missing.text)
            found.append(self._told(detail, manner, chance))
        return found

    def _is_name_of(self, slot: Slot, missing: Missing) -> bool:
        entity, name = place_of(self._blueprint, slot)
        return (
            slot.op == "="
            and entity == missing.entity
            and self._blueprint.text_of(entity, name, slot.value) == missing.label
        )

    def _told(self, detail: Detail, manner: Manner, pick: Random) -> Detail:
        if manner != "points":
            return replace(detail, manner=manner)
        sources = list(self.sources(detail.slot))
        return replace(detail, manner=manner, source=pick.choice(sources)) if sources else detail

    def _wrong(self, detail: Detail, pick: Random) -> int | None:
        others = self.others(detail.slot, pick)
        return next((value for value in others if self.is_wrong(detail.slot, value)), None)


def _step(value: int) -> int:
    """Return the power of ten that a value is a multiple of, up to a thousand."""
    step = 1
    while step < 1000 and value and value % (step * 10) == 0:
        step *= 10
    return step


_GUESSES: Mapping[str, Callable[[list[int]], int]] = {
    "takes the first row": lambda column: column[0],
    "takes the commonest value": mode,
    "takes the middle value": lambda column: sorted(column)[len(column) // 2],
    "takes the least value": min,
    "takes the greatest value": max,
}
