"""The recorded readings and equalities of SambaNova's own evaluator."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stb_env.core.request import drive
from stb_env.judges.judge import Case
from stb_env.suites.sambanova.google_sheets.judge import OriginalJudge, SheetsJudge
from stb_env.suites.sambanova.google_sheets.original_frame import read_frame
from stb_env.suites.sambanova.google_sheets.outcomes import frame_of
from stb_env.suites.sambanova.google_sheets.sheet import book_of
from stb_env.suites.sambanova.google_sheets.tasks import sheets_task
from tests.shared import task_cases

ROWS, COLUMNS = 40, 12


@pytest.fixture(scope="module")
def cases(shared_data: Path) -> list[dict[str, Any]]:
    return task_cases(shared_data, "google_sheets")


def padded(grid: list[list[Any]]) -> list[list[Any]]:
    rows = [[*row, *[""] * (COLUMNS - len(row))] for row in grid]
    return rows + [[""] * COLUMNS for _ in range(ROWS - len(grid))]


def program_for(grid: list[list[Any]]) -> str:
    return f"worksheet.clear()\nworksheet.update('A1', {grid!r})"


def test_golden_readings_are_the_originals(cases: list[dict[str, Any]]):
    for case in cases:
        for side in ("a", "b"):
            expected = dict(case["expected"][f"frame_{side}"])
            frame = read_frame(padded(case[f"grid_{side}"]))
            # Recorded labels are texts, those of a header of numbers too; whether two such headers are equal
            # is recorded with the pair.
            expected["columns"] = list(map(str, expected["columns"]))
            got = {
                "columns": list(map(str, frame.labels)),
                "index": list(frame.index),
                "dtypes": [column.kind for column in frame.columns],
                "shape": list(frame.shape),
            }
            assert got == expected, case["id"]


def test_golden_equality_of_every_pair_is_the_originals(cases: list[dict[str, Any]]):
    for case in cases:
        a, b = (read_frame(padded(case[f"grid_{side}"])) for side in "ab")
        assert a.equals(b) == b.equals(a) == case["expected"]["equal"], case["id"]


def judged(judge: Any, case: dict[str, Any]) -> bool:
    label = program_for(case["grid_b"])
    task = sheets_task("1", "test", "goal", "golden", [["start"], [1]], (label,), ())
    return drive(judge.judge(Case(task, "", (), book_of(case["grid_a"])))).metrics["success"] == 1.0


def test_golden_verdicts_of_the_judge_are_the_originals(cases: list[dict[str, Any]]):
    for case in cases:
        assert judged(OriginalJudge(), case) == case["expected"]["equal"], case["id"]


def test_golden_verdicts_of_the_default_compare_every_cell_where_it_stands(cases: list[dict[str, Any]]):
    for case in cases:
        assert judged(SheetsJudge(), case) == is_same(case["grid_a"], case["grid_b"]), case["id"]


def is_same(a: list[list[Any]], b: list[list[Any]]) -> bool:
    """Whether two grids hold the same at the same places.

    The original reads both as tables first (spec toolbench-tasks 7.3, 15): it takes texts and truth values
    for numbers and NA for nothing, passes over blank columns and headers without rows, renames the second of
    two equal headers, and tells numbers apart by their last bit.
    """
    ours, theirs = (
        {(y, x): cell for y, row in enumerate(grid) for x, cell in enumerate(row) if cell not in ("", None)}
        for grid in (a, b)
    )
    return ours.keys() == theirs.keys() and all(is_equal(cell, theirs[at]) for at, cell in ours.items())


def is_equal(a: Any, b: Any) -> bool:
    if {type(a), type(b)} <= {int, float}:
        return a == pytest.approx(b, rel=1e-9, abs=1e-9)
    return type(a) is type(b) and a == b


def test_golden_frames_of_a_worksheet_are_those_of_its_grid(cases: list[dict[str, Any]]):
    for case in cases:
        assert frame_of(book_of(case["grid_a"])).equals(read_frame(padded(case["grid_a"]))), case["id"]


@pytest.mark.parametrize(
    ("header", "labels"),
    [
        ([2020, 2021], [2020, 2021]),
        ([2020, 2020], [2020, "2020.1"]),
        ([2020.5, "x"], [2020.5, "x"]),
        ([1, "1"], [1, "1"]),
        ([1, 1, "1.1"], [1, "1.2", "1.1"]),
        ([True, 1], [True, "1.1"]),
        ([1, 1.0], [1, "1.0.1"]),
    ],
)
def test_numbers_in_a_header_stay_numbers_as_in_pandas(header: list[Any], labels: list[Any]):
    # Measured with the reader of pandas 1.5.3, which the original uses.
    got = read_frame(padded([header, list(range(len(header)))])).labels
    assert [(type(label), label) for label in got] == [(type(label), label) for label in labels]


def test_a_header_of_numbers_is_not_one_of_texts():
    numbers, texts = (read_frame(padded([header, [1, 2]])) for header in ([2020, 2021], ["2020", "2021"]))
    assert not numbers.equals(texts)
