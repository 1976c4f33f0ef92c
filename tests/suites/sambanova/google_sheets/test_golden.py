"""The recorded readings and equalities of ToolBench's own evaluator."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from stb_env.judges.protocol import Case
from stb_env.request import drive
from stb_env.suites.sambanova.google_sheets.frame import read_frame
from stb_env.suites.sambanova.google_sheets.judge import OriginalJudge, SheetsJudge
from stb_env.suites.sambanova.google_sheets.outcomes import frame_of
from stb_env.suites.sambanova.google_sheets.sheet import book_of
from stb_env.suites.sambanova.google_sheets.tasks import sheets_task

# What the default judges otherwise, and why the original's verdict is a defect.
MENDED = {
    "gs-s004": "a text is no number",
    "gs-s005": "a text is no number",
    "gs-s012": "a blank column moves what is right of it",
    "gs-s014": "a table that moved is another",
    "gs-s017": "the text nan is something",
    "gs-s020": "a truth value is no number",
    "gs-s023": "a header is something",
    "gs-s025": "the header says something else",
}
ROWS, COLUMNS = 40, 12


@cache
def read(file: Path) -> list[dict[str, Any]]:
    return json.loads(file.read_text())["cases"]


@pytest.fixture(scope="module")
def cases(shared_data: Path) -> list[dict[str, Any]]:
    return read(shared_data / "toolbench_tasks" / "google_sheets_equality.json")


def padded(grid: list[list[Any]]) -> list[list[Any]]:
    rows = [[*row, *[""] * (COLUMNS - len(row))] for row in grid]
    return rows + [[""] * COLUMNS for _ in range(ROWS - len(grid))]


def program_for(grid: list[list[Any]]) -> str:
    return f"worksheet.clear()\nworksheet.update('A1', {grid!r})"


def test_golden_readings_are_the_originals(cases: list[dict[str, Any]]):
    for case in cases:
        for side in ("a", "b"):
            expected = case["expected"][f"frame_{side}"]
            frame = read_frame(padded(case[f"grid_{side}"]))
            got = {
                "columns": list(frame.labels),
                "index": list(frame.index),
                "dtypes": [column.kind for column in frame.columns],
                "shape": list(frame.shape),
            }
            assert got == expected, case["id"]


def test_golden_equality_of_every_pair_is_the_originals(cases: list[dict[str, Any]]):
    for case in cases:
        a, b = (read_frame(padded(case[f"grid_{side}"])) for side in "ab")
        assert a.equals(b) == b.equals(a) == case["expected"]["equal"], case["id"]


@pytest.mark.parametrize("original", [True, False])
def test_golden_verdicts_of_the_judges_differ_where_the_original_has_a_defect(
    cases: list[dict[str, Any]], original: bool
):
    judge = OriginalJudge() if original else SheetsJudge()
    for case in cases:
        label = program_for(case["grid_b"])
        task = sheets_task("1", "test", "goal", "golden", [["start"], [1]], (label,), ())
        verdict = drive(judge.judge(Case(task, "", (), book_of(case["grid_a"]))))
        wanted = case["expected"]["equal"] and (original or case["id"] not in MENDED)
        assert verdict.parts["success"] == wanted, case["id"]


def test_golden_frames_of_a_worksheet_are_those_of_its_grid(cases: list[dict[str, Any]]):
    for case in cases:
        assert frame_of(book_of(case["grid_a"])).equals(read_frame(padded(case["grid_a"]))), case["id"]
