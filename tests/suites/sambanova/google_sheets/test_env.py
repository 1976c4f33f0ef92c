"""The environment: every form of action, both judges, the standing checks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.core.request import drive
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError, DataError, JudgeError
from stb_env.judges.judge import Case
from stb_env.suites.sambanova.google_sheets.env import make
from stb_env.suites.sambanova.google_sheets.judge import SheetsJudge
from stb_env.suites.sambanova.google_sheets.official import read_grid
from stb_env.suites.sambanova.google_sheets.tasks import SheetsTasks, sheets_task
from stb_env.tasks import Task, TaskSet
from stb_env.tools import FINISH, ToolCall

DONE = {"name": FINISH, "arguments": {"return_type": "give_answer", "final_answer": ""}}
GRID = [["Item", "Qty", "Cost"], ["nut", 4, 0.5], ["bolt", 10, 0.25], ["cog", 3, 7]]
LABELS = {
    "sort": "worksheet.sort((2, 'asc'), range='A2:C4')",
    "total": "worksheet.update_acell('C5', '=SUM(C2:C4)')",
    "style": "worksheet.format('A1:C1', {'textFormat': {'bold': True}})",
    "freeze": "worksheet.freeze(rows=1)\nworksheet.update('A1', 'Thing')",
    "third": "worksheet.update('B2', 0.3)",
    "new": "w = sheet.add_worksheet('New', 5, 5)\nw.update('A1', [['Sum'], [17]])",
}
PROGRAMS = [
    *LABELS.values(),
    "for row in range(2, 5):\n    worksheet.update_cell(row, 4, f'=B{row}*C{row}')",
    "cells = worksheet.range('A2:A4')\nfor cell in cells:\n    cell.value = cell.value.upper()\n"
    "worksheet.update_cells(cells)",
    "rows = worksheet.get_all_values()\nkept = [row for row in rows if row[0] != 'nut']\n"
    "worksheet.clear()\nworksheet.update('A1', kept, raw=False)",
    "worksheet.insert_cols([['Id', 1, 2, 3]], col=1)\nworksheet.delete_rows(2, 3)",
    "worksheet.merge_cells('A1:B2')\nworksheet.format('A1', {'horizontalAlignment': 'CENTER'})",
    "hit = worksheet.find('bolt')\nworksheet.delete_rows(hit.row)",
]


def task_of(kind: str, check_format: bool = False) -> Task:
    label = LABELS[kind]
    gold = (ToolCall("program", {"text": label}),)
    return sheets_task("1", "test", f"goal {kind}", kind, GRID, (label,), gold, check_format=check_format)


def env_of(kind: str, *, check_format: bool = False, **options: Any) -> ToolEnv:
    env = make(data=TaskSet([task_of(kind, check_format)]), **options)
    env.reset(seed=0)
    return env


def judged(kind: str, *actions: Any, **options: Any) -> dict[str, Any]:
    env = env_of(kind, **options)
    for action in actions[:-1]:
        assert not env.step(action)[2]
    verdict = env.step(actions[-1])[4]["verdict"]
    return verdict | verdict["metrics"]


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


@pytest.mark.parametrize("compat", [None, "original"])
@pytest.mark.parametrize(
    ("kind", "action"),
    [
        ("sort", LABELS["sort"]),
        ("sort", call("sort", specs=[[2, "asc"]], range="A2:C4")),
        ("sort", "```python\nworksheet.freeze(rows=1)\nworksheet.sort((2, 'asc'))\n```"),
        ("sort", "worksheet.update('A2', [['cog', 3, 7], ['nut', 4, 0.5], ['bolt', 10, 0.25]])"),
        ("total", call("update_acell", label="C5", value="=SUM(C2:C4)")),
        ("total", call("update", range_name="C5", values=7.75)),
        ("total", "worksheet.update('C5', '=C2+C3+C4', raw=False)"),
        ("total", "worksheet.update_cell(5, 3, sum(float(x) for x in worksheet.col_values(3)[1:]))"),
        ("new", "w = sheet.add_worksheet('Other', 9, 9)\nw.update('A1', [['Sum'], [17.0]])"),
    ],
)
def test_every_way_to_the_same_sheet_is_solved(kind: str, action: Any, compat: str | None):
    verdict = judged(kind, action, DONE, compat=compat)
    assert (verdict["status"], verdict["executable"]) == ("solved", True)
    assert verdict["judge"] == ("original" if compat else "exact")
    assert judged(kind, action, program=True, compat=compat)["status"] == "solved"


@pytest.mark.parametrize("compat", [None, "original"])
@pytest.mark.parametrize(
    ("kind", "action", "executable"),
    [
        ("sort", "worksheet.sort((2, 'des'), range='A2:C4')", True),
        ("sort", "worksheet.sort((2, 'asc'))", True),
        ("sort", "worksheet.sort((2, 'up'), range='A2:C4')", False),
        ("total", "worksheet.update('C5', '=SUM(C2:C4)')", True),
        ("total", "worksheet.update_acell('C6', '=SUM(C2:C4)')", True),
        ("total", "worksheet.update_acell('C5', '=SUM(C2:C4)'", False),
        ("total", "import gspread_formatting\nworksheet.update('C5', 7.75)", False),
        ("new", "worksheet.update('E1', [['Sum'], [17]])", True),
    ],
)
def test_any_other_sheet_is_not_solved(kind: str, action: str, executable: bool, compat: str | None):
    verdict = judged(kind, action, program=True, compat=compat)
    assert (verdict["status"], verdict["success"], verdict["executable"]) == ("unsolved", False, executable)


# What each judge makes of sheets that only one of them tells apart: default, original.
@pytest.mark.parametrize(
    ("kind", "action", "default", "original"),
    [
        ("total", "worksheet.update('C5', '7.75')", False, True),
        ("third", "worksheet.update_acell('B2', '=0.1+0.2')", True, False),
        ("total", "worksheet.update('C5', 7.75)\nworksheet.insert_cols([['']], col=1)", False, True),
        ("total", "worksheet.update('C5', 7.75)\nworksheet.update('A9', '')", True, True),
        ("new", f"worksheet.clear()\n{LABELS['new']}", False, True),
        ("freeze", "worksheet.update('A1', 'Thing')", False, True),
    ],
)
def test_the_judges_differ_where_the_original_has_a_defect(
    kind: str, action: str, default: bool, original: bool
):
    assert judged(kind, action, program=True)["success"] == default
    assert judged(kind, action, program=True, compat="original")["success"] == original


def test_formats_count_where_they_are_asked_for_and_the_original_misses_the_last_row():
    bold = "{'textFormat': {'bold': True}}"
    last = f"{LABELS['style']}\nworksheet.format('A4', {bold})"
    for compat, success in ((None, False), ("original", True)):
        assert judged("style", last, program=True, compat=compat, check_format=True)["success"] == success
        wrong = f"worksheet.format('A1:B1', {bold})"
        assert not judged("style", wrong, program=True, compat=compat, check_format=True)["success"]
    # The default looks at formats too where the label sets them.
    assert not judged("style", "worksheet.get_all_values()", program=True)["success"]
    assert judged("style", "worksheet.get_all_values()", program=True, compat="original")["success"]


def test_a_program_that_is_a_label_is_not_even_run_in_the_original():
    task = sheets_task("1", "test", "goal", "k", GRID, ("worksheet.update('A1', 1)", "nonsense ("), ())
    for compat, status in ((None, None), ("original", "solved")):
        env = make(data=TaskSet([task]), compat=compat, program=True)
        env.reset(seed=0)
        if status is None:
            with pytest.raises(DataError, match="the label 'nonsense"):
                env.step("worksheet.get_all_values()")
        else:
            assert env.step("nonsense (")[4]["verdict"]["status"] == status


def test_nothing_at_all_is_executable_in_the_original_alone():
    assert judged("sort", "", program=True)["executable"] == 0.0
    assert judged("sort", "", program=True, compat="original")["executable"] == 1.0
    assert judged("sort", "I cannot do that.", program=True, compat="original")["executable"] == 0.0


def test_a_program_that_fails_leaves_the_sheet_as_it_was_and_can_be_mended():
    env = env_of("total")
    before = env.snapshot().backend
    observation, *_ = env.step("worksheet.clear()\nworksheet.no_such_thing()")
    assert "line 2: a worksheet has no attribute 'no_such_thing'" in observation["result"]
    assert env.snapshot().backend is before
    env.step(LABELS["total"])
    verdict = env.step(DONE)[4]["verdict"]
    assert verdict["metrics"] == {"executable": 0.0, "success": 1.0}


@pytest.mark.parametrize(
    ("action", "status", "error"),
    [
        (call("update", range_name="A1"), 2, "missing required parameter 'values'"),
        (call("update", range_name="ZZ1", values=1), 1, "exceeds the grid"),
        (call("sort", specs=[[2, "up"]]), 2, "specs"),
        (call("updat", range_name="A1", values=1), 3, "no tool is named 'updat'. Did you mean 'update'?"),
        (call("acell", label="A1", worksheet="Shet1"), 1, "Did you mean 'Sheet1'"),
        (call("program", text="while True: pass"), 1, "more than 50000 steps"),
        (call("program", text="sheet.share('x')"), 1, "unsupported: share needs an account"),
        ("I see.", 4, "no tool call found"),
    ],
)
def test_what_is_wrong_with_an_action_is_said(action: Any, status: int, error: str):
    observation, _, terminated, _, _ = env_of("sort").step(action)
    assert (observation["status"], terminated) == (status, False)
    assert error in json.loads(observation["result"])["error"]


def test_a_call_can_be_about_another_worksheet():
    env = env_of("new")
    env.step(call("sheet_add_worksheet", title="New", rows=5, cols=5))
    env.step(call("update", range_name="A1", values=[["Sum"], [17]], worksheet="New"))
    assert env.step(DONE)[1] == 1.0


def test_a_case_without_its_spreadsheet_cannot_be_judged():
    with pytest.raises(JudgeError, match="task 1 is judged by its spreadsheet, got NoneType"):
        drive(SheetsJudge().judge(Case(task_of("sort"), "", ())))


@given(st.lists(st.sampled_from([*PROGRAMS, call("clear"), "prose", "1 +"]), max_size=5))
def test_what_a_fork_does_is_nothing_to_its_origin(actions: list[Any]):
    env = env_of("sort")
    for action in actions:
        before = env.snapshot()
        cells = [dict(sheet.cells) for sheet in before.backend.sheets]
        ahead = env.fork().step(action)
        assert env.snapshot() is before
        assert cells == [sheet.cells for sheet in before.backend.sheets]
        assert env.step(action) == ahead


@pytest.mark.parametrize(
    ("settings_", "error", "message"),
    [
        ({"compat": "toolbnch"}, ConfigError, "compat must be None or 'original'"),
        ({"split": "val"}, ConfigError, "split must be 'test' or 'train', got 'val'"),
        ({"split": "train", "data": "x"}, ConfigError, "official files have a test split alone"),
        ({"data": "/nowhere"}, DataError, "no test file at /nowhere"),
    ],
)
def test_wrong_settings_are_errors(settings_: dict[str, Any], error: type[Exception], message: str):
    with pytest.raises(error, match=message):
        make(**settings_)


def official(folder: Path, *records: dict[str, Any], csv: str | None = None) -> Path:
    (folder / "test.jsonl").write_text("\n".join(json.dumps(record) for record in records))
    if csv is not None:
        (folder / "sheets").mkdir()
        (folder / "sheets" / "Sheet1.csv").write_text(csv, encoding="utf-8")
    return folder


CSV = "Item,Qty,Cost\nnut,4,0.5\nbolt,10,0.25\ncog,3,7\n"


def record(kind: str, **changes: Any) -> dict[str, Any]:
    return {**task_of(kind).record, **changes}


def test_official_files_are_played_in_both_modes(tmp_path: Path):
    folder = official(tmp_path, *(record(kind) for kind in LABELS), csv=CSV)
    assert read_grid(folder / "sheets" / "Sheet1.csv") == GRID
    for compat in (None, "original"):
        env = make(data=str(folder), compat=compat, program=True)
        for index, (kind, label) in enumerate(LABELS.items(), 1):
            env.reset(seed=0, options={"task_id": str(index)})
            assert (env.task.query, env.task.goal["grid"]) == (f"goal {kind}", GRID)
            assert env.step(label)[1] == 1.0


def test_an_official_worksheet_starts_as_the_original_reads_and_writes_it(tmp_path: Path):
    # A merged title leaves a blank one, a name repeats, a row and a column are empty, and NA is nothing.
    csv = "Item,Size,,Size,\nnut,4,9,NA,\n,,,,\nbolt,10,1,3,\n"
    label = "worksheet.update_cell(3, 2, 11)"
    folder = official(tmp_path, record("sort", completion=[label]), csv=csv)
    for compat in (None, "original"):
        env = make(data=str(folder), compat=compat, program=True)
        env.reset(seed=0)
        assert env.task.goal["grid"] == [
            ["Item", "Size", "Unnamed: 2", "Size.1"],
            ["nut", 4, 9, None],
            ["bolt", 10, 1, 3],
        ]
        # The row that was below the empty one has moved up.
        assert env.fork().step("worksheet.update('B3', 11)")[1] == 1.0
        assert env.step("worksheet.update('B4', 11)")[1] == 0.0


PIVOT = (
    "new = sheet.add_worksheet('P', 9, 9)\n"
    "rows = [{'sourceColumnOffset': 0, 'sortOrder': 'ASCENDING'}]\n"
    "values = [{'sourceColumnOffset': 1, 'summarizeFunction': 'SUM'}]\n"
    "spec = {'source': {'sheetId': worksheet.id}, 'rows': rows, 'values': values}\n"
    "cells = [{'values': [{'pivotTable': spec}]}]\n"
    "update = {'rows': cells, 'start': {'sheetId': new.id}, 'fields': 'pivotTable'}\n"
    "sheet.batch_update({'requests': [{'updateCells': update}]})"
)


def test_a_pivot_table_of_official_files_is_judged_by_its_groups_in_the_default_alone(tmp_path: Path):
    folder = official(tmp_path, record("sort", completion=[PIVOT]), csv=CSV)
    other = PIVOT.replace("'ASCENDING'", "'DESCENDING'")
    wrong = PIVOT.replace("'sourceColumnOffset': 1", "'sourceColumnOffset': 2")
    for compat, rewards in ((None, [1.0, 1.0, 0.0]), ("original", [1.0, 0.0, 0.0])):
        env = make(data=str(folder), compat=compat, program=True)
        env.reset(seed=0)
        assert [env.fork().step(text)[1] for text in (PIVOT, other, wrong)] == rewards


@pytest.mark.parametrize(
    ("change", "csv", "message"),
    [
        ({}, None, "no worksheet at .*Sheet1.csv; export it from the spreadsheet as CSV"),
        ({"question_sheet_name": "../x"}, CSV, "line 1: 'question_sheet_name' must name a worksheet"),
        ({"question_sheet_name": None}, CSV, "line 1: 'question_sheet_name' must name a worksheet"),
        ({"completion": ["worksheet.nope()"]}, CSV, "line 1: the label .* does not run: line 1"),
        ({"completion": []}, CSV, "line 1 needs a text 'prompt' and a list 'completion'"),
        ({}, 'a,"b\n' + "x" * 9_999 + '"', "is no CSV of a worksheet: a cell holds at most 5000"),
    ],
)
def test_broken_official_files_are_errors(tmp_path: Path, change: dict[str, Any], csv: Any, message: str):
    with pytest.raises(DataError, match=message):
        make(data=official(tmp_path, record("sort", **change), csv=csv))


def test_the_same_actions_give_the_same_bytes():
    transcripts = []
    for _ in range(2):
        env = make(split="train")
        observation, info = env.reset(seed=5)
        steps = [env.step(text) for text in (PROGRAMS[6], PROGRAMS[8], "print(worksheet, sheet, {'b', 'a'})")]
        transcripts.append(json.dumps([observation, info, steps], sort_keys=True, default=str))
    assert transcripts[0] == transcripts[1]
    assert SheetsTasks("train").at(3).key == SheetsTasks("train").at(3).key
