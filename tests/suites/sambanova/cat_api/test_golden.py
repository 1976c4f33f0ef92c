"""The recorded verdicts of ToolBench's own evaluator."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from stb_env.suites.sambanova.cat_api.original import final_command

import stb_env  # noqa: F401 (registers the ids)
from stb_env.suites.sambanova.cat_api.account import Account
from stb_env.suites.sambanova.cat_api.command import as_typed
from stb_env.suites.sambanova.cat_api.judge import OriginalJudge
from stb_env.suites.sambanova.cat_api.tasks import cat_task
from stb_env.suites.sambanova.common.curl.reader import kept_line
from stb_env.tasks import TaskSet
from stb_env.tools import ToolCall
from tests.suites.sambanova.cat_api import stand_in

# What the default judges otherwise, and why the original's verdict is a defect.
MENDED = {
    "ca-s006": ("double quotes mean the same to a shell", True),
    "ca-s008": ("a semicolon after a command changes nothing", True),
    "ca-s009": ("a header changes nothing", True),
    "ca-s019": ("another image was added than the one that was named", False),
}
FIGURES = ("executable", "success", "precision", "recall", "f1")
FAVOURITES = ("q7", "aa")


@cache
def read(file: Path) -> list[dict[str, Any]]:
    return json.loads(file.read_text())["cases"]


@pytest.fixture(scope="module")
def cases(shared_data: Path) -> list[dict[str, Any]]:
    return read(shared_data / "toolbench_tasks" / "the_cat_api.json")


def test_golden_figures_of_every_case_are_the_originals(cases: list[dict[str, Any]]):
    judge = OriginalJudge(stand_in.fetch, stand_in.KEY)
    for case in cases:
        expected = case["expected"]
        kept, labels, by_text = (
            kept_line(case["prediction"]),
            tuple(case["labels"]),
            case["compare_string_only"],
        )
        verdict, index = judge.rule(kept, labels, Account.of(FAVOURITES), by_text=by_text)
        got = {**verdict.parts, **verdict.metrics}
        assert got == pytest.approx({name: expected[name] for name in FIGURES}), case["id"]
        assert index == expected["best_label_index"], case["id"]


def test_golden_kept_lines_and_commands_of_every_case_are_the_originals(cases: list[dict[str, Any]]):
    for case in cases:
        expected = case["expected"]
        kept = kept_line(case["prediction"])
        assert kept == expected["kept_line"], case["id"]
        if not case["compare_string_only"]:
            assert final_command(kept, stand_in.KEY) == expected["final_command"], case["id"]


def test_golden_verdicts_hold_in_the_environment(cases: list[dict[str, Any]]):
    for case in cases:
        expected = {name: case["expected"][name] for name in ("executable", "success")}
        assert played(case, "original")["parts"] == expected, case["id"]


def test_golden_verdicts_of_the_default_differ_where_the_original_has_a_defect(cases: list[dict[str, Any]]):
    for case in cases:
        parts = played(case, None)["parts"]
        if case["id"] in MENDED:
            assert parts["success"] == MENDED[case["id"]][1], case["id"]
        elif case["compare_string_only"]:
            # The original does not know whether the command would have run.
            assert parts["success"] >= case["expected"]["success"], case["id"]
        elif "/favourites' --data" not in case["labels"][0]:
            expected = {name: case["expected"][name] for name in ("executable", "success")}
            assert parts == expected, case["id"]


def played(case: dict[str, Any], compat: str | None) -> dict[str, Any]:
    call = as_typed(ToolCall("curl", {"command": case["labels"][0]}))
    by_text = case["compare_string_only"]
    task = cat_task("1", "test", "goal", call, tuple(case["labels"]), FAVOURITES, by_text=by_text)
    env = gym.make("stb/CatAPI-v0", data=TaskSet([task]), compat=compat, program=True)
    env.reset(seed=0)
    _, reward, terminated, _, info = env.step(case["prediction"])
    assert terminated
    assert reward == float(info["verdict"]["parts"]["success"])
    return info["verdict"]
