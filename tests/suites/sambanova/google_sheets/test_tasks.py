"""Goals come from a seed; the test list never changes unseen and nothing of it is in training."""

from __future__ import annotations

import json
from importlib.resources import files
from itertools import cycle, islice

import pytest

from stb_env.judges.judge import Case
from stb_env.seeding import rng
from stb_env.suites.sambanova import google_sheets
from stb_env.suites.sambanova.google_sheets.demos import GRID, demonstrations
from stb_env.suites.sambanova.google_sheets.execution import run_program
from stb_env.suites.sambanova.google_sheets.goals import KINDS
from stb_env.suites.sambanova.google_sheets.judge import SheetsJudge, labelled
from stb_env.suites.sambanova.google_sheets.outcomes import outcome_of, same_value
from stb_env.suites.sambanova.google_sheets.plan import Plan
from stb_env.suites.sambanova.google_sheets.session import Session
from stb_env.suites.sambanova.google_sheets.sheet import Book, book_of
from stb_env.suites.sambanova.google_sheets.tables import draw_table, table_text
from stb_env.suites.sambanova.google_sheets.tasks import TEST_SIZE, SheetsTasks, make_task, written
from stb_env.suites.sambanova.google_sheets.tools import BY_NAME
from stb_env.suites.sambanova.google_sheets.world import VERSION, SheetsWorld
from stb_env.tasks import Task
from stb_env.verdict import Verdict

TEST, TRAIN = SheetsTasks("test"), SheetsTasks("train")
TASKS = [TEST.at(index) for index in range(TEST_SIZE)]
SOME = [*TASKS, *(TRAIN.at(index) for index in range(140))]
DEMOS = demonstrations()


def test_the_test_split_is_the_pinned_one():
    # To change it on purpose: raise VERSION, and say in CHANGELOG.md that scores stop comparing.
    assert (VERSION, TEST.hash) == (2, "361567d8154281cf8e7b290b0f7f825bfc8d6923a102abfd3450dbe279d06530")


def test_the_kinds_of_goal_take_turns_in_the_test_split():
    assert TEST.size == len(TASKS) == 70
    assert [task.group for task in TASKS] == [*islice(cycle(KINDS), 70)]
    assert len({task.query for task in TASKS}) == 70


def test_goals_take_three_calls_in_the_mean_and_one_to_six_each():
    counts = [len(task.gold) for task in TASKS]
    assert sum(counts) / len(counts) >= 3
    assert set(counts) == set(range(1, 7))
    assert max(len(task.gold) for task in SOME) <= 6


def test_every_kind_of_goal_is_worded_in_four_ways_at_least():
    texts = json.loads((files(google_sheets) / "content" / "goals.json").read_text(encoding="utf-8"))
    assert texts.keys() == KINDS.keys()
    assert all(len(set(ways)) >= 4 for ways in texts.values())


def test_the_table_that_the_calls_lead_to_is_the_one_that_was_planned():
    for kind in KINDS:
        draw = rng("planned", kind)
        for _ in range(5):
            plan = Plan(draw_table(draw))
            if KINDS[kind](plan, draw) is None:
                continue
            session = Session(book_of(plan.start.grid))
            run_program(session, "\n".join(written(*call) for call in plan.calls))
            own = outcome_of(session.book).own
            # A heading stands above the table, and what is merged is gone.
            top = 2 if kind == "heading" else 1
            lines = enumerate(plan.table.grid if kind != "merge" else [], top)
            shown = {(row, column): cell for row, line in lines for column, cell in enumerate(line, 1)}
            assert all(same_value(own[place], cell) for place, cell in shown.items())


def test_the_calls_and_the_label_of_a_task_come_to_the_same():
    world = SheetsWorld()
    for task in SOME:
        book = book_of(task.goal["grid"])
        for call in task.gold:
            result, book = world.call(book, BY_NAME[call.name], call.arguments)
            assert not result.error
        assert judged(task, book).score == 1.0


def test_every_goal_asks_for_something_that_both_judges_see():
    for task in SOME:
        start, (label,) = book_of(task.goal["grid"]), labelled(task)
        assert not label.is_read_like(start, check_format=task.goal["check_format"])
        assert judged(task, start).score == 0.0


def judged(task: Task, book: Book) -> Verdict:
    return Case(task, "", (), book).verdict(SheetsJudge())


def test_labels_need_no_data_frames():
    assert not any("dataframe" in task.goal["labels"][0] for task in SOME)


def test_no_query_and_no_program_of_the_test_is_in_training_or_in_a_demonstration():
    training = [TRAIN.at(index) for index in range(1_000)]
    solved = [*training, *(make_task("demo", 0, kind) for kind in KINDS)]
    shown = [
        *((task.query, task.goal["labels"][0]) for task in solved),
        *((d.goal, d.program) for d in DEMOS),
    ]
    assert not {task.query for task in TASKS} & {query for query, _ in shown}
    assert not {task.goal["labels"][0] for task in TASKS} & {program for _, program in shown}


@pytest.mark.parametrize("index", range(28))
def test_a_task_comes_again_from_its_id(index: int):
    task = TRAIN.at(10_000 + index)
    assert SheetsTasks("test").get(task.id).key == task.key


def test_there_are_ten_executable_demonstrations_with_their_tables():
    pytest.importorskip("pandas", reason="three of them work on data frames")
    assert len(DEMOS) == len({demo.program for demo in DEMOS}) == 10
    seeded = [make_task("demo", 0, kind) for kind in KINDS]
    for demo in DEMOS:
        grid = next((task.goal["grid"] for task in seeded if task.query == demo.goal), GRID)
        assert demo.goal.startswith(f"{table_text(grid)}\n")
        session = Session(book_of(grid))
        run_program(session, demo.program)
        assert session.book.sheets[-1] != book_of(grid).sheets[-1]
