"""Draws the rows of a world, a column at a time; each column has a generator of its own."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from math import prod
from random import Random
from typing import assert_never

from stb_env.errors import DataError
from stb_env.seeding import rng
from stb_env.suites.worlds.data.dirt import missing_shares
from stb_env.suites.worlds.data.pruning import path_resolves
from stb_env.suites.worlds.data.rows import MISSING, Data
from stb_env.suites.worlds.data.traits import USUAL, Traits
from stb_env.suites.worlds.schema.kit import (
    By,
    Category,
    Code,
    Day,
    Email,
    Entity,
    Flag,
    Life,
    Link,
    Person,
    Quantity,
    Ref,
    Title,
)

_LOOK_ALIKES = 0.3
"""Share of names that are another's and a part more."""
SPARE_CODES = 48
"""Codes for rows that are made in an episode."""
_LETTERS, _DIGITS = "ABCDEFGHJKLMNPQRSTUVWXYZ", "0123456789"
"""Of the letters those that nobody takes for digits."""


def draw_rows(
    kit: str,
    entities: Mapping[str, Entity],
    seed: int,
    today: int,
    names: Mapping[str, Sequence[str]],
    traits: Traits = USUAL,
) -> Data:
    """Draw all rows of a world.

    Args:
        kit: Name of the kit.
        entities: The world's entities.
        seed: The world's seed.
        today: The world's date, as an ordinal.
        names: Names of people and domains of addresses.
        traits: What the rows are like.

    Raises:
        DataError: A kit's lists hold fewer names than there are rows.
    """
    columns = _Columns(kit, entities, seed, today, names, traits)
    rows = {
        name: tuple(zip(*(columns.values(name, each) for each in entity.attributes), strict=True))
        for name, entity in entities.items()
    }
    return Data(rows, columns.texts)


class _Columns:
    """The columns of a world, each drawn when it is first asked for, since some follow from others."""

    def __init__(
        self,
        kit: str,
        entities: Mapping[str, Entity],
        seed: int,
        today: int,
        names: Mapping[str, Sequence[str]],
        traits: Traits,
    ) -> None:
        self._kit, self._entities, self._seed, self._today, self._names = kit, entities, seed, today, names
        self._alike = traits.look_alikes
        self._missing = missing_shares(kit, entities, seed, traits.dirt) if traits.dirt else {}
        self._counts = {
            name: rng("rows", kit, seed, name).randint(*entity.rows) for name, entity in entities.items()
        }
        self._links = {
            (name, same): (key, link)
            for name, entity in entities.items()
            for key, link in entity.attributes.items()
            if isinstance(link, Link)
            for same in link.same
        }
        for (name, _), (_, link) in self._links.items():
            self._counts[name] = min(self._counts[name], self._counts[link.to])
        self._drawn: dict[tuple[str, str], Sequence[int]] = {}
        self.texts: dict[tuple[str, str], tuple[str, ...]] = {}

    def values(self, entity: str, name: str) -> Sequence[int]:
        drawn = self._drawn.get((entity, name))
        if drawn is None:
            pick = rng("column", self._kit, self._seed, entity, name)
            drawn = self._draw(entity, name, pick)
            if share := self._missing.get((entity, name)):
                lost = rng("missing", self._kit, self._seed, entity, name)
                drawn = [MISSING if lost.random() < share else value for value in drawn]
            self._drawn[entity, name] = drawn
        return drawn

    def _draw(self, entity: str, name: str, pick: Random) -> Sequence[int]:
        count, attribute = self._counts[entity], self._entities[entity].attributes[name]
        if (entity, name) in self._links:
            key, link = self._links[entity, name]
            other = link.to, link.same[name]
            self.values(*other)
            return self._texts(entity, name, [self.texts[other][each] for each in self.values(entity, key)])
        match attribute:
            case Person():
                given, family = self._names["given"], self._names["family"]
                named = _names(given, family, count, pick, name, alike=self._alike)
                return self._texts(entity, name, named)
            case Title():
                first, second = attribute.first, attribute.second
                named = _names(first, second, count, pick, name, attribute.more, self._alike)
                return self._texts(entity, name, named)
            case Email():
                self.values(entity, attribute.of)
                people = self.texts[entity, attribute.of]
                return self._texts(entity, name, _addresses(people, self._names["domains"], pick))
            case Code():
                codes = _codes(attribute.pattern, count + SPARE_CODES, pick)
                self.texts[entity, name] = tuple(codes)
                return range(count)
            case Day():
                starts = self._starts(entity, attribute.after) if attribute.after else [self._today] * count
                low, span = attribute.between[0], attribute.between[1] - attribute.between[0] + 1
                return [start + low + int(span * pick.random()) for start in starts]
            case Quantity():
                scale = 10**attribute.digits
                skew, general = attribute.skew, (attribute.low, attribute.high)
                ranges = self._by(entity, attribute.by, count, general)
                drawn = [(low * scale, (high - low) * scale + 1, pick.random()) for low, high in ranges]
                return [low + int(span * share**skew) for low, span, share in drawn]
            case Category() | Life():
                values = range(len(attribute.values))
                if attribute.by is None:
                    return pick.choices(values, attribute.weights or None, k=count)
                weights = self._by(entity, attribute.by, count, attribute.weights or (1,) * len(values))
                return [pick.choices(values, each)[0] for each in weights]
            case Flag():
                share = attribute.share
                return [int(pick.random() < share) for _ in range(count)]
            case Link():
                label = self._entities[attribute.to].label
                self.values(attribute.to, label)
                return _side_by_side(self.texts[attribute.to, label], pick)[:count]
            case Ref():
                size, spread = self._counts[attribute.to], attribute.spread
                # Shuffled, so that it is not the first rows that most refer to.
                targets = pick.sample(range(size), size)
                return [targets[int(size * pick.random() ** spread)] for _ in range(count)]
        assert_never(attribute)

    def _texts(self, entity: str, name: str, texts: Sequence[str]) -> Sequence[int]:
        self.texts[entity, name] = tuple(texts)
        return range(len(texts))

    def _by(
        self, entity: str, by: By | None, count: int, general: tuple[int, ...]
    ) -> Sequence[tuple[int, ...]]:
        """Return the numbers of each row's distribution: those of what it follows, or the general ones."""
        if by is None or not path_resolves(self._entities, entity, by.path):
            return [general] * count
        owner = entity
        *references, last = by.path.split(".")
        for name in references:
            reference = self._entities[owner].attributes[name]
            owner = reference.to if isinstance(reference, Ref) else owner
        followed = self._entities[owner].attributes[last]
        if isinstance(followed, Category | Life):
            known = [by.values.get(value, general) for value in followed.values]
        else:
            known = [by.values.get(value, general) for value in ("false", "true")]
        return [known[value] for value in self._starts(entity, by.path)]

    def _starts(self, entity: str, path: str) -> Sequence[int]:
        """Return the values at the end of a path, for every row of an entity."""
        name, _, rest = path.partition(".")
        values = self.values(entity, name)
        attribute = self._entities[entity].attributes[name]
        if not rest or not isinstance(attribute, Ref):
            return values
        starts = self._starts(attribute.to, rest)
        return [starts[number] for number in values]


def _names(
    first: Sequence[str],
    second: Sequence[str],
    count: int,
    pick: Random,
    name: str,
    more: Sequence[str] = (),
    alike: int | None = None,
) -> list[str]:
    """Draw names, of which some are another's and a part more, so that a search for that one finds both.

    Those come before the names that they look like: whoever takes the first hit of a search is wrong.

    Args:
        first: First parts of a name.
        second: Second parts.
        count: Number of names.
        pick: Draws.
        name: What the names are of, for messages.
        more: What the part more is drawn from; the second parts where it is empty.
        alike: How many others look like each that is no part more; None is one for some.
    """
    drawn = _pairs(first, second, count, pick, name)
    size = 2 if alike is None else alike + 1
    some = size * (int(count * _LOOK_ALIKES) if alike is None else count // size)
    together = pick.sample(range(count), some)
    known = set(drawn)
    for start in range(0, some, size):
        *earlier, last = sorted(together[start : start + size])
        base = drawn[last]
        longer = [f"{base} {part}" for part in more or second if not base.endswith(f" {part}")]
        for each in earlier:
            drawn[each] = pick.choice([text for text in longer if text not in known] or [drawn[each]])
            known.add(drawn[each])
    return drawn


def _side_by_side(names: Sequence[str], pick: Random) -> list[int]:
    """Return the places of names in a drawn order in which those that look alike stand together."""
    known = {name: place for place, name in enumerate(names)}
    alike: dict[int, list[int]] = {}
    for place, name in enumerate(names):
        alike.setdefault(known.get(name.rpartition(" ")[0], place), []).append(place)
    return [place for places in pick.sample(list(alike.values()), len(alike)) for place in places]


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
