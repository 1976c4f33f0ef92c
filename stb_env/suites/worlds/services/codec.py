"""The codec of a world: rows as its services show them, and values as they take them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from stb_env.core.jsontypes import Json, JsonMapping, JsonObject
from stb_env.seeding import derive, rng
from stb_env.suites.worlds.data.blueprint import Blueprint
from stb_env.suites.worlds.data.dirt import CopyField, copies
from stb_env.suites.worlds.data.rows import MISSING, Row, State
from stb_env.suites.worlds.schema.kit import (
    Attribute,
    Category,
    Code,
    Day,
    Email,
    Flag,
    Life,
    Link,
    Quantity,
    Ref,
)
from stb_env.suites.worlds.services.api_error import ApiError
from stb_env.suites.worlds.services.forms import (
    DAY_WORDS,
    FLAGS,
    Forms,
    day_forms,
    letters,
    listed_forms,
    quantity_forms,
    text_forms,
)
from stb_env.suites.worlds.services.style import Style, draw_style

_DECIMAL_PRIME, _HEX_PRIME = 99991, 16777213
"""Row numbers are turned into identifiers in the residues of a prime, so that each has exactly one."""
_USUAL = 0.6
"""Share of fields that have the word that people in the organisation use; others have any of its synonyms."""


@dataclass(frozen=True, slots=True)
class Field:
    """One attribute as a service writes it.

    Attributes:
        attribute: The attribute.
        name: Its name in rows.
        words: The words of that name.
        column: Its place in a row.
        write: Turns a stored value into JSON.
        read: Turns a value of an argument or a result into a stored value; raises `ApiError`.
        schema: The JSON Schema of an argument.
        inner: Key inside an object, where a row has it as one: a nested reference.
    """

    attribute: str
    name: str
    words: tuple[str, ...]
    column: int
    write: Callable[[int], Json]
    read: Callable[[Json], int]
    schema: JsonObject
    inner: str = ""

    def argument(self, value: int) -> object:
        """Write a stored value as an argument: an amount with its currency is the bare amount there."""
        written = self.write(value)
        return written["amount"] if isinstance(written, Mapping) else written


@dataclass(frozen=True, slots=True)
class _Numbering:
    """Turns the numbers of rows into identifiers and back.

    Attributes:
        form: The form of identifiers, as a format; empty where they are bare numbers.
        prime: Codes are below it.
        factor: A row's number is multiplied by it.
        inverse: Undoes the factor.
        start: The code of row 0.
    """

    form: str
    prime: int
    factor: int
    inverse: int
    start: int


class Codec:
    """Writes and reads the values of a world in the conventions of its services.

    Args:
        blueprint: The world.
    """

    def __init__(self, blueprint: Blueprint) -> None:
        self.blueprint = blueprint
        self.styles = {
            service: draw_style(blueprint.kit.name, blueprint.seed, service)
            for service in blueprint.kit.services
        }
        self._styles = {
            entity: self.styles[described.service] for entity, described in blueprint.entities.items()
        }
        self._nouns = {entity: self._noun(entity) for entity in blueprint.entities}
        self._ids = {entity: self._numbering(entity) for entity in blueprint.entities}
        self._id_fields = {
            entity: "id" if style.nested_rows else style.field(self.noun(entity)[0], "id")
            for entity, style in self._styles.items()
        }
        self.fields: Mapping[str, Mapping[str, Field]] = {
            entity: self._fields(entity) for entity in blueprint.entities
        }
        self._by_name = {
            entity: {field.name: field for field in fields.values()} for entity, fields in self.fields.items()
        }
        self.references: Mapping[str, tuple[tuple[str, str, bool], ...]] = {
            entity: tuple(
                (name, attribute.to, self.local(entity, attribute))
                for name, attribute in described.attributes.items()
                if isinstance(attribute, Ref)
            )
            for entity, described in blueprint.entities.items()
        }
        """The references of each entity: attribute, entity that it leads to, and whether that is local."""
        self._same = {
            entity: [
                (name, *self._led(entity, link))
                for name, link in described.attributes.items()
                if isinstance(link, Link)
            ]
            for entity, described in blueprint.entities.items()
        }
        self._copies = {entity: tuple(self._copied(entity)) for entity in blueprint.entities}

    def style(self, entity: str) -> Style:
        """Return the style of the service that keeps an entity."""
        return self._styles[entity]

    def noun(self, entity: str) -> tuple[str, str]:
        """Return what tools call an entity: singular and plural."""
        return self._nouns[entity]

    def _noun(self, entity: str) -> tuple[str, str]:
        pick = rng("noun", self.blueprint.seed, entity)
        one, _, many = pick.choice(self.blueprint.entities[entity].nouns).partition("/")
        return one, many

    # -- identifiers -----------------------------------------------------------------------------

    def id_field(self, entity: str) -> str:
        """Return the name of the field that holds a row's identifier."""
        return self._id_fields[entity]

    def _numbering(self, entity: str) -> _Numbering:
        style, seed = self.style(entity), self.blueprint.seed
        prime = _HEX_PRIME if style.ids == "hex" else _DECIMAL_PRIME
        factor = derive("id", seed, entity) % (prime - 1) + 1
        start = derive("id start", seed, entity) % prime
        letters = self.noun(entity)[0].replace(" ", "").replace("'", "")[:3]
        match style.ids:
            case "integer":
                form = ""
            case "hex":
                form = f"{style.prefix}_{letters}_%06x"
            case "prefixed":
                form = f"{style.prefix}-{letters}-".upper() + "%05d"
        return _Numbering(form, prime, factor, pow(factor, -1, prime), start)

    def id_of(self, entity: str, number: int) -> str | int:
        """Return the identifier of a row."""
        ids = self._ids[entity]
        code = (number * ids.factor + ids.start) % ids.prime
        return ids.form % code if ids.form else code

    def number_of(self, entity: str, identifier: Json) -> int:
        """Return the number of the row that an identifier names, whether there is such a row or not.

        Raises:
            ApiError: It is no identifier of the entity.
        """
        ids = self._ids[entity]
        code: Json = identifier
        if ids.form and isinstance(identifier, str):
            digits = identifier[-6:] if ids.prime == _HEX_PRIME else identifier[-5:]
            try:
                code = int(digits, 16 if ids.prime == _HEX_PRIME else 10)
            except ValueError:
                code = None
        if isinstance(code, int) and not isinstance(code, bool) and (ids.form == "") == (code is identifier):
            number: int = (code - ids.start) * ids.inverse % ids.prime
            written = self.id_of(entity, number)
            if written == identifier or str(written).casefold() == str(identifier).casefold():
                return number
        shown = f"{identifier!r:.60}"
        message = f"no {self.noun(entity)[0]} has the id {shown}"
        raise ApiError(self.style(entity).error("not_found", message))

    def key_of(self, entity: str, number: int) -> str:
        """Return what other services know a drawn row by: its key, or its label where it has none."""
        described = self.blueprint.entities[entity]
        key = described.key or described.label
        row = self.blueprint.data.rows[entity][number]
        return self.blueprint.data.texts[entity, key][row[described.columns[key]]]

    def _led(self, entity: str, link: Link) -> tuple[str, tuple[int, ...]]:
        """Return the key that leads to the same person at another organisation, and the row by each key."""
        key, texts = self.blueprint.entities[entity].key, self.blueprint.data.texts
        rows = {text: number for number, text in enumerate(texts[link.to, link.same[key]])}
        return key, tuple(rows[text] for text in texts[entity, key])

    def shown(self, entity: str, fields: Iterable[Field]) -> set[str]:
        """Return the attributes that rows with some fields show: with a key, whom it names elsewhere, too."""
        known = {field.attribute for field in fields}
        return known | {name for name, key, _ in self._same[entity] if key in known}

    # -- rows ------------------------------------------------------------------------------------

    def row(self, entity: str, number: int, row: Row, shown: tuple[Field, ...]) -> JsonObject:
        """Write a row with some of its fields."""
        fields: JsonObject = {}
        for field in shown:
            value = row[field.column]
            written = None if value == MISSING else field.write(value)
            fields[field.name] = {field.inner: written} if field.inner and written is not None else written
        for copy in self._copies[entity]:
            if number < len(copy.values) and any(field.attribute == copy.reference for field in shown):
                held = copy.values[number]
                fields[copy.name] = None if held == MISSING else copy.write(held)
        identifier = {self.id_field(entity): self.id_of(entity, number)}
        if self.style(entity).nested_rows:
            return {**identifier, "attributes": fields}
        return {**identifier, **fields}

    def read_row(self, entity: str, shown: JsonMapping) -> tuple[Json, dict[str, int]]:
        """Read a row that a result shows: its identifier, and the stored values of its fields."""
        fields = shown["attributes"] if self.style(entity).nested_rows else shown
        values: dict[str, int] = {}
        known = self._by_name[entity]
        for name, written in fields.items():
            field = known.get(name)
            if field is not None:
                bare = written[field.inner] if field.inner and written is not None else written
                values[field.attribute] = MISSING if bare is None else field.read(bare)
        for name, key, led in self._same[entity]:
            if key in values:
                values[name] = led[values[key]]
        return shown[self._id_fields[entity]], values

    def conventions(self, entity: str, shown: tuple[Field, ...]) -> str:
        """Say how dates and amounts are written in rows with these fields."""
        style = self.style(entity)
        attributes = [self.blueprint.entities[entity].attributes[field.attribute] for field in shown]
        said: list[str] = []
        if any(isinstance(attribute, Day) for attribute in attributes):
            said.append(f"Dates are {DAY_WORDS[style.days]}.")
        if any(isinstance(attribute, Quantity) and attribute.type == "money" for attribute in attributes):
            unit = (
                f"cents of {self.blueprint.currency}" if style.money == "cents" else self.blueprint.currency
            )
            said.append(f"Amounts are in {unit}.")
        if not style.units_in_names:
            said += [
                f"{field.name} is in {attribute.unit}."
                for field, attribute in zip(shown, attributes, strict=True)
                if isinstance(attribute, Quantity) and attribute.type == "number" and attribute.unit
            ]
        if self.blueprint.traits.dirt:
            said += self._warnings(entity, shown)
        return " ".join(said)

    def _warnings(self, entity: str, shown: tuple[Field, ...]) -> Iterator[str]:
        """Yield what readers of rows with some fields have to know of values that are missing or copied."""
        rows = self.blueprint.data.rows[entity]
        for field in shown:
            if any(row[field.column] == MISSING for row in rows):
                yield f"{field.name} is null where it is not known."
        for copy in self._copies[entity]:
            if any(field.attribute == copy.reference for field in shown):
                yield f"{copy.name} is a copy and may be out of date: what the {copy.holder} says holds."

    def _copied(self, entity: str) -> Iterator[CopyField]:
        """Yield the fields of an entity's rows that hold copies of other rows' values."""
        blueprint, style = self.blueprint, self.style(entity)
        if not blueprint.traits.dirt:
            return
        taken = {self.id_field(entity), *(field.name for field in self.fields[entity].values())}
        dirt = blueprint.traits.dirt
        for each in copies(blueprint.entities, blueprint.data, entity, blueprint.seed, dirt):
            reference = blueprint.entities[entity].attributes[each.reference]
            if not isinstance(reference, Ref):
                continue
            source = blueprint.entities[reference.to].attributes[each.attribute]
            name = style.field(
                self.noun(reference.to)[0], *self._suffixed(reference.to, source, source.words[0], style)
            )
            if name not in taken:
                taken.add(name)
                write, _, _ = self._forms(reference.to, each.attribute, source, style)
                yield CopyField(name, each.reference, self.noun(reference.to)[0], each.values, write)

    # -- fields ----------------------------------------------------------------------------------

    def _fields(self, entity: str) -> dict[str, Field]:
        style, described = self.style(entity), self.blueprint.entities[entity]
        taken = {self.id_field(entity)}
        fields: dict[str, Field] = {}
        for column, (name, attribute) in enumerate(described.attributes.items()):
            if isinstance(attribute, Link):
                continue
            pick = rng("word", self.blueprint.seed, entity, name)
            first = attribute.words[0] if pick.random() < _USUAL else pick.choice(attribute.words)
            options = [
                self._suffixed(entity, attribute, word, style) for word in (first, *attribute.words, name)
            ]
            words = next(option for option in options if style.field(*option) not in taken)
            written = style.field(*words)
            taken.add(written)
            inner = ""
            if isinstance(attribute, Ref):
                inner = self._ref_word(entity, attribute) if style.nested_refs else ""
            write, read, schema = self._forms(entity, name, attribute, style)
            fields[name] = Field(name, written, words, column, write, read, schema, inner)
        return fields

    def _suffixed(self, entity: str, attribute: Attribute, word: str, style: Style) -> tuple[str, ...]:
        match attribute:
            case Ref() if style.nested_refs:
                return (word,)
            case Ref():
                return (word, self._ref_word(entity, attribute))
            case Quantity(type="money") if style.money == "cents":
                return (word, "cents")
            case Quantity(unit=unit) if unit and style.units_in_names and unit not in word.split():
                return (word, "percent" if unit == "%" else unit)
            case Day() if style.units_in_names and not {"date", "day"} & set(word.split()):
                return (word, "date")
        return (word,)

    def _ref_word(self, entity: str, attribute: Ref) -> str:
        if self.local(entity, attribute):
            return "id"
        target = self.blueprint.entities[attribute.to]
        return self.style(entity).field(target.attributes[target.key or target.label].words[0])

    def local(self, entity: str, attribute: Ref) -> bool:
        """Return whether a reference stays in its service: others are known by their keys alone."""
        entities = self.blueprint.entities
        return entities[entity].service == entities[attribute.to].service

    def _forms(self, entity: str, name: str, attribute: Attribute, style: Style) -> Forms:
        match attribute:
            case Day():
                return day_forms(style)
            case Quantity():
                return quantity_forms(style, attribute, self.blueprint.currency)
            case Flag():
                return listed_forms(style, FLAGS[style.flags], "boolean" if style.flags == "bool" else "")
            case Category(values=values) | Life(values=values):
                upper = ["_".join(letters(value).upper().split()) for value in values]
                return listed_forms(style, upper if style.upper else list(values), "string")
            case Ref() if self.local(entity, attribute):
                return self._id_forms(attribute.to)
            case Ref():
                return self._key_forms(style, attribute.to)
        texts = self.blueprint.data.texts[entity, name]
        exact = isinstance(attribute, Code | Email)
        return text_forms(style, texts, attribute.words[0], exact=exact)

    def _id_forms(self, target: str) -> Forms:
        kind = "integer" if self.style(target).ids == "integer" else "string"
        return (
            (lambda value: self.id_of(target, value)),
            (lambda value: self.number_of(target, value)),
            {"type": kind, "description": f"Id of the {self.noun(target)[0]}."},
        )

    def _key_forms(self, style: Style, target: str) -> Forms:
        described = self.blueprint.entities[target]
        key = described.key or described.label
        column, data = described.columns[key], self.blueprint.data
        word = described.attributes[key].words[0]
        _, read_text, _ = text_forms(style, data.texts[target, key], word, exact=True)

        def read(value: Json) -> int:
            return data.having(State(), target, column, read_text(value))[0]

        what = f"{word[0].upper()}{word[1:]} of the {self.noun(target)[0]}."
        return (lambda value: self.key_of(target, value)), read, {"type": "string", "description": what}
