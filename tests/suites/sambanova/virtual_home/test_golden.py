"""The recorded verdicts of ToolBench's own evaluator, and VirtualHome's own activity file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

import stb_env  # noqa: F401 (registers the ids)
from stb_env.retrieval import BM25Retriever
from stb_env.suites.sambanova.virtual_home.activities import read_activities
from stb_env.suites.sambanova.virtual_home.chores import Activity
from stb_env.suites.sambanova.virtual_home.grounding import ground, problem
from stb_env.suites.sambanova.virtual_home.judge import OriginalJudge, steps_of
from stb_env.suites.sambanova.virtual_home.tasks import household_task
from stb_env.suites.sambanova.virtual_home.tools import documents, tools_of
from stb_env.suites.sambanova.virtual_home.vocabulary import Vocabulary, embedded, read_vocabulary
from stb_env.tasks import TaskSet

# What the default judges otherwise, with its verdict, and why the original's is a defect. Names are the
# recorded cases' tags.
MENDED: dict[str, tuple[bool, float]] = {
    # A program without a step does nothing.
    "empty prediction": (False, 0.0),
    "blank lines only": (False, 0.0),
    "Task: on the first line cuts everything": (True, 1.0),
    # Numbers, blanks, semicolons and comments are no part of a step.
    "numbered with closing bracket, not stripped": (True, 1.0),
    "no space after the comma: executable, yet the line does not match": (True, 1.0),
    "two spaces after the comma": (True, 1.0),
    "space inside the brackets: executable, no match": (True, 1.0),
    "space before the bracket: function name no longer known": (True, 1.0),
    "trailing comment after the call: executable, no match": (True, 1.0),
    "text after the call is ignored for executability": (True, 1.0),
    "only a semicolon on a line counts as a bad line but is not compared": (True, 1.0),
    "two calls on one line": (True, 1.0),
    # Calls without the prefix are calls all the same, and what is written around a program is none.
    "Agent prefix missing": (True, 1.0),
    "prose line before the program": (True, 1.0),
    "Markdown fence": (True, 1.0),
}


@pytest.fixture(scope="module")
def folder(shared_data: Path) -> Path:
    return shared_data / "toolbench_tasks"


@pytest.fixture(scope="module")
def cases(folder: Path) -> list[dict[str, Any]]:
    return json.loads((folder / "virtual_home.json").read_text())["cases"]


@pytest.fixture(scope="module")
def vocabulary(folder: Path) -> Vocabulary:
    return read_vocabulary(folder / "virtual_home_valid_objects.json")


def test_golden_figures_of_every_case_are_the_originals(cases: list[dict[str, Any]], vocabulary: Vocabulary):
    for case in cases:
        expected = case["expected"]
        lines = ground(case["prediction"])
        bad = [line for line in lines if problem(line, vocabulary)]
        verdict, index = OriginalJudge().rule(lines, case["labels"], executable=not bad)
        assert bad == expected["non_executable_lines"], case["id"]
        assert "".join(f"{line}\n" for line in lines if line) == expected["grounded"], case["id"]
        assert verdict.parts["executable"] == expected["executable"], case["id"]
        assert verdict.score == pytest.approx(expected["lcs"]), case["id"]
        assert index == expected["best_label_index"], case["id"]


def test_golden_verdicts_hold_in_the_environment(cases: list[dict[str, Any]], vocabulary: Vocabulary):
    for case in cases:
        verdict = played(case, vocabulary, "original")
        assert verdict["parts"]["executable"] == case["expected"]["executable"], case["id"]
        assert verdict["score"] == pytest.approx(case["expected"]["lcs"]), case["id"]


def test_golden_verdicts_of_the_default_differ_where_the_original_has_a_defect(
    cases: list[dict[str, Any]], vocabulary: Vocabulary
):
    for case in cases:
        expected = case["expected"]["executable"], case["expected"]["lcs"]
        executable, lcs = MENDED.get(case["tag"], expected)
        verdict = played(case, vocabulary, None)
        assert (verdict["parts"]["executable"], verdict["score"]) == (executable, pytest.approx(lcs)), case


def played(case: dict[str, Any], vocabulary: Vocabulary, compat: str | None) -> dict[str, Any]:
    activity = Activity("goal", tuple(case["labels"]))
    task = household_task("1", "test", activity, tools_of(vocabulary))
    env = gym.make(
        "stb/VirtualHome-v0", data=TaskSet([task]), compat=compat, program=True, vocabulary=vocabulary
    )
    env.reset(seed=0)
    _, reward, terminated, _, info = env.step(case["prediction"])
    assert terminated
    assert reward == info["verdict"]["metrics"]["lcs"]
    return info["verdict"]


def test_golden_embedded_vocabulary_is_the_published_one(vocabulary: Vocabulary):
    ours = embedded()
    assert set(ours.functions) == set(vocabulary.functions)
    for name in ours.functions:
        assert ours.places(name) == vocabulary.places(name), name


def test_golden_rule_keeps_activities_that_share_nothing(shared_data: Path):
    for file in (shared_data / "virtualhome").glob("*examples*.json"):
        selection = read_activities(file)
        counts = selection.counts
        # Published for the whole file, and for the part of it that tests usually have.
        published = {5_088: (202, 1_120, 183, 985, 4_538), 3_904: (161, 865, 149, 782, None)}
        if counts["examples"] in published:
            activities, pairs, kept, solutions, examples = published[counts["examples"]]
            assert (counts["activities"], counts["pairs"]) == (activities, pairs)
            assert (counts["kept"], counts["kept_solutions"]) == (kept, solutions)
            assert examples in (None, counts["kept_examples"])
        programs = [program for known in selection.activities for program in known.solutions]
        assert len(programs) == len(set(programs)) == counts["kept_solutions"]
        sizes = [len(known.solutions) for known in selection.activities]
        assert sizes == sorted(sizes, reverse=True)
        steps = {step for program in programs for step in steps_of(program)}
        assert [step for step in steps if not embedded().allows(step.name, step.objects)] == []


def test_golden_activity_file_is_played(shared_data: Path):
    for file in (shared_data / "virtualhome").glob("*examples*.json"):
        test = gym.make("stb/VirtualHome-v0", data=str(file), program=True).unwrapped
        train = gym.make("stb/VirtualHome-v0", data=str(file), split="train").unwrapped
        assert test.tasks.size == min(100, read_activities(file).counts["kept"])
        assert {task.query for task in test.tasks}.isdisjoint(task.query for task in train.tasks)
        for task in list(test.tasks)[:20]:
            test.reset(seed=0, options={"task_id": task.id})
            assert test.step(task.goal["labels"][-1])[1] == 1.0


def test_golden_retrieval_over_our_documents_finds_what_it_found_over_the_originals():
    found = sorted(documents())
    hits = BM25Retriever([document.text for document in found]).search("Apply lotion on agent face", 3)
    assert {found[hit.index].name for hit in hits} == {"LieOn", "TypeOn", "SitOn"}
