"""Blueprints: one drawn world, the same in every process for the same kit and seed."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import lru_cache
from importlib.resources import files

from stb_env.errors import DataError
from stb_env.seeding import rng
from stb_env.suites.worlds.data.draw_rows import draw_rows
from stb_env.suites.worlds.data.pruning import prune
from stb_env.suites.worlds.data.rows import Data, State
from stb_env.suites.worlds.data.traits import USUAL, Traits
from stb_env.suites.worlds.schema.kit import Attribute, Category, Day, Entity, Flag, Kit, Life, Quantity, Ref


@dataclass(frozen=True, eq=False)
class Blueprint:
    """One drawn world, before anyone touched it.

    Attributes:
        seed: The seed that it was drawn from.
        kit: The kit that it was drawn from.
        name: What the organisation is called.
        today: The date, as an ordinal.
        currency: The code of the currency that money is in.
        entities: What is left of the kit's entities, with every number of their rules drawn.
        data: The rows.
        traits: What the rows are like.
    """

    seed: int
    kit: Kit
    name: str
    today: int
    currency: str
    entities: Mapping[str, Entity]
    data: Data
    traits: Traits = USUAL

    def entity_at(self, entity: str, references: str) -> str:
        """Return the entity in which a path of references ends; the entity itself for the empty path."""
        for name in references.split(".") if references else ():
            attribute = self.entities[entity].attributes[name]
            if not isinstance(attribute, Ref):
                raise DataError(f"{name!r} of {entity!r} refers to no entity")
            entity = attribute.to
        return entity

    def place(self, entity: str, path: str) -> tuple[str, str]:
        """Return the entity and the name of the attribute at the end of a path."""
        references, _, last = path.rpartition(".")
        return self.entity_at(entity, references), last

    def attribute(self, entity: str, path: str) -> Attribute:
        """Return the attribute at the end of a path."""
        owner, name = self.place(entity, path)
        return self.entities[owner].attributes[name]

    def label_of(self, entity: str, number: int) -> str:
        """Return what people call a drawn row."""
        described = self.entities[entity]
        row = self.data.rows[entity][number]
        return self.text_of(entity, described.label, row[described.columns[described.label]])

    def text_of(self, entity: str, path: str, value: int) -> str:
        """Return a stored value in words: an ISO date, a decimal number, a label."""
        owner, name = self.place(entity, path)
        match self.entities[owner].attributes[name]:
            case Day():
                return date.fromordinal(value).isoformat()
            case Quantity(digits=digits):
                return str(Decimal(value).scaleb(-digits))
            case Category(values=values) | Life(values=values):
                return values[value]
            case Flag():
                return "true" if value else "false"
            case Ref(to=to):
                return self.label_of(to, value)
        return self.data.texts[owner, name][value]

    def value_of(self, entity: str, path: str, text: str) -> int:
        """Return the stored value that `text_of` says.

        Raises:
            DataError: No row can have such a value.
        """
        owner, name = self.place(entity, path)
        try:
            match self.entities[owner].attributes[name]:
                case Day():
                    return date.fromisoformat(text).toordinal()
                case Quantity(digits=digits):
                    return int(Decimal(text).scaleb(digits))
                case Category(values=values) | Life(values=values):
                    return values.index(text)
                case Flag():
                    return ("false", "true").index(text)
                case Ref(to=to):
                    label = self.entities[to].label
                    column = self.entities[to].columns[label]
                    return self.data.having(State(), to, column, self.value_of(to, label, text))[0]
            return self.data.texts[owner, name].index(text)
        except (ValueError, ArithmeticError, IndexError) as error:
            raise DataError(f"no {name!r} of {owner!r} is {text!r}") from error

    def referring(self, entity: str) -> list[tuple[str, str]]:
        """Return the entities and attributes that refer to an entity."""
        return [
            (other, name)
            for other, described in self.entities.items()
            for name, attribute in described.attributes.items()
            if isinstance(attribute, Ref) and attribute.to == entity
        ]


@lru_cache(maxsize=1)
def names() -> Mapping[str, tuple[str, ...]]:
    """Return the names that worlds of every kit draw from, by what they name."""
    text = files("stb_env.suites.worlds.data").joinpath("names.toml").read_text("utf-8")
    return {what: tuple(listed) for what, listed in tomllib.loads(text).items()}


def draw_world(seed: int, kit: Kit, traits: Traits = USUAL) -> Blueprint:
    """Draw a world: which optional parts it has, the numbers of its rules, its rows."""
    pick = rng("world", kit.name, seed)
    first, last = kit.today
    today = pick.randint(first.toordinal(), last.toordinal())
    name = f"{pick.choice(names()['places'])} {pick.choice(kit.words).title()}"
    currency = pick.choice(names()["currencies"])
    entities = prune(kit, seed, currency)
    data = draw_rows(kit.name, entities, seed, today, names(), traits)
    return Blueprint(seed, kit, name, today, currency, entities, data, traits)
