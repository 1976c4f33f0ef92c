"""Without the extra with pandas everything plays, and what needs data frames says so."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stb_env.errors import ConfigError
from stb_env.runs import play
from stb_env.runs.baselines import load_agent
from stb_env.suites.sambanova.google_sheets.dataframes import library as libraries
from stb_env.suites.sambanova.google_sheets.env import make
from stb_env.suites.sambanova.google_sheets.goals import KINDS
from stb_env.suites.sambanova.google_sheets.tasks import sheets_task
from stb_env.suites.sambanova.google_sheets.world import SheetsWorld
from stb_env.tasks import TaskSet
from stb_env.tools import ToolCall

MISSING = "data frames need pandas, which is not installed here; pip install 'stb-env[sheets]'"
GRID = [["Item", "Qty"], ["nut", 4], ["bolt", 10]]
FRAMED = "df = get_as_dataframe(worksheet)\nset_with_dataframe(worksheet, df)"


@pytest.fixture
def _no_pandas(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(sys.modules, "pandas", None)
    # A child process would import it for itself.
    monkeypatch.setenv("STB_PROGRAMS", "inside")
    libraries.pandas.cache_clear()
    yield
    # Imported once more where it is there, so that frames of other tests are known again.
    libraries.pandas.cache_clear()


pytestmark = pytest.mark.usefixtures("_no_pandas")


def env_with(label: str, **settings: Any) -> Any:
    gold = (ToolCall("program", {"text": label}),)
    env = make(data=TaskSet([sheets_task("1", "test", "goal", "kind", GRID, (label,), gold)]), **settings)
    env.reset(seed=0)
    return env


@pytest.mark.parametrize("compat", [None, "original"])
@pytest.mark.parametrize("split", ["test", "train"])
@pytest.mark.parametrize("index", range(len(KINDS)))
def test_gold_solves_every_kind_of_task(split: str, compat: str | None, index: int):
    env = make(split=split, compat=compat)
    trajectory = play(env, load_agent("gold")(), task_id=env.tasks.at(index).id, seed=0)
    assert (trajectory.reward, trajectory.valid) == (1.0, True)


@pytest.mark.parametrize("index", range(len(KINDS)))
def test_gold_as_a_program_solves_every_kind_of_task(index: int):
    env = make(program=True)
    env.reset(options={"task_id": env.tasks.at(index).id})
    assert env.step(env.task.goal["labels"][0])[1] == 1.0


@pytest.mark.parametrize(
    ("program", "line"),
    [
        ("get_as_dataframe(worksheet)", 1),
        ("worksheet.update('A1', 'x')\nset_with_dataframe(worksheet, [[1]])", 2),
        ("pd.DataFrame({'a': [1]})", 1),
        ("import pandas as pd\npd.concat([])", 2),
        ("from pandas import DataFrame\nworksheet.clear()", 1),
        ("from gspread_dataframe import get_as_dataframe as read\nread(worksheet)", 2),
        ("def read():\n    return get_as_dataframe(worksheet)\nread()", 2),
    ],
)
def test_a_program_with_data_frames_is_told_what_is_missing(program: str, line: int):
    env = env_with("worksheet.update('B2', 5)")
    before = env.snapshot().backend
    observation, reward, terminated, truncated, info = env.step(program)
    assert json.loads(observation["result"])["error"].startswith(f"line {line}: ")
    assert json.loads(observation["result"])["error"].endswith(MISSING)
    assert (reward, terminated, truncated, info["valid"]) == (0.0, False, False, True)
    assert env.snapshot().backend is before
    env.step("worksheet.update('B2', 5)")
    assert env.step({"name": "Finish", "arguments": {"return_type": "give_answer", "final_answer": "ok"}})[1]


def test_names_that_only_look_like_data_frames_are_the_programs_own():
    env = env_with("worksheet.update('B2', 5)")
    observation, *_ = env.step(
        "pandas = [3]\npd = pandas[0]\nworksheet.update('B2', pd)\nworksheet.acell('B2').value"
    )
    assert json.loads(observation["result"])["response"] == {"value": "3"}


def test_a_task_whose_labels_work_on_data_frames_cannot_be_judged():
    env = env_with(FRAMED, program=True)
    with pytest.raises(
        ConfigError, match=r"the label 'df = .* cannot be run: line 1: data frames need pandas"
    ):
        env.step("worksheet.get_all_values()")


def test_official_files_that_work_on_data_frames_are_refused_at_once(tmp_path: Path):
    record = {"prompt": "goal", "completion": [FRAMED], "question_sheet_name": "Sheet1"}
    (tmp_path / "test.jsonl").write_text(json.dumps(record))
    (tmp_path / "sheets").mkdir()
    (tmp_path / "sheets" / "Sheet1.csv").write_text("Item,Qty\nnut,4\n")
    with pytest.raises(ConfigError, match=r"pip install 'stb-env\[sheets\]'"):
        make(data=str(tmp_path))


def test_a_run_without_pandas_is_told_apart_from_one_with_it():
    assert SheetsWorld().fingerprint["frames"] == "missing"


@pytest.mark.heavy
def test_what_uses_no_data_frames_does_not_import_pandas():
    code = (
        "import sys\n"
        "from stb_env.runs.baselines import load_agent\n"
        "from stb_env.suites.sambanova.google_sheets.env import make\n"
        "from stb_env.runs import play\n"
        "env = make()\n"
        "for at in range(14):\n"
        "    play(env, load_agent('gold')(), task_id=env.tasks.at(at).id, seed=0)\n"
        "print('pandas' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
