"""Others in a world: draws single changes that they make to rows, by the kit's own actions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from stb_env.suites.worlds.data.blueprint import Blueprint
from stb_env.suites.worlds.data.facts import facts_at_start
from stb_env.suites.worlds.data.rows import MISSING, Row
from stb_env.suites.worlds.drawing.new_rows import creations, new_values
from stb_env.suites.worlds.episode.events import Event
from stb_env.suites.worlds.goals.goal import (
    Change,
    Clause,
    ForEach,
    Goal,
    Make,
    RowId,
    Select,
    Several,
    Work,
    parts_of,
    selections,
)
from stb_env.suites.worlds.goals.selection import chosen
from stb_env.suites.worlds.schema.actions import Create, Delete, Set, Transition
from stb_env.suites.worlds.schema.kit import (
    Category,
    Code,
    Day,
    Email,
    Flag,
    Life,
    Person,
    Quantity,
    Title,
)
from stb_env.suites.worlds.tasks.world_task import WorldTask

_ENTERING = 0.5
"""Share of changes that let a row come to be meant, rather than change one that is, where either may be."""


def acts(goal: Goal) -> bool:
    """Return whether a goal asks for a change."""
    return any(isinstance(part, Change | Make | ForEach | Work) for part in parts_of(goal))


_COMES_IN, _AMOUNT = "a row", "an amount"
"""In place of an action: a row like another one comes in, or an amount changes. No kit has such names."""


class Others:
    """Draws single changes of one task's world.

    Args:
        made: The task.
        pick: Draws.
    """

    def __init__(self, made: WorldTask, pick: Random) -> None:
        self._pick = pick
        self._blueprint: Blueprint = made.world.blueprint
        self._facts = facts_at_start(self._blueprint)
        self._goal = made.drawn.goal
        self._missing = "" if made.missing is None else made.missing.entity
        self._reads = not acts(self._goal) and not made.paired
        selects = list(selections(self._goal))
        self._entity = selects[0].entity
        self._selects = [each for each in selects if each.entity == self._entity]
        expected = made.drawn.expected
        # The rows of several requests are of several entities.
        rows = () if made.refusal is not None or isinstance(self._goal, Several) else expected.rows
        self._meant: list[RowId] = [(self._entity, number) for number in rows]
        support = {
            (place.partition(".")[0], number): None
            for places in expected.support.values()
            for place, number in places
            if place.partition(".")[0] in self._blueprint.entities
        }
        self._near = list(support)
        self._ways = {entity: self._ways_of(entity) for entity in self._blueprint.entities}

    def change(self, at: int, *, near: bool) -> Event | None:
        """Draw a change before a call, or None where the draw fails.

        Args:
            at: The call.
            near: Whether it is to be on what the request is about, rather than anywhere.
        """
        entities = self._blueprint.entities
        place: RowId | None = None
        entity = self._entity
        if near and self._reads and self._near and self._pick.random() > _ENTERING:
            place = self._pick.choice(self._near)
            entity = place[0]
        if not self._ways[entity]:
            place, entity = None, self._pick.choice([name for name in entities if self._ways[name]])
        name = self._pick.choice(self._ways[entity])
        match entities[entity].actions.get(name):
            case None if name == _COMES_IN:
                return Event(at, entity, new=self._came_in(entity, near=near))
            case None:
                return self._other_amount(at, entity, self._anywhere(entity) if place is None else place[1])
            case Create() as create:
                return Event(at, entity, new=self._new(entity, name, create, near=near))
            case Delete() if self._reads:
                return Event(at, entity, row=self._anywhere(entity) if place is None else place[1])
            case Transition() | Set() as action:
                if near and place is None and entity == self._entity:
                    return self._entering(at, action)
                row = self._anywhere(entity) if place is None else place[1]
                return self._changed(at, entity, row, action, self._value(entity, action))
        return None

    def _ways_of(self, entity: str) -> list[str]:
        """Return the actions that others may do to an entity, and what may happen beside them."""
        described = self._blueprint.entities[entity]
        ways = [name for name, each in described.actions.items() if not isinstance(each, Create)]
        if self._reads and any(isinstance(each, Quantity) for each in described.attributes.values()):
            ways.append(_AMOUNT)
        made = [part.entity for part in parts_of(self._goal) if isinstance(part, Make)]
        if entity in (self._missing, *made):
            # None that the task makes, or looks for, is confused with one of theirs.
            return ways
        attributes = described.attributes.values()
        unique = [each for each in attributes if isinstance(each, Code | Email | Person | Title)]
        if len(unique) == 1 and isinstance(unique[0], Code):
            ways.append(_COMES_IN)
        return ways + [name for each, name, _ in creations(self._blueprint) if each == entity]

    def _anywhere(self, entity: str) -> int:
        return self._pick.randrange(len(self._blueprint.data.rows[entity]))

    def _value(self, entity: str, action: Transition | Set) -> int:
        """Return the value that an action gives: the target, or that of some row."""
        described = self._blueprint.entities[entity]
        attribute = described.attributes[action.field]
        if isinstance(action, Transition):
            return attribute.values.index(action.target) if isinstance(attribute, Life) else MISSING
        suits = isinstance(attribute, Category | Day | Flag | Quantity)
        rows = self._blueprint.data.rows[entity]
        return self._pick.choice(rows)[described.columns[action.field]] if suits else MISSING

    def _other_amount(self, at: int, entity: str, row: int) -> Event | None:
        """Return that an amount of a row becomes that of some other row."""
        attributes = self._blueprint.entities[entity].attributes.values()
        columns = [place for place, each in enumerate(attributes) if isinstance(each, Quantity)]
        column, rows = self._pick.choice(columns), self._blueprint.data.rows[entity]
        value = self._pick.choice(rows)[column]
        if value in (MISSING, rows[row][column]):
            return None
        return Event(at, entity, row=row, column=column, value=value)

    def _entering(self, at: int, action: Transition | Set) -> Event | None:
        """Draw a row that is meant once an action has changed it, and that is not meant yet."""
        select = self._pick.choice(self._selects)
        on_it = [each for each in select.clauses if isinstance(each, Clause) and each.path == action.field]
        others = tuple(each for each in select.clauses if each not in on_it)
        if not on_it:
            return self._changed(
                at, select.entity, self._anywhere(select.entity), action, self._value(select.entity, action)
            )
        value = self._value(select.entity, action)
        if isinstance(action, Set) and self._meant:
            _, like = self._pick.choice(self._meant)
            value = self._facts.value(select.entity, like, action.field)
        meant = {number for _, number in self._meant}
        rows = [each for each, _ in chosen(self._facts, Select(select.entity, others)) if each not in meant]
        return self._changed(at, select.entity, self._pick.choice(rows), action, value) if rows else None

    def _changed(self, at: int, entity: str, row: int, action: Transition | Set, value: int) -> Event | None:
        """Return the change of a row, or None where its action does not suit it."""
        described = self._blueprint.entities[entity]
        column = described.columns[action.field]
        drawn = self._blueprint.data.rows[entity][row]
        life = described.attributes[action.field]
        if value in (MISSING, drawn[column]):
            return None
        if isinstance(action, Transition) and (
            not isinstance(life, Life) or life.values[drawn[column]] not in action.source
        ):
            return None
        if not self._facts.all_hold(entity, action.when)(row, drawn):
            return None
        return Event(at, entity, row=row, column=column, value=value)

    # -- new rows --------------------------------------------------------------------------------

    def _like(self, entity: str, *, near: bool) -> Row:
        """Draw a row that a new one is like; where asked for, one that is meant."""
        rows: Sequence[Row] = self._blueprint.data.rows[entity]
        if near and entity == self._entity and self._meant:
            return rows[self._pick.choice(self._meant)[1]]
        return self._pick.choice(rows)

    def _came_in(self, entity: str, *, near: bool) -> Row:
        """Draw a row like another one, with its own amounts where nothing is compared with them."""
        row, compared = list(self._like(entity, near=near)), self._compared()
        other = self._pick.choice(self._blueprint.data.rows[entity])
        for column, (name, attribute) in enumerate(self._blueprint.entities[entity].attributes.items()):
            if isinstance(attribute, Quantity) and name not in compared:
                row[column] = other[column]
        return tuple(row)

    def _new(self, entity: str, name: str, action: Create, *, near: bool) -> Row:
        """Draw a new row; where asked for, one that may be meant, since it is like one that is."""
        blueprint, pick = self._blueprint, self._pick
        described = blueprint.entities[entity]
        places = described.columns
        reference = action.fields[0]
        like = self._like(entity, near=near)
        meant = like[places[reference]]
        values = {reference: meant, **dict(new_values(blueprint, entity, name, meant, pick))}
        if near:
            values |= {each: like[places[each]] for each in action.fields if each in self._compared()}
        values |= self._started(entity, action.start)
        return tuple(values.get(each, 0) for each in described.attributes)

    def _started(self, entity: str, start: Mapping[str, str]) -> dict[str, int]:
        return {each: self._blueprint.value_of(entity, each, text) for each, text in start.items()}

    def _compared(self) -> set[str]:
        """Return the attributes of rows themselves that the request compares."""
        return {
            clause.path for select in self._selects for clause in select.clauses if isinstance(clause, Clause)
        }
