"""Tasks of generated worlds: made again from their ids, apart by split, solved by the oracle alone."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise

import pytest

import stb_env
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError, DataError
from stb_env.seeding import rng
from stb_env.suites.worlds.drawing.draw_goal import GoalDrawer, fits, identity, part_of
from stb_env.suites.worlds.goals.goal import Change, Clause, Lookup, Measure, Select, Summary
from stb_env.suites.worlds.oracle.solve import solve
from stb_env.suites.worlds.schema.kit import KITS
from stb_env.suites.worlds.tasks.making import HELD_OUT, task_of
from stb_env.suites.worlds.tasks.source import WorldTasks
from stb_env.suites.worlds.tasks.world_task import WorldTask
from stb_env.suites.worlds.world import built
from stb_env.tasks import Task

from .sampled import each_kit

LEVELS = range(1, 5)


@pytest.fixture(scope="module")
def made() -> list[WorldTask]:
    """Twelve tasks of training, three of each of the lower levels."""
    source = WorldTasks("train", level=(1, 4), worlds=2)
    return [task_of(source.at(index).id) for index in range(12)]


@pytest.mark.heavy
@pytest.mark.parametrize("kit", each_kit())
def test_the_oracle_agrees_with_the_evaluator(kit: str) -> None:
    played = 0
    for seed in range(2):
        world = built(f"{kit}-{seed}")
        drawer = GoalDrawer(world.blueprint)
        for level in LEVELS:
            drawn = drawer.draw(level, rng("test", kit, seed, level))
            solved = None if drawn is None else solve(world, drawn.goal)
            if drawn is None or solved is None:
                continue
            played += 1
            assert solved.answer == drawn.expected.answer, drawn.goal
            assert solved.state == drawn.expected.state, drawn.goal
            for rows in drawn.expected.support.values():
                assert all(solved.state.shown[entity] >> number & 1 for entity, number in rows), drawn.goal
    assert played > 2


def test_tasks_are_made_again_from_their_ids(made: list[WorldTask]) -> None:
    source = WorldTasks("test")
    for each in made:
        assert source.get(each.task.id).key == each.task.key
        assert fits(each.task.record["level"], each.solved.calls, each.drawn.decisions)
        assert each.task.split == "train"
        assert len(each.task.gold) == each.task.record["calls"]
    assert len({each.task.id for each in made}) == len(made)


@pytest.mark.parametrize(
    "task_id", ["", "x", "vet_clinic-1", "vet_clinic-1.7.0", "nothing-1.1.0", "vet_clinic-01.1.0"]
)
def test_an_id_of_no_task_is_refused(task_id: str) -> None:
    with pytest.raises(DataError):
        task_of(task_id)


@pytest.mark.parametrize(
    "settings",
    [
        {"split": "tset"},
        {"group": "I9"},
        {"kit": "nothing"},
        {"level": 0},
        {"level": (3, 2)},
        {"split": "train", "group": "I1-Tool"},
        {"split": "train", "kit": HELD_OUT[0]},
    ],
)
def test_settings_that_no_task_meets_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(ConfigError):
        WorldTasks(**settings)  # type: ignore[arg-type] # wrong on purpose


def test_held_out_kits_and_worlds_are_not_in_training(made: list[WorldTask]) -> None:
    trained = {each.world.key for each in made}
    unseen = WorldTasks("test", "I1-Category", level=1)
    other = WorldTasks("test", "I1-Tool", level=1)
    for index in range(3):
        task, tool_task = unseen.at(index), other.at(index)
        assert task.record["world"].startswith(HELD_OUT)
        assert (task.group, task.split) == ("I1-Category", "test")
        assert (tool_task.group, tool_task.split) == ("I1-Tool", "test")
        assert tool_task.record["world"] not in trained
    assert not any(key.startswith(HELD_OUT) for key in trained)


def play(env: ToolEnv, each: WorldTask, **finish: object) -> float:
    env.reset(options={"task_id": each.task.id})
    for call in each.task.gold:
        env.step({"name": call.name, "arguments": call.arguments})
    arguments = {"answer": each.task.goal["answer"], **finish}
    _, reward, over, _, _ = env.step({"name": "Finish", "arguments": arguments})
    assert over
    return float(reward)


@pytest.fixture(scope="module")
def env() -> ToolEnv:
    made = stb_env.make("stb/Worlds-v0")
    assert isinstance(made, ToolEnv)
    return made


def test_gold_solves(env: ToolEnv, made: list[WorldTask]) -> None:
    assert {play(env, each) for each in made} == {1.0}


def test_an_answer_without_calls_is_not_supported(env: ToolEnv, made: list[WorldTask]) -> None:
    for each in made:
        bare = replace(each, task=replace(each.task, gold=()))
        assert play(env, bare) == 0.0


READS = ("get", "key", "list", "related", "batch_get", "fetch", "report")


def test_a_result_that_names_a_row_supports_none_of_its_other_fields(env: ToolEnv) -> None:
    source, tried = WorldTasks("train", level=1), set[type]()
    for index in range(24):
        each = task_of(source.at(index).id)
        goal, tools = each.drawn.goal, each.world.tools
        if not isinstance(goal, Change | Lookup) or (isinstance(goal, Change) and not goal.fields):
            continue
        described = each.world.blueprint.entities[goal.select.entity]
        action = described.actions[goal.action] if isinstance(goal, Change) else None
        told = {described.label, described.key, getattr(action, "field", "")}
        # What is acted on or found by words shows its id and its names alone; the rest is known by heart.
        gold = tuple(call for call in each.task.gold if tools[call.name].kind not in READS)
        if not told.isdisjoint(goal.fields) or len(gold) == len(each.task.gold):
            continue
        assert play(env, replace(each, task=replace(each.task, gold=gold))) == 0.0, each.task.id
        tried.add(type(goal))
    assert tried == {Change, Lookup}


def test_whoever_changes_something_else_fails(env: ToolEnv, made: list[WorldTask]) -> None:
    failed = 0
    for each in made:
        world = each.world
        tool = next(
            (tool for tool in world.meant if tool.kind == "set" and world.tools.get(tool.tool.name) is tool),
            None,
        )
        if tool is None:
            # All changes of fields are quoted first, or by those who have signed in.
            continue
        env.reset(options={"task_id": each.task.id})
        drawn = each.world.blueprint.data.rows[tool.entity]
        column = tool.fields[0].column
        value = next(row[column] for row in drawn if row[column] != drawn[0][column])
        arguments = {
            tool.params[0].name: each.world.codec.id_of(tool.entity, 0),
            tool.params[1].name: tool.fields[0].argument(value),
        }
        observation, *_ = env.step({"name": tool.tool.name, "arguments": arguments})
        if observation["status"]:
            continue
        for call in each.task.gold:
            env.step({"name": call.name, "arguments": call.arguments})
        finish = {"name": "Finish", "arguments": {"answer": each.task.goal["answer"]}}
        assert env.step(finish)[1] == 0.0
        failed += 1
    assert failed >= len(made) // 3


def test_the_hash_follows_the_settings_and_the_names(monkeypatch: pytest.MonkeyPatch) -> None:
    assert WorldTasks("val").hash == WorldTasks("val").hash != WorldTasks("val", level=2).hash
    before = WorldTasks("val").hash
    monkeypatch.setattr("stb_env.suites.worlds.tasks.source.VERSION", 10_000)
    assert WorldTasks("val").hash != before
    monkeypatch.undo()
    monkeypatch.setattr("stb_env.suites.worlds.tasks.source.NAMES", KITS / "vet_clinic.toml")
    assert WorldTasks("val").hash != before


def test_a_number_of_worlds_is_exactly_that_many() -> None:
    source = WorldTasks("train", level=(1, 3), worlds=3)
    tasks = [source.at(index) for index in range(30)]
    assert source.size == 30
    assert len({task.id for task in tasks}) == 30
    keys = [task.record["world"] for task in tasks]
    assert len(set(keys)) == 3
    assert all(one != other for one, other in pairwise(keys))


def normalised(task: Task) -> tuple[str, str]:
    """Return what a task asks and what is right, whatever the case, the spaces and the order of values."""
    query = " ".join(sorted(task.query.casefold().replace(",", " ").replace(".", " ").split()))
    return query, json.dumps(task.goal["answer"], sort_keys=True).casefold()


@pytest.mark.heavy
def test_no_test_task_is_one_of_training() -> None:
    trained = WorldTasks("train", level=1)
    known = {normalised(trained.at(index)) for index in range(240)}
    keys = {trained.at(index).record["world"] for index in range(240)}
    shared = 0
    for index in range(180):
        task = WorldTasks("test", level=1).at(index)
        shared += task.record["world"] in keys
        assert normalised(task) not in known, task.id
    assert shared > 40


def test_goals_of_a_world_that_splits_share_are_of_one_split() -> None:
    source = WorldTasks("test", "I1-Instruction", level=(1, 2))
    other = WorldTasks("train", level=(1, 2))
    for split, tasks in (("test", source), ("train", other)):
        for index in range(20):
            task = tasks.at(index)
            assert part_of(task_of(task.id).drawn.goal) == task.split == split


def test_the_order_of_clauses_makes_no_other_goal() -> None:
    one, other = Clause("fee", ">", 3), Clause("kind", "=", 1)
    count, total = Measure("count"), Measure("total", "fee")
    goals = [
        Summary(Select("visit", clauses), measures)
        for clauses in ((one, other), (other, one))
        for measures in ((count, total), (total, count))
    ]
    assert len({identity(goal) for goal in goals}) == 1
    assert identity(goals[0]) != identity(Summary(Select("visit", (one,)), goals[0].measures))
