"""Seeded tasks come again from their ids, and no content is in two splits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.errors import ConfigError, DataError
from stb_env.suites.sambanova.common.seeded_tasks import TEST_SIZE, SeededTasks, belongs
from stb_env.tasks import Task
from tests.fakes.tools import ONE_TOOL


def tasks(split: str) -> SeededTasks:
    return SeededTasks("demo", lambda split, index: Task(f"{split}-{index}", "?", ONE_TOOL), split)


@given(st.text())
def test_a_content_is_of_exactly_one_split(content: str):
    assert belongs("test", content) != belongs("train", content)


def test_the_test_split_starts_over_and_training_does_not():
    assert (tasks("test").size, tasks("test").at(TEST_SIZE + 3).id) == (TEST_SIZE, "test-3")
    assert (tasks("train").size, tasks("train").at(10**9).id) == (None, f"train-{10**9}")


def test_a_listed_split_knows_the_training_tasks_too():
    assert tasks("test").get("train-7").id == tasks("test").endless().at(7).id == "train-7"


@pytest.mark.parametrize("task_id", ["test-100", "val-1", "train-01", "train--1", "", "train-" + "9" * 40])
def test_an_unknown_id_is_an_error(task_id: str):
    with pytest.raises(DataError, match=r"no demo task .* ids go from 'test-0' to 'test-99'"):
        tasks("test").get(task_id)


def test_an_unknown_split_is_an_error():
    with pytest.raises(
        ConfigError, match=r"unknown split 'tset'; known: test, train\. Did you mean 'test'\?"
    ):
        tasks("tset")
