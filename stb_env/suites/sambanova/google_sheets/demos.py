"""Solved examples for prompts: ten, as the paper has them; three of them work on data frames."""

from __future__ import annotations

from stb_env.suites.sambanova.common.official import Demonstration
from stb_env.suites.sambanova.google_sheets.tables import table_text
from stb_env.suites.sambanova.google_sheets.tasks import make_task

GRID = (
    ("Product", "Cost", "Price"),
    ("teapot", 12, 30),
    ("kettle", 25, 55),
    ("mug", 4, 9),
    ("tray", 8, 21),
    ("jug", 10, 24),
    ("spoon", 2, 5),
)
"""The table that the examples with data frames start from."""

_SEEDED = ("replace_text", "report", "insert_ordered", "filter_total", "heading", "pivot", "split")
_FRAMES = (
    (
        "Make every product 10 percent dearer; work on the Price column as a whole.",
        "df = get_as_dataframe(worksheet).dropna(how='all', axis=0)\n"
        "df = df.dropna(how='all', axis=1)\n"
        "df['Price'] = df['Price'] * 1.1\n"
        "set_with_dataframe(worksheet, df)",
    ),
    (
        "Keep only the products that cost more than 5, and close the gaps.",
        "df = get_as_dataframe(worksheet).dropna(how='all', axis=0)\n"
        "df = df.dropna(how='all', axis=1)\n"
        "kept = df[df['Cost'] > 5]\n"
        "worksheet.clear()\n"
        "set_with_dataframe(worksheet, kept)",
    ),
    (
        "Add a column Profit that holds Price minus Cost for every product.",
        "df = get_as_dataframe(worksheet).dropna(how='all', axis=0)\n"
        "df = df.dropna(how='all', axis=1)\n"
        "df['Profit'] = df['Price'] - df['Cost']\n"
        "set_with_dataframe(worksheet, df)",
    ),
)


def demonstrations() -> list[Demonstration]:
    """Return the demonstrations; none is a test task.

    Examples:
        >>> demos = demonstrations()
        >>> len(demos), demos[0].program.splitlines()[0]
        (10, "worksheet.update_cell(5, 2, 'Reserve')")
    """
    made = []
    for number, kind in enumerate(_SEEDED):
        task = make_task("demo", 0, kind)
        made.append(Demonstration(f"{number}_0", task.query, task.goal["labels"][0]))
    for number, (goal, program) in enumerate(_FRAMES, len(_SEEDED)):
        made.append(Demonstration(f"{number}_0", f"{table_text(GRID)}\n{goal}", program))
    return made
