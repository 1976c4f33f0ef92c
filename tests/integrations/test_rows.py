"""The tasks of an environment as rows of a data set."""

from __future__ import annotations

import re

import pytest

from stb_env.errors import ConfigError, DataError
from stb_env.integrations.rows import rows, training_rows
from stb_env.runs import plan
from stb_env.runs.make import make_env

NOTES = "stb_env.testing.notes:test/Notes-v0"


def test_each_task_comes_once_and_in_order_with_the_seed_of_a_run():
    tasks = make_env("stb/Sandbox-v1", {}).tasks
    found = [(row.task_id, row.seed) for row in rows("stb/Sandbox-v1", 5, seed=3)]
    assert found == [(job.task_id, job.seed) for job in plan(tasks, episodes=5, seed=3)]


def test_a_task_that_is_named_has_the_same_seed():
    third = rows("stb/Sandbox-v1", 3)[2]
    assert rows("stb/Sandbox-v1", [third.task_id]) == [third]


def test_every_parameter_is_described():
    for row in rows("stb/Sandbox-v1", 20):
        for tool in row.tools:
            properties = tool["function"]["parameters"]["properties"]
            assert all(schema["description"] for schema in properties.values())


def test_a_task_that_is_not_there_is_refused_with_the_nearest():
    with pytest.raises(DataError, match=re.escape("no task 'dai' among the 3 of notes. Did you mean 'day'?")):
        rows(NOTES, "dai")


def test_all_of_an_endless_split_is_refused():
    with pytest.raises(ConfigError, match=re.escape("without end; say how many, such as tasks=100")):
        rows("stb/Sandbox-v1", split="train")


def test_no_task_at_all_is_refused():
    with pytest.raises(ConfigError, match=re.escape("episodes and trials must be at least 1, got 0 and 1")):
        rows(NOTES, 0)


def test_rewards_that_tell_a_group_nothing_are_refused_for_training_alone():
    with pytest.raises(ConfigError, match="reward='dense' tells the episodes of a group nothing"):
        training_rows("stb/Sandbox-v1", 1, reward="dense")
    assert len(rows("stb/Sandbox-v1", 1, reward="dense")) == 1
    assert len(training_rows("stb/Sandbox-v1", 1, reward="partial")) == 1
