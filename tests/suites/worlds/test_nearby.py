"""Tools of organisations nearby: offered among a world's own, and nothing may be changed with them."""

from __future__ import annotations

import json

import pytest

import stb_env
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError, DataError
from stb_env.suites.worlds.data.rows import State
from stb_env.suites.worlds.episode.elsewhere import ELSEWHERE, OF
from stb_env.suites.worlds.tasks.making import formed, task_of
from stb_env.suites.worlds.tasks.world_task import WorldTask
from stb_env.suites.worlds.world import GeneratedWorld, built
from stb_env.tools import Tool

COUNT = 120


@pytest.fixture(scope="module")
def made() -> WorldTask:
    return task_of(f"vet_clinic-10001.2.3.t{COUNT}")


@pytest.fixture(scope="module")
def env() -> ToolEnv:
    env = stb_env.make("stb/Worlds-v0", tools=COUNT)
    assert isinstance(env, ToolEnv)
    return env


def nearby(made: WorldTask) -> list[Tool]:
    return [tool for tool in made.task.tools if tool.id.category == ELSEWHERE]


def test_so_many_tools_are_offered_and_those_of_others_say_whose_they_are(made: WorldTask) -> None:
    plain = formed(made.key, 2, 3, "")
    assert plain is not None
    assert len(made.task.tools) == COUNT
    assert len({tool.name for tool in made.task.tools}) == COUNT
    own = [tool for tool in made.task.tools if tool.id.category != ELSEWHERE]
    assert sorted(tool.name for tool in own) == sorted(tool.name for tool in plain.task.tools)
    others = nearby(made)
    worlds = {tool.id.api.partition(OF)[0] for tool in others}
    assert all(key.startswith("vet_clinic-") and int(key.partition("-")[2]) >= 10_000 for key in worlds)
    names = {built(key).blueprint.name for key in worlds} | {built(made.key).blueprint.name}
    assert len({" ".join(name.split()[:2]) for name in names}) == len(worlds) + 1
    for tool in others:
        assert "another organisation" in tool.description
    places = [tool in others for tool in made.task.tools]
    assert places != sorted(places)


def test_all_tasks_of_a_world_offer_the_same_tools(made: WorldTask) -> None:
    other = task_of(f"vet_clinic-10001.3.5.t{COUNT}")
    assert [tool.spec for tool in other.task.tools] == [tool.spec for tool in made.task.tools]
    assert (other.task.gold, made.task.gold) != ((), ())


def changing(tool: Tool) -> tuple[str, dict[str, object]] | None:
    """Return the entity that a tool of another world changes, and arguments that do; None for others."""
    key, _, name = tool.id.api.partition(OF)
    world = built(key)
    known = world.tools[name]
    if known.kind not in ("delete", "set"):
        return None
    arguments: dict[str, object] = {known.params[0].name: world.codec.id_of(known.entity, 0)}
    if known.kind == "set":
        field = known.fields[0]
        values = [row[field.column] for row in world.blueprint.data.rows[known.entity]]
        other = next(value for value in values if value != values[0])
        arguments[known.params[1].name] = field.argument(other)
    return f"{key}{OF}{known.entity}", arguments


@pytest.mark.heavy
def test_what_is_changed_elsewhere_fails_the_episode(env: ToolEnv) -> None:
    failed = 0
    for number in range(4):
        env.reset(options={"task_id": f"vet_clinic-1000{number}.1.0.t200"})
        others = [tool for tool in env.task.tools if tool.id.category == ELSEWHERE]
        changes = [(tool, found) for tool in others if (found := changing(tool)) is not None]
        for tool, (entity, arguments) in changes[:3]:
            env.reset(options={"task_id": f"vet_clinic-1000{number}.1.0.t200"})
            observation, *_ = env.step({"name": tool.name, "arguments": arguments})
            if json.loads(observation["result"])["error"]:
                # Nobody has signed in there.
                continue
            for call in env.task.gold:
                env.step({"name": call.name, "arguments": call.arguments})
            finish = {"name": "Finish", "arguments": {"answer": env.task.goal["answer"]}}
            _, reward, _, _, info = env.step(finish)
            assert reward == 0.0
            kept = [part for part in info["verdict"]["parts"] if part.startswith("kept:")]
            assert kept == [f"kept:{entity}"]
            failed += 1
    assert failed >= 4


def test_reading_elsewhere_is_free(env: ToolEnv, made: WorldTask) -> None:
    env.reset(options={"task_id": made.task.id})
    for tool in nearby(made):
        if not tool.parameters["required"]:
            observation, *_ = env.step({"name": tool.name, "arguments": {}})
            assert not json.loads(observation["result"])["error"]
            break
    for call in env.task.gold:
        env.step({"name": call.name, "arguments": call.arguments})
    assert env.step({"name": "Finish", "arguments": {"answer": env.task.goal["answer"]}})[1] == 1.0


def test_rows_of_two_worlds_stay_apart(made: WorldTask) -> None:
    """A row that is shown elsewhere supports no answer, and what is changed back is no change."""
    world, state = GeneratedWorld(), State()
    for tool in nearby(made):
        if not tool.parameters["required"]:
            _, state = world.call(state, tool, {})
    assert (state.changed, state.made) == ({}, {})
    assert not state.shown


def test_with_other_dials_and_pairs() -> None:
    env = stb_env.make("stb/Worlds-v0", tools=60, budget=1.0, policies=True, services=4, level=(1, 3))
    assert isinstance(env, ToolEnv)
    for seed in range(4):
        _, info = env.reset(seed=seed)
        assert len(env.task.tools) >= 60
        assert info["task_id"].endswith(".b100t60")


def test_too_many_tools_are_refused() -> None:
    with pytest.raises(ConfigError, match="tools is 0 or from 20 to 200, got 201"):
        stb_env.make("stb/Worlds-v0", tools=201)
    with pytest.raises(DataError):
        task_of("vet_clinic-10001.2.3.t201")
