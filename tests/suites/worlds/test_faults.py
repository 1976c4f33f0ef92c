"""Faults: told, passing, decided by the task's id, and costly to those who do not cope with them."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest

import stb_env
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError
from stb_env.suites.worlds.data.rows import State
from stb_env.suites.worlds.episode.faults import Faults
from stb_env.suites.worlds.episode.script import Script
from stb_env.suites.worlds.services.archetypes.tool import ACTS
from stb_env.suites.worlds.tasks.dials import Dials
from stb_env.suites.worlds.tasks.making import formed, task_of
from stb_env.suites.worlds.tasks.source import WorldTasks
from stb_env.suites.worlds.tasks.world_task import WorldTask
from stb_env.tools import Status

from .careless_plays import WORLD, blindly, gold_solves, once, solves
from .sampled import open_world


@pytest.fixture(scope="module")
def made() -> list[WorldTask]:
    source = WorldTasks("train", level=(2, 4), dials=Dials(faults=30))
    return [task_of(source.at(index).id) for index in range(40)]


@pytest.fixture(scope="module")
def making() -> WorldTask:
    """Return a task in which a row is made."""
    for seed in range(60):
        for kit in ("vet_clinic", "court_registry", "container_port"):
            found = formed(f"{kit}-{seed}", 2, 0, "")
            if found is None:
                continue
            kinds = [found.world.tools[call.name].kind for call in found.task.gold]
            if kinds[-1] == "create" and sum(kind in ACTS for kind in kinds) == 1:
                return found
    raise AssertionError("no task makes a row alone")


def with_faults(made: WorldTask, share: int, seed: str) -> WorldTask:
    goal = {**made.task.goal, "script": {"faults": share, "seed": seed}}
    return replace(made, task=replace(made.task, goal=goal))


@pytest.mark.heavy
def test_gold_copes_and_the_careless_do_not(made: list[WorldTask]) -> None:
    assert all(gold_solves(each) for each in made)
    assert sum(solves(each, once) for each in made) <= len(made) // 2
    # It repeats what failed, but goes by lists that are an earlier copy.
    assert sum(solves(each, blindly) for each in made) <= 0.85 * len(made)


def test_a_write_that_answered_an_error_is_not_to_be_repeated_blindly(making: WorldTask) -> None:
    tries = [with_faults(making, 50, f"{seed}") for seed in range(40)]
    assert all(gold_solves(each) for each in tries)
    assert sum(solves(each, blindly) for each in tries) <= 0.85 * len(tries)


def test_a_row_made_although_an_error_came_back_is_there_once_more_when_it_is_made_again(
    making: WorldTask,
) -> None:
    call = making.task.gold[-1]
    tool = next(each for each in making.task.tools if each.name == call.name)
    rows = set()
    for seed in range(60):
        state = State(script=Script(faults=Faults(50, f"{seed}")))
        result, state = WORLD.call(state, tool, dict(call.arguments))  # type: ignore[arg-type]
        made = sum(state.made.values())
        assert made == 1 if not result.error else "may have been done" in result.error or not made
        if result.error and made:
            assert not state.shown
            again, state = WORLD.call(state, tool, dict(call.arguments))  # type: ignore[arg-type]
            assert not again.error
            rows.add(sum(state.made.values()))
    assert rows == {2}


def test_faults_pass_and_are_told() -> None:
    world = open_world("container_port", 3)
    tools = [each for each in world.tools.values() if each.kind == "list"]
    failed = calls = earlier = 0
    for seed in range(12):
        state = State(script=Script(faults=Faults(50, f"{seed}")))
        for tool in tools:
            row = 0
            while True:
                result, state = WORLD.call(state, tool.tool, {})
                calls += 1
                old = not result.error and "warning" in result.response
                earlier += old
                if not result.error and not old:
                    assert result.response == tool.answer(State(), {})[0].response
                    break
                assert old or (result.status is Status.TOOL_ERROR and "try again" in result.error)
                row += 1
                # The same call fails twice in a row only where the service said to wait.
                assert row <= 3
            failed += row
    assert 0.3 < failed / calls < 0.7
    assert earlier


def test_the_share_is_about_that_of_the_dial() -> None:
    world = open_world("vet_clinic", 2)
    tool = next(each for each in world.tools.values() if each.kind == "get")
    name = tool.params[0].name
    for share in (10, 30):
        state = State(script=Script(faults=Faults(share, "a")))
        failed = 0
        for number in range(400):
            arguments = {name: world.codec.id_of(tool.entity, number % 40)}
            result, state = WORLD.call(state, tool.tool, arguments)
            failed += bool(result.error)
        assert 0.7 * share < failed / 4 < 2 * share


def test_an_earlier_copy_is_no_evidence_and_differs() -> None:
    world = open_world("vet_clinic", 2)
    tool = next(each for each in world.tools.values() if each.kind == "list")
    for seed in range(60):
        state = State(script=Script(faults=Faults(50, f"{seed}")))
        result, after = WORLD.call(state, tool.tool, {})
        if not result.error and "warning" in result.response:
            break
    else:
        pytest.fail("no list was an earlier copy")
    assert not after.shown
    assert not after.changed
    again, after = WORLD.call(after, tool.tool, {})
    assert again.response[tool.items] != result.response[tool.items]
    assert after.shown


def test_calls_fail_alike_one_by_one_at_once_in_programs_and_in_forks(made: list[WorldTask]) -> None:
    task = next(each.task for each in made if len(each.task.gold) >= 4)
    calls = [{"name": each.name, "arguments": each.arguments} for each in task.gold]
    env: ToolEnv = stb_env.make("stb/Worlds-v0", faults=0.3)
    env.reset(options={"task_id": task.id})
    one = [env.step(call)[4]["calls"][0]["error"] for call in calls[:2]]
    fork = env.fork()
    kept = pickle.loads(pickle.dumps(env.snapshot()))  # our own bytes
    rest = [env.step(call)[4]["calls"][0]["error"] for call in calls[2:]]
    assert rest == [fork.step(call)[4]["calls"][0]["error"] for call in calls[2:]]
    fork.restore(kept)
    assert rest == [fork.step(call)[4]["calls"][0]["error"] for call in calls[2:]]
    env.reset(options={"task_id": task.id})
    together = env.step(calls)[4]["calls"]
    assert [each["error"] for each in together] == one + rest
    lines = []
    for call in calls:
        given = ", ".join(f"{name}={value!r}" for name, value in call["arguments"].items())
        lines.append(f"{call['name'].replace('-', '_')}({given})")
    programs = stb_env.make("stb/Worlds-v0", faults=0.3, actions="code")
    programs.reset(options={"task_id": task.id})
    *_, info = programs.step({"name": "python", "arguments": {"code": "\n".join(lines)}})
    assert [each["error"] for each in info["calls"]] == one + rest


def test_a_share_out_of_range_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"faults is 0 or from 0\.01 to 0\.5, got 0\.9"):
        stb_env.make("stb/Worlds-v0", faults=0.9)
