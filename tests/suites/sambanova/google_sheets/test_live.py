"""On a real spreadsheet, calls become gspread's own; a double that records them stands in for the service."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from stb_env.errors import ConfigError
from stb_env.runs import play
from stb_env.runs.baselines import load_agent
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.google_sheets.env import make
from stb_env.suites.sambanova.google_sheets.live import LiveWorld, open_spreadsheet
from stb_env.suites.sambanova.google_sheets.methods.spreadsheet import METHODS as BOOK
from stb_env.suites.sambanova.google_sheets.objects import CellHost
from stb_env.suites.sambanova.google_sheets.session import Session, Tab
from stb_env.suites.sambanova.google_sheets.sheet import Book, Sheet
from stb_env.suites.sambanova.google_sheets.tasks import sheets_task
from stb_env.suites.sambanova.google_sheets.tools import SHEET_METHODS
from stb_env.tasks import TaskSet
from stb_env.tools import ToolCall

Log = list[tuple[str, tuple[Any, ...], dict[str, Any]]]


@dataclass(frozen=True)
class ReadCell:
    row: int
    col: int
    value: Any


def carried_out(run: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    try:
        found = run(*args, **kwargs)
    except CrashError as error:
        raise LookupError(str(error)) from error
    return ReadCell(*found.place, found.value) if isinstance(found, CellHost) else found


class RecordedWorksheet:
    """Does what gspread's worksheet would, on a sheet in memory, and writes down what it was asked."""

    def __init__(self, tab: Tab, log: Log) -> None:
        self.tab, self._log = tab, log

    @property
    def title(self) -> str:
        return self.tab.sheet.title

    @property
    def id(self) -> int:
        return self.tab.sheet_id

    def __getattr__(self, name: str) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            self._log.append((name, args, kwargs))
            return carried_out(SHEET_METHODS[name].run, self.tab, *args, **kwargs)

        return call


class RecordedSpreadsheet:
    def __init__(self, *, broken: bool = False) -> None:
        self.session = Session(Book((Sheet(0, "Sheet1"), Sheet(50, "left over")), next_id=51))
        self.log: Log = []
        self._broken = broken

    def __getattr__(self, name: str) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            if self._broken:
                raise ConnectionError("no route")
            self.log.append((name, args, kwargs))
            found = carried_out(BOOK[name].run, self.session, *args, **kwargs)
            if isinstance(found, list):
                return [RecordedWorksheet(tab, self.log) for tab in found]
            return RecordedWorksheet(found, self.log) if isinstance(found, Tab) else found

        return call


GRID = [["Item", "Qty"], ["nut", 4], ["bolt", None]]
LABEL = "worksheet.sort((2, 'des'), range='A2:B3')\nworksheet.update('B3', 1)"
CALLS = (
    ToolCall("sort", {"specs": [[2, "des"]], "range": "A2:B3"}),
    ToolCall("update", {"range_name": "B3", "values": 1}),
)


def env_on(spreadsheet: Any, **options: Any) -> Any:
    task = sheets_task("1", "test", "goal", "live", GRID, (LABEL,), CALLS)
    return make(data=TaskSet([task]), world=LiveWorld(spreadsheet), **options)


def test_an_episode_empties_the_spreadsheet_and_writes_the_table():
    spreadsheet = RecordedSpreadsheet()
    env_on(spreadsheet).reset(seed=0)
    names = [name for name, *_ in spreadsheet.log]
    assert names == ["worksheets", "del_worksheet", "add_worksheet", "update"]
    assert spreadsheet.log[-1] == (
        "update",
        ("A1:B3", [["Item", "Qty"], ["nut", 4], ["bolt", ""]]),
        {"raw": True},
    )
    assert [sheet.title for sheet in spreadsheet.session.book.sheets] == ["Sheet1", "sheet_1"]


@pytest.mark.parametrize("compat", [None, "original"])
def test_calls_become_gspreads_and_what_comes_of_them_is_judged(compat: str | None):
    spreadsheet = RecordedSpreadsheet()
    env = env_on(spreadsheet, compat=compat)
    assert play(env, load_agent("gold")(), task_id="1", seed=0).reward == 1.0
    called = [entry for entry in spreadsheet.log if entry[0] in ("sort", "update")][1:]
    assert called == [("sort", ((2, "des"),), {"range": "A2:B3"}), ("update", ("B3", 1), {})]


def test_reading_gives_cells_and_worksheets_as_data():
    env = env_on(RecordedSpreadsheet())
    env.reset(seed=0)
    cell = env.step({"name": "acell", "arguments": {"label": "A2"}})[4]["calls"][0]["response"]
    assert cell == {"row": 2, "col": 1, "value": "nut"}
    sheets = env.step({"name": "sheet_worksheets", "arguments": {}})[4]["calls"][0]["response"]
    assert [sheet["title"] for sheet in sheets] == ["Sheet1", "sheet_1"]


def test_programs_and_refusals_are_answers():
    env = env_on(RecordedSpreadsheet())
    env.reset(seed=0)
    assert "programs are not run on a real spreadsheet" in env.step("worksheet.clear()")[0]["result"]
    wrong = env.step({"name": "acell", "arguments": {"label": "A2", "worksheet": "none"}})
    assert wrong[0]["status"] == 1


def test_a_service_that_cannot_be_reached_is_no_fault_of_the_agent():
    spreadsheet = RecordedSpreadsheet()
    env = env_on(spreadsheet)
    env.reset(seed=0)
    spreadsheet._broken = True
    _, reward, _, truncated, info = env.step({"name": "clear", "arguments": {}})
    assert (reward, truncated, info["valid"]) == (0.0, True, False)
    assert info["failure"]["kind"] == "transport"
    assert info["failure"]["retryable"]


def test_without_gspread_a_real_spreadsheet_says_what_to_install():
    try:
        import gspread  # noqa: F401
    except ImportError:
        with pytest.raises(ConfigError, match=r"pip install 'stb-env\[gspread\]'"):
            open_spreadsheet("https://docs.google.com/spreadsheets/d/x")
    else:
        pytest.skip("gspread is installed, so that it would look for credentials")
