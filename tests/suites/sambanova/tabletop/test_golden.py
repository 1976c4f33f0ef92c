"""The recorded verdicts of SambaNova's own checkers, and its geometry."""

from __future__ import annotations

import re
from itertools import combinations
from math import dist
from pathlib import Path
from typing import Any

import pytest

from stb_env.core.request import drive
from stb_env.judges.judge import Case
from stb_env.suites.sambanova.tabletop.checks import succeeded
from stb_env.suites.sambanova.tabletop.judge import TabletopJudge
from stb_env.suites.sambanova.tabletop.robot import Robot
from stb_env.suites.sambanova.tabletop.scene import Scene
from stb_env.suites.sambanova.tabletop.targets import Look, targets
from stb_env.suites.sambanova.tabletop.tasks import tabletop_task
from tests.shared import task_cases, task_files

BLOCK = 0.04
NEAR = 0.05


@pytest.fixture(scope="module")
def cases(shared_data: Path) -> list[dict[str, Any]]:
    return task_cases(shared_data, "tabletop")


def positions_of(case: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    start = {name: tuple(at) for name, at in case["initial_positions"].items()}
    return start, start | {name: tuple(at) for name, at in (case["moved_to"] or {}).items()}


def test_golden_verdict_of_every_case_is_the_originals(cases: list[dict[str, Any]]):
    for case in cases:
        start, now = positions_of(case)
        got = succeeded(case["type"], Look(case["vars"], start, now), original=True)
        assert got == case["expected"]["success"], case["id"]


def test_golden_targets_follow_from_the_start(cases: list[dict[str, Any]]):
    for case in cases:
        start, _ = positions_of(case)
        found = targets(case["type"], case["vars"], start)
        if "target_block" in case["expected"]:
            assert found == [case["expected"]["target_block"]], case["id"]
        if "target_blocks" in case["expected"]:
            assert found == case["expected"]["target_blocks"], case["id"]


def judged(case: dict[str, Any], *, original: bool) -> bool:
    start, now = positions_of(case)
    task = tabletop_task("1", "test", "goal", case["type"], case["vars"], start, 0)
    bowls = {name: at for name, at in now.items() if name.endswith("bowl")}
    scene = Scene(blocks_of(now), bowls)
    return drive(TabletopJudge(original=original).judge(Case(task, "", (), scene))).metrics["success"] == 1.0


def blocks_of(positions: dict[str, Any]) -> dict[str, Any]:
    return {name: at for name, at in positions.items() if name.endswith("block")}


def test_golden_verdicts_of_the_judge_are_the_originals(cases: list[dict[str, Any]]):
    for case in cases:
        assert judged(case, original=True) == case["expected"]["success"], case["id"]


def test_golden_verdicts_of_the_default_differ_where_the_originals_tests_are_wrong_alone(
    cases: list[dict[str, Any]],
):
    for case in cases:
        expected = (case["expected"]["success"] and not slips(case)) or fits(case)
        assert judged(case, original=False) == expected, case["id"]


def slips(case: dict[str, Any]) -> bool:
    """Whether a success of the original is none, by what its tests do not look at (spec 10.4)."""
    start, now = positions_of(case)
    blocks = blocks_of(now)
    pairs = list(combinations(blocks.values(), 2))
    match case["type"]:
        case "SI_1" | "UI_2":
            # Heights: blocks of a stack stand on each other.
            return any(abs(a[2] - b[2]) < 0.75 * BLOCK for a, b in pairs)
        case "UI_1":
            # Colours: no block lies in the bowl of its own.
            own = [(at, now.get(name.replace("block", "bowl"))) for name, at in blocks.items()]
            return any(bowl is not None and dist(at[:2], bowl[:2]) <= NEAR for at, bowl in own)
        case "UI_5":
            # Blocks in one place, or in two rows, are no line, and a diagonal has two sides.
            if any(dist(a[:2], b[:2]) < BLOCK - 1e-6 for a, b in pairs):
                return True
            rising, falling = ([x + way * (y + 0.5) for x, y, _ in blocks.values()] for way in (-1, 1))
            beside = max(map(abs, rising)) >= NEAR and max(map(abs, falling)) >= NEAR
            return case["vars"]["line"] == "diagonal" and beside
        case "SI_6" | "SI_7":
            # One block is asked for; no other one moves.
            meant = case["expected"]["target_block"]
            return any(dist(at, start[name]) > NEAR for name, at in blocks.items() if name != meant)
    return False


def fits(case: dict[str, Any]) -> bool:
    """Whether blocks are where they should be, if not within 5 cm of one point there."""
    _, now = positions_of(case)
    if case["type"] != "SI_2":
        return False
    edges = {"left": (0, -0.3), "right": (0, 0.3), "bottom": (1, -0.8), "top": (1, -0.2)}
    meant = [edges[word] for word in case["vars"]["corner_or_side"].split() if word in edges]
    return all(abs(at[axis] - edge) <= 0.15 + 1e-6 for at in blocks_of(now).values() for axis, edge in meant)


def test_golden_geometry_is_the_originals(shared_data: Path):
    for file in task_files(shared_data, "tabletop", "geometry"):
        geometry = file["geometry"]
        # The file says where its block stands: "... named red block stands at x=0.1, y=-0.4".
        (name, x, y) = re.findall(r"named (\w+ block) stands at x=([-.\d]+), y=([-.\d]+)", geometry["note"])[
            0
        ]
        robot = Robot(Scene({name: (float(x), float(y), 0.02)}, {}), original=True)
        for each in geometry["corner_and_side"]:
            assert robot.corner(each["point"]) == each["corner"]
            assert robot.side(each["point"]) == each["side"]
        for each in geometry["denormalize"]:
            assert robot.denormalize(each["normalized"]).tolist() == pytest.approx(each["xy"])
        for each in geometry["named_positions"]:
            assert robot.array_of(each["name"]).tolist() == pytest.approx(each["xy"])
