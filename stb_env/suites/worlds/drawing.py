"""Draws the rows of a world, a column at a time; each column has a generator of its own."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from math import prod
from random import Random
from typing import assert_never

from stb_env.errors import DataError
from stb_env.seeding import rng
from stb_env.suites.worlds.kit import (
    Category,
    Code,
    Day,
    Email,
    Entity,
    Flag,
    Life,
    Person,
    Quantity,
    Ref,
    Title,
)
from stb_env.suites.worlds.rows import Data

_LETTERS, _DIGITS = "ABCDEFGHJKLMNPQRSTUVWXYZ", "0123456789"
"""Of the letters those that nobody takes for digits."""


def draw_rows(
    kit: str, entities: Mapping[str, Entity], seed: int, today: int, names: Mapping[str, Sequence[str]]
) -> Data:
    """Draw all rows of a world.

    Args:
        kit: Name of the kit.
        entities: The world's entities.
        seed: The world's seed.
        today: The world's date, as an ordinal.
        names: Names of people and domains of addresses.

    Raises:
        DataError: A kit's lists hold fewer names than there are rows.
    """
    counts = {name: rng("rows", kit, seed, name).randint(*entity.rows) for name, entity in entities.items()}
    rows: dict[str, tuple[tuple[int, ...], ...]] = {}
    texts: dict[tuple[str, str], tuple[str, ...]] = {}
    for name, entity in entities.items():
        columns = _Columns(entity, counts, today, names)
        for attribute in entity.attributes:
            columns.draw(attribute, counts[name], rng("column", kit, seed, name, attribute))
        rows[name] = tuple(zip(*(columns.values[each] for each in entity.attributes), strict=True))
        texts.update({(name, attribute): drawn for attribute, drawn in columns.texts.items()})
    return Data(rows, texts)


class _Columns:
    """The columns of one entity while they are drawn."""

    def __init__(
        self, entity: Entity, counts: Mapping[str, int], today: int, names: Mapping[str, Sequence[str]]
    ) -> None:
        self._entity = entity
        self._counts = counts
        self._today = today
        self._names = names
        self.values: dict[str, Sequence[int]] = {}
        self.texts: dict[str, tuple[str, ...]] = {}

    def draw(self, name: str, count: int, pick: Random) -> None:
        attribute = self._entity.attributes[name]
        match attribute:
            case Person():
                self._put(name, _pairs(self._names["given"], self._names["family"], count, pick, name))
            case Title():
                self._put(name, _pairs(attribute.first, attribute.second, count, pick, name))
            case Email():
                self._put(name, _addresses(self.texts[attribute.of], self._names["domains"], pick))
            case Code():
                self._put(name, _codes(attribute.pattern, count, pick))
            case Day():
                starts = self.values[attribute.after] if attribute.after else [self._today] * count
                low, span = attribute.between[0], attribute.between[1] - attribute.between[0] + 1
                self.values[name] = [start + low + int(span * pick.random()) for start in starts]
            case Quantity():
                scale = 10**attribute.digits
                low, span = attribute.low * scale, (attribute.high - attribute.low) * scale + 1
                skew = attribute.skew
                self.values[name] = [low + int(span * pick.random() ** skew) for _ in range(count)]
            case Category() | Life():
                indexes = range(len(attribute.values))
                self.values[name] = pick.choices(indexes, attribute.weights or None, k=count)
            case Flag():
                share = attribute.share
                self.values[name] = [int(pick.random() < share) for _ in range(count)]
            case Ref():
                targets = pick.sample(range(self._counts[attribute.to]), self._counts[attribute.to])
                size, spread = len(targets), attribute.spread
                self.values[name] = [targets[int(size * pick.random() ** spread)] for _ in range(count)]
            case _:
                assert_never(attribute)

    def _put(self, name: str, texts: Sequence[str]) -> None:
        self.texts[name] = tuple(texts)
        self.values[name] = range(len(texts))


def _pairs(first: Sequence[str], second: Sequence[str], count: int, pick: Random, name: str) -> list[str]:
    """Put names together from two lists; none occurs twice."""
    most = len(first) * len(second)
    if count > most:
        raise DataError(f"{name!r} can have {most} names for {count} rows; give its lists more entries")
    width = len(second)
    return [f"{first[each // width]} {second[each % width]}" for each in pick.sample(range(most), count)]


def _addresses(people: Sequence[str], domains: Sequence[str], pick: Random) -> list[str]:
    plain = (unicodedata.normalize("NFKD", person).encode("ascii", "ignore").decode() for person in people)
    locals_ = [".".join(person.lower().split()) for person in plain]
    chosen = pick.choices(domains, k=len(people))
    return [f"{local}@{domain}" for local, domain in zip(locals_, chosen, strict=True)]


def _codes(pattern: str, count: int, pick: Random) -> list[str]:
    """Draw different codes of a pattern: the signs that are free are digits of one number."""
    free = {"#": _DIGITS, "@": _LETTERS}
    alphabets = [free[sign] for sign in pattern if sign in free]
    most = prod(map(len, alphabets))
    if count > most:
        raise DataError(f"the pattern {pattern!r} has {most} codes for {count} rows; give it more # or @")
    form = "".join("%s" if sign in free else sign for sign in pattern)
    codes: list[str] = []
    for drawn in pick.sample(range(most), count):
        signs: list[str] = []
        for alphabet in alphabets:
            drawn, place = divmod(drawn, len(alphabet))
            signs.append(alphabet[place])
        codes.append(form % tuple(signs))
    return codes
