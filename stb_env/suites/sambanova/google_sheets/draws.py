"""What goals have in common that is drawn: measures, conditions, operations, looks."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from stb_env.jsontypes import JsonObject
from stb_env.suites.sambanova.google_sheets.grids import Table, Value
from stb_env.suites.sambanova.google_sheets.plan import FUNCTIONS, Plan
from stb_env.suites.sambanova.google_sheets.values import shown

NEW_NAMES = ("Central", "Special", "Reserve", "Archive")
"""Groups that no theme has."""

MISSING = "n/a"
"""What stands in a cell whose value is not known; data frames read it as missing."""

_MARKS = {"plus": "+", "minus": "-", "times": "*"}
_TITLES = {"plus": "Total", "minus": "Difference", "times": "Result"}


class Operation(NamedTuple):
    """A column to compute of two others."""

    title: str
    left: str
    sign: str
    right: str


def draw_measure(values: Sequence[Value], draw: Random) -> str:
    """Return what a column is to be summed up by; an average comes out even, so that nobody has to round."""
    average = number_of(sum(map(number_of, values)) / len(values))
    even = abs(average * 100 - round(average * 100)) < 1e-6
    return draw.choice([name for name in FUNCTIONS if even or name != "average"])


def draw_condition(table: Table, draw: Random) -> tuple[str, str, list[int]]:
    """Return a column, a condition on it, and the rows that do not meet it."""
    if draw.random() < 0.5:
        title = table.header[1]
        wanted = draw.choice(table.values(title))
        others = [row for row in table.row_numbers if table.at(row, title) != wanted]
        return title, str(wanted), others
    title = draw.choice(table.numbers)
    numbers = sorted(map(number_of, table.values(title)))
    # Between two of the numbers, so that no row is on the edge.
    at = draw.randint(1, len(numbers) - 2)
    bound = round((numbers[at] + numbers[at + 1]) / 2, 2)
    more = draw.random() < 0.5
    others = [row for row in table.row_numbers if (number_of(table.at(row, title)) > bound) != more]
    return title, f"{'greater' if more else 'less'} than {bound:g}", others


def add_computed(plan: Plan, draw: Random) -> Operation:
    """Add a column that is computed of two others."""
    left, right = draw.sample(plan.table.numbers, 2)
    sign = draw.choice(list(_MARKS))
    compute = {"plus": float.__add__, "minus": float.__sub__, "times": float.__mul__}[sign]
    pairs = zip(plan.table.values(left), plan.table.values(right), strict=True)
    values: list[Value] = [round(compute(number_of(a), number_of(b)), 6) for a, b in pairs]
    formula = f"={plan.table.letter(left)}{{row}}{_MARKS[sign]}{plan.table.letter(right)}{{row}}"
    plan.add_column(_TITLES[sign], formula, values)
    return Operation(_TITLES[sign], left, sign, right)


def draw_look(draw: Random) -> tuple[str, JsonObject]:
    """Return how something is to look: in words, and as a format."""
    colors = {"yellow": (1.0, 1.0, 0.0), "green": (0.0, 1.0, 0.0), "red": (1.0, 0.0, 0.0)}
    color = draw.choice(list(colors))
    background = dict(zip(("red", "green", "blue"), colors[color], strict=True))
    looks: list[tuple[str, JsonObject]] = [
        ("bold", {"textFormat": {"bold": True}}),
        ("italic and centered", {"textFormat": {"italic": True}, "horizontalAlignment": "CENTER"}),
        ("bold and centered", {"textFormat": {"bold": True}, "horizontalAlignment": "CENTER"}),
        (
            f"bold on a pure {color} background",
            {"textFormat": {"bold": True}, "backgroundColor": background},
        ),
    ]
    return draw.choice(looks)


def said_cells(table: Table, row: Sequence[Value]) -> str:
    """Return the cells of a row in words, all but its name.

    Examples:
        >>> said_cells(Table({}, ["Name", "Team", "Age"], []), ["Ada", "red", 36])
        'Team red, Age 36'
    """
    return ", ".join(
        f"{title} {shown(value)}" for title, value in zip(table.header[1:], row[1:], strict=True)
    )


def raised(value: Value, amount: int) -> int | float:
    """Return a number with something added, without what floats leave behind."""
    return value + amount if isinstance(value, int) else round(number_of(value) + amount, 2)


def number_of(value: Value) -> float:
    """Return the number that a cell holds."""
    return float(value)
