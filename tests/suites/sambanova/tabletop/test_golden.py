"""The recorded verdicts of ToolBench's own checkers, and its geometry."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from stb_env.judges.protocol import Case
from stb_env.request import drive
from stb_env.suites.sambanova.tabletop.checks import Look, succeeded, targets
from stb_env.suites.sambanova.tabletop.hand import Hand
from stb_env.suites.sambanova.tabletop.judge import TabletopJudge
from stb_env.suites.sambanova.tabletop.scene import Scene
from stb_env.suites.sambanova.tabletop.tasks import tabletop_task

# What the default judges otherwise, and what the original lets slip.
MENDED = {
    "tt-s009": "blocks beside each other are no stack",
    "tt-s035": "each block lies in the bowl of its own colour",
    "tt-s038": "blocks beside each other are no stack",
    "tt-s050": "a heap beside a diagonal is no line",
}


@cache
def read(file: Path) -> dict[str, Any]:
    return json.loads(file.read_text())


@pytest.fixture(scope="module")
def recorded(shared_data: Path) -> dict[str, Any]:
    return read(shared_data / "toolbench_tasks" / "tabletop_success.json")


def positions_of(case: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    start = {name: tuple(at) for name, at in case["initial_positions"].items()}
    return start, start | {name: tuple(at) for name, at in (case["moved_to"] or {}).items()}


def test_golden_verdict_of_every_case_is_the_originals(recorded: dict[str, Any]):
    for case in recorded["cases"]:
        start, now = positions_of(case)
        got = succeeded(case["type"], Look(case["vars"], start, now, strict=False))
        assert got == case["expected"]["success"], case["id"]


def test_golden_targets_follow_from_the_start(recorded: dict[str, Any]):
    for case in recorded["cases"]:
        start, _ = positions_of(case)
        found = targets(case["type"], case["vars"], start)
        if "target_block" in case["expected"]:
            assert found == [case["expected"]["target_block"]], case["id"]
        if "target_blocks" in case["expected"]:
            assert found == case["expected"]["target_blocks"], case["id"]


@pytest.mark.parametrize("original", [True, False])
def test_golden_verdicts_of_the_judges_differ_where_the_original_has_a_defect(
    recorded: dict[str, Any], original: bool
):
    for case in recorded["cases"]:
        start, now = positions_of(case)
        task = tabletop_task("1", "test", "goal", case["type"], case["vars"], start, 0)
        blocks = {name: at for name, at in now.items() if name.endswith("block")}
        bowls = {name: at for name, at in now.items() if name.endswith("bowl")}
        verdict = drive(TabletopJudge(original=original).judge(Case(task, "", (), Scene(blocks, bowls))))
        expected = case["expected"]["success"]
        mended = not original and case["id"] in MENDED
        assert verdict.parts["success"] == (expected and not mended), case["id"]


def test_golden_geometry_is_the_originals(recorded: dict[str, Any]):
    geometry = recorded["geometry"]
    hand = Hand(Scene({"red block": (0.1, -0.4, 0.02)}, {}), original=True)
    for each in geometry["corner_and_side"]:
        assert hand.corner(each["point"]) == each["corner"]
        assert hand.side(each["point"]) == each["side"]
    for each in geometry["denormalize"]:
        assert hand.denormalize(each["normalized"]).tolist() == pytest.approx(each["xy"])
    for each in geometry["named_positions"]:
        assert hand.array_of(each["name"]).tolist() == pytest.approx(each["xy"])
