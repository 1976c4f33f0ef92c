"""Own activities are judged by the home that they lead to: care is rewarded, cheating is not."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from stb_env.retrieval import BM25Retriever
from stb_env.suites.sambanova.common.prompt import example_text
from stb_env.suites.sambanova.complexity import complexity
from stb_env.suites.sambanova.virtual_home.activities import read_activities
from stb_env.suites.sambanova.virtual_home.chores import test_chores as chores_of_the_test
from stb_env.suites.sambanova.virtual_home.env import make
from stb_env.suites.sambanova.virtual_home.judge import steps_of
from stb_env.suites.sambanova.virtual_home.similarity import best_similarity
from stb_env.suites.sambanova.virtual_home.step import Step
from stb_env.suites.sambanova.virtual_home.tasks import demonstrations, tasks_of
from stb_env.suites.sambanova.virtual_home.vocabulary import embedded
from tests.shared import found
from tests.suites.sambanova.virtual_home.careful import PROGRAMS, lines

TESTS = [tasks_of().at(index) for index in range(100)]
OURS = [(task.query, task.goal["labels"]) for task in TESTS]
SHOWN = [(demo.goal, demo.program) for demo in sorted(demonstrations())]
MEASURES = ("executable", "success", "lcs", "reached")
FREE = ("Find", "WalkTo", "RunTo", "TurnTo", "LookAt")


@pytest.fixture(scope="module")
def env():
    return make(program=True)


def verdict(env: Any, index: int, program: str) -> dict[str, Any]:
    env.reset(seed=0, options={"task_id": f"test-{index}"})
    judged: dict[str, Any] = env.step(program)[4]["verdict"]
    return judged


def nearest(shown: list[tuple[str, str]]) -> BM25Retriever:
    return BM25Retriever([example_text(*example) for example in shown])


def copied(tests: list[tuple[str, Any]], shown: list[tuple[str, str]]) -> float:
    """Return what copying the first demonstration of the prompt scores, as LCS in per cent."""
    retriever = nearest(shown)
    programs = [(shown[retriever.search(goal, 1)[0].index][1], labels) for goal, labels in tests]
    scores = [best_similarity(steps_of(program), map(steps_of, labels))[0] for program, labels in programs]
    return 100 * fmean(scores)


# -- fair to the careful -----------------------------------------------------------------------------


@pytest.mark.parametrize("index", PROGRAMS)
def test_what_a_careful_player_does_is_right(env: Any, index: int):
    for program in PROGRAMS[index]:
        judged = verdict(env, index, lines(program))
        assert (judged["score"], judged["votes"]) == (1.0, []), program
        assert judged["metrics"]["executable"] == 1.0
        assert all(judged["parts"].values())


@pytest.mark.heavy
def test_every_label_of_every_activity_is_right(env: Any):
    for index, task in enumerate(TESTS):
        for label in task.goal["labels"]:
            assert verdict(env, index, label)["metrics"] == dict.fromkeys(MEASURES, 1.0), task.query


def test_the_verdict_has_the_protocols_figure_beside_its_own(env: Any):
    task = TESTS[0]
    program = "\n".join(step.line for step in steps_of(task.goal["labels"][0]) if step.name not in FREE)
    judged = verdict(env, 0, program)
    expected = best_similarity(steps_of(program), map(steps_of, task.goal["labels"]))[0]
    assert judged["score"] == 1.0
    assert judged["metrics"]["lcs"] == pytest.approx(expected)
    original = make(program=True, compat="original")
    assert verdict(original, 0, program)["score"] == pytest.approx(expected)


def test_a_mistake_that_is_made_good_is_no_mistake(env: Any):
    label = TESTS[0].goal["labels"][0]
    judged = verdict(env, 0, f"Agent.SwitchOn(hammock)\nAgent.Sleep()\n{label}")
    assert (judged["score"], judged["metrics"]["executable"]) == (1.0, False)


# -- cheats ------------------------------------------------------------------------------------------


def test_copying_the_nearest_demonstration_reaches_nothing(env: Any):
    retriever = nearest(SHOWN)
    for index, task in enumerate(TESTS):
        program = SHOWN[retriever.search(task.query, 1)[0].index][1]
        assert verdict(env, index, program)["score"] == 0.0, task.query


@pytest.mark.parametrize("program", ["", "Nothing has to be done.", "Agent.StandUp()"])
def test_doing_nothing_reaches_nothing(env: Any, program: str):
    assert {verdict(env, index, program)["score"] for index in range(100)} == {0.0}


@pytest.mark.heavy
def test_every_function_on_every_object_reaches_nothing(env: Any):
    functions = embedded().functions
    calls = [
        Step(name, (thing,)).line
        for name, places in functions.items()
        if len(places) == 1
        for thing in places[0]
    ]
    for index in range(0, 100, 25):
        judged = verdict(env, index, "\n".join(calls))
        assert (judged["score"], judged["parts"]["kept:few steps"]) == (0.0, False)


def test_every_function_on_the_right_objects_reaches_nothing(env: Any):
    vocabulary = embedded()
    for index, task in enumerate(TESTS):
        things = dict.fromkeys(thing for step in steps_of(task.goal["labels"][0]) for thing in step.objects)
        calls = [
            Step(name, objects)
            for name, places in vocabulary.functions.items()
            for objects in permutations(things, len(places))
            if vocabulary.allows(name, objects)
        ]
        judged = verdict(env, index, "\n".join(call.line for call in calls))
        assert (judged["score"], judged["metrics"]["success"]) == (0.0, False), task.query


def test_an_act_that_nobody_asked_for_is_a_slip_and_two_spoil_it_or_one_at_the_end(env: Any):
    label = TESTS[69].goal["labels"][0]
    assert verdict(env, 69, f"Agent.Touch(hanger)\nAgent.Wash(clothes_hat)\n{label}")["score"] == 1.0
    for spoiled in (
        f"Agent.Rinse(clothes_hat)\nAgent.Wash(clothes_hat)\n{label}",
        f"{label}\nAgent.Wash(clothes_hat)",
    ):
        judged = verdict(env, 69, spoiled)
        assert judged["score"] == 0.0
        assert judged["votes"][0]["reason"].startswith("not so: kept:nothing unasked")


@pytest.mark.heavy
def test_no_step_but_going_and_looking_can_be_left_out(env: Any):
    for index, chore in enumerate(chores_of_the_test(100)):
        needed = [step for errand in chore.errands for step, is_optional in errand.steps if not is_optional]
        assert verdict(env, index, "\n".join(step.line for step in needed))["score"] == 1.0
        for left_out in range(len(needed)):
            if needed[left_out].name not in FREE:
                program = [step.line for at, step in enumerate(needed) if at != left_out]
                assert verdict(env, index, "\n".join(program))["score"] == 0.0, needed[left_out].line


def test_the_right_end_without_the_activity_is_wrong(env: Any):
    wrong = {
        9: "Grab beer; LieOn couch",
        25: "Grab mail; Open mail; SitOn chair; Drop mail",
        39: "Find electric_shaver",
        41: "SwitchOn video_game_console; SwitchOn television; Grab video_game_controller; SitOn love_seat",
    }
    for index, program in wrong.items():
        judged = verdict(env, index, lines(program))
        assert (judged["score"], judged["metrics"]["success"]) == (0.0, False)
        assert judged["votes"][0]["reason"].startswith("not so: act:")


def test_the_program_of_another_activity_is_wrong(env: Any):
    for index in range(100):
        other = TESTS[(index + 37) % 100]
        if other.goal["reaches"] != TESTS[index].goal["reaches"]:
            assert verdict(env, index, other.goal["labels"][0])["score"] == 0.0


# -- content -----------------------------------------------------------------------------------------


def test_copying_scores_no_more_than_with_the_real_activities(shared_data: Path):
    for file in found(shared_data, "virtualhome/*examples*.json"):
        tests, others = read_activities(file).split()
        shown = sorted((known.name, program) for known in others for program in known.solutions)
        real = copied([(known.name, known.solutions) for known in tests], shown)
        assert copied(OURS, SHOWN) <= real


@pytest.mark.heavy
def test_the_complexity_is_that_of_the_paper():
    shown = [[step.name for step in steps_of(program)] for _, program in SHOWN]
    labels = [[[step.name for step in steps_of(label)] for label in labels] for _, labels in OURS]
    # The easiest solution counts, with which the real activities come to the published 12.3 (spec 11.1).
    easiest = fmean(min(complexity([label], shown, 40).score for label in known) for known in labels)
    assert easiest == pytest.approx(12.3, abs=0.7)
    assert complexity([known[0] for known in labels], shown, 40).score >= 12.3
