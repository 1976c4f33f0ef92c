"""Goals come from a seed; the test list never changes unseen and nothing of it is in training."""

from __future__ import annotations

import json
from itertools import combinations

import pytest

from stb_env.suites.sambanova.tabletop.checks import CHECKS, Look, blocks_of, bowls_of, succeeded
from stb_env.suites.sambanova.tabletop.demos import SCENE, SETS, demonstrations
from stb_env.suites.sambanova.tabletop.goals import GOALS
from stb_env.suites.sambanova.tabletop.hand import Hand
from stb_env.suites.sambanova.tabletop.layouts import APART
from stb_env.suites.sambanova.tabletop.places import distance
from stb_env.suites.sambanova.tabletop.primitives import PRIMITIVES
from stb_env.suites.sambanova.tabletop.tasks import SETUPS, TEST_SIZE, TabletopTasks, moved
from stb_env.suites.sambanova.tabletop.tools import documents
from stb_env.suites.sambanova.tabletop.world import VERSION, run

TEST, TRAIN = TabletopTasks("test"), TabletopTasks("train")
TASKS = [TEST.at(index) for index in range(TEST_SIZE)]


def test_the_test_split_is_the_pinned_one():
    # To change it on purpose: raise VERSION, and say in CHANGELOG.md that scores stop comparing.
    assert (VERSION, TEST.hash) == (1, "899d4a59c6d932ef6b6cfd1fe4af2af8447bd059dd2434d06a0da3e128695c9d")


def test_the_test_split_has_seven_setups_of_each_of_fifteen_types():
    assert TEST.size == len(TASKS) == 105 == SETUPS * len(CHECKS)
    assert {kind: sum(task.group == kind for task in TASKS) for kind in GOALS} == dict.fromkeys(CHECKS, 7)
    assert len({(task.query, str(task.goal)) for task in TASKS}) == 105


@pytest.mark.parametrize(
    "task", [*TASKS, *(TRAIN.at(index) for index in range(60))], ids=lambda task: task.id
)
def test_every_setup_is_free_of_collisions_and_asks_for_something(task):
    positions = {name: tuple(at) for name, at in task.goal["positions"].items()}
    assert all(distance(a, b) > APART for a, b in combinations(positions.values(), 2))
    counts = len(blocks_of(positions)), len(bowls_of(positions))
    goal = GOALS[task.group]
    assert goal.blocks[0] <= counts[0] <= goal.blocks[1]
    assert goal.bowls[0] <= counts[1] <= goal.bowls[1]
    start = moved(positions, ()).positions
    end = moved(
        positions, [(call.arguments["first"], call.arguments["second"]) for call in task.gold]
    ).positions
    for strict in (True, False):
        assert not succeeded(task.group, Look(task.goal["slots"], start, start, strict))
        assert succeeded(task.group, Look(task.goal["slots"], start, end, strict))


def test_a_goal_names_everything_that_it_is_about():
    for task in TASKS:
        assert all(value in task.query for value in task.goal["slots"].values())


def test_training_shares_nothing_with_the_test():
    tested = {json.dumps(task.goal, sort_keys=True) for task in TASKS}
    assert not tested & {json.dumps(TRAIN.at(index).goal, sort_keys=True) for index in range(600)}


@pytest.mark.parametrize("index", range(15))
def test_a_task_comes_again_from_its_id(index: int):
    task = TRAIN.at(10_000 + index)
    assert TabletopTasks("test").get(task.id).key == task.key


def test_the_demonstrations_have_the_originals_numbers_and_run():
    demos = demonstrations()
    counts = {name: sum(demo.name.startswith(f"{name}_") for demo in demos) for name in SETS}
    assert counts == {"top": 16, "object_names": 8, "positions": 10, "functions": 11}
    for demo in demos:
        hand = Hand(SCENE)
        outcome = run(demo.program, hand)
        if demo.name.startswith(("object_names", "positions")):
            assert "ret_val" in outcome.names


def test_every_function_has_a_document():
    assert [document.name for document in documents()] == [each.name for each in PRIMITIVES]
    assert len(PRIMITIVES) == 27
    assert documents()[0].text.splitlines()[1] == "put_first_on_second(first, second)"
