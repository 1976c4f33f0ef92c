"""Plays goals in a world: decides from what its tools show alone.

It shares no code with the evaluator of goals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.worlds.data.rows import MISSING
from stb_env.suites.worlds.goals.answer_fields import (
    amount_name,
    group_name,
    list_name,
    measure_name,
    part_name,
)
from stb_env.suites.worlds.goals.goal import (
    Change,
    Clause,
    Difference,
    Extreme,
    ForEach,
    Goal,
    Group,
    Listing,
    Lookup,
    Make,
    Measure,
    Select,
    Several,
    Summary,
    Work,
)
from stb_env.suites.worlds.oracle.answers import Answers
from stb_env.suites.worlds.oracle.finder import Finder
from stb_env.suites.worlds.oracle.requests import Asking, Memory, Plan, Request
from stb_env.suites.worlds.oracle.rule_reader import RuleReader
from stb_env.suites.worlds.schema.actions import Create
from stb_env.suites.worlds.services.archetypes.tool import ACTS, WorldTool
from stb_env.suites.worlds.world import Built

SORTED = "sorted"
"""Says among the modes of a plan that the first place is taken from a list in order."""
REPORT = "report"
"""Says among them that figures are taken from a report."""


class Player(Answers):
    """Plays goals in one world.

    Args:
        world: The world.
        modes: The plan, as `Solved` has it.
        memory: What other plans for the goal have read.
    """

    def __init__(self, world: Built, modes: Mapping[str, Any], memory: Memory | None = None) -> None:
        self._modes = modes
        self._sorted = bool(modes.get(SORTED))
        followed = {place: mode for place, mode in modes.items() if not place.endswith((SORTED, REPORT))}
        super().__init__(world, Finder(world, followed, memory))
        self._rules = RuleReader(world.blueprint, self.finder)

    def solve(self, goal: Goal) -> Asking[JsonObject]:
        """Yield the calls that solve a goal, and return the answer."""
        match goal:
            case Lookup():
                numbers = yield from self._find(goal.select, goal.fields)
                answer = self._fields(goal.select.entity, _only(numbers), goal.fields)
                return (yield from self._converted(goal, answer)) if goal.currency else answer
            case Extreme():
                number = yield from self._extreme(goal)
                return self._fields(goal.select.entity, number, goal.fields)
            case Summary():
                told = (yield from self._told(goal)) if self._sorted else None
                report = self._report(goal)
                if report is not None:
                    told = yield from self._reported(goal, report)
                if told is not None:
                    return told
                numbers = yield from self._find(goal.select, _paths(goal.measures))
                return self._figures(goal.select.entity, numbers, goal.measures)
            case Group():
                return (yield from self._group(goal))
            case Difference():
                return (yield from self._difference(goal))
            case Listing():
                return (yield from self._listing(goal))
            case Change():
                numbers = yield from self._find(goal.select, goal.fields)
                answer = self._fields(goal.select.entity, _only(numbers), goal.fields)
                if goal.target is not None:
                    yield (yield from self._moving(goal, goal.target, _only(numbers)))
                else:
                    yield from self._act(goal.select.entity, numbers, goal.action, goal.value)
                return answer
            case Make():
                joining = self.finder.joining(goal.entity, self._creating(goal).fields[0])
                numbers = yield from self._find(goal.select, [*goal.fields, *joining])
                answer = self._fields(goal.select.entity, _only(numbers), goal.fields)
                yield self._new(goal, _only(numbers))
                return answer
            case ForEach():
                numbers = yield from self._find(goal.select, _paths(goal.measures))
                answer = self._figures(goal.select.entity, numbers, goal.measures)
                yield from self._act(goal.select.entity, numbers, goal.action, goal.value)
                return answer
            case Work():
                return (yield from self._work(goal))
            case Several():
                return (yield from self._several(goal))

    def _converted(self, goal: Lookup, answer: JsonObject) -> Asking[JsonObject]:
        """Return an answer with its amount in another currency."""
        tool = self.finder.tool("convert", "")
        if tool is None:
            raise KeyError("no tool converts amounts")
        (amount,) = answer.values()
        response = yield Request(tool, {"amount": amount, "currency": goal.currency})
        return {amount_name(self._blueprint, goal): response["amount"]}

    def _several(self, goal: Several) -> Asking[JsonObject]:
        """Read for all parts first: what a part changes is then no part's reading."""
        answer: JsonObject = {}
        acts: list[Request] = []
        for place, part in enumerate(goal.parts):
            # Each part has a plan of its own.
            self.finder.part = part_mode(place, "")
            self._sorted = bool(self._modes.get(part_mode(place, SORTED)))
            plan, response = self.solve(part), None
            while True:
                try:
                    request = plan.send(response)
                except StopIteration as stop:
                    told: JsonObject = stop.value
                    break
                if request.tool.kind in ACTS:
                    acts.append(request)
                    response = None
                else:
                    response = yield request
            answer |= {part_name(self._blueprint, part, name): value for name, value in told.items()}
        for request in acts:
            yield request
        return answer

    def _find(self, select: Select, needs: Sequence[str]) -> Asking[list[int]]:
        entity = select.entity
        return (yield from self.finder.find(entity, select.clauses, self._shown(entity, needs), entity))

    # -- shapes ----------------------------------------------------------------------------------

    def _extreme(self, goal: Extreme) -> Asking[int]:
        entity, finder = goal.select.entity, self.finder
        needs = self._shown(entity, goal.fields)
        pages = None
        if self._sorted:
            pages = finder.sorted_pages(entity, goal.select.clauses, goal.by, most=goal.most)
        if pages is None:
            numbers = yield from self._find(goal.select, goal.fields)
            yield from finder.provide(entity, numbers, [goal.by], entity)
            finder.judge(entity, numbers)
            valued = [(finder.value(entity, number, goal.by), number) for number in numbers]
            valued = [each for each in valued if each[0] != MISSING]
            return (max(valued) if goal.most else min(valued))[1]
        response: Any = None
        while True:
            try:
                request = pages.send(response)
            except StopIteration:
                raise KeyError(f"no row of {entity} meets every clause") from None
            response = yield request
            for row in response[request.tool.items]:
                number: int = finder.learn(entity, row)
                finder.note_met(request.tool, (number,), goal.select.clauses)
                passing = yield from finder.narrowed(entity, [number], goal.select.clauses, entity)
                if passing:
                    yield from finder.provide(entity, passing, needs, entity)
                    return number

    def _told(self, goal: Summary) -> Asking[JsonObject | None]:
        """Take a number of rows and the greatest or least value from the first page of a list in order.

        That is possible where the list tells how many rows there are, and filters by every clause.
        """
        entity, finder = goal.select.entity, self.finder
        ordered = next((each for each in goal.measures if each.kind in ("greatest", "least")), None)
        listing = finder.tool("list", entity)
        if ordered is None or listing is None or not self.world.codec.style(entity).total:
            return None
        clauses = goal.select.clauses
        pages = finder.sorted_pages(entity, clauses, ordered.path, most=ordered.kind == "greatest")
        if pages is None or len(finder.served(listing, clauses)) < len(clauses):
            return None
        response: Any = None
        while True:
            response = yield pages.send(response)
            for number in finder.learn_all(listing, response):
                value = finder.value(entity, number, ordered.path)
                if value != MISSING:
                    figures = {ordered: value, Measure("count"): int(response["total"])}
                    return {
                        measure_name(self._blueprint, entity, each): self._figure_json(
                            entity, each, figures[each]
                        )
                        for each in goal.measures
                    }

    def _report(self, goal: Summary) -> WorldTool | None:
        """Return the report that has the figures of a goal, if the plan goes by it."""
        if self._modes.get(f"{self.finder.part}{REPORT}") is None:
            return None
        tool = self.finder.tool("report", goal.select.entity)
        clauses = goal.select.clauses
        if tool is None or len(clauses) != 1 or not isinstance(clauses[0], Clause):
            return None
        known = {Measure("count"), *(Measure("total", each.attribute) for each in tool.fields)}
        suits = clauses[0].op == "=" and clauses[0].path == tool.subject
        return tool if suits and known.issuperset(goal.measures) else None

    def _reported(self, goal: Summary, tool: WorldTool) -> Asking[JsonObject]:
        """Take figures from a report."""
        entity, clause = goal.select.entity, goal.select.clauses[0]
        if not isinstance(clause, Clause):
            raise TypeError("a report goes by a value")
        field = self.world.codec.fields[entity][clause.path]
        response = yield Request(tool, {tool.params[0].name: field.argument(clause.value)})
        figures = {each.attribute: each.read(response[each.name]) for each in tool.fields}
        return {
            measure_name(self._blueprint, entity, each): self._figure_json(
                entity, each, figures[each.path] if each.path else response["count"]
            )
            for each in goal.measures
        }

    def _group(self, goal: Group) -> Asking[JsonObject]:
        entity, finder = goal.select.entity, self.finder
        by = self._said(entity, goal.by)
        numbers = yield from self._find(goal.select, [by, *_paths([goal.measure])])
        finder.judge(entity, numbers)
        groups: dict[int, list[int]] = {}
        for number in numbers:
            value = finder.value(entity, number, by)
            if value != MISSING:
                groups.setdefault(value, []).append(number)
        figures = [(self._figure(entity, rows, goal.measure), value) for value, rows in groups.items()]
        figure, value = max(figures) if goal.most else min(figures)
        return {
            group_name(self._blueprint, entity, goal.by): self._json(entity, by, value),
            measure_name(self._blueprint, entity, goal.measure): self._figure_json(
                entity, goal.measure, figure
            ),
        }

    def _difference(self, goal: Difference) -> Asking[JsonObject]:
        entity = goal.one.entity
        one = yield from self._find(goal.one, _paths([goal.measure]))
        other = yield from self._find(goal.other, _paths([goal.measure]))
        first = self._figure(entity, one, goal.measure)
        gap = abs(first - self._figure(entity, other, goal.measure))
        name = measure_name(self._blueprint, entity, goal.measure)
        return {
            f"first_{name}": self._figure_json(entity, goal.measure, first),
            f"{name}_difference": self._figure_json(entity, goal.measure, gap),
        }

    def _listing(self, goal: Listing) -> Asking[JsonObject]:
        entity = goal.select.entity
        path = self._said(entity, goal.path)
        numbers = yield from self._find(goal.select, [path])
        values = dict.fromkeys(self.finder.value(entity, number, path) for number in numbers)
        said = [self._json(entity, path, value) for value in values if value != MISSING]
        return {list_name(self._blueprint, entity, goal.path): said}

    # -- acting ----------------------------------------------------------------------------------

    def _act(self, entity: str, numbers: Sequence[int], action: str, value: int | None) -> Plan:
        tool = next((found for kind in ACTS if (found := self.finder.tool(kind, entity, action))), None)
        if tool is None:
            raise KeyError(f"no tool does {action} to {entity}")
        codec = self.world.codec
        name = tool.params[0].name
        if tool.limit > 1:
            for start in range(0, len(numbers), tool.limit):
                ids = [codec.id_of(entity, number) for number in numbers[start : start + tool.limit]]
                yield Request(tool, {name: ids})
            return
        for number in numbers:
            arguments: JsonObject = {name: codec.id_of(entity, number)}
            if value is not None:
                arguments[tool.params[1].name] = tool.fields[0].argument(value)
            elif len(tool.params) > 1:
                # A row is voided for any of the reasons.
                arguments[tool.params[1].name] = tool.params[1].schema["enum"][0]
            yield Request(tool, arguments)

    def _moving(self, goal: Change, target: Select, start: int) -> Asking[Request]:
        """Return the request that moves a quantity from a row to the one that is meant."""
        entity, finder = goal.select.entity, self.finder
        tool = finder.tool("move", entity, goal.action)
        if tool is None or goal.value is None:
            raise KeyError(f"no tool moves a quantity of {entity}")
        end = _only((yield from self._find(target, ())))
        field = tool.fields[0]
        yield from finder.ensure(entity, [start], [field.attribute])
        names = [param.name for param in tool.params]
        ids = [self.world.codec.id_of(entity, number) for number in (start, end)]
        leaves = finder.value(entity, start, field.attribute) - goal.value
        given = dict(zip(names, [*ids, field.argument(goal.value)], strict=True))
        return Request(tool, given, leaves=leaves)

    def _creating(self, goal: Make) -> Create:
        action = self._blueprint.entities[goal.entity].actions[goal.action]
        if not isinstance(action, Create):
            raise KeyError(f"{goal.action} makes no row of {goal.entity}")
        return action

    def _new(self, goal: Make, meant: int) -> Request:
        tool = self.finder.tool("create", goal.entity, goal.action)
        if tool is None:
            raise KeyError(f"no tool makes rows of {goal.entity}")
        values = {self._creating(goal).fields[0]: meant, **dict(goal.values)}
        return Request(tool, {each.name: each.argument(values[each.attribute]) for each in tool.fields})

    def _work(self, goal: Work) -> Asking[JsonObject]:
        entity, finder = goal.select.entity, self.finder
        book = finder.tool("rules", entity, goal.queue)
        if book is not None:
            yield Request(book, {})
        queue = self._blueprint.entities[entity].queues[goal.queue]
        waiting = [self._rules.clause(entity, condition) for condition in queue.select]
        select = Select(entity, (*goal.select.clauses, *waiting))
        numbers = yield from self._find(select, ())
        finder.judge(entity, numbers)
        decided: dict[int, str] = {}
        for rule in queue.rules:
            left = [number for number in numbers if number not in decided]
            for condition in rule.when:
                left = yield from self._rules.holding(entity, left, condition)
            for condition in rule.unless:
                excepted = yield from self._rules.holding(entity, left, condition)
                left = [number for number in left if number not in excepted]
            decided.update(dict.fromkeys(left, rule.do))
        for number in numbers:
            decided.setdefault(number, queue.otherwise)
        told = [number for number in numbers if decided[number] == goal.decision]
        yield from finder.provide(entity, told, _paths(goal.measures), entity)
        answer = self._figures(entity, told, goal.measures)
        for action in dict.fromkeys(decided.values()):
            meant = [number for number in numbers if decided[number] == action]
            yield from self._act(entity, meant, action, None)
        return answer


def part_mode(place: int, mode: str) -> str:
    """Return the name that a mode of one part of a goal has among those of the whole."""
    return f"{place}/{mode}"


def _only(numbers: Sequence[int]) -> int:
    if len(numbers) != 1:
        raise KeyError(f"{len(numbers)} rows are meant where one must be")
    return numbers[0]


def _paths(measures: Sequence[Measure]) -> list[str]:
    return [measure.path for measure in measures if measure.path]
