"""Goals on tables, made from a seed; each changes something that both judges see."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files

from stb_env.core.jsontypes import JsonMapping
from stb_env.seeding import rng
from stb_env.suites.sambanova.common.seeded_tasks import SeededTasks, belongs
from stb_env.suites.sambanova.google_sheets.goals import KINDS
from stb_env.suites.sambanova.google_sheets.judge import labelled
from stb_env.suites.sambanova.google_sheets.plan import Plan
from stb_env.suites.sambanova.google_sheets.sheet import book_of
from stb_env.suites.sambanova.google_sheets.tables import draw_table, table_text
from stb_env.suites.sambanova.google_sheets.tools import BY_NAME, TOOLS, WORKSHEET, method_of
from stb_env.suites.sambanova.google_sheets.world import VERSION
from stb_env.tasks import Task
from stb_env.tools import ToolCall

NAME = "GoogleSheets"
TEST_SIZE = 70
SHEET_NAME = "Sheet1"

MAX_CALLS = 6
"""Calls of a gold solution."""

_TURNS = tuple(KINDS)


class SheetsTasks(SeededTasks):
    """A `TaskSource` of goals on tables; the kinds take turns.

    Args:
        split: ``test``, a fixed list of 70, or ``train``, without end. No program is in both.

    Raises:
        ConfigError: There is no such split.

    Examples:
        >>> task = SheetsTasks("test").at(5)
        >>> task.group, [call.name for call in task.gold]
        ('move_column', ['update', 'delete_columns', 'update_cell'])
    """

    def __init__(self, split: str = "test") -> None:
        super().__init__(NAME, generate, split, TEST_SIZE)


def generate(split: str, index: int) -> Task:
    """Make a task again from its split and index."""
    return make_task(split, index, _TURNS[index % len(_TURNS)])


@lru_cache(maxsize=1_024)
def make_task(split: str, index: int, kind: str) -> Task:
    """Make a task of one kind."""
    draw = rng("google_sheets", VERSION, split, index, kind)
    while True:
        plan = Plan(draw_table(draw))
        slots = KINDS[kind](plan, draw)
        if slots is None or plan.is_idle or not 1 <= len(plan.calls) <= MAX_CALLS:
            continue
        request = draw.choice(_texts()[kind]).format_map(slots)
        query = f"{table_text(plan.start.grid)}\n{request}"
        task = planned_task(f"{split}-{index}", split, query, kind, plan)
        (program,) = task.goal["labels"]
        # A program of the test is none of the training, whatever table it is about.
        if not belongs(split, program):
            continue
        # Even the original's reading has to see what is asked for.
        start, check_format = book_of(plan.start.grid), plan.check_format
        if not any(label.is_read_like(start, check_format=check_format) for label in labelled(task)):
            return task


def planned_task(task_id: str, split: str, query: str, kind: str, plan: Plan) -> Task:
    """Build the task that a plan solves."""
    return sheets_task(
        task_id,
        split,
        query,
        kind,
        plan.start.grid,
        ("\n".join(written(name, arguments) for name, arguments in plan.calls),),
        [ToolCall(name, arguments) for name, arguments in plan.calls],
        check_format=plan.check_format,
        is_summary=plan.is_summary,
    )


def sheets_task(
    task_id: str,
    split: str,
    query: str,
    group: str,
    grid: Sequence[Sequence[object]],
    labels: tuple[str, ...],
    calls: Sequence[ToolCall],
    *,
    check_format: bool = False,
    is_summary: bool = False,
    sheet_name: str = SHEET_NAME,
) -> Task:
    """Build a task.

    Args:
        task_id: Its id.
        split: Its split.
        query: The goal.
        group: Its kind.
        grid: Rows of values that it starts with.
        labels: Programs that are accepted.
        calls: Calls that solve it.
        check_format: Whether looks count.
        is_summary: Whether the layout of what is on added worksheets is free.
        sheet_name: Name of the worksheet in the official spreadsheet.
    """
    return Task(
        id=task_id,
        query=query,
        tools=TOOLS,
        suite=NAME,
        group=group,
        split=split,
        relevant=tuple(dict.fromkeys(BY_NAME[call.name].id for call in calls)),
        gold=tuple(calls),
        goal={
            "labels": list(labels),
            "grid": [list(row) for row in grid],
            "check_format": check_format,
            **({"is_summary": True} if is_summary else {}),
        },
        answer="acts",
        record={
            "prompt": query,
            "completion": list(labels),
            "question_sheet_name": sheet_name,
            "check_format": check_format,
        },
    )


def written(name: str, arguments: JsonMapping) -> str:
    """Return a call as a line of a program.

    Examples:
        >>> written("update", {"range_name": "A1", "values": 1, "worksheet": "Pivot"})
        "sheet.worksheet('Pivot').update('A1', 1)"
        >>> written("sort", {"specs": [[2, "asc"]], "range": "A2:C7"})
        "worksheet.sort((2, 'asc'), range='A2:C7')"
        >>> written("sheet_add_worksheet", {"title": "Pivot", "rows": 100, "cols": 20})
        "sheet.add_worksheet('Pivot', 100, 20)"
    """
    method, is_book = method_of(name)
    holder = "sheet" if is_book else "worksheet"
    if WORKSHEET in arguments:
        holder = f"sheet.worksheet({arguments[WORKSHEET]!r})"
        arguments = {key: value for key, value in arguments.items() if key != WORKSHEET}
    parts: list[str] = []
    for at, (key, value) in enumerate(arguments.items()):
        if method.several and at == 0:
            parts.extend(repr(tuple(each)) for each in value)
        else:
            parts.append(repr(value) if at < method.required else f"{key}={value!r}")
    return f"{holder}.{method.name}({', '.join(parts)})"


@cache
def _texts() -> Mapping[str, list[str]]:
    file = files("stb_env.suites.sambanova.google_sheets") / "content" / "goals.json"
    texts: dict[str, list[str]] = json.loads(file.read_text(encoding="utf-8"))
    return texts
