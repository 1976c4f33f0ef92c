"""What holds for all eight tasks: nothing of the tests leaks, and what an answer needs is in the prompt."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

import gymnasium as gym
import pytest

from stb_env.retrieval import BM25Retriever
from stb_env.suites.sambanova.materials import documents, examples
from stb_env.suites.sambanova.tabletop.nested_agent import prompt_for
from stb_env.suites.sambanova.tasks import SUITE
from stb_env.tasks import Task
from tests.shared import found
from tests.suites.sambanova.sight import labels_of, look_alikes, observed, prompted

TRAINED = 1_000
NAMES = list(SUITE)
EIGHT = [name for name in SUITE if name != "web_shop_short"]
QUICK = ("open_weather", "home_search", "virtual_home")
# All eight, most of which take a second.
SWEPT = [name if name in QUICK else pytest.param(name, marks=pytest.mark.heavy) for name in EIGHT]


@cache
def tasks_of(name: str, split: str) -> list[Task]:
    tasks: Any = gym.make(SUITE[name].env_id, split=split).unwrapped.tasks  # type: ignore[attr-defined]
    return [tasks.at(index) for index in range(tasks.size or TRAINED)]


def wanted(task: Task) -> Any:
    """Return what a task asks for: the product in a shop, the moves at a table, or its programs."""
    return task.goal["asin"] if "asin" in task.goal else labels_of(task)


def targets(name: str) -> set[str]:
    """Return what solves the tests: programs, or the click that opens the product.

    A program that a document shows in full takes no value, and is the same in every task.
    """
    tests = tasks_of(name, "test")
    if "asin" in tests[0].goal:
        return {f"click[{task.goal['asin'].lower()}]" for task in tests}
    shown = "\n".join(documents(SUITE[name]).values())
    labels = {label for task in tests for label in task.goal.get("labels", ())}
    return {label for label in labels if label not in shown}


# -- leaks -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_no_test_target_appears_in_a_demonstration(name: str):
    goals = {task.query for task in tasks_of(name, "test")}
    assert not [demo.name for demo in examples(SUITE[name]) if demo.goal in goals]
    solutions = targets(name)
    for demo in examples(SUITE[name]):
        assert _solution(name, demo.program) not in solutions, demo.name


def _solution(name: str, program: str) -> str:
    """Return a program, or of a trajectory the click that opens the product that is bought."""
    return re.findall(r"^click\[b\w{9}\]$", program, re.MULTILINE)[-1] if SUITE[name].is_stepwise else program


@pytest.mark.heavy
@pytest.mark.parametrize("name", EIGHT)
def test_no_test_query_recurs_in_training(name: str):
    tests = {_plain(task.query) for task in tasks_of(name, "test")}
    assert not tests & {_plain(task.query) for task in tasks_of(name, "train")}


@pytest.mark.parametrize("name", SWEPT)
def test_no_test_target_is_trained_on(name: str):
    if SUITE[name].is_stepwise:
        trained = {f"click[{task.goal['asin'].lower()}]" for task in tasks_of(name, "train")}
    else:
        trained = {label for task in tasks_of(name, "train") for label in task.goal.get("labels", ())}
    assert not targets(name) & trained


def _plain(query: str) -> str:
    return " ".join(re.findall(r"\w+", query.lower()))


# -- sight -------------------------------------------------------------------------------------------------


@pytest.mark.heavy
@pytest.mark.parametrize("name", EIGHT)
def test_of_two_tasks_with_equal_words_gold_is_equal(name: str):
    tasks = [*tasks_of(name, "test"), *tasks_of(name, "train")]
    assert look_alikes(tasks, lambda task: task.query, wanted) == []


@pytest.mark.heavy
@pytest.mark.parametrize("name", EIGHT)
def test_of_two_tasks_with_equal_first_observations_gold_is_equal(name: str):
    assert look_alikes(tasks_of(name, "test"), observed(SUITE[name].env_id), wanted) == []


@pytest.mark.parametrize("name", [name for name in EIGHT if not SUITE[name].is_stepwise])
def test_of_two_tasks_with_equal_prompts_gold_is_equal(name: str):
    assert look_alikes(tasks_of(name, "test"), prompted(SUITE[name].env_id), wanted) == []


@pytest.mark.heavy
def test_a_task_whose_decision_is_out_of_sight_would_be_found():
    tasks = tasks_of("google_sheets", "train")
    assert look_alikes(tasks, lambda task: task.query.splitlines()[-1], wanted)


# -- retrieval ---------------------------------------------------------------------------------------------

# Share of the functions that gold programs call whose documents are retrieved. Where not all documents are
# shown, BM25 over the goal decides; a household's goals name no functions, neither ours nor the real ones.
FLOORS = dict.fromkeys(EIGHT, 1.0) | {"google_sheets": 0.85, "virtual_home": 0.45}


def retrieved(name: str) -> list[tuple[set[str], set[str]]]:
    """Return for each test which documented functions its gold calls, and which of them are shown."""
    suite = SUITE[name]
    names, texts = zip(*sorted(documents(suite).items()), strict=True)
    shelf = BM25Retriever(texts)
    pairs = []
    for task in tasks_of(name, "test"):
        # The gold of a shop is played, not listed: it needs both of its functions.
        needed = {call.name for call in task.gold} & set(names) if task.gold else set(names)
        shown = {names[hit.index] for hit in shelf.search(task.query, suite.documents_k)}
        pairs.append((needed, needed & shown))
    return pairs


@pytest.mark.parametrize("name", [name for name in EIGHT if SUITE[name].documents_k])
def test_documents_of_the_functions_that_gold_calls_are_retrieved(name: str):
    pairs = retrieved(name)
    needed, shown = (sum(len(pair[part]) for pair in pairs) for part in (0, 1))
    assert needed
    assert shown >= FLOORS[name] * needed, f"{shown} of {needed}"


@pytest.mark.parametrize(("name", "floor"), [("google_sheets", 0.9), ("virtual_home", 0.7)])
def test_with_the_demonstrations_most_functions_that_gold_calls_are_shown(name: str, floor: float):
    suite, demos = SUITE[name], sorted(examples(SUITE[name]))
    shelf = BM25Retriever([demo.text for demo in demos])
    needed = shown = 0
    for task, (wants, told) in zip(tasks_of(name, "test"), retrieved(name), strict=True):
        programs = " ".join(demos[hit.index].program for hit in shelf.search(task.query, suite.examples_k))
        called = set(re.findall(r"(\w+)\(", programs))
        needed, shown = needed + len(wants), shown + len(told | wants & called)
    assert shown >= floor * needed, f"{shown} of {needed}"


def test_the_prompt_of_a_table_lists_every_function_that_gold_calls():
    listed = prompt_for("goal", "").partition("\n# A function that is called")[0]
    assert all(f"# {call.name}(" in listed for task in tasks_of("tabletop", "test") for call in task.gold)


def test_household_retrieval_finds_no_less_than_it_does_for_the_real_activities(shared_data: Any):
    texts = documents(SUITE["virtual_home"])
    names = sorted(texts)
    shelf = BM25Retriever([texts[name] for name in names])
    phrases = {name: _pattern(texts[name]) for name in names}
    real: dict[str, set[str]] = {}
    for line in json.loads(found(shared_data, "virtualhome/*examples*.json")[0].read_text(encoding="utf-8")):
        task, *steps = line.splitlines()
        said = [step.partition(": ")[2] for step in steps]
        called = {name for step in said for name, phrase in phrases.items() if phrase.fullmatch(step)}
        real.setdefault(task.partition(": ")[2].strip(), called)
    needed = sum(map(len, real.values()))
    shown = sum(
        len(called & {names[hit.index] for hit in shelf.search(goal, 10)}) for goal, called in real.items()
    )
    ours = retrieved("virtual_home")
    assert sum(len(pair[1]) for pair in ours) / sum(len(pair[0]) for pair in ours) >= shown / needed > 0.2


def _pattern(document: str) -> re.Pattern[str]:
    """Return what a step of a function looks like in words, from the head of its document."""
    phrase = document.removeprefix("# ").partition(": ")[0]
    return re.compile(re.sub(r"\b[XY]\b", ".+", phrase), re.IGNORECASE)
