"""Activities come from a seed; the test list never changes unseen and nothing of it is in training."""

from __future__ import annotations

from itertools import chain, product

import pytest

from stb_env.suites.sambanova.virtual_home.activities import select, step_of
from stb_env.suites.sambanova.virtual_home.acts import done
from stb_env.suites.sambanova.virtual_home.errands import Pool, errands
from stb_env.suites.sambanova.virtual_home.home import Home
from stb_env.suites.sambanova.virtual_home.judge import steps_of
from stb_env.suites.sambanova.virtual_home.tasks import demonstrations, tasks_of
from stb_env.suites.sambanova.virtual_home.tools import documents, tools_of
from stb_env.suites.sambanova.virtual_home.vocabulary import embedded, skills
from stb_env.tasks import Task

TEST, TRAIN = tasks_of("test"), tasks_of("train")
TESTS = [TEST.at(index) for index in range(100)]
TRAINS = [TRAIN.at(index) for index in range(300)]


def test_no_activity_is_in_two_splits():
    test = {task.query for task in TESTS}
    demonstrated = {demo.goal for demo in demonstrations()}
    trained = {task.query for task in TRAINS}
    assert len(test) == 100
    assert test.isdisjoint(demonstrated | trained)
    assert trained.isdisjoint(demonstrated)


def test_no_errand_of_a_test_activity_is_in_training_or_demonstrations():
    test = {part for task in TESTS for part in task.query.split(". ")}
    others = {task.query for task in TRAINS} | {demo.goal for demo in demonstrations()}
    assert test.isdisjoint(part for name in others for part in name.split(". "))


def test_tasks_that_look_alike_have_the_same_gold():
    seen: dict[str, Task] = {}
    for task in chain(TESTS, (TRAIN.at(index) for index in range(2_000))):
        other = seen.setdefault(task.query, task)
        assert (task.gold, task.goal) == (other.gold, other.goal), task.query


def test_what_is_not_as_usual_at_the_start_is_said():
    # Every fact that is given is about a thing that the query names.
    for errand in chain(errands("test"), errands("train")):
        for fact in errand.given:
            named = {word for thing in fact.split()[1:2] for word in thing.split("_")} - {"clothes", "food"}
            assert all(word in errand.name or fact == "lacking coffee" for word in named), errand.name


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


@pytest.mark.parametrize("pool", ["test", "train"])
def test_every_step_of_every_errand_is_allowed_and_every_function_is_used(pool: Pool):
    used = set()
    for errand in errands(pool):
        for step, _ in errand.steps:
            assert embedded().allows(step.name, step.objects), (errand.name, step.line)
            used.add(step.name)
    assert used == set(embedded().functions)


@pytest.mark.parametrize("pool", ["test", "train"])
def test_errands_are_done_with_and_without_what_may_be_left_out(pool: Pool):
    for errand in errands(pool):
        optional = [index for index, (_, is_optional) in enumerate(errand.steps) if is_optional]
        for kept in product((True, False), repeat=len(optional)):
            left_out = {index for index, is_kept in zip(optional, kept, strict=True) if not is_kept}
            home = Home.of(errand.given)
            assert not all(map(home.meets, errand.reaches)), errand.name
            for index, (step, _) in enumerate(errand.steps):
                home = home if index in left_out else done(home, step)
            assert [each for each in errand.reaches if not home.meets(each)] == [], errand.name


def test_labels_are_several_and_the_first_is_gold():
    for task in chain(TESTS, TRAINS):
        labels = task.goal["labels"]
        assert len(labels) >= 2
        assert [call.name for call in task.gold] == [step.name for step in steps_of(labels[0])]


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
