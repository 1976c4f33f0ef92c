"""What a careful player writes is right in whatever way it is written, and what falls short is not."""

from __future__ import annotations

import pytest

from stb_env.seeding import rng
from stb_env.suites.sambanova.google_sheets.env import make
from stb_env.suites.sambanova.google_sheets.goals import KINDS
from stb_env.suites.sambanova.google_sheets.plan import Plan
from stb_env.suites.sambanova.google_sheets.tables import Table, draw_table
from stb_env.suites.sambanova.google_sheets.tasks import TEST_SIZE, SheetsTasks, planned_task
from stb_env.tasks import Task, TaskSet
from tests.suites.sambanova.google_sheets.snippets import Slots
from tests.suites.sambanova.google_sheets.variants import GOOD

READING = "sheet.worksheets()"
SEEDS = range(3)


def drawn(kind: str, seed: int) -> tuple[Task, Table, Slots]:
    """Return a task of a kind, the table that it starts from, and what its text says."""
    draw = rng("variants", kind, seed)
    while True:
        plan = Plan(draw_table(draw))
        slots = KINDS[kind](plan, draw)
        if slots is not None and not plan.is_idle and plan.calls:
            break
    task = planned_task("1", "test", "goal", kind, plan)
    return task, plan.start, dict(slots)


def reward(task: Task, program: str) -> float:
    env = make(data=TaskSet([task]), program=True)
    env.reset(seed=0)
    return env.step(program)[1]


@pytest.mark.parametrize(("kind", "way"), [(kind, way) for kind in KINDS for way in range(len(GOOD[kind]))])
def test_every_way_to_write_a_right_program_is_solved(kind: str, way: int):
    pytest.importorskip("pandas", reason="half of the ways are those of data frames")
    for seed in SEEDS:
        task, table, slots = drawn(kind, seed)
        program = GOOD[kind][way](table, slots)
        assert reward(task, program) == 1.0, program
        # The same program with one cell spoilt.
        assert reward(task, f"{program}\nworksheet.update_cell(2, 2, 'spoilt')") == 0.0, program


@pytest.mark.parametrize("index", range(TEST_SIZE))
def test_no_step_of_a_test_task_can_be_left_out(index: int):
    task = SheetsTasks().at(index)
    lines = task.goal["labels"][0].split("\n")
    needed = [line for line in lines if line != READING]
    for line in needed:
        program = "\n".join(kept for kept in needed if kept != line) or "worksheet.get_all_values()"
        assert reward(task, program) == 0.0, program


WRONG_SUMS = {
    "the mean for the sum": "out = df.groupby(g, as_index=False)[c].mean()",
    "a group too few": "out = df.groupby(g, as_index=False)[c].sum().head(1)",
    "groups twice": "out = df.groupby(g, as_index=False)[c].sum()\nout = pd.concat([out, out])",
    "the table as it is": "out = df[[g, c]]",
    "another column": "out = df.groupby(g, as_index=False)[other].sum()",
    "a wrong total": "out = df.groupby(g, as_index=False)[c].sum()\nout.loc[len(out)] = ['Grand Total', 1]",
    "figures without groups": "out = df.groupby(g)[[c]].sum()",
    "sums of other groups": "out = df.groupby(g, as_index=False)[c].sum()\nout[c] = list(out[c])[::-1]",
    "figures as texts": "out = df.groupby(g, as_index=False)[c].sum()\nout[c] = [f'{x}!' for x in out[c]]",
}


@pytest.mark.parametrize("wrong", WRONG_SUMS.values(), ids=WRONG_SUMS.keys())
def test_a_pivot_table_with_wrong_groups_or_sums_is_not_solved(wrong: str):
    pytest.importorskip("pandas", reason="the programs use data frames")
    task, table, slots = drawn("pivot", 0)
    other = next(title for title in table.numbers if title != slots["column"])
    program = (
        "df = get_as_dataframe(worksheet).dropna(how='all', axis=0).dropna(how='all', axis=1)\n"
        f"g, c, other = {slots['group']!r}, {slots['column']!r}, {other!r}\n{wrong}\n"
        "set_with_dataframe(sheet.add_worksheet('Pivot', 99, 9), out)"
    )
    assert reward(task, program) == 0.0


def test_a_pivot_table_on_the_worksheet_of_the_table_is_not_solved():
    pytest.importorskip("pandas", reason="the program uses data frames")
    task, table, slots = drawn("pivot", 0)
    program = GOOD["pivot"][2](table, slots)
    assert reward(task, program) == 1.0
    assert reward(task, program.replace("set_with_dataframe(new,", "set_with_dataframe(worksheet,")) == 0.0


def test_the_names_that_data_frames_give_to_empty_columns_are_passed_over_and_nothing_else():
    pytest.importorskip("pandas", reason="the program uses data frames")
    task, table, slots = drawn("update_value", 0)
    program = GOOD["update_value"][2](table, slots)
    assert reward(task, program) == 1.0
    beyond = len(table.header) + 2
    assert reward(task, f"{program}\nworksheet.update_cell(1, {beyond}, 'Unnamed: 99')") == 0.0
    assert reward(task, f"{program}\nworksheet.update_cell(2, {beyond}, 1)") == 0.0
