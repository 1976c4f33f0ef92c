"""Activities come from a seed; the test list never changes unseen and nothing of it is in training."""

from __future__ import annotations

from itertools import chain

import pytest

from stb_env.suites.sambanova.virtual_home.activities import select, step_of
from stb_env.suites.sambanova.virtual_home.chores import VERSION, chores
from stb_env.suites.sambanova.virtual_home.demos import demonstrations
from stb_env.suites.sambanova.virtual_home.judge import steps_of
from stb_env.suites.sambanova.virtual_home.tasks import VirtualHomeTasks
from stb_env.suites.sambanova.virtual_home.tools import documents, tools_of
from stb_env.suites.sambanova.virtual_home.vocabulary import embedded, skills

TEST, TRAIN = VirtualHomeTasks("test"), VirtualHomeTasks("train")
TESTS = [TEST.at(index) for index in range(100)]
TRAINS = [TRAIN.at(index) for index in range(300)]


def test_the_test_list_is_the_pinned_one():
    # Changes to content or generation must raise VERSION and pin anew.
    assert VERSION == 1
    assert TEST.hash == "ac852a0ceea62935699fe37bb2f92772ec7b8be58b369710d681790753ce40e6"


def test_no_activity_is_in_two_splits():
    test = {task.query for task in TESTS}
    demonstrated = {demo.goal for demo in demonstrations()}
    assert len(test) == 100
    assert test.isdisjoint(demonstrated)
    trained = {part.lower() for task in TRAINS for part in task.query.split(", then ")}
    assert trained.isdisjoint(name.lower() for name in chain(test, demonstrated))


def test_demonstrations_have_the_papers_numbers_and_are_executable():
    demos = demonstrations()
    assert (len(demos), len({demo.goal for demo in demos})) == (512, 83)
    assert len({demo.name for demo in demos}) == 512
    steps = [step for demo in demos for step in steps_of(demo.program)]
    assert all(embedded().allows(step.name, step.objects) for step in steps)


def test_no_two_activities_share_a_solution():
    programs = [label for task in TESTS for label in task.goal["labels"]]
    programs += [demo.program for demo in demonstrations()]
    assert len(programs) == len(set(programs))


def test_every_step_of_every_chore_is_allowed_and_every_function_is_used():
    used = set()
    for chore in chores():
        for step, _ in chore.steps:
            assert embedded().allows(step.name, step.objects), (chore.name, step.line)
            used.add(step.name)
    assert used == set(embedded().functions)


def test_labels_are_several_and_the_first_is_gold():
    for task in chain(TESTS, TRAINS):
        labels = task.goal["labels"]
        assert len(labels) >= 2
        assert [call.name for call in task.gold] == [step.name for step in steps_of(labels[0])]


@pytest.mark.parametrize("index", range(5))
def test_a_task_comes_again_from_its_id(index: int):
    task = TRAIN.at(10_000 + index)
    assert TEST.get(task.id).key == task.key


def test_every_function_has_a_tool_and_a_document_that_names_its_objects():
    assert len(tools_of(embedded())) == 41
    by_name = {document.name: document.text for document in documents()}
    assert set(by_name) == set(embedded().functions)
    for name, text in by_name.items():
        places = embedded().places(name)
        assert text.endswith(f"Agent.{name}({', '.join(places)})")
        assert all(thing in text for objects in places.values() for thing in objects)


@pytest.mark.parametrize("skill", skills(), ids=lambda skill: skill["name"])
def test_every_phrase_is_read_as_its_function(skill: dict[str, str]):
    sentence = skill["phrase"].replace("X", "coffee cup").replace("Y", "desk")
    assert step_of(sentence).name == skill["name"]


def test_activities_with_more_solutions_go_first():
    texts = [
        "Task: Nap\nStep 1: Sleep",
        "Task: Rest\nStep 1: Sleep",
        "Task: Rest\nStep 1: Lie on bed\nStep 2: Sleep",
        "Task: Rise\nStep 1: Stand up",
    ]
    selection = select(texts)
    assert [known.name for known in selection.activities] == ["Rest", "Rise"]
    assert selection.counts == {
        "examples": 4,
        "names": 3,
        "activities": 3,
        "pairs": 4,
        "solutions": 3,
        "kept": 2,
        "kept_solutions": 3,
        "kept_examples": 3,
    }
    assert str(selection).startswith("examples 4, names 3, activities 3")
