"""The environment: every form of action, both judges, the standing checks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from stb_env.core.request import drive
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import DataError, JudgeError
from stb_env.judges.judge import Case
from stb_env.runs import play
from stb_env.runs.baselines import load_agent
from stb_env.suites.sambanova.tabletop.checks import succeeded
from stb_env.suites.sambanova.tabletop.demos import SCENE, demonstrations
from stb_env.suites.sambanova.tabletop.env import make
from stb_env.suites.sambanova.tabletop.judge import TabletopJudge
from stb_env.suites.sambanova.tabletop.scene import BLOCK
from stb_env.suites.sambanova.tabletop.targets import Look
from stb_env.suites.sambanova.tabletop.tasks import TEST_SIZE, tabletop_task, tasks_of
from stb_env.tasks import Task, TaskSet
from stb_env.tools import FINISH
from tests.suites.sambanova.common.interpreter.mutants import mutants

DONE = {"name": FINISH, "arguments": {"return_type": "give_answer", "final_answer": ""}}
POSITIONS = SCENE.positions
PROGRAMS = [demo.program for demo in demonstrations()]


def task_of(kind: str = "SI_0", **slots: str) -> Task:
    slots = slots or {"block": "green block", "object1": "red bowl"}
    return tabletop_task("1", "test", "goal", kind, slots, POSITIONS, 0)


def env_of(kind: str = "SI_0", slots: dict[str, str] | None = None, **options: Any) -> ToolEnv:
    env = make(data=TaskSet([task_of(kind, **(slots or {}))]), **options)
    env.reset(seed=0)
    return env


def put(first: Any, second: Any) -> dict[str, Any]:
    return {"name": "put_first_on_second", "arguments": {"first": first, "second": second}}


def judged(*actions: Any, env: ToolEnv | None = None, **options: Any) -> dict[str, Any]:
    env = env or env_of(**options)
    for action in actions[:-1]:
        assert not env.step(action)[2]
    verdict = env.step(actions[-1])[4]["verdict"]
    return verdict | verdict["metrics"]


@pytest.mark.parametrize("compat", [None, "original"])
@pytest.mark.parametrize(
    "action",
    [
        put("green block", "red bowl"),
        put("the green_square", [-0.18, -0.62]),
        json.dumps(put([-0.1, -0.35], "red bowl")),
        "put_first_on_second('green block', 'red bowl')",
        "```python\nfor name in ['green block']:\n    put_first_on_second(name, 'red bowl')\n```",
        "name = parse_obj_name('the block closest to the top left corner', '')\n"
        "put_first_on_second(name, parse_position('the red bowl'))",
        "def drop(a, b):\n    put_first_on_second(a, b)\ndrop('green block', 'red bowl')",
    ],
)
def test_every_form_of_action_moves_the_block(action: Any, compat: str | None):
    verdict = judged(action, DONE, compat=compat)
    assert (verdict["status"], verdict["executable"]) == ("solved", True)
    assert verdict["judge"] == ("original" if compat else "exact")
    assert judged(action, program=True, compat=compat)["status"] == "solved"


@pytest.mark.parametrize("compat", [None, "original"])
@pytest.mark.parametrize(
    ("action", "executable"),
    [
        ("put_first_on_second('green block', 'cyan bowl')", True),
        ("put_first_on_second('green blok', 'red bowl')", False),
        ("put_first_on_second('red bowl', 'green block')", True),
        ("put_first_on_second('green block', 'red bowl'\n", False),
        ("say('done')", True),
        ("put_first_on_second('green block', np.array([0.9, 0.9]))", False),
    ],
)
def test_any_other_program_is_not_solved(action: str, executable: bool, compat: str | None):
    verdict = judged(action, program=True, compat=compat)
    assert (verdict["status"], verdict["success"], verdict["executable"]) == ("unsolved", False, executable)


def test_nothing_at_all_is_executable_in_the_original_alone():
    assert judged("", program=True)["executable"] == 0.0
    assert judged("", program=True, compat="original")["executable"] == 1.0
    assert judged("I cannot do that.", program=True, compat="original")["executable"] == 0.0


def test_a_program_that_fails_leaves_the_table_as_it_was():
    env = env_of()
    observation, *_ = env.step(
        "put_first_on_second('green block', 'red bowl')\nput_first_on_second('x', 'y')"
    )
    assert "line 2: nothing on the table is named 'x'" in observation["result"]
    assert env.snapshot().backend.blocks == SCENE.blocks


def test_a_mistake_can_be_mended_in_the_default_alone():
    calls = (put("green blok", "red bowl"), put("green block", "red bowl"), DONE)
    mended = judged(*calls)
    assert (mended["success"], mended["executable"]) == (True, False)
    assert judged(*calls, compat="original")["success"] == 0.0


@pytest.mark.parametrize(
    ("kind", "slots", "places"),
    [
        ("SI_1", {}, [[0.0, -0.3], [0.041, -0.3]]),
        ("UI_2", {"corner_or_side": "top side"}, [[-0.03, -0.25], [0.03, -0.25]]),
        ("UI_5", {"line": "diagonal"}, ["left side", "left side"]),
        ("UI_5", {"line": "vertical"}, ["middle", "middle"]),
        ("UI_5", {"line": "horizontal"}, ["middle", "middle"]),
    ],
)
def test_the_original_lets_heaps_pass(kind: str, slots: dict[str, str], places: list[Any]):
    positions = {name: at for name, at in POSITIONS.items() if name != "pink block"}
    task = tabletop_task("1", "test", "goal", kind, slots, positions, 0)
    for compat in (None, "original"):
        env = make(data=TaskSet([task]), compat=compat)
        env.reset(seed=0)
        calls = [put(name, place) for name, place in zip(positions, places, strict=False)]
        assert judged(*calls, DONE, env=env)["success"] == (compat == "original")


@pytest.mark.parametrize(
    ("gap", "passes"), [(BLOCK, True), (0.8 * BLOCK, True), (0.7 * BLOCK, False), (0.0, False)]
)
@pytest.mark.parametrize("count", [2, 3])
def test_a_stack_has_a_block_on_every_other_one(count: int, gap: float, passes: bool):
    start = {f"{color} block": (0.1 * n, -0.5, 0.02) for n, color in enumerate(("red", "blue", "pink"))}
    start = dict(list(start.items())[:count])
    # All but the uppermost stand right on each other, in an order that is not that of their names.
    heights = [0.02 + BLOCK * (count - 2) + gap, *(0.02 + BLOCK * n for n in range(count - 1))]
    now = {name: (0.0, -0.5, height) for name, height in zip(start, heights, strict=True)}
    assert succeeded("SI_1", Look({}, start, now)) == passes
    assert succeeded("SI_1", Look({}, start, now), original=True)


@pytest.mark.parametrize(
    ("action", "status", "error"),
    [
        (put("green blok", "middle"), 1, "Did you mean 'green block'?"),
        (put("green block", [0.9, 0]), 1, "the arm does not reach"),
        (put("green block", "nowhere"), 1, "nothing on the table is named 'nowhere'"),
        (
            {"name": "put_first_on_second", "arguments": {"first": "a"}},
            2,
            "missing required parameter 'second'",
        ),
        ({"name": "put_first_on_second", "arguments": {"first": "a", "second": {}}}, 2, "second"),
        ({"name": "put", "arguments": {}}, 3, "no tool is named 'put'."),
        ({"name": "program", "arguments": {"text": "import os"}}, 1, "no library 'os' can be imported here"),
        ({"name": "program", "arguments": {"text": "while True: pass"}}, 1, "more than 50000 steps"),
        ("I see.", 4, "no tool call found"),
    ],
)
def test_what_is_wrong_with_an_action_is_said(action: Any, status: int, error: str):
    observation, _, terminated, _, _ = env_of().step(action)
    assert (observation["status"], terminated) == (status, False)
    assert error in json.loads(observation["result"])["error"]


def test_a_program_reports_what_moved_what_it_printed_and_its_last_value():
    observation, *_ = env_of().step(
        "print('hi')\nput_first_on_second('green block', 'middle')\nget_obj_pos('middle')"
    )
    assert json.loads(observation["result"])["response"] == {
        "moved": {"green block": [0.0, -0.5, 0.02]},
        "printed": ["hi"],
        "value": [0.0, -0.5],
    }


def test_a_case_without_its_table_cannot_be_judged():
    with pytest.raises(JudgeError, match="task 1 is judged by its table, got NoneType"):
        drive(TabletopJudge().judge(Case(task_of(), "", ())))


@pytest.mark.parametrize("compat", [None, "original"])
def test_the_oracle_solves_every_test_task_and_so_do_its_calls_as_a_program(compat: str | None):
    gold = load_agent("gold")()
    for program in (False, True):
        env = make(compat=compat, program=program)
        for index in range(TEST_SIZE):
            if not program:
                assert play(env, gold, task_id=f"test-{index}", seed=0).reward == 1.0
                continue
            env.reset(seed=0, options={"task_id": f"test-{index}"})
            lines = [
                f"put_first_on_second({call.arguments['first']!r}, {where!r})"
                if isinstance(where := call.arguments["second"], str)
                else f"put_first_on_second({call.arguments['first']!r}, np.array({where!r}))"
                for call in env.task.gold
            ]
            assert env.step("\n".join(lines))[1] == 1.0


@pytest.mark.parametrize("count", [200, pytest.param(2_000, marks=pytest.mark.heavy)])
@pytest.mark.parametrize("compat", [None, "original"])
def test_damaged_programs_are_observations(compat: str | None, count: int):
    env = env_of(compat=compat, program=True)
    start = env.snapshot()
    for text in mutants(PROGRAMS, count, seed=11):
        env.restore(start)
        observation, _, terminated, _, info = env.step(text)
        # A Finish that is damaged itself is the one thing that ends nothing.
        assert terminated or "return_type must be" in observation["result"]
        assert info["valid"]
        json.loads(observation["result"] or "null")


def test_the_table_can_be_looked_at():
    env = gym.make("stb/Tabletop-v1", render_mode="rgb_array")
    env.reset(seed=0)
    pixels = env.render()
    assert isinstance(pixels, np.ndarray)
    assert pixels.shape == (300, 300, 3)
    env = gym.make("stb/Tabletop-v1", render_mode="ansi")
    env.reset(seed=0)
    assert "+---" in str(env.render())


def official(folder: Path, *records: Any) -> Path:
    (folder / "test.jsonl").write_text("\n".join(json.dumps(record) for record in records))
    return folder


def test_official_files_are_played_in_both_modes(tmp_path: Path):
    tasks = [tasks_of().at(index) for index in range(15)]
    folder = official(tmp_path, *(task.record for task in tasks))
    for compat in (None, "original"):
        env = make(data=str(folder), compat=compat)
        for task in tasks:
            task_id = f"{task.group}-0"
            assert play(env, load_agent("gold")(), task_id=task_id, seed=0).reward == 1.0
            assert env.task.query == task.query
            assert env.task.goal == task.goal


RECORD = dict(tasks_of().at(0).record)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tester_id": "SI_9"}, "line 1: 'tester_id' must be one of SI_0, .* got 'SI_9'"),
        ({"configs": None}, "line 1 needs 'tester_id', 'configs_id' and 'configs'"),
        ({"configs": {"block_list": []}}, "line 1: 'configs' lacks 'bowl_list'"),
        (
            {"configs": RECORD["configs"] | {"instruction_vars_dict": {}}},
            "line 1: SI_0 needs 'block' in 'instruction_vars_dict'",
        ),
        (
            {"configs": RECORD["configs"] | {"instruction_vars_dict": {"block": "a", "object1": "b"}}},
            "line 1: 'a' is not on the table",
        ),
        (
            {"configs": RECORD["configs"] | {"position_dict": {"block_pos": [], "bowl_pos": []}}},
            "line 1: . names in 'block_list', 0 in 'block_pos'",
        ),
    ],
)
def test_broken_official_files_are_errors(tmp_path: Path, change: dict[str, Any], message: str):
    with pytest.raises(DataError, match=message):
        make(data=official(tmp_path, RECORD | change))
