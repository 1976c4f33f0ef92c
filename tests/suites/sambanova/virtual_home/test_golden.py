"""The recorded verdicts of SambaNova's own evaluator, and VirtualHome's own activity file."""

from __future__ import annotations

import json
import re
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
from tests.shared import found, task_cases

NUMBER = re.compile(r"[\s\"'`]*(?:[-*+]\s+)?(?:\d+[.)])?[\s\"'`]*")


@pytest.fixture(scope="module")
def cases(shared_data: Path) -> list[dict[str, Any]]:
    return task_cases(shared_data, "virtual_home")


@pytest.fixture(scope="module")
def vocabulary(shared_data: Path) -> Vocabulary:
    return read_vocabulary(found(shared_data, "toolbench_tasks/*valid_objects*.json")[0])


def test_golden_figures_of_every_case_are_the_originals(cases: list[dict[str, Any]], vocabulary: Vocabulary):
    for case in cases:
        expected = case["expected"]
        lines = ground(case["prediction"])
        bad = [line for line in lines if problem(line, vocabulary)]
        verdict, index = OriginalJudge().rule(lines, case["labels"], executable=not bad)
        assert bad == expected["non_executable_lines"], case["id"]
        assert "".join(f"{line}\n" for line in lines if line) == expected["grounded"], case["id"]
        assert verdict.metrics["executable"] == expected["executable"], case["id"]
        assert verdict.score == pytest.approx(expected["lcs"]), case["id"]
        assert index == expected["best_label_index"], case["id"]


def test_golden_verdicts_hold_in_the_environment(cases: list[dict[str, Any]], vocabulary: Vocabulary):
    for case in cases:
        verdict = played(case, vocabulary, "original")
        assert verdict["metrics"]["executable"] == case["expected"]["executable"], case["id"]
        assert verdict["score"] == pytest.approx(case["expected"]["lcs"]), case["id"]


def test_golden_verdicts_of_the_default_are_the_originals_of_the_program_by_the_book(
    cases: list[dict[str, Any]], vocabulary: Vocabulary
):
    for case in cases:
        if is_prose(case["prediction"]):
            continue
        lines = by_the_book(case["prediction"])
        # A program without a step does nothing, and is executable in the original (spec 8.4, 15).
        executable = bool(lines) and not any(problem(line, vocabulary) for line in lines)
        expected = OriginalJudge().rule(lines, case["labels"], executable=executable)[0]
        verdict = played(case, vocabulary, None)
        assert verdict["metrics"]["executable"] == executable, case["id"]
        assert verdict["score"] == pytest.approx(expected.score), case["id"]


def is_prose(program: str) -> bool:
    """Whether calls stand within lines alone, which the general reading of actions takes out of any text."""
    lines = [line[NUMBER.match(line).end() :] for line in program.split("\n")]
    return "Agent." in program and not any(line.startswith("Agent.") for line in lines)


def by_the_book(program: str) -> list[str]:
    """Write a program as the original wants it, one call a line, without what only it takes offence at.

    Those are (spec toolbench-tasks 8.4): numbers with a bracket, blanks, comments and any text behind a call,
    a second call on a line, prose and fences, a title on the first line, and calls without the prefix where
    no line has it.
    """
    lines: list[str] = []
    for line in program.split("\n"):
        bare = re.sub(r"[\"'`;]", "", line[NUMBER.match(line).end() :]).partition("#")[0].strip()
        if bare.startswith("Task:") and any(each.startswith("Agent.") for each in lines):
            break
        lines.append(bare)
    prefix = "Agent." if any(line.startswith("Agent.") for line in lines) else ""
    written: list[str] = []
    for line in lines:
        calls = re.findall(rf"{prefix}(\w+)\s*\(([^()]*)\)", line)
        if line.startswith(prefix) and len(calls) == line.count("Agent.") + (not prefix):
            spaced = [", ".join(part.strip() for part in objects.split(",")) for _, objects in calls]
            written += [f"Agent.{name}({each})" for (name, _), each in zip(calls, spaced, strict=True)]
        elif prefix and line.startswith(prefix):
            written.append(line)
    return written


def played(case: dict[str, Any], vocabulary: Vocabulary, compat: str | None) -> dict[str, Any]:
    activity = Activity("goal", tuple(case["labels"]))
    task = household_task("1", "test", activity, tools_of(vocabulary))
    env = gym.make(
        "stb/VirtualHome-v1", data=TaskSet([task]), compat=compat, program=True, vocabulary=vocabulary
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
    for file in found(shared_data, "virtualhome/*examples*.json"):
        selection = read_activities(file)
        counts = selection.counts
        solutions = solutions_of(json.loads(file.read_text(encoding="utf-8")))
        assert counts["examples"] == sum(map(len, solutions.values()))
        assert counts["activities"] == len(solutions)
        assert counts["pairs"] == sum(len(set(each)) for each in solutions.values())
        kept = kept_of({name: set(each) for name, each in solutions.items()})
        assert counts["kept"] == len(kept)
        assert counts["kept_solutions"] == sum(len(set(solutions[name])) for name in kept)
        assert counts["kept_examples"] == sum(len(solutions[name]) for name in kept)
        programs = [program for known in selection.activities for program in known.solutions]
        assert len(programs) == len(set(programs)) == counts["kept_solutions"]
        sizes = [len(known.solutions) for known in selection.activities]
        assert sizes == sorted(sizes, reverse=True)
        steps = {step for program in programs for step in steps_of(program)}
        assert [step for step in steps if not embedded().allows(step.name, step.objects)] == []


def solutions_of(examples: list[str]) -> dict[str, list[str]]:
    """The texts of an activity's examples, blanks of its name folded (spec toolbench-tasks 8.3)."""
    solutions: dict[str, list[str]] = {}
    for example in examples:
        title, _, steps = example.partition("\n")
        solutions.setdefault(" ".join(title.removeprefix("Task:").split()), []).append(steps)
    return solutions


def kept_of(solutions: dict[str, set[str]]) -> list[str]:
    """Activities, the one with most solutions first, that share none with one that is kept (spec 8.3)."""
    taken: set[str] = set()
    kept = []
    for name, texts in sorted(solutions.items(), key=lambda item: -len(item[1])):
        if not texts & taken:
            kept.append(name)
            taken |= texts
    return kept


def test_golden_activity_file_is_played(shared_data: Path):
    for file in found(shared_data, "virtualhome/*examples*.json"):
        test = gym.make("stb/VirtualHome-v1", data=str(file), program=True).unwrapped
        train = gym.make("stb/VirtualHome-v1", data=str(file), split="train").unwrapped
        assert test.tasks.size == min(100, read_activities(file).counts["kept"])
        assert {task.query for task in test.tasks}.isdisjoint(task.query for task in train.tasks)
        for task in list(test.tasks)[:20]:
            test.reset(seed=0, options={"task_id": task.id})
            assert test.step(task.goal["labels"][-1])[1] == 1.0


def test_golden_retrieval_over_our_documents_finds_what_it_found_over_the_originals():
    found = sorted(documents())
    hits = BM25Retriever([document.text for document in found]).search("Apply lotion on agent face", 3)
    assert {found[hit.index].name for hit in hits} == {"LieOn", "TypeOn", "SitOn"}
