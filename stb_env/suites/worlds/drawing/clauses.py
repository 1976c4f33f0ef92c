"""Draws clauses: which attributes a request can speak of, and values that leave a good number of rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from random import Random

from stb_env.suites.worlds.data.blueprint import Blueprint
from stb_env.suites.worlds.data.facts import COMPARE, facts_at_start
from stb_env.suites.worlds.data.rows import MISSING
from stb_env.suites.worlds.goals.goal import (
    Clause,
    Limit,
    Measure,
    Select,
    Tally,
)
from stb_env.suites.worlds.goals.selection import chosen, tallies
from stb_env.suites.worlds.schema.kit import Attribute, Category, Day, Flag, Life, Link, Quantity, Ref

_FEWEST, _MOST = 0.08, 0.8
"""Shares of an entity's rows between which a clause leaves them."""
_MOST_CLAUSES, _MOST_HOPS = 4, 2
_NARROWER, _TOTALS = 0.5, 0.6
"""Share of figures over rows that meet a clause, and of figures that are totals where they can be."""
_TRIES = 14
_LOWEST, _HIGHEST = 0.15, 0.85
"""Shares of an entity's rows below the bound of a threshold."""
_MOST_KEPT = 200
"""Clauses of a world whose rows are kept."""
_BOUNDS = 5
"""Bounds of which the roundest is taken."""


class Clauses:
    """Draws clauses over the rows of one world, as it is at the start.

    Args:
        blueprint: The world.
    """

    def __init__(self, blueprint: Blueprint) -> None:
        self.blueprint = blueprint
        self._facts = facts_at_start(blueprint)
        self._look_alikes: dict[str, list[int]] = {}
        self._meeting: dict[tuple[str, Limit], frozenset[int]] = {}
        self._paths: dict[tuple[str, int], list[str]] = {}

    def column(self, entity: str, path: str) -> list[int]:
        """Return the value at the end of a path for every row of an entity, in order."""
        return self._facts.column(entity, path)

    def paths(self, entity: str, depth: int) -> list[str]:
        """Return the paths from an entity over at most so many references, except to rows themselves."""
        found = self._paths.get((entity, depth))
        if found is None:
            found = self._paths[entity, depth] = list(_paths(self.blueprint, entity, depth))
        return found

    def attribute(self, entity: str, path: str) -> Attribute:
        """Return the attribute at the end of a path."""
        return self.blueprint.attribute(entity, path)

    def rows_of(self, entity: str, clause: Limit) -> frozenset[int]:
        """Return the numbers of the rows that meet a clause; those of the clauses asked for last are kept."""
        found = self._meeting.get((entity, clause))
        if found is None:
            if len(self._meeting) >= _MOST_KEPT:
                self._meeting.clear()
            found = self._meeting[entity, clause] = frozenset(self._rows_of(entity, clause))
        return found

    def _rows_of(self, entity: str, clause: Limit) -> set[int]:
        if isinstance(clause, Clause):
            compare, value = COMPARE[clause.op], clause.value
            column = self.column(entity, clause.path)
            return {at for at, got in enumerate(column) if got != MISSING and compare(got, value)}
        if isinstance(clause, Tally):
            return {number for number, _ in chosen(self._facts, Select(entity, (clause,)))}
        rows = set(range(len(self.blueprint.data.rows[clause.entity])))
        for each in clause.clauses:
            rows &= self.rows_of(clause.entity, each)
        column = self.column(clause.entity, clause.reference)
        referred = {column[number] for number in rows}
        everything = range(len(self.blueprint.data.rows[entity]))
        return {number for number in everything if (number in referred) == clause.present}

    def clause(self, entity: str, path: str, pick: Random, around: int | None = None) -> Clause | None:
        """Draw a clause on the attribute at the end of a path, or None where no value suits.

        Args:
            entity: The entity.
            path: The path.
            pick: Draws.
            around: A row that meets the clause.
        """
        values = [value for value in self.column(entity, path) if value != MISSING]
        own = None if around is None else self.column(entity, path)[around]
        if not values or own == MISSING:
            return None
        attribute = self.attribute(entity, path)
        if isinstance(attribute, Day | Quantity):
            return _threshold(path, sorted(values), attribute, pick, own)
        if isinstance(attribute, Category | Life | Flag):
            value = own if own is not None else pick.choice(values)
            contrary = own is None and isinstance(attribute, Category | Life) and pick.random() < 0.2
            # Nobody knows whether a row without a value has another one.
            contrary = contrary and len(values) == len(self.column(entity, path))
            clause = Clause(path, "!=" if contrary else "=", value)
        else:
            return Clause(path, "=", own if own is not None else self._named_row(entity, path, values, pick))
        share = sum(COMPARE[clause.op](got, clause.value) for got in values) / len(values)
        return clause if _FEWEST <= share <= _MOST else None

    def tally(self, entity: str, pick: Random) -> Tally | None:
        """Draw a clause on a count or total of the rows that refer to a row, or None where none suits."""
        # A person is one row at most elsewhere: there is nothing to count.
        referring = [
            (other, name)
            for other, name in self.blueprint.referring(entity)
            if not isinstance(self.blueprint.entities[other].attributes[name], Link)
        ]
        if not referring:
            return None
        other, reference = pick.choice(referring)
        inner = self._inner(other, pick) if pick.random() < _NARROWER else ()
        if inner is None:
            return None
        described = self.blueprint.entities[other].attributes
        totals = [
            name
            for name, each in described.items()
            if isinstance(each, Quantity) and each.sums and MISSING not in self.column(other, name)
        ]
        measure = Measure("count")
        if totals and pick.random() < _TOTALS:
            measure = Measure("total", pick.choice(totals))
        clause = Tally(other, reference, inner, measure, ">", 0)
        figures = tallies(self._facts, clause)
        size = len(self.blueprint.data.rows[entity])
        figure = described[measure.path] if measure.path else None
        if isinstance(figure, Quantity):
            own = self._comparable(entity, figure)
            if own and pick.random() < 0.5:
                clause = replace(clause, bound=None, path=pick.choice(own), op=pick.choice((">", "<")))
            else:
                ordered = sorted(figures.get(number, 0) for number in range(size))
                drawn = _threshold("", ordered, figure, pick, None)
                clause = replace(clause, bound=drawn.value) if drawn else clause
        else:
            most = max(figures.values(), default=0)
            clause = replace(clause, bound=pick.randint(1, max(1, most - 1)), op=pick.choice((">", ">", "<")))
        share = len(self.rows_of(entity, clause)) / size
        return clause if clause.bound != 0 and _FEWEST <= share <= _MOST else None

    def _inner(self, entity: str, pick: Random) -> tuple[Clause, ...] | None:
        label = self.blueprint.entities[entity].label
        paths = [path for path in self.paths(entity, 0) if path != label and self.can_say(entity, path)]
        clause = self.clause(entity, pick.choice(paths), pick) if paths else None
        return None if clause is None else (clause,)

    def _comparable(self, entity: str, figure: Quantity) -> list[str]:
        """Return the attributes of an entity that a total of another one's can be held against."""
        return [
            name
            for name, each in self.blueprint.entities[entity].attributes.items()
            if isinstance(each, Quantity)
            and (each.type, each.unit, each.digits) == (figure.type, figure.unit, figure.digits)
        ]

    def look_alikes(self, entity: str) -> list[int]:
        """Return the rows whose label is the beginning of another's: a search for it finds both."""
        found = self._look_alikes.get(entity)
        if found is None:
            label = self.blueprint.entities[entity].label
            texts = self.blueprint.data.texts[entity, label]
            known = {text: number for number, text in enumerate(texts)}
            beginnings = {before for text in texts for before in _beginnings(text) if before in known}
            found = self._look_alikes[entity] = sorted(known[text] for text in beginnings)
        return found

    def _named_row(self, entity: str, path: str, values: list[int], pick: Random) -> int:
        """Draw a label for a request to name, rather one that another looks like."""
        owner, _ = self.blueprint.place(entity, path)
        alike = set(self.look_alikes(owner))
        return pick.choice([value for value in values if value in alike] or values)

    def select(
        self,
        entity: str,
        sizes: tuple[int, int],
        pick: Random,
        *,
        depth: int,
        fixed: Sequence[Limit] = (),
        banned: Sequence[str] = (),
        fewest: int = 1,
        around: int | None = None,
    ) -> tuple[Select, list[int]] | None:
        """Draw a selection that leaves a number of rows, or None where the draw fails.

        Args:
            entity: The entity.
            sizes: Least and greatest number of rows that are left.
            pick: Draws.
            depth: References that a clause goes over at most.
            fixed: Clauses that it has anyway.
            banned: Paths that no clause is on.
            fewest: Clauses that it has at least.
            around: A row that is left.
        """
        rows = set(range(len(self.blueprint.data.rows[entity])))
        for clause in fixed:
            rows &= self.rows_of(entity, clause)
        clauses = list(fixed)
        used = {clause.path for clause in fixed if isinstance(clause, Clause)} | set(banned)
        hops = sum(1 for clause in fixed if not isinstance(clause, Clause) or "." in clause.path)
        for _ in range(_TRIES):
            if len(clauses) >= max(fewest, len(fixed)) and sizes[0] <= len(rows) <= sizes[1]:
                return Select(entity, _ordered(clauses, pick)), sorted(rows)
            if len(clauses) == _MOST_CLAUSES:
                return None
            path = self._path(entity, depth if hops < _MOST_HOPS else 0, used, pick)
            drawn = self.clause(entity, path, pick, around) if path else None
            if drawn is None:
                continue
            left = rows & self.rows_of(entity, drawn)
            if sizes[0] <= len(left) < len(rows):
                rows = left
                clauses.append(drawn)
                used.add(drawn.path)
                hops += "." in drawn.path
        return None

    def _path(self, entity: str, depth: int, used: set[str], pick: Random) -> str:
        """Draw a path that no clause is on; near ones are commoner."""
        label = self.blueprint.entities[entity].label
        near = pick.randint(0, depth)
        paths = [
            path
            for path in self.paths(entity, near)
            if path.count(".") == near and path not in used and path != label and self.can_say(entity, path)
        ]
        return pick.choice(paths) if paths else ""

    def can_say(self, entity: str, path: str) -> bool:
        """Return whether a clause can be on a path: of texts only the label of a referenced row."""
        owner, last = self.blueprint.place(entity, path)
        attribute = self.blueprint.entities[owner].attributes[last]
        label = self.blueprint.entities[owner].label
        return isinstance(attribute, Category | Life | Flag | Day | Quantity) or last == label


@lru_cache(maxsize=32)
def clauses_of(blueprint: Blueprint) -> Clauses:
    """Return what draws the clauses of a world, with what it looked up before."""
    return Clauses(blueprint)


def _beginnings(text: str) -> Iterator[str]:
    """Yield the first words of a text, as many as there are but the last."""
    words = text.split(" ")
    for count in range(1, len(words)):
        yield " ".join(words[:count])


def queue_clauses(blueprint: Blueprint, entity: str, queue: str) -> tuple[Clause, ...]:
    """Return the conditions of a queue, equations on attributes of its own, as clauses."""
    clauses: list[Clause] = []
    for condition in blueprint.entities[entity].queues[queue].select:
        right = condition.right
        text = str(right).lower() if isinstance(right, bool) else str(right)
        value = blueprint.value_of(entity, condition.left, text)
        clauses.append(Clause(condition.left, "=", value))
    return tuple(clauses)


def _paths(blueprint: Blueprint, entity: str, depth: int, *, linked: bool = False) -> Iterator[str]:
    for name, attribute in blueprint.entities[entity].attributes.items():
        if not isinstance(attribute, Ref):
            yield name
        elif depth and not isinstance(attribute, Link):
            for rest in _paths(blueprint, attribute.to, depth - 1, linked=linked):
                yield f"{name}.{rest}"
        elif isinstance(attribute, Link) and depth and not linked:
            # A second link would lead back to where the first one began.
            for rest in _paths(blueprint, attribute.to, depth - 1, linked=True):
                if rest not in attribute.same.values():
                    yield f"{name}.{rest}"


def _ordered(clauses: list[Limit], pick: Random) -> tuple[Limit, ...]:
    """Return clauses in an order that a sentence can have: those over references come last."""
    shuffled = pick.sample(clauses, len(clauses))
    return tuple(sorted(shuffled, key=lambda each: not isinstance(each, Clause) or each.path.count(".")))


def _threshold(
    path: str, ordered: list[int], attribute: Day | Quantity, pick: Random, own: int | None
) -> Clause | None:
    """Draw a bound that lies strictly between two values and is as round as that allows."""
    size = len(ordered)
    places = range(max(1, int(size * _LOWEST)), max(1, int(size * _HIGHEST)) + 1)
    tried = pick.choices([place for place in places if place < size], k=_BOUNDS) if size > 1 else []
    gaps = [
        (ordered[place - 1], ordered[place]) for place in tried if ordered[place] - ordered[place - 1] > 1
    ]
    if not gaps:
        return None
    if isinstance(attribute, Day):
        low, high = gaps[0]
        bound = pick.randint(low + 1, high - 1)
    else:
        bound = max((_roundest(low, high) for low, high in gaps), key=_roundness)
    above = pick.random() < 0.5 if own is None else own > bound
    return Clause(path, ">" if above else "<", bound)


def another_bound(ordered: list[int], attribute: Day | Quantity, pick: Random) -> int | None:
    """Draw a bound as a clause on an attribute with these values, in order, may have."""
    drawn = _threshold("", ordered, attribute, pick, None)
    return None if drawn is None else drawn.value


def _roundness(number: int) -> int:
    """Return how many zeros a number ends in, doubled; a five in front of them counts half of one more."""
    digits = str(number)
    bare = digits.rstrip("0")
    return 2 * (len(digits) - len(bare)) + bare.endswith("5")


def _roundest(low: int, high: int) -> int:
    """Return the number strictly between two others that ends in the most zeros, or else in a five.

    Examples:
        >>> _roundest(1234, 1311), _roundest(41, 49), _roundest(7, 9)
        (1300, 45, 8)
    """
    step = 10 ** len(str(max(abs(high), 1)))
    while step:
        for size in (step, step // 2):
            first = (low // size + 1) * size if size else high
            if low < first < high:
                return first
        step //= 10
    return low + 1
