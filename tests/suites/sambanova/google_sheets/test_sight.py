"""The goal is in sight: what a model reads holds the table, so that it decides what is right."""

from __future__ import annotations

import pytest

from stb_env.suites.sambanova.google_sheets.tasks import TEST_SIZE, SheetsTasks
from stb_env.tasks import Task
from tests.suites.sambanova.google_sheets.snippets import plain
from tests.suites.sambanova.sight import look_alikes, observed, prompted

TEST, TRAIN = SheetsTasks("test"), SheetsTasks("train")


@pytest.fixture(scope="module")
def tasks() -> list[Task]:
    return [*(TEST.at(index) for index in range(TEST_SIZE)), *(TRAIN.at(index) for index in range(1_153))]


@pytest.mark.heavy
def test_tasks_that_read_alike_ask_for_the_same(tasks):
    assert look_alikes(tasks, lambda task: task.query) == []


@pytest.mark.parametrize("see", [observed, prompted])
def test_the_first_observation_and_the_prompt_show_the_goal_with_its_table(see, tasks):
    shown = see("stb/GoogleSheets-v1")
    assert all(task.query in shown(task) for task in tasks[:100])
    assert look_alikes(tasks[:100], shown) == []


def test_without_the_table_many_tasks_would_read_alike(tasks):
    assert len(look_alikes(tasks, lambda task: task.query.splitlines()[-1])) > 20


def test_a_policy_can_read_the_table_back_from_the_goal(tasks):
    for task in tasks:
        *lines, _ = task.query.splitlines()
        assert [[plain(cell) for cell in line.split(" ")] for line in lines] == task.goal["grid"]
