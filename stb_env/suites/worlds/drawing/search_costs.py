"""Estimates of how many calls it takes to find rows of a world through its tools.

They follow the plans of the oracle over whole tables at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from stb_env.suites.worlds.data.facts import facts_at_start
from stb_env.suites.worlds.data.rows import MISSING
from stb_env.suites.worlds.drawing.clauses import clauses_of
from stb_env.suites.worlds.goals.goal import (
    Clause,
    Limit,
    Related,
    Select,
    Tally,
    leads,
)
from stb_env.suites.worlds.schema.kit import Code, Email, Person, Ref, Title
from stb_env.suites.worlds.services.archetypes.tool import WorldTool
from stb_env.suites.worlds.services.conventions import conventions_of
from stb_env.suites.worlds.world import Built

_SERVED = {"=": "=", ">": ">=", "<": "<="}
"""The filter that serves a comparison."""


@dataclass(slots=True)
class Search:
    """Outcome of a search of rows: the rows, the attributes of them that are known, and its cost."""

    rows: set[int]
    known: set[str]
    calls: int
    compared: int


class Known:
    """Knowledge of a plan so far; no set or tuple in it is changed, so copies are small.

    Attributes:
        whole: Rows of each entity that were read with every field.
        seen: Rows that lists showed.
        lists: The lists that were read, by the clauses that their filters served.
        services: The services that were called.
    """

    def __init__(self) -> None:
        self.whole: dict[str, frozenset[int]] = {}
        self.seen: dict[str, frozenset[int]] = {}
        self.lists: dict[str, tuple[frozenset[Clause], ...]] = {}
        self.services: frozenset[str] = frozenset()

    def copy(self) -> Known:
        """Return one that goes on apart from this one."""
        other = Known()
        other.whole, other.seen, other.lists = dict(self.whole), dict(self.seen), dict(self.lists)
        other.services = self.services
        return other


class SearchCosts:
    """Estimates the costs of searches in one world.

    Args:
        world: The world.
    """

    def __init__(self, world: Built) -> None:
        self._world = world
        self._entities = world.blueprint.entities
        self._clauses = clauses_of(world.blueprint)
        self._local = {
            (entity, name): world.codec.local(entity, attribute)
            for entity, described in self._entities.items()
            for name, attribute in described.attributes.items()
            if isinstance(attribute, Ref)
        }
        self._facts = facts_at_start(world.blueprint)
        self._conditions: dict[tuple[str, str, str, object], set[int]] = {}
        self.known = Known()
        self._exported = conventions_of(world.blueprint).exported

    def forget(self) -> None:
        """Begin a plan that knows nothing."""
        self.known = Known()

    @property
    def services(self) -> frozenset[str]:
        """The services that the plan has called."""
        return self.known.services

    def use(self, entity: str) -> None:
        """Remember that the service of an entity was called."""
        self.known.services |= {self._entities[entity].service}

    def waiting(self, entity: str) -> int:
        """Return how many calls come before the pages of a list: those of an export."""
        polls = self._exported.get(entity)
        return 0 if polls is None else polls + 1

    # -- searches -------------------------------------------------------------------------------

    def find(self, select: Select, needs: Sequence[str]) -> Search:
        """Return the cheapest search: of a list, or of the rows that refer to those of one reference."""
        inner: dict[str, list[Clause]] = {}
        for clause in select.clauses:
            if isinstance(clause, Clause) and "." in clause.path:
                first, _, rest = clause.path.partition(".")
                inner.setdefault(first, []).append(Clause(rest, clause.op, clause.value))
        ways: list[str | Related | Tally] = [""]
        if not any(self._names(select.entity, each) for each in self.direct(select.clauses)):
            ways += [reference for reference in inner if self._linking(select.entity, reference)]
            ways += [each for each in select.clauses if not isinstance(each, Clause) and leads(each)]
        before = self.known
        best: tuple[int, Search, Known] | None = None
        for way in ways:
            self.known = before.copy()
            found = self._searched(select, inner, way)
            found.calls += self.provided(select.entity, found, needs)
            if best is None or found.calls < best[0]:
                best = found.calls, found, self.known
        if best is None:
            raise KeyError("every entity has a list")
        self.known = best[2]
        return best[1]

    def _searched(
        self, select: Select, inner: Mapping[str, Sequence[Clause]], way: str | Related | Tally
    ) -> Search:
        entity = select.entity
        back = way if isinstance(way, str) else ""
        direct = self.direct(select.clauses)
        attributes = self._entities[entity].attributes
        named = next((each for each in direct if self._names(entity, each)), None)
        if named is not None:
            known = {named.path, self._entities[entity].key} & attributes.keys()
            if self.tool("key", entity, named.path) is not None:
                known = set(attributes)
            found = Search(set(self._clauses.rows_of(entity, named)), known, 1, 0)
            self.use(entity)
        elif not isinstance(way, str):
            found = self._led(way)
        elif back:
            found = self._referring(entity, direct, back, inner[back])
        else:
            served = [each for each in direct if self.serves(self.listing(entity), each)]
            rows = self.served(entity, served)
            shown = self._world.codec.shown(entity, self.listing(entity).fields)
            shown |= {each.path for each in served if each.op == "="}
            found = Search(rows, shown, self._listed(entity, served, rows), 0)
        tool = (self._linking(entity, back) if back else None) or self.listing(entity)
        unserved = not isinstance(way, str)
        mine = [each for each in direct if each is not named and (unserved or not self.serves(tool, each))]
        if mine:
            found.compared += len(found.rows)
            if {each.path for each in mine} - found.known:
                found.calls += self._read(entity, found.rows)
                found.known = set(attributes)
            for each in mine:
                found.rows = found.rows & self._clauses.rows_of(entity, each)
        for reference, deep in inner.items():
            if reference != back:
                self._followed(entity, found, reference, deep)
        for clause in select.clauses:
            if not isinstance(clause, Clause):
                self._held(entity, found, clause, led=clause is way)
        return found

    def _held(self, entity: str, found: Search, clause: Related | Tally, *, led: bool) -> None:
        """Narrow a search by a clause on the rows that refer to it, which may have been read before."""
        if not led:
            others = self.find(Select(clause.entity, clause.clauses), _shown(clause))
            found.calls += others.calls
            found.compared += others.compared
            if not self._local[clause.entity, clause.reference] and self._key(entity) not in found.known:
                found.calls += self._read(entity, found.rows)
        if isinstance(clause, Tally) and clause.path and clause.path not in found.known:
            found.calls += self._read(entity, found.rows)
        found.compared += len(found.rows)
        found.rows = found.rows & self._clauses.rows_of(entity, clause)

    def _led(self, clause: Related | Tally) -> Search:
        """Search for the rows to which those refer that a clause speaks of."""
        others = self.find(Select(clause.entity, clause.clauses), _shown(clause))
        column = self._clauses.column(clause.entity, clause.reference)
        return Search({column[number] for number in others.rows}, set(), others.calls, others.compared)

    def _referring(self, entity: str, direct: Sequence[Clause], back: str, deep: Sequence[Clause]) -> Search:
        """Search for the rows that refer to the targets that meet some clauses, target by target."""
        targets = self.find(Select(self._target(entity, back), tuple(deep)), self._joining(entity, back))
        tool = self._linking(entity, back)
        column = self._clauses.column(entity, back)
        served = [each for each in direct if tool is not None and self.serves(tool, each)]
        rows = self.served(entity, served)
        counts = Counter(column[number] for number in rows)
        calls = sum(self.pages(entity, counts[target]) for target in targets.rows)
        if tool is not None and tool.kind == "list":
            calls += self.waiting(entity) * len(targets.rows)
        self.use(entity)
        shown = self._world.codec.shown(entity, self.listing(entity).fields) | {back}
        meeting = {number for number in rows if column[number] in targets.rows}
        return Search(meeting, shown, targets.calls + calls, targets.compared)

    def _followed(self, entity: str, found: Search, reference: str, deep: Sequence[Clause]) -> None:
        """Narrow a search by clauses on the rows that a reference leads to: list those, or read each."""
        target = self._target(entity, reference)
        column = self._clauses.column(entity, reference)
        if reference not in found.known:
            found.calls += self._read(entity, found.rows)
            found.known = set(self._entities[entity].attributes)
        led = {column[number] for number in found.rows}
        before = self.known.copy()
        targets = self.find(Select(target, tuple(deep)), self._joining(entity, reference))
        meeting = targets.rows
        after, self.known = self.known, before
        each = self._each(target, led, self._local[entity, reference])
        if any("." in clause.path for clause in deep):
            each += targets.calls
        if each < targets.calls:
            found.calls += each
            found.compared += len(led)
        else:
            self.known = after
            found.calls += targets.calls
            found.compared += targets.compared + len(found.rows)
        found.rows = {number for number in found.rows if column[number] in meeting}

    def provided(self, entity: str, found: Search, needs: Sequence[str]) -> int:
        """Return how many more calls show some values of rows."""
        calls = 0
        if {path.partition(".")[0] for path in needs} - found.known:
            calls += self._read(entity, found.rows)
            found.known = set(self._entities[entity].attributes)
        deeper: dict[str, list[str]] = {}
        for path in needs:
            first, _, rest = path.partition(".")
            if rest:
                deeper.setdefault(first, []).append(rest)
        for reference, deep in deeper.items():
            target = self._target(entity, reference)
            column = self._clauses.column(entity, reference)
            led = {column[number] for number in found.rows} - {MISSING}
            local = self._local[entity, reference]
            if not local and set(deep) <= {self._key(target)}:
                continue
            every = set(self._entities[target].attributes)
            shown = self._world.codec.shown(target, self.listing(target).fields)
            lacks = {path.partition(".")[0] for path in deep} - shown
            seen = frozenset[int]() if lacks else self.known.seen.get(target, frozenset())
            if led - self.known.whole.get(target, frozenset()) - seen:
                before = self.known.copy()
                everything = set(range(len(self.rows(target))))
                bulk = self._listed(target, (), everything)
                if not local and self._key(target) not in shown:
                    bulk += self._read(target, everything)
                elif lacks:
                    bulk += self._read(target, led)
                after, self.known = self.known, before
                each = self._each(target, led, local)
                if bulk < each:
                    self.known = after
                calls += min(bulk, each)
            calls += self.provided(target, Search(led, every, 0, 0), [path for path in deep if "." in path])
        return calls

    # -- parts ----------------------------------------------------------------------------------

    def tool(self, kind: str, entity: str, subject: str = "") -> WorldTool | None:
        """Return the tool of a kind for an entity, and for what it is about where that is given."""
        return self._world.by_kind.get((kind, entity, subject))

    def rows(self, entity: str) -> Sequence[object]:
        """Return the rows of an entity."""
        return self._world.blueprint.data.rows[entity]

    def _key(self, entity: str) -> str:
        return self._entities[entity].key or self._entities[entity].label

    def _target(self, entity: str, reference: str) -> str:
        return self._world.blueprint.entity_at(entity, reference)

    def direct(self, clauses: Iterable[Limit]) -> list[Clause]:
        """Return the clauses on attributes of the rows themselves."""
        return [each for each in clauses if isinstance(each, Clause) and "." not in each.path]

    def _names(self, entity: str, clause: Clause) -> bool:
        """Return whether a tool finds the row of a name or code."""
        attribute = self._entities[entity].attributes[clause.path]
        return (
            clause.op == "="
            and isinstance(attribute, Code | Email | Person | Title)
            and (self.tool("key", entity, clause.path) or self.tool("search", entity, clause.path))
            is not None
        )

    def serves(self, tool: WorldTool, clause: Limit) -> bool:
        """Return whether a list has a filter for a clause."""
        if not isinstance(clause, Clause):
            return False
        wanted = _SERVED.get(clause.op)
        return any(each.field.attribute == clause.path and each.op == wanted for each in tool.filters)

    def served(self, entity: str, clauses: Sequence[Clause]) -> set[int]:
        """Return the rows that meet the clauses that filters serve."""
        rows = set(range(len(self.rows(entity))))
        for clause in clauses:
            rows &= self._clauses.rows_of(entity, clause)
        return rows

    def listing(self, entity: str) -> WorldTool:
        """Return the list of an entity."""
        return self._world.by_kind["list", entity, ""]

    def _listed(self, entity: str, served: Sequence[Clause], rows: set[int]) -> int:
        """Return how many calls list rows, none where the list was read before."""
        known = self.known.lists.get(entity, ())
        shown = self._world.codec.shown(entity, self.listing(entity).fields)
        key = frozenset(served)
        if key in known or (frozenset() in known and {each.path for each in served} <= shown):
            return 0
        self.known.lists[entity] = (*known, key)
        self.use(entity)
        self.known.seen[entity] = self.known.seen.get(entity, frozenset()) | rows
        return self.waiting(entity) + self.pages(entity, len(rows))

    def pages(self, entity: str, count: int) -> int:
        """Return how many calls list so many rows."""
        return max(1, -(-count // self.listing(entity).limit))

    def _read(self, entity: str, rows: set[int]) -> int:
        """Return how many calls read some rows with every field, beside those that were read before."""
        read = self.known.whole.get(entity, frozenset())
        count = len(rows - read)
        self.known.whole[entity] = read | rows
        if count:
            self.use(entity)
        batch = self.tool("batch_get", entity)
        return -(-count // batch.limit) if batch is not None and count > 1 else count

    def _each(self, target: str, rows: set[int], local: bool) -> int:
        """Return how many calls read the rows that references lead to."""
        new = len(rows - self.known.whole.get(target, frozenset()))
        calls = self._read(target, rows)
        if local:
            return calls
        whole = self.tool("key", target, self._key(target)) is not None
        return new if whole else new + calls

    def _joining(self, entity: str, reference: str) -> list[str]:
        """Return what rows that a reference leads to must show: their key, where services differ."""
        return [] if self._local[entity, reference] else [self._key(self._target(entity, reference))]

    def _linking(self, entity: str, reference: str) -> WorldTool | None:
        listing = self.tool("list", entity)
        if listing is not None and any(each.field.attribute == reference for each in listing.filters):
            return listing
        return self.tool("related", entity, reference)


def _shown(clause: Related | Tally) -> list[str]:
    """Return the attributes of the rows that a clause speaks of that have to be known."""
    figure = [clause.measure.path] if isinstance(clause, Tally) and clause.measure.path else []
    return [clause.reference, *figure]
