"""A kit: one domain, declared as data in a TOML file.

Names inside a kit are keys (``[entities.claim.attributes.filed]``); what people and tools call a thing are
its words. A path names an attribute from an entity's row over references: ``visit.pet.owner.plan``.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from datetime import date
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from stb_env.errors import DataError
from stb_env.suites.worlds.schema.actions import Action, Policy, Queue
from stb_env.suites.worlds.schema.parts import Nouns, Part, Phrases, Range, Word, odd_slots


class _Attribute(Part):
    """Fields that all kinds of attributes share.

    Attributes:
        words: What the attribute is called: the first is plain, the others are synonyms.
        missing: Share of rows without a value, where the dial ``dirt`` asks for it.
        optional: Whether a world may leave the attribute out.
    """

    words: Annotated[tuple[Word, ...], Field(min_length=2)]
    missing: Annotated[float, Field(ge=0, le=0.5)] = 0.0
    optional: bool = False


class By(Part):
    """A distribution that follows another attribute: cats weigh less than dogs.

    Attributes:
        path: A category, state or flag, over references too; without it the general distribution holds.
        values: By its value, the least and greatest number, or the weights of a category. Others have the
            general distribution.
    """

    path: str
    values: Annotated[Mapping[str, tuple[int, ...]], Field(min_length=1)]


class Person(_Attribute):
    """A full name; look-alikes share a first or last name."""

    type: Literal["person"]


class Title(_Attribute):
    """A proper name that is put together from two lists.

    Attributes:
        first: The beginnings of names.
        second: Their ends.
        more: Parts that make a look-alike of a name: ``Coral Star`` and ``Coral Star Junior``; the ends of
            others where it is empty.
    """

    type: Literal["title"]
    first: Annotated[tuple[str, ...], Field(min_length=8)]
    second: Annotated[tuple[str, ...], Field(min_length=8)]
    more: tuple[str, ...] = ()


class Email(_Attribute):
    """The address of the person whose name is in attribute ``of``; unique."""

    type: Literal["email"]
    of: str


class Code(_Attribute):
    """A unique code that people use; ``#`` is a digit and ``@`` a letter of the pattern."""

    type: Literal["code"]
    pattern: Annotated[str, Field(pattern=r"^[A-Z@#/.-]{3,}$")]


class Day(_Attribute):
    """A date, in days before (negative) or after the world's today.

    Attributes:
        between: Earliest and latest day.
        after: Path of another day that this one never precedes, over references, too (``visit.day``); then
            `between` counts from it.
    """

    type: Literal["day"]
    between: Range
    after: str = ""
    before_say: Phrases = ("from before {v}",)
    after_say: Phrases = ("from after {v}",)


class Quantity(_Attribute):
    """A number with a unit, or money. Stored as a whole number of its smallest part.

    Attributes:
        low: Least value, in whole units.
        high: Greatest value.
        digits: Decimal places that are kept: 2 is hundredths.
        unit: Symbol such as ``kg``; empty for counts. Money has the organisation's currency.
        skew: 1 is even; above it small values are commoner, as prices are.
        sums: Whether a total over rows means something.
        by: Ranges that follow another attribute.
    """

    type: Literal["number", "money"]
    low: int
    high: int
    digits: Annotated[int, Field(ge=0, le=3)] = 0
    unit: str = ""
    skew: Annotated[float, Field(ge=0.2, le=5)] = 1.0
    sums: bool = False
    by: By | None = None
    over_say: Phrases
    under_say: Phrases


class Category(_Attribute):
    """One of a few values, each with phrases of its own or a shared one.

    Attributes:
        values: The values, in words.
        weights: How common each is; even where empty.
        by: Weights that follow another attribute.
        before: Words that go in front of a noun, with ``{v}``: ``{v}`` for ``premium customers``.
        say: Phrases with ``{v}``: ``on the {v} plan``.
        say_not: Phrases of the contrary: ``not on the {v} plan``.
    """

    type: Literal["category"]
    values: Annotated[tuple[str, ...], Field(min_length=2)]
    weights: tuple[int, ...] = ()
    by: By | None = None
    before: tuple[str, ...] = ()
    say: Phrases
    say_not: Phrases


class Flag(_Attribute):
    """True or false.

    Attributes:
        share: How many rows have it true.
        before: Words that go in front of a noun where it is true: ``unpaid``.
        say: Phrases where it is true: ``with a receipt``.
        say_not: Phrases where it is false: ``without a receipt``.
    """

    type: Literal["flag"]
    share: Annotated[float, Field(gt=0, lt=1)]
    before: tuple[str, ...] = ()
    say: Phrases
    say_not: Phrases


class Life(_Attribute):
    """The state of a row's lifecycle; actions of type ``transition`` change it. Phrases as of a category."""

    type: Literal["life"]
    values: Annotated[tuple[str, ...], Field(min_length=2)]
    weights: tuple[int, ...] = ()
    by: By | None = None
    before: tuple[str, ...] = ()
    say: Phrases
    say_not: Phrases


class Ref(_Attribute):
    """A row of another entity: a pet's owner.

    Attributes:
        to: The entity.
        say: Phrases with ``{np}``: ``belonging to {np}``.
        many: Phrases from the other side, after its noun, with ``{np}``: ``owning {np}``.
        spread: 1 spreads rows evenly; above it a few get most.
    """

    type: Literal["ref"]
    to: str
    say: Phrases
    many: Phrases
    spread: Annotated[float, Field(ge=1, le=4)] = 1.5


class Link(Ref):
    """The same person among the rows of another kit's entity, where kits are joined; no kit declares one.

    Services show it as the person's address alone.

    Attributes:
        at: What the organisation is called that has the other row.
        same: Attributes that are the same there, with their names there: those of the name and the address.
        none: Phrases as `many`, for there being no such row.
    """

    at: Word
    same: Mapping[str, str]
    none: Phrases


Attribute = Annotated[
    Person | Title | Email | Code | Day | Quantity | Category | Flag | Life | Ref, Field(discriminator="type")
]


class Entity(Part):
    """One type of record.

    Attributes:
        service: The service that keeps it.
        nouns: What it is called.
        rows: How many a world has.
        label: The attribute by which people name a row.
        key: A unique attribute (email or code) that other services know, too; empty where there is none.
        attributes: By name; order is that of the columns.
        actions: By name.
        queues: By name.
        policies: Rules that forbid actions.
        optional: Whether a world may leave the entity out (with all that refers to it).
    """

    service: str
    nouns: Annotated[tuple[Nouns, ...], Field(min_length=2)]
    rows: Range
    label: str
    key: str = ""
    attributes: Mapping[str, Attribute]
    actions: Mapping[str, Action] = {}
    queues: Mapping[str, Queue] = {}
    policies: tuple[Policy, ...] = ()
    optional: bool = False

    @cached_property
    def columns(self) -> Mapping[str, int]:
        """Position of each attribute in a row."""
        return {name: place for place, name in enumerate(self.attributes)}


class Service(Part):
    """A system that keeps some entities: it has a style of its own."""

    words: Annotated[tuple[Word, ...], Field(min_length=3)]


class Kit(Part):
    """One domain.

    Attributes:
        name: Its identifier, the file's name.
        words: What organisations of this kind are called: ``veterinary clinic``.
        today: Range of the world's today.
        services: By name, one to three.
        entities: By name, three to eight.
    """

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
    words: Annotated[tuple[Word, ...], Field(min_length=2)]
    today: tuple[date, date]
    services: Annotated[Mapping[str, Service], Field(min_length=1, max_length=3)]
    entities: Annotated[Mapping[str, Entity], Field(min_length=3, max_length=8)]

    def attribute(self, entity: str, path: str) -> Attribute:
        """Return the attribute at the end of a path.

        Raises:
            KeyError: A part of the path is no attribute; the message names it.
        """
        *references, last = path.split(".")
        for name in references:
            reference = self.entities[entity].attributes[name]
            if not isinstance(reference, Ref):
                raise KeyError(f"{name} of {entity} refers to no entity")
            entity = reference.to
        return self.entities[entity].attributes[last]


def read_kit(path: Path) -> Kit:
    """Read a kit's file and hold it against the schema; `check_kit` then resolves what it refers to.

    Raises:
        DataError: The file is no TOML, or breaks the schema; the message has every place.
    """
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeError) as error:
        raise DataError(f"kit {path}: {error}") from error
    return parse_kit(text, path)


def parse_kit(text: str, path: Path) -> Kit:
    """Return the kit in the text of a file; see `read_kit`.

    Raises:
        DataError: It is no TOML, or breaks the schema; the message has every place, one a line.
    """
    try:
        data = tomllib.loads(text)
        # Texts are formatted, so their slots are looked at before anything else.
        faults = list(odd_slots(data))
        if not faults:
            return Kit.model_validate(data)
    except ValidationError as error:
        faults = [
            f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}, got {fault['input']!r:.60}"
            for fault in error.errors()
        ]
    except (ValueError, RecursionError) as error:
        raise DataError(f"kit {path}: {error}") from error
    raise DataError("\n  ".join([f"kit {path} breaks the schema of kits:", *faults]))


@lru_cache(maxsize=128)
def shipped_kit(name: str) -> Kit:
    """Return a kit that comes with the package."""
    return read_kit(KITS / f"{name}.toml")


def own_kit(kit: Kit, written: bytes) -> Kit:
    """Return a kit of an author's own under a name that tells what its file says: ``my_kit_k3f9a2c1d``.

    Worlds can be made of it by that name from then on.
    """
    own = kit.model_copy(update={"name": f"{kit.name}_k{hashlib.sha256(written).hexdigest()[:8]}"})
    OWN_KITS[own.name] = own
    return own


KITS = Path(__file__).parent.parent / "kits"
OWN_KITS: dict[str, Kit] = {}
"""Kits of authors' own that this process has read, by name."""
