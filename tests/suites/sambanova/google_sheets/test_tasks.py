"""Goals come from a seed; the test list never changes unseen and nothing of it is in training."""

from __future__ import annotations

import json

import pytest

from stb_env.suites.sambanova.google_sheets.demos import GRID, demonstrations
from stb_env.suites.sambanova.google_sheets.goals import KINDS
from stb_env.suites.sambanova.google_sheets.judge import labelled
from stb_env.suites.sambanova.google_sheets.outcomes import outcome_of, same_values
from stb_env.suites.sambanova.google_sheets.runs import run_program
from stb_env.suites.sambanova.google_sheets.session import Session
from stb_env.suites.sambanova.google_sheets.sheet import book_of
from stb_env.suites.sambanova.google_sheets.tasks import TEST_SIZE, SheetsTasks, make_task
from stb_env.suites.sambanova.google_sheets.tools import BY_NAME
from stb_env.suites.sambanova.google_sheets.world import VERSION, SheetsWorld

TEST, TRAIN = SheetsTasks("test"), SheetsTasks("train")
TASKS = [TEST.at(index) for index in range(TEST_SIZE)]
SOME = [*TASKS, *(TRAIN.at(index) for index in range(140))]


def test_the_test_split_is_the_pinned_one():
    # To change it on purpose: raise VERSION, and say in CHANGELOG.md that scores stop comparing.
    assert (VERSION, TEST.hash) == (2, "ae384280181dba19eee7316448fd97923a48de436fbb3f8ccf9665b245465674")


def test_the_test_split_has_five_goals_of_each_of_fourteen_kinds():
    assert TEST.size == len(TASKS) == 70
    assert {kind: sum(task.group == kind for task in TASKS) for kind in KINDS} == dict.fromkeys(KINDS, 5)
    assert len({(task.query, str(task.goal)) for task in TASKS}) == 70


def test_the_calls_and_the_label_of_a_task_come_to_the_same():
    world = SheetsWorld()
    for task in SOME:
        book = book_of(task.goal["grid"])
        for call in task.gold:
            result, book = world.call(book, BY_NAME[call.name], call.arguments)
            assert not result.error
        (label,) = labelled(task)
        assert same_values(outcome_of(book), label.outcome)


def test_every_goal_asks_for_something_that_both_judges_see():
    for task in SOME:
        start, (label,) = book_of(task.goal["grid"]), labelled(task)
        assert not label.is_read_like(start, check_format=task.goal["check_format"])
        assert label.restyles or not same_values(outcome_of(start), label.outcome)


def test_labels_need_no_data_frames():
    assert not any("dataframe" in task.goal["labels"][0] for task in SOME)


def test_training_and_demonstrations_share_nothing_with_the_test():
    tested = {json.dumps(task.goal, sort_keys=True) for task in TASKS}
    assert not tested & {json.dumps(TRAIN.at(index).goal, sort_keys=True) for index in range(600)}
    assert not tested & {json.dumps(make_task("demo", 0, kind).goal, sort_keys=True) for kind in KINDS}


@pytest.mark.parametrize("index", range(14))
def test_a_task_comes_again_from_its_id(index: int):
    task = TRAIN.at(10_000 + index)
    assert SheetsTasks("test").get(task.id).key == task.key


def test_there_are_ten_executable_demonstrations():
    pytest.importorskip("pandas", reason="three of them work on data frames")
    demos = demonstrations()
    assert len(demos) == len({demo.program for demo in demos}) == 10
    seeded = [make_task("demo", 0, kind) for kind in KINDS]
    for demo in demos:
        grid = next((task.goal["grid"] for task in seeded if task.query == demo.goal), GRID)
        session = Session(book_of(grid))
        run_program(session, demo.program)
        assert session.book.sheets[-1] != book_of(grid).sheets[-1]
