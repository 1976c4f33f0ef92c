"""The oracle's questions: learns what a request leaves open from the user, and from records they point to."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from stb_env.core.jsontypes import JsonMapping
from stb_env.suites.worlds.data.rows import MISSING
from stb_env.suites.worlds.episode.user import NEWS, Pointer
from stb_env.suites.worlds.goals.goal import Clause, Goal
from stb_env.suites.worlds.goals.holes import Slot, revalued
from stb_env.suites.worlds.goals.refusals import Missing
from stb_env.suites.worlds.oracle.finder import Finder
from stb_env.suites.worlds.oracle.requests import Asking, Request
from stb_env.suites.worlds.schema.kit import Category, Day, Life, Quantity, Ref
from stb_env.suites.worlds.schema.nouns import forms, reference_word
from stb_env.suites.worlds.services.api_error import ApiError
from stb_env.suites.worlds.world import Built


@dataclass(frozen=True, slots=True)
class Hole:
    """Hole of a goal, and whom it is about.

    Attributes:
        about: What to ask the user about.
        slot: Where the value belongs.
        entity: The entity that has the value.
        attribute: The attribute.
    """

    about: str
    slot: Slot
    entity: str
    attribute: str


@dataclass(frozen=True, slots=True)
class OpenGoal:
    """A goal as its request tells it.

    Attributes:
        goal: The goal with holes.
        holes: The holes.
        news: Whether the request says to ask for news.
    """

    goal: Goal
    holes: tuple[Hole, ...]
    news: bool


class Asker:
    """Fills the holes of goals in one world.

    Args:
        world: The world.

    Attributes:
        missing: A name that the user told and that is no row's.
    """

    def __init__(self, world: Built) -> None:
        self.missing: Missing | None = None
        self._world = world
        self._entities = world.blueprint.entities

    def fill(self, request: OpenGoal) -> Asking[Goal]:
        """Yield the calls that learn what a request leaves open, and return the goal without holes."""
        values: dict[Slot, int] = {}
        for hole in request.holes:
            values[hole.slot] = yield from self._learn(hole)
        if request.news:
            reply = yield self._question(NEWS)
            for hole in request.holes:
                if hole.about == reply.get("about"):
                    values[hole.slot] = self._read(hole, reply["value"])
        return revalued(request.goal, values)

    def _question(self, about: str) -> Request:
        return Request(self._world.asking, {"about": about})

    def _learn(self, hole: Hole) -> Asking[int]:
        reply: JsonMapping = yield self._question(hole.about)
        # Who does not tell at first, or is not sure, is asked once more.
        if "see" not in reply and (reply.get("sure") is False or "value" not in reply):
            reply = yield self._question(hole.about)
        if "see" in reply:
            return (yield from self.looked_up(reply["see"]))
        if "value" not in reply:
            raise KeyError(f"the user does not tell the {hole.about}: {reply.get('says')}")
        return self._read(hole, reply["value"])

    def _read(self, hole: Hole, value: object) -> int:
        """Return a value that the user tells as rows hold it."""
        match self._entities[hole.entity].attributes[hole.attribute]:
            case Day():
                return date.fromisoformat(str(value)).toordinal()
            case Category(values=values) | Life(values=values):
                return values.index(str(value))
            case Quantity(digits=digits):
                return int(Decimal(str(value)).scaleb(digits))
        try:
            return self._world.codec.fields[hole.entity][hole.attribute].read(value)
        except ApiError:
            self.missing = Missing(hole.entity, "", str(value))
            return MISSING

    def looked_up(self, pointer: Pointer) -> Asking[int]:
        """Return the value that a record shows to which the user points."""
        entity = next(
            name for name, described in self._entities.items() if forms(described)[0] == pointer["record"]
        )
        label = self._entities[entity].label
        named = self._world.codec.fields[entity][label].read(pointer["name"])
        # That is the row to which the record refers, or the only one that refers to it.
        whose, word = pointer["whose"], pointer["value"]
        for name, attribute in self._entities[entity].attributes.items():
            if isinstance(attribute, Ref) and reference_word(self._entities, entity, name) == whose:
                path = f"{name}.{self._called(attribute.to, word)}"
                # Nobody lists a table for the sake of one row.
                finder = Finder(self._world, {f"{entity}.{name}": "each"})
                (number,) = yield from finder.find(entity, (Clause(label, "=", named),), [path], entity)
                return finder.value(entity, number, path)
        for other, described in self._entities.items():
            for name, attribute in described.attributes.items():
                if isinstance(attribute, Ref) and attribute.to == entity and forms(described)[0] == whose:
                    path = self._called(other, word)
                    finder = Finder(self._world, {f"{other}.{name}": "back"})
                    clause = Clause(f"{name}.{label}", "=", named)
                    (number,) = yield from finder.find(other, (clause,), [path], other)
                    return finder.value(other, number, path)
        raise KeyError(f"{entity} has no {whose!r}")

    def _called(self, entity: str, word: str) -> str:
        """Return the attribute that a word is the name of."""
        attributes = self._entities[entity].attributes
        return next(name for name, attribute in attributes.items() if attribute.words[0] == word)
