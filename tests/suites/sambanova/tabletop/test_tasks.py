"""Goals come from a seed; the test list never changes unseen and nothing of it is in training."""

from __future__ import annotations

import json
import re
from itertools import combinations

import pytest

from stb_env.suites.sambanova.tabletop.checks import CHECKS, succeeded
from stb_env.suites.sambanova.tabletop.demos import SCENE, SETS, demonstrations
from stb_env.suites.sambanova.tabletop.goals import GOALS
from stb_env.suites.sambanova.tabletop.layouts import APART
from stb_env.suites.sambanova.tabletop.places import distance
from stb_env.suites.sambanova.tabletop.primitives import PRIMITIVES
from stb_env.suites.sambanova.tabletop.robot import Robot
from stb_env.suites.sambanova.tabletop.targets import Look, blocks_of, bowls_of
from stb_env.suites.sambanova.tabletop.tasks import SETUPS, TEST_SIZE, moved, tasks_of
from stb_env.suites.sambanova.tabletop.tools import documents
from stb_env.suites.sambanova.tabletop.world import run

TEST, TRAIN = tasks_of("test"), tasks_of("train")
TASKS = [TEST.at(index) for index in range(TEST_SIZE)]


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
    for original in (True, False):
        assert not succeeded(task.group, Look(task.goal["slots"], start, start), original=original)
        assert succeeded(task.group, Look(task.goal["slots"], start, end), original=original)


# A direction or a rank is said in other words where those read better.
SAID = {
    "top": ("top", "above"),
    "bottom": ("bottom", "below"),
    "first": ("first", "number 1"),
    "second": ("second", "number 2"),
    "third": ("third", "number 3"),
    "fourth": ("fourth", "number 4"),
}


@pytest.mark.parametrize(
    "task", [*TASKS, *(TRAIN.at(index) for index in range(300))], ids=lambda task: task.id
)
def test_a_goal_names_everything_that_it_is_about(task):
    objects, instruction = task.query.splitlines()
    assert objects == f"objects = {list(task.goal['positions'])}"
    assert instruction.startswith("# ")
    for value in task.goal["slots"].values():
        assert any(word in instruction.lower() for word in SAID.get(value, (value,)))


def test_no_query_and_no_instruction_of_the_test_comes_twice():
    assert len({task.query for task in TASKS}) == TEST_SIZE
    assert len({instruction(task) for task in TASKS}) == TEST_SIZE


def test_training_shares_no_goal_and_no_instruction_with_the_test():
    trained = [TRAIN.at(index) for index in range(750)]
    for shown in (lambda task: json.dumps(task.goal, sort_keys=True), instruction):
        assert not {shown(task) for task in TASKS} & {shown(task) for task in trained}


def test_no_instruction_of_the_test_is_a_demonstrations():
    shown = {plain(demo.goal) for demo in demonstrations()}
    assert not shown & {plain(instruction(task)) for task in TASKS}


@pytest.mark.heavy
@pytest.mark.parametrize("kind", list(GOALS))
def test_every_kind_is_worded_in_a_dozen_ways_at_least(kind):
    first = list(GOALS).index(kind)
    asked = [*(TRAIN.at(first + 15 * number) for number in range(120)), *TASKS[first::15]]
    # What a goal is about is gone; what is left is its wording.
    assert len({worded(task) for task in asked}) >= 12


def instruction(task):
    return task.query.splitlines()[1]


def plain(text):
    return re.sub(r"[^a-z0-9 ]", "", text.lower()).strip()


def worded(task):
    text = instruction(task).lower()
    values = (*task.goal["slots"].values(), "above", "below", "to the left of", "to the right of")
    for value in (*sorted(values, key=len, reverse=True), *(f"number {number}" for number in range(1, 5))):
        text = text.replace(value, "_")
    return text


# How the functions of the demonstrations may be called.
USES = (
    "get_total([1, 2, 3])",
    "get_lowest_object(get_obj_names())",
    "put_all_on(['green block', 'pink block'], 'red bowl')",
    "swap_objects('green block', 'pink block')",
    "sort_by_distance(get_obj_names(), np.array([0, -0.5]))",
    "get_circle_points(np.array([0, -0.5]), 0.15, 6)",
    "get_object_area('red bowl')",
    "is_inside(get_obj_pos('green block'), [-0.3, -0.8], [0.3, -0.2])",
    "build_pyramid(['green block', 'yellow block', 'pink block'], np.array([0, -0.7]))",
    "get_objects_with_color('pink')",
    "get_point_towards(get_obj_pos('green block'), get_obj_pos('red bowl'), 0.05)",
)


def test_the_demonstrations_have_the_originals_numbers_and_run():
    demos = demonstrations()
    counts = {name: sum(demo.name.startswith(f"{name}_") for demo in demos) for name in SETS}
    assert counts == {"top": 16, "object_names": 8, "positions": 10, "functions": 11}
    for demo in demos:
        outcome = run(demo.program, Robot(SCENE))
        if demo.name.startswith(("object_names", "positions")):
            assert "ret_val" in outcome.names


def test_the_functions_of_the_demonstrations_are_those_asked_for_and_run():
    written = [demo for demo in demonstrations() if demo.name.startswith("functions_")]
    for demo, use in zip(written, USES, strict=True):
        name = use.partition("(")[0]
        assert f"{name}(" in demo.goal
        assert f"def {name}(" in demo.program
        run(f"{demo.program}\n{use}", Robot(SCENE))


def test_every_function_has_a_document():
    assert [document.name for document in documents()] == [each.name for each in PRIMITIVES]
    assert len(PRIMITIVES) == 27
    assert documents()[0].text.splitlines()[1] == "put_first_on_second(first, second)"
