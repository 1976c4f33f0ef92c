"""Draws what a request leaves open, and how the user tells it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from statistics import mode

from stb_env.suites.worlds.data.blueprint import Blueprint
from stb_env.suites.worlds.data.rows import MISSING, State
from stb_env.suites.worlds.drawing.clauses import another_bound, clauses_of
from stb_env.suites.worlds.episode.user import Manner, fact_names
from stb_env.suites.worlds.goals.evaluation import evaluate
from stb_env.suites.worlds.goals.goal import Expected, Goal, GoalError
from stb_env.suites.worlds.goals.holes import Slot, revalued, slots
from stb_env.suites.worlds.goals.refusals import Missing
from stb_env.suites.worlds.schema.actions import Set
from stb_env.suites.worlds.schema.kit import Attribute, Category, Day, Life, Link, Quantity, Ref

_PLAUSIBLE = 30
"""Rows from which a name is left open, at least."""
_OTHERS = 24
"""Other values that are tried for one that is left open."""
_FEWEST = 8
"""Of these, there are at least so many."""
_COMMON = 20
"""Of so many of them one gives the outcome that is right, at most."""
_MANNERS: Mapping[Manner, int] = {"tells": 3, "points": 6, "refuses": 2, "corrects": 3, "changes": 2}
_SAFE: tuple[Manner, ...] = ("tells", "points", "refuses")
"""Manners in which the user never tells a wrong value."""


@dataclass(frozen=True, slots=True)
class Source:
    """A record that leads to a row whose name is left open.

    Attributes:
        entity: Its entity.
        number: Its number.
        path: The path to the name: from the record, or, where another entity is given, from that one's row.
        back: The entity of which one row alone refers to the record.
    """

    entity: str
    number: int
    path: str
    back: str = ""


@dataclass(frozen=True, slots=True)
class Detail:
    """Detail of a goal that only the user knows.

    Attributes:
        about: What the user calls it.
        slot: Where it stands in the goal.
        manner: How the user tells it.
        wrong: What the user says at first, where that is wrong.
        source: The record that leads to it, where the user points to one.
        text: What the user says in the place of the name, where it is no row's.
    """

    about: str
    slot: Slot
    manner: Manner = "tells"
    wrong: int | None = None
    source: Source | None = None
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
        every = slots(self._goal)
        # Of two requests in one, both may ask for the same with other values.
        counts = Counter((slot.entity, slot.path, slot.op) for slot in every)
        eligible = [
            slot for slot in every if self.is_eligible(slot) and counts[slot.entity, slot.path, slot.op] == 1
        ]
        shuffled = pick.sample(eligible, len(eligible))
        for slot in sorted(shuffled, key=self._is_choice):
            if not found and self._is_choice(slot):
                break
            about = names[place_of(self._blueprint, slot)]
            if about in (each.about for each in found):
                continue
            if self._matters(slot, pick) if found else self.can_be_open(slot, pick):
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

    def can_be_open(self, slot: Slot, pick: Random) -> bool:
        """Return whether few of many plausible values give the outcome that is right."""
        others = self.others(slot, pick)
        return len(others) >= _FEWEST and _COMMON * self._right(slot, others) <= len(others)

    def _matters(self, slot: Slot, pick: Random) -> bool:
        """Return whether a detail beside one that cannot be guessed makes a difference."""
        others = self.others(slot, pick)
        return len(others) > 1 and 2 * self._right(slot, others) <= len(others)

    def _right(self, slot: Slot, others: Sequence[int]) -> int:
        return sum(self._is_right(self.outcome({slot: value})) for value in others)

    def _is_choice(self, slot: Slot) -> bool:
        """Return whether a place has one of a few values."""
        return isinstance(self._attribute(slot), Category | Life)

    def is_eligible(self, slot: Slot) -> bool:
        """Return whether the value of a place can be left open at all."""
        entity, name = place_of(self._blueprint, slot)
        described = self._blueprint.entities[entity]
        if slot.op == "=":
            is_name = name == described.label and len(self._blueprint.data.rows[entity]) >= _PLAUSIBLE
            return is_name or self._is_choice(slot)
        attribute = described.attributes[name]
        return isinstance(attribute, Day | Quantity) or (slot.op != "give" and self._is_choice(slot))

    def others(self, slot: Slot, pick: Random, count: int = _OTHERS) -> list[int]:
        """Draw other values that a place could have."""
        column = [value for value in self._column(slot) if value != MISSING]
        attribute = self._attribute(slot)
        if isinstance(attribute, Category | Life):
            return [value for value in range(len(attribute.values)) if value != slot.value]
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
        elif isinstance(attribute, Day | Quantity):

            def draw() -> int | None:
                return another_bound(sorted(column), attribute, pick)

        else:
            raise TypeError(f"{slot.path} of {slot.entity} has no bounds")

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

    def _attribute(self, slot: Slot) -> Attribute:
        entity, name = place_of(self._blueprint, slot)
        return self._blueprint.entities[entity].attributes[name]

    # -- how the user tells it --------------------------------------------------------------------

    def sources(self, slot: Slot) -> Iterator[Source]:
        """Yield the records that lead to the row whose name is left open, and to no other."""
        if slot.op != "=" or self._is_choice(slot):
            return
        entity, label = place_of(self._blueprint, slot)
        number = self._clauses.column(entity, label).index(slot.value)
        # That a person is known in another kit, too, is on no record.
        for other, reference in self._blueprint.referring(entity):
            if isinstance(self._blueprint.entities[other].attributes[reference], Link):
                continue
            column = self._clauses.column(other, reference)
            for row, target in enumerate(column):
                if target == number and other != entity:
                    yield Source(other, row, f"{reference}.{label}")
        references = {
            name: attribute.to
            for name, attribute in self._blueprint.entities[entity].attributes.items()
            if isinstance(attribute, Ref) and not isinstance(attribute, Link) and attribute.to != entity
        }
        for name, other in references.items():
            column = self._clauses.column(entity, name)
            alone = column[number] != MISSING and column.count(column[number]) == 1
            if alone and list(references.values()).count(other) == 1:
                yield Source(other, column[number], label, entity)

    def told_with_mistakes(self, details: Sequence[Detail], pick: Random, wrong: int) -> list[Detail]:
        """Draw how the user tells each detail; a wrong value is one that gives another outcome.

        Args:
            details: The details.
            pick: Draws.
            wrong: A wrong value of the first.
        """
        found: list[Detail] = []
        for place, detail in enumerate(details):
            changed = any(each.manner == "changes" for each in found)
            # News are about one detail.
            manners = [each for each in _MANNERS if each != "changes" or not changed]
            manner, chance = self._manner(detail, manners, pick), Random(pick.getrandbits(64))
            if manner in _SAFE:
                found.append(self._told(detail, manner, chance))
                continue
            other = self._wrong(detail, chance) if place else wrong
            if other is None:
                found.append(detail)
                continue
            found.append(replace(detail, manner=manner, wrong=other))
        return found

    def _manner(self, detail: Detail, manners: Sequence[Manner], pick: Random) -> Manner:
        """Draw one of some manners; no record shows a bound, so the user points to records of names alone."""
        shown = any(True for _ in self.sources(detail.slot))
        able = [each for each in manners if each != "points" or shown]
        return pick.choices(able, [_MANNERS[each] for each in able])[0]

    def told(self, details: Sequence[Detail], pick: Random, missing: Missing | None) -> list[Detail]:
        """Draw how the user tells each detail without a mistake.

        Args:
            details: The details.
            pick: Draws.
            missing: The name that is no row's in one of a pair of requests: no record leads to it.
        """
        found: list[Detail] = []
        for detail in details:
            manner, chance = self._manner(detail, _SAFE, pick), Random(pick.getrandbits(64))
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
            and not self._is_choice(slot)
            and entity == missing.entity
            and self._blueprint.text_of(entity, name, slot.value) == missing.label
        )

    def _told(self, detail: Detail, manner: Manner, pick: Random) -> Detail:
        if manner != "points":
            return replace(detail, manner=manner)
        return replace(detail, manner=manner, source=pick.choice(list(self.sources(detail.slot))))

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
