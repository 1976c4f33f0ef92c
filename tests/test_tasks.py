"""Task sets: hash, filter, split."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.errors import DataError
from stb_env.tasks import Task, TaskSet
from stb_env.tools import Tool, ToolId
from tests.fakes.tools import ONE_TOOL, PING


def tasks(count: int, group: str = "") -> TaskSet:
    return TaskSet([Task(str(i), f"query {i}", ONE_TOOL, group=group) for i in range(count)], name="demo")


SHARED = ToolId("a", "b", "c")
REFUSED = [
    ("", ONE_TOOL, "a task's id is empty, of query 'Ping!'; give it one of its own"),
    ("1", (), "task '1': it has no tools; give it at least one to call besides Finish"),
    ("1", (PING, PING), "task '1': two tools are named 'ping'; keep one, or rename it (unique_names)"),
    (
        "1",
        (PING, Tool("ping", "", {}, SHARED)),
        "task '1': two tools are named 'ping'; keep one, or rename it (unique_names)",
    ),
    (
        "1",
        (PING, PING.renamed("pong")),
        "task '1': tools 'ping' and 'pong' share ToolId(category='no category', tool='', api='ping'), "
        "and with it their recorded responses; give each its own identity",
    ),
    (
        "1",
        (PING, Tool("Finish", "", {})),
        "task '1': a tool is named 'Finish', which ends every episode; give it another name",
    ),
]


@pytest.mark.parametrize(("task_id", "tools", "message"), REFUSED)
def test_a_task_that_could_not_be_played_is_refused(task_id: str, tools: tuple[Tool, ...], message: str):
    with pytest.raises(DataError, match=f"^{re.escape(message)}$"):
        Task(task_id, "Ping!", tools)
    assert Task(task_id, "Ping!", tools, checked=False).tools == tools


def test_checking_is_no_part_of_the_content():
    checked, unchecked = Task("1", "Ping!", ONE_TOOL), Task("1", "Ping!", ONE_TOOL, checked=False)
    assert (checked, checked.key) == (unchecked, unchecked.key)


def test_equal_content_has_an_equal_hash():
    assert tasks(5).hash == tasks(5).hash


@pytest.mark.parametrize(
    "other",
    [
        tasks(4),
        TaskSet(reversed(tasks(5))),
        tasks(5, group="x"),
        TaskSet([Task(str(i), f"Query {i}", ONE_TOOL) for i in range(5)]),
    ],
    ids=["shorter", "other order", "other group", "other text"],
)
def test_other_content_has_another_hash(other: TaskSet):
    assert other.hash != tasks(5).hash


def test_an_id_may_occur_once_only():
    with pytest.raises(DataError, match=r"^task id '1' occurs twice in demo; ids must be unique$"):
        TaskSet([Task("1", "a", ONE_TOOL), Task("1", "b", ONE_TOOL)], name="demo")


def test_an_unknown_id_is_answered_with_the_nearest():
    with pytest.raises(DataError, match=r"^no task '1234x' among the 1 of demo\. Did you mean '1234'\?$"):
        TaskSet([Task("1234", "a", ONE_TOOL)], name="demo").get("1234x")


def test_filters_combine():
    mixed = TaskSet(
        [
            Task("1", "a", ONE_TOOL, group="x"),
            Task("2", "b", ONE_TOOL, group="y"),
            Task("3", "c", ONE_TOOL, group="x"),
        ]
    )
    assert [task.id for task in mixed.filter(group="x", ids=["3", "2"])] == ["3"]


def test_a_filter_by_an_id_that_does_not_exist_says_so():
    with pytest.raises(DataError, match=r"^no task '9' among the 2"):
        tasks(2).filter(ids=["9"])


@given(st.integers(0, 60), st.integers(0, 2**32))
def test_a_split_puts_every_task_into_one_part_and_keeps_order(count: int, seed: int):
    parts = tasks(count).split({"train": 0.5, "val": 0.25, "test": 0.25}, seed)
    ids = [int(task.id) for part in parts.values() for task in part]
    assert sorted(ids) == list(range(count))
    assert all([int(t.id) for t in part] == sorted(int(t.id) for t in part) for part in parts.values())


@given(st.integers(1, 40), st.integers(0, 9))
def test_adding_tasks_moves_none_to_another_part(count: int, seed: int):
    shares = {"train": 0.6, "test": 0.4}
    before, after = tasks(count).split(shares, seed), tasks(count + 7).split(shares, seed)
    assert {t.id for t in before["train"]} <= {t.id for t in after["train"]}
    assert {t.id for t in before["test"]} <= {t.id for t in after["test"]}


@pytest.mark.parametrize("shares", [{"a": 0.9, "b": 0.2}, {"a": -0.1}])
def test_shares_that_make_no_sense_are_refused(shares: dict):
    with pytest.raises(DataError, match=r"^split shares must be 0 or more and sum to at most 1, got "):
        tasks(3).split(shares)


def test_an_empty_set_has_no_task_to_give():
    with pytest.raises(DataError, match=r"the task set 'demo' is empty"):
        tasks(0).at(0)
