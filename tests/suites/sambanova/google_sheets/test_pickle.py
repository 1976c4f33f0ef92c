"""What programs leave in a spreadsheet travels to other processes."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from stb_env.suites.sambanova.google_sheets.env import make

FRAMES = (
    "df = get_as_dataframe(worksheet, evaluate_formulas=True).dropna(how='all', axis=0)\n"
    "df = df.dropna(how='all', axis=1)\n"
    "df['More'] = list(range(len(df)))\n"
    "set_with_dataframe(worksheet, df.describe(), row=20, include_index=True)\n"
    "set_with_dataframe(worksheet, df)\n"
    "df"
)
PROGRAMS = [
    "worksheet.update_acell('F2', '=SUM(B2:B4)')\nworksheet.format('A1', {'textFormat': {'bold': True}})",
    "w = sheet.add_worksheet('New', 5, 5)\nw.update('A1', [['=1/0']], raw=False)",
    "for cell in worksheet.findall('nothing'):\n    print(cell)\nnp.array([1, 2]).sum()",
    "worksheet.no_such_thing()",
]


def again(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value, protocol=5))


def test_a_snapshot_travels_after_every_step():
    env, other = make(), make()
    env.reset(seed=3)
    for program in PROGRAMS:
        env.step(program)
        state = env.snapshot()
        assert again(state) == state
        other.restore(again(state))
        assert other.step("worksheet.get_all_values()") == env.fork().step("worksheet.get_all_values()")


def test_what_data_frames_left_in_a_sheet_travels():
    pytest.importorskip("pandas", reason="data frames need the extra stb-env[sheets]")
    env = make()
    env.reset(seed=3)
    observation, *_ = env.step(FRAMES)
    assert observation["status"] == 0, observation["result"]
    state = env.snapshot()
    assert again(state) == state
    assert b"pandas" not in pickle.dumps(state, protocol=5)
    assert again(env).step(PROGRAMS[0]) == env.step(PROGRAMS[0])
