"""Goal programs: typed data that says which rows a request is about, what it asks and what it changes.

`evaluation` works them out over a world's tables alone. The oracle, which solves them through tools, shares
nothing of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.worlds.data.rows import State

Operator = Literal["=", "!=", ">", "<"]
RowId = tuple[str, int]
"""A row: its entity and number."""


# -- which rows -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Clause:
    """A comparison of an attribute with a value.

    Attributes:
        path: The attribute, over references.
        op: The comparison; a missing value meets none.
        value: A whole number, as rows hold it. Of a text it is the index in the texts of its column.
    """

    path: str
    op: Operator
    value: int


@dataclass(frozen=True, slots=True)
class Related:
    """Condition that rows of another entity refer to the row, or that none does.

    Attributes:
        entity: The other entity.
        reference: Its attribute that refers to the row.
        clauses: What the other rows meet.
        present: Whether there must be one, or none.
    """

    entity: str
    reference: str
    clauses: tuple[Clause, ...]
    present: bool


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure over rows.

    Attributes:
        kind: The number of rows, a sum, or the greatest or least value.
        path: The attribute; empty for the number of rows.
    """

    kind: Literal["count", "total", "greatest", "least"]
    path: str = ""


@dataclass(frozen=True, slots=True)
class Tally:
    """Comparison of a figure over the rows that refer to the row; it is 0 where none does.

    Attributes:
        entity: The entity of those rows.
        reference: Its attribute that refers to the row.
        clauses: What those rows meet.
        measure: The figure: a count or a total.
        op: The comparison.
        bound: A whole number, in the smallest parts of what is added up; None where `path` has it.
        path: The attribute of the row itself that is the bound; empty where it is a number.
    """

    entity: str
    reference: str
    clauses: tuple[Clause, ...]
    measure: Measure
    op: Literal[">", "<"]
    bound: int | None
    path: str = ""


Limit = Clause | Related | Tally


def leads(clause: Limit) -> bool:
    """Return whether the rows that a clause speaks of refer to all rows that meet it."""
    if isinstance(clause, Related):
        return clause.present
    return isinstance(clause, Tally) and clause.op == ">" and not clause.path


@dataclass(frozen=True, slots=True)
class Select:
    """The rows of an entity that meet every clause."""

    entity: str
    clauses: tuple[Limit, ...] = ()


# -- what is asked ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Lookup:
    """Values of the one row that is meant.

    Attributes:
        select: The row.
        fields: Paths of the values that are asked for.
        currency: The currency in which an amount, the only value then, is asked for; empty for the usual one.
    """

    select: Select
    fields: tuple[str, ...]
    currency: str = ""


@dataclass(frozen=True, slots=True)
class Extreme:
    """The row with the greatest or least value, and values of it."""

    select: Select
    by: str
    most: bool
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """Figures over all rows that are meant: a total, or a count and another figure."""

    select: Select
    measures: tuple[Measure, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Of the values of an attribute, the one whose rows have the greatest or least figure; and the figure.

    Attributes:
        select: The rows.
        by: The attribute whose values make the groups; of a reference, the rows that it leads to.
        measure: The figure of each group.
        most: Whether the greatest is asked for.
    """

    select: Select
    by: str
    measure: Measure
    most: bool


@dataclass(frozen=True, slots=True)
class Difference:
    """By how much the figures over two selections differ, without a sign, and the first of them."""

    one: Select
    other: Select
    measure: Measure


@dataclass(frozen=True, slots=True)
class Listing:
    """The values of an attribute over all rows that are meant, each once."""

    select: Select
    path: str


@dataclass(frozen=True, slots=True)
class Change:
    """Do an action to the one row that is meant, and give values of it as they were before.

    Attributes:
        select: The row.
        action: The action, by its name in the kit.
        value: The value that a `kit.Set` sets, or how much a `kit.Move` moves, as rows hold it; else None.
        fields: Paths of the values that are asked for.
        target: The row to which a quantity is moved; None where none is.
    """

    select: Select
    action: str
    value: int | None
    fields: tuple[str, ...]
    target: Select | None = None


@dataclass(frozen=True, slots=True)
class Make:
    """Make a row that refers to the one row that is meant, and give values of that one.

    Attributes:
        select: The row that the new one refers to.
        entity: The entity of the new row.
        action: The action, by its name in the kit.
        values: The attributes of the new row that are given, each with its value as rows hold it; the one
            that refers to the row that is meant is not among them.
        fields: Paths of the values that are asked for, from the row that is meant.
    """

    select: Select
    entity: str
    action: str
    values: tuple[tuple[str, int], ...]
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ForEach:
    """Do an action to every row that is meant, and give figures over them as they were before.

    Attributes:
        select: The rows.
        action: The action, by its name in the kit.
        value: The value that a `kit.Set` sets, as rows hold it; None for a transition.
        measures: The figures.
    """

    select: Select
    action: str
    value: int | None
    measures: tuple[Measure, ...]


@dataclass(frozen=True, slots=True)
class Work:
    """Decide every row that waits in a queue by its rules, and give figures over those with one decision.

    Attributes:
        queue: The queue, by its name in the kit.
        select: Which of its rows: the entity, and clauses beside those that make the queue.
        decision: The action over whose rows figures are given.
        measures: The figures.
    """

    queue: str
    select: Select
    decision: str
    measures: tuple[Measure, ...]


Part = Lookup | Extreme | Summary | Group | Difference | Listing | Change | Make | ForEach | Work
"""A request for one thing."""


@dataclass(frozen=True, slots=True)
class Several:
    """Requests for several things, none of which depends on another's being done before or after it.

    Attributes:
        parts: The requests, in the order in which they are said.
    """

    parts: tuple[Part, ...]


Goal = Part | Several


def parts_of(goal: Goal) -> tuple[Part, ...]:
    """Return the requests that a goal consists of."""
    return goal.parts if isinstance(goal, Several) else (goal,)


def selections(goal: Goal) -> Iterator[Select]:
    """Yield every selection of a goal."""
    for part in parts_of(goal):
        if isinstance(part, Difference):
            yield from (part.one, part.other)
        elif isinstance(part, Change) and part.target is not None:
            yield from (part.select, part.target)
        else:
            yield part.select


@dataclass(frozen=True, slots=True)
class Expected:
    """Solution of a goal.

    Attributes:
        answer: The value of every field.
        state: The state at the end.
        support: The rows that each field stands on; ``entity.attribute`` in place of the entity where its
            value must be shown.
        rows: The rows that are meant, in order; those that an action changes.
    """

    answer: JsonObject
    state: State
    support: Mapping[str, tuple[RowId, ...]] = field(default_factory=dict)
    rows: tuple[int, ...] = ()


class GoalError(ValueError):
    """A goal has no single answer: no row is meant, or two share the first place."""
