"""Finds the rows that clauses mean through the tools of a world.

A plan is written as a generator: it yields requests, is sent their responses, and returns what it found.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from stb_env.suites.worlds.data.conditions import compares
from stb_env.suites.worlds.data.rows import MISSING
from stb_env.suites.worlds.goals.goal import (
    Clause,
    Limit,
    Related,
    Tally,
    leads,
)
from stb_env.suites.worlds.oracle.list_requests import parted
from stb_env.suites.worlds.oracle.reader import Reader
from stb_env.suites.worlds.oracle.requests import Asking, Memory, Plan
from stb_env.suites.worlds.schema.kit import Code, Email, Person, Title
from stb_env.suites.worlds.world import Built

Mode = Literal["bulk", "each", "back", "lead"]
"""Ways to rows that a reference leads to: all that meet the clauses are listed; those that rows refer to
are read one by one; or they are listed first, and then the rows that refer to each of them.

Rows that must be referred to are listed and held against those that refer to them, or (``lead``) read from
these; a figure over the rows that refer to a row comes from all of them, or (``each``) from a list a row."""


class Finder(Reader):
    """Finds rows of a world through its tools.

    Args:
        world: The world.
        modes: How references are followed, by where they are: the entity and the path to them. Others are
            followed in bulk.
        memory: What rows of results say, kept by the plans that are tried.
    """

    def __init__(self, world: Built, modes: Mapping[str, Mode], memory: Memory | None = None) -> None:
        super().__init__(world, memory)
        self._modes = modes
        self.part = ""
        """Begins the places of the part of a goal that is played."""
        self.options: dict[tuple[str, Mode], None] = {}
        """The other ways in which references could be followed, in the order in which they came up."""
        self.judged: dict[str, set[int]] = {entity: set() for entity in self._entities}

    def _mode(self, at: str, reference: str, *others: Mode) -> Mode:
        """Return how a reference is followed, of the ways there are."""
        place = f"{self.part}{at}.{reference}"
        for mode in others:
            self.options[place, mode] = None
        return self._modes.get(place, "bulk")

    # -- finding ---------------------------------------------------------------------------------

    def find(self, entity: str, clauses: Sequence[Limit], needs: Iterable[str], at: str) -> Asking[list[int]]:
        """Find the rows that meet all clauses, and see to it that the values at some paths are known."""
        direct, inner, related = parted(clauses)
        allowed: dict[str, set[int]] = {}
        back = ""
        for reference, deep in inner.items():
            linked = self._linking(entity, reference) is not None
            mode = self._mode(at, reference, "each", *(("back",) if linked else ()))
            if mode == "each":
                continue
            target = self.target(entity, reference)
            found = yield from self.find(target, deep, self.joining(entity, reference), f"{at}.{reference}")
            allowed[reference] = set(found)
            if mode == "back" and linked and not back:
                back = reference
        lead = self._lead(related, at)
        if lead is not None:
            numbers = yield from self._led(lead, at)
        else:
            numbers = yield from self._candidates(entity, direct, back, sorted(allowed.get(back, ())))
        numbers = yield from self._narrowed(entity, numbers, direct, inner, allowed, at, back)
        for other in related:
            if isinstance(other, Tally):
                numbers = yield from self._tallied(entity, numbers, other, at)
            elif other is not lead:
                numbers = yield from self._related(entity, numbers, other, at)
        yield from self.provide(entity, numbers, needs, at)
        return numbers

    def _lead(self, related: Sequence[Related | Tally], at: str) -> Related | Tally | None:
        """Return the clause whose rows lead to those that are meant, if the plan goes that way."""
        for clause in related:
            if leads(clause) and self._mode(at, f"~{clause.entity}.{clause.reference}", "lead") == "lead":
                return clause
        return None

    def _led(self, clause: Related | Tally, at: str) -> Asking[list[int]]:
        """Return the rows to which those refer that a clause speaks of."""
        others = yield from self.find(
            clause.entity, clause.clauses, [clause.reference], f"{at}~{clause.entity}"
        )
        referred = {self.known[clause.entity][other][clause.reference] for other in others}
        return sorted(referred - {MISSING})

    def _candidates(
        self, entity: str, direct: Sequence[Clause], back: str, targets: Sequence[int]
    ) -> Asking[list[int]]:
        for clause in direct:
            attribute = self._entities[entity].attributes[clause.path]
            if clause.op == "=" and isinstance(attribute, Code | Email | Person | Title):
                found = yield from self._by_name(entity, clause)
                if found is not None:
                    return found
        if back:
            tool = self._linking(entity, back)
            numbers: list[int] = []
            for target in targets:
                clause = Clause(back, "=", target)
                numbers += yield from self._list(tool, (*direct, clause))
            # A list that was read whole before answers for every target alike.
            return sorted(set(numbers))
        return (yield from self._list(self.tool("list", entity), direct))

    # -- narrowing -------------------------------------------------------------------------------

    def narrowed(
        self, entity: str, numbers: Sequence[int], clauses: Sequence[Limit], at: str
    ) -> Asking[list[int]]:
        """Return those of some rows that meet all clauses, reading only what is needed for that."""
        direct, inner, related = parted(clauses)
        kept = yield from self._narrowed(entity, numbers, direct, inner, {}, at)
        for other in related:
            if isinstance(other, Tally):
                kept = yield from self._tallied(entity, kept, other, at)
            else:
                kept = yield from self._related(entity, kept, other, at)
        return kept

    def _narrowed(
        self,
        entity: str,
        numbers: Sequence[int],
        direct: Sequence[Clause],
        inner: Mapping[str, Sequence[Clause]],
        allowed: Mapping[str, set[int]],
        at: str,
        back: str = "",
    ) -> Asking[list[int]]:
        rows = self.known[entity]
        for clause in direct:
            met = self._met.get((entity, clause), ())
            self.judge(entity, [number for number in numbers if number not in met])
        passing = self._passing(entity, numbers, direct)
        kept = self._allowed(entity, passing, allowed)
        if direct or inner:
            unclear = [number for number in kept if self._is_unclear(entity, number, direct, inner)]
            if unclear:
                yield from self.ensure(entity, unclear, [*(clause.path for clause in direct), *inner])
                passing = self._passing(entity, passing, direct)
                kept = self._allowed(entity, passing, allowed)
        if inner.keys() - {back}:
            self.judge(entity, passing)
        for reference, deep in inner.items():
            if reference in allowed or not kept:
                continue
            target = self.target(entity, reference)
            targets = sorted({rows[number][reference] for number in kept} - {MISSING})
            meeting = set((yield from self.narrowed(target, targets, deep, f"{at}.{reference}")))
            kept = [number for number in kept if rows[number][reference] in meeting]
        return kept

    def judge(self, entity: str, numbers: Iterable[int]) -> None:
        """Remember that the plan itself compares or decides some rows, rather than a filter."""
        self.judged[entity].update(numbers)

    def _is_unclear(
        self, entity: str, number: int, direct: Sequence[Clause], references: Iterable[str]
    ) -> bool:
        """Return whether a row must be read before it is told whether it meets the clauses."""
        row = self.known[entity].get(number, {})
        return any(reference not in row for reference in references) or any(
            clause.path not in row and number not in self._met.get((entity, clause), ()) for clause in direct
        )

    def _passing(self, entity: str, numbers: Sequence[int], direct: Sequence[Clause]) -> list[int]:
        """Return the rows that meet some clauses as far as their values are known."""
        rows, kept = self.known[entity], list(numbers)
        for clause in direct:
            path, op, value = clause.path, clause.op, clause.value
            kept = [
                number
                for number in kept
                if path not in (row := rows.get(number, {})) or compares(row[path], op, value)
            ]
        return kept

    def _allowed(self, entity: str, numbers: list[int], allowed: Mapping[str, set[int]]) -> list[int]:
        """Return the rows whose references lead to rows that are meant, as far as they are known."""
        rows = self.known[entity]
        for name, meant in allowed.items():
            numbers = [
                number
                for number in numbers
                if rows.get(number, {}).get(name) in meant or name not in rows[number]
            ]
        return numbers

    def _related(self, entity: str, numbers: Sequence[int], clause: Related, at: str) -> Asking[list[int]]:
        if not numbers:
            return []
        others = yield from self.find(
            clause.entity, clause.clauses, [clause.reference], f"{at}~{clause.entity}"
        )
        yield from self.ensure(entity, numbers, self.joining(clause.entity, clause.reference))
        self.judge(entity, numbers)
        referred = {self.known[clause.entity][other][clause.reference] for other in others}
        return [number for number in numbers if (number in referred) == clause.present]

    def _tallied(self, entity: str, numbers: Sequence[int], clause: Tally, at: str) -> Asking[list[int]]:
        """Return those of some rows whose figure over the rows that refer to them is within its bound."""
        other, reference = clause.entity, clause.reference
        yield from self.ensure(entity, numbers, self.joining(other, reference))
        needs = [reference, *([clause.measure.path] if clause.measure.path else [])]
        place = f"{at}~{other}"
        tool = self._linking(other, reference)
        modes: tuple[Mode, ...] = ("each",) if tool is not None else ()
        if self._mode(at, f"~{other}.{reference}", *modes) == "each":
            direct, _, _ = parted(clause.clauses)
            rows: list[int] = []
            for number in numbers:
                rows += yield from self._list(tool, (*direct, Clause(reference, "=", number)))
            rows = yield from self.narrowed(other, rows, clause.clauses, place)
            yield from self.provide(other, rows, needs, place)
        else:
            rows = yield from self.find(other, clause.clauses, needs, place)
        figures: dict[int, int] = {}
        for row in rows:
            value = self.value(other, row, clause.measure.path) if clause.measure.path else 1
            if value != MISSING:
                target = self.known[other][row][reference]
                figures[target] = figures.get(target, 0) + value
        if clause.path:
            yield from self.ensure(entity, numbers, [clause.path])
        self.judge(entity, numbers)
        kept: list[int] = []
        for number in numbers:
            bound = self.value(entity, number, clause.path) if clause.bound is None else clause.bound
            if bound != MISSING and compares(figures.get(number, 0), clause.op, bound):
                kept.append(number)
        return kept

    def provide(self, entity: str, numbers: Sequence[int], paths: Iterable[str], at: str) -> Plan:
        """See to it that the values at some paths are known for some rows."""
        direct: dict[str, None] = {}
        inner: dict[str, list[str]] = {}
        for path in paths:
            first, _, rest = path.partition(".")
            direct[first] = None
            if rest:
                inner.setdefault(first, []).append(rest)
        yield from self.ensure(entity, numbers, list(direct))
        for reference, deep in inner.items():
            target = self.target(entity, reference)
            places = {self.known[entity][number][reference] for number in numbers} - {MISSING}
            firsts = {path.partition(".")[0] for path in deep}
            lacking = any(not firsts <= self.known[target].get(number, {}).keys() for number in places)
            if lacking and self._mode(at, reference, "each") != "each":
                yield from self.find(target, (), self.joining(entity, reference), f"{at}.{reference}")
            yield from self.provide(target, sorted(places), deep, f"{at}.{reference}")
