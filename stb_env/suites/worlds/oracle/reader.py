"""Reads rows through the tools of a world, and remembers every value that results showed.

A value that no result has shown is fetched first; no table of the world is read.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from typing import Any

from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.suites.worlds.data.rows import MISSING
from stb_env.suites.worlds.goals.goal import Clause, Limit
from stb_env.suites.worlds.oracle.list_requests import filtering, pages, parted, used_filters
from stb_env.suites.worlds.oracle.requests import Asking, Memory, Plan, Read, Request, Values
from stb_env.suites.worlds.schema.kit import Ref
from stb_env.suites.worlds.services.archetypes.tool import WorldTool
from stb_env.suites.worlds.world import Built


class Reader:
    """Reads rows of a world through its tools.

    Args:
        world: The world.
        memory: What rows of results say, kept by the plans that are tried.
    """

    def __init__(self, world: Built, memory: Memory | None = None) -> None:
        self._world = world
        self._entities = world.blueprint.entities
        self._memory = Memory() if memory is None else memory
        self.known: dict[str, dict[int, Values]] = {entity: {} for entity in self._entities}
        self._named: set[tuple[str, int]] = set()
        self._listed: dict[tuple[str, str], list[int]] = {}
        self._looked_up: dict[tuple[str, str], list[int] | None] = {}
        self._filters: dict[tuple[str, tuple[Limit, ...]], list[Clause]] = {}
        self._met: dict[tuple[str, Clause], set[int]] = {}

    # -- what is there -------------------------------------------------------------------------------

    def tool(self, kind: str, entity: str, subject: str = "") -> WorldTool | None:
        """Return the tool of a kind for an entity, and for what it is about where that is given."""
        return self._world.by_kind.get((kind, entity, subject))

    def target(self, entity: str, reference: str) -> str:
        """Return the entity that a reference leads to."""
        attribute = self._entities[entity].attributes[reference]
        if not isinstance(attribute, Ref):
            raise KeyError(f"{reference} of {entity} refers to no entity")
        return attribute.to

    def joining(self, entity: str, reference: str) -> list[str]:
        """Return what a target's rows must show to be joined: their key, where services differ."""
        attribute = self._entities[entity].attributes[reference]
        if not isinstance(attribute, Ref) or self._world.codec.local(entity, attribute):
            return []
        target = self._entities[attribute.to]
        return [target.key or target.label]

    def _linking(self, entity: str, reference: str) -> WorldTool | None:
        """Return the tool that lists rows by what they refer to."""
        listing = self.tool("list", entity)
        if listing is not None and any(
            each.field.attribute == reference and each.op == "=" for each in listing.filters
        ):
            return listing
        return self.tool("related", entity, reference)

    # -- lists and look-ups --------------------------------------------------------------------------

    def _by_name(self, entity: str, clause: Clause) -> Asking[list[int] | None]:
        """Find the one row of a name or code by a tool for that, or return None where there is none."""
        tool = self.tool("key", entity, clause.path) or self.tool("search", entity, clause.path)
        if tool is None:
            return None
        # Two clauses may name one row, which is looked up once.
        known = (tool.tool.name, repr(clause.value))
        if known not in self._looked_up:
            self._looked_up[known] = yield from self._looking_up(tool, entity, clause)
        return self._looked_up[known]

    def _looking_up(self, tool: WorldTool, entity: str, clause: Clause) -> Asking[list[int] | None]:
        field = self._world.codec.fields[entity][clause.path]
        if tool.kind == "key":
            response = yield Request(tool, {tool.params[0].name: field.argument(clause.value)})
            return [self.learn(entity, response)]
        response = yield Request(tool, {tool.params[0].name: field.argument(clause.value)})
        hits = [self.learn(entity, row) for row in response[tool.items]]
        found = [number for number in hits if self.known[entity][number].get(clause.path) == clause.value]
        return None if response["truncated"] and not found else found

    def _list(self, tool: WorldTool | None, clauses: Sequence[Clause]) -> Asking[list[int]]:
        """Read all pages of a list, narrowed by the clauses that it can filter by."""
        if tool is None:
            raise KeyError("every entity has a list")
        arguments = filtering(tool, clauses)
        numbers: list[int] = []
        used = used_filters(tool, clauses)
        shown = {field.attribute for field in tool.fields}
        known = (tool.tool.name, repr(arguments))
        if known in self._listed:
            return list(self._listed[known])
        if (tool.entity, "") in self._listed and all(each.field.attribute in shown for each, _ in used):
            return sorted(set(self._listed[tool.entity, ""]))
        reading = pages(tool, arguments)
        response: Any = None
        while True:
            try:
                request = reading.send(response)
            except StopIteration:
                break
            response = yield request
            numbers += self.learn_all(tool, response)
        self.note_met(tool, numbers, clauses)
        self._listed[known] = list(numbers)
        if not used:
            self._listed[tool.entity, ""] = numbers
        return numbers

    def note_met(self, tool: WorldTool, numbers: Sequence[int], clauses: Sequence[Limit]) -> None:
        """Remember that rows came from a list that was narrowed by some clauses."""
        rows = self.known[tool.entity]
        for clause in self.served(tool, clauses):
            self._met.setdefault((tool.entity, clause), set()).update(numbers)
            if clause.op == "=":
                for number in numbers:
                    rows[number][clause.path] = clause.value

    def served(self, tool: WorldTool, clauses: Sequence[Limit]) -> list[Clause]:
        """Return the clauses that a list is narrowed by."""
        key = (tool.tool.name, tuple(clauses))
        found = self._filters.get(key)
        if found is None:
            direct = (clause for clause in clauses if isinstance(clause, Clause))
            found = self._filters[key] = [clause for clause in direct if used_filters(tool, (clause,))]
        return found

    def sorted_pages(
        self, entity: str, clauses: Sequence[Limit], by: str, *, most: bool
    ) -> Generator[Request, JsonMapping, None] | None:
        """Return the pages of a list in the order of an attribute, or None where it has no such order."""
        tool = self.tool("list", entity)
        field = next((each for each in tool.sorts if each.attribute == by), None) if tool else None
        if tool is None or field is None:
            return None
        direct, _, _ = parted(clauses)
        style = self._world.codec.style(entity)
        order: JsonObject = {style.field("sort by"): field.name}
        order[style.field("order")] = "desc" if most else "asc"
        return pages(tool, {**filtering(tool, direct), **order})

    # -- single rows ---------------------------------------------------------------------------------

    def ensure(self, entity: str, numbers: Iterable[int], attributes: Iterable[str]) -> Plan:
        """See to it that some attributes of some rows are known."""
        wanted = list(dict.fromkeys(attributes))
        rows = self.known[entity]
        lacking = [number for number in numbers if any(name not in rows.get(number, {}) for name in wanted)]
        unnamed = [number for number in lacking if (entity, number) not in self._named]
        for number in unnamed:
            yield from self._by_reference(entity, number)
        lacking = [number for number in lacking if any(name not in rows[number] for name in wanted)]
        batch = self.tool("batch_get", entity)
        if batch is not None and len(lacking) > 1:
            for start in range(0, len(lacking), batch.limit):
                ids = [self._world.codec.id_of(entity, each) for each in lacking[start : start + batch.limit]]
                response = yield Request(batch, {"ids": ids})
                self.learn_all(batch, response)
            return
        get = self.tool("get", entity)
        if get is not None:
            for number in lacking:
                identifier = self._world.codec.id_of(entity, number)
                self.learn(entity, (yield Request(get, {get.params[0].name: identifier})))

    def _by_reference(self, entity: str, number: int) -> Plan:
        """Read a row that another service refers to: its key is known, its identifier is not."""
        if (entity, number) in self._named:
            return
        described = self._entities[entity]
        key = described.key or described.label
        field = self._world.codec.fields[entity][key]
        value = field.read(self._world.codec.key_of(entity, number))
        found = yield from self._by_name(entity, Clause(key, "=", value))
        if found is None:
            found = yield from self._list(self.tool("list", entity), [Clause(key, "=", value)])
        if number not in found:
            raise KeyError(f"no row of {entity} has the key of row {number}")

    def learn(self, entity: str, shown: Mapping[str, object]) -> int:
        """Remember what a row in a result shows, and return the row's number."""
        return self._note(entity, self._memory.read(self._world, entity, shown))

    def learn_all(self, tool: WorldTool, response: Mapping[str, object]) -> list[int]:
        """Remember what all rows of a result show, and return their numbers."""
        entity = tool.entity
        read = self._memory.read_all(self._world, entity, response, tool.items)
        return [self._note(entity, row) for row in read]

    def _note(self, entity: str, read: Read) -> int:
        number, values, leads = read
        rows = self.known[entity]
        before = rows.get(number)
        if before is None:
            rows[number] = dict(values)
        else:
            before.update(values)
        self._named.add((entity, number))
        for target, value, local in leads:
            self.known[target].setdefault(value, {})
            if local:
                self._named.add((target, value))
        return number

    def value(self, entity: str, number: int, path: str) -> int:
        """Return the value at the end of a path from a row; it must be known."""
        for name in path.split("."):
            number = self.known[entity][number][name]
            attribute = self._entities[entity].attributes[name]
            if number == MISSING:
                return MISSING
            if isinstance(attribute, Ref):
                entity = attribute.to
        return number
