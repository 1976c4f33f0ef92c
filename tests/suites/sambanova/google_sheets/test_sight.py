"""The goal is in sight: what a model reads holds the table, so that it decides what is right."""

from __future__ import annotations

import pytest

from stb_env.suites.sambanova.google_sheets.tasks import TEST_SIZE, SheetsTasks
from tests.suites.sambanova.google_sheets.snippets import plain
from tests.suites.sambanova.sight import look_alikes, observed, prompted

TEST, TRAIN = SheetsTasks("test"), SheetsTasks("train")
TASKS = [*(TEST.at(index) for index in range(TEST_SIZE)), *(TRAIN.at(index) for index in range(1_153))]


def test_tasks_that_read_alike_ask_for_the_same():
    assert look_alikes(TASKS, lambda task: task.query) == []


@pytest.mark.parametrize("see", [observed("stb/GoogleSheets-v1"), prompted("stb/GoogleSheets-v1")])
def test_the_first_observation_and_the_prompt_show_the_goal_with_its_table(see):
    assert all(task.query in see(task) for task in TASKS[:100])
    assert look_alikes(TASKS[:100], see) == []


def test_without_the_table_many_tasks_would_read_alike():
    assert len(look_alikes(TASKS, lambda task: task.query.splitlines()[-1])) > 20


def test_a_policy_can_read_the_table_back_from_the_goal():
    for task in TASKS:
        *lines, _ = task.query.splitlines()
        assert [[plain(cell) for cell in line.split(" ")] for line in lines] == task.goal["grid"]
