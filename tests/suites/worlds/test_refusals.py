"""Requests that cannot be met: pairs that look alike, of which one is refused and the other done."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import stb_env
from stb_env.core.jsontypes import JsonObject
from stb_env.envs.tool_env import ToolEnv
from stb_env.suites.worlds.goals.refusals import policies_of, reasons_of
from stb_env.suites.worlds.tasks.making import task_of
from stb_env.suites.worlds.tasks.source import WorldTasks
from stb_env.suites.worlds.tasks.world_task import WorldTask
from stb_env.tools import ToolCall

PAIRS = 12


@pytest.fixture(scope="module")
def made() -> list[WorldTask]:
    """Pairs of the lower levels, side by side."""
    source = WorldTasks("train", level=(1, 4), policies=True, pairs=1.0)
    return [task_of(source.at(index).id) for index in range(2 * PAIRS)]


@pytest.fixture(scope="module")
def env() -> ToolEnv:
    made = stb_env.make("stb/Worlds-v0", policies=True)
    assert isinstance(made, ToolEnv)
    return made


def play(env: ToolEnv, task_id: str, calls: Sequence[ToolCall], ending: JsonObject) -> float:
    env.reset(options={"task_id": task_id})
    for call in calls:
        env.step({"name": call.name, "arguments": call.arguments})
    _, reward, over, _, _ = env.step({"name": "Finish", "arguments": ending})
    assert over
    return float(reward)


def ending(each: WorldTask) -> JsonObject:
    goal = each.task.goal
    return {"cannot": goal["cannot"]} if goal["cannot"] else {"answer": goal["answer"]}


@pytest.mark.heavy
def test_of_each_pair_one_can_be_met_and_both_look_alike(made: list[WorldTask]) -> None:
    reasons = set()
    for one, other in zip(made[::2], made[1::2], strict=True):
        assert (
            one.task.id[:-3] == other.task.id[:-3] or one.task.record["world"] == other.task.record["world"]
        )
        assert one.task.answer == other.task.answer
        assert one.task.cannot == other.task.cannot == reasons_of(one.world.blueprint)
        assert one.task.tools == other.task.tools
        refused = [each for each in (one, other) if each.refusal is not None]
        assert len(refused) == 1
        reasons.add(refused[0].task.goal["cannot"]["reason"])
        assert not refused[0].task.goal["changes"]
    assert reasons >= {"policy", "not_found"}


def test_which_of_a_pair_is_refused_follows_from_no_id(made: list[WorldTask]) -> None:
    assert {each.task.id[-1] for each in made if each.refusal is not None} == {"a", "b"}


def test_gold_solves_both_and_refusing_always_half(env: ToolEnv, made: list[WorldTask]) -> None:
    assert all(play(env, each.task.id, each.task.gold, ending(each)) == 1.0 for each in made)
    refused = 0.0
    for one, other in zip(made[::2], made[1::2], strict=True):
        reason = next(each.task.goal["cannot"] for each in (one, other) if each.refusal is not None)
        for each in (one, other):
            refused += play(env, each.task.id, each.task.gold, {"cannot": reason})
    assert refused == PAIRS


def test_a_refusal_that_nothing_shows_earns_nothing(env: ToolEnv, made: list[WorldTask]) -> None:
    for each in made:
        assert play(env, each.task.id, (), ending(each)) == 0.0


def test_a_policy_has_to_be_read(env: ToolEnv, made: list[WorldTask]) -> None:
    forbidden = [each for each in made if each.refusal is not None and each.refusal.reason == "policy"]
    for each in forbidden:
        books = {tool.tool.name for tool in each.world.tools.values() if tool.kind == "policies"}
        calls = [call for call in each.task.gold if call.name not in books]
        assert len(calls) < len(each.task.gold)
        assert play(env, each.task.id, calls, ending(each)) == 0.0


def test_tools_do_not_enforce_policies_and_what_is_forbidden_fails(
    env: ToolEnv, made: list[WorldTask]
) -> None:
    done = 0
    for each in made:
        if each.refusal is None or each.refusal.reason != "policy":
            continue
        entity, number = each.refusal.rows[0]
        action = getattr(each.drawn.goal, "action", "")
        tool = each.world.by_kind.get(("transition", entity, action))
        if tool is None:
            continue
        identifier = each.world.codec.id_of(entity, number)
        given = [identifier] if tool.limit > 1 else identifier
        act = ToolCall(tool.tool.name, {tool.params[0].name: given})
        if each.world.tools.get(act.name) is not tool:
            continue
        env.reset(options={"task_id": each.task.id})
        observation, *_ = env.step({"name": act.name, "arguments": act.arguments})
        assert observation["status"] == 0
        assert play(env, each.task.id, [*each.task.gold, act], ending(each)) == 0.0
        done += 1
    assert done


def test_a_name_that_is_no_rows_is_shown_by_a_look_or_by_all_rows(
    env: ToolEnv, made: list[WorldTask]
) -> None:
    looked = 0
    for each in made:
        if each.missing is None:
            continue
        search = each.world.by_kind.get(("search", each.missing.entity, ""))
        if search is not None:
            part = each.missing.text.split()[-1]
            call = ToolCall(search.tool.name, {"query": part})
            response, _ = search.call(env.rules.backend.start(each.task, 0), {"query": part})
            wanted = 0.0 if isinstance(response, dict) and response["truncated"] else 1.0
            assert play(env, each.task.id, [call], ending(each)) == wanted
            other = ToolCall(search.tool.name, {"query": "Zz"})
            assert play(env, each.task.id, [other], ending(each)) == 0.0
            looked += 1
    assert looked


def test_without_the_dial_nothing_can_be_refused() -> None:
    source = WorldTasks("train", level=(1, 2))
    for index in range(4):
        each = task_of(source.at(index).id)
        assert each.task.cannot is None
        assert "cannot" not in each.task.goal
        books = {tool.tool.name for tool in each.world.tools.values() if tool.kind == "policies"}
        assert not books & {tool.name for tool in each.task.tools}


def test_tasks_that_stand_alone_offer_a_refusal_too() -> None:
    source = WorldTasks("train", level=(1, 3), policies=True, pairs=0.0)
    for index in range(6):
        each = task_of(source.at(index).id)
        assert each.task.id.endswith(".o")
        assert each.task.cannot == reasons_of(each.world.blueprint)
        assert each.task.goal["cannot"] is None
        assert each.refusal is None


def test_policies_have_codes_of_their_own(made: list[WorldTask]) -> None:
    for each in made:
        codes = [coded.code for coded in policies_of(each.world.blueprint)]
        assert len(set(codes)) == len(codes)
