"""The pinned hard test: the same 300 tasks for everybody, under every dial, all of which gold solves."""

from __future__ import annotations

import hashlib
import json
from collections import Counter

import pytest

import stb_env
from stb_env.core.jsontypes import JsonObject
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import DataError
from stb_env.suites.worlds.data.traits import Key
from stb_env.suites.worlds.tasks.hard import LEVELS, SIZE, HardTasks, candidates
from stb_env.suites.worlds.tasks.making import HELD_OUT
from stb_env.tasks import Task

PINNED = "453f6de3219b02a88cf706be6f974d22f5b68f9162aacf7cae5d2eb6a8dab1bd"
"""Digest over every seventh task. Where it changes, the version of the worlds does, and scores with it."""
IDS = "c3b9cea229b21fa99e7a08c6d9937654bc0c0ecda3967caa4952238c03f39cdf"
"""Digest over all ids."""
SAMPLE = (0, 151)


def content(task: Task) -> JsonObject:
    return {
        "id": task.id,
        "query": task.query,
        "tools": [each.spec for each in task.tools],
        "goal": dict(task.goal),
    }


def digest(tasks: list[Task]) -> str:
    made = hashlib.sha256()
    for task in tasks:
        made.update(json.dumps(content(task), sort_keys=True, ensure_ascii=False).encode())
    return made.hexdigest()


def test_the_list_has_both_levels_and_kits_that_training_never_shows() -> None:
    tasks = HardTasks()
    assert tasks.size == len(set(tasks.ids)) == SIZE
    assert hashlib.sha256("\n".join(tasks.ids).encode()).hexdigest() == IDS
    levels = Counter(task_id.split(".")[1] for task_id in tasks.ids)
    assert min(levels["5"], levels["6"]) >= SIZE // 3
    held_out = [set(Key.of(task_id.split(".")[0]).kits) <= set(HELD_OUT) for task_id in tasks.ids]
    assert sum(held_out) >= SIZE // 4


@pytest.mark.heavy
@pytest.mark.parametrize("index", SAMPLE)
def test_gold_solves_it_and_nothing_else_is_offered_under_its_id(index: int) -> None:
    env = stb_env.make("stb/WorldsHard-v0")
    assert isinstance(env, ToolEnv)
    env.reset(options={"task_id": HardTasks().ids[index]})
    task = env.task
    assert task.id == HardTasks().ids[index]
    assert len(task.tools) >= 80
    for call in task.gold:
        env.step({"name": call.name, "arguments": call.arguments})
    cannot = task.goal.get("cannot")
    ending = {"cannot": cannot} if cannot else {"answer": task.goal["answer"]}
    assert env.step({"name": "Finish", "arguments": ending})[1] == 1.0


def test_another_task_of_generated_worlds_is_none_of_them() -> None:
    with pytest.raises(DataError, match="none of the 300 tasks"):
        HardTasks().get("vet_clinic-1.2.0")


@pytest.mark.heavy
def test_the_tasks_are_those_that_were_pinned() -> None:
    tasks = HardTasks()
    assert digest([tasks.at(index) for index in range(0, SIZE, 7)]) == PINNED
    for place, level in enumerate(LEVELS):
        source = candidates(level)
        assert [source.at(index).id for index in range(4)] == list(tasks.ids[place :: len(LEVELS)][:4])
