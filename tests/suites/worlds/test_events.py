"""Events: others change rows meanwhile, which counts where it matters and blames nobody."""

from __future__ import annotations

import json
import pickle
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

import stb_env
from stb_env.core.jsontypes import JsonObject
from stb_env.envs.tool_env import ToolEnv
from stb_env.judges.judge import Case
from stb_env.suites.worlds.data.rates import SHOWN
from stb_env.suites.worlds.data.rows import State
from stb_env.suites.worlds.episode.events import Event
from stb_env.suites.worlds.episode.script import Script
from stb_env.suites.worlds.goals.goal import Measure, Select, Work
from stb_env.suites.worlds.judge import ExactJudge
from stb_env.suites.worlds.oracle.session import Session
from stb_env.suites.worlds.oracle.watching import RoundsPlayer
from stb_env.suites.worlds.tasks.apply_dials import apply_dials
from stb_env.suites.worlds.tasks.dials import Dials
from stb_env.suites.worlds.tasks.draw_changes import acts
from stb_env.suites.worlds.tasks.making import task_of
from stb_env.suites.worlds.tasks.source import WorldTasks
from stb_env.suites.worlds.tasks.world_task import WorldTask
from stb_env.suites.worlds.world import Built
from stb_env.verdict import Verdict

from .careless_plays import WORLD, gold_solves, once, solves
from .sampled import open_world

SLOWED = [(0, 0), (1, 0), (5, 0), (20, 0), (0, 1), (0, 5), (0, 20)]


@pytest.fixture(scope="module")
def made() -> list[WorldTask]:
    source = WorldTasks("train", level=(2, 4), dials=Dials(events=1))
    return [task_of(source.at(index).id) for index in range(40)]


def matters(each: WorldTask) -> bool:
    first, *later = each.task.goal["stages"]
    return any((stage["answer"], stage["changes"]) != (first["answer"], first["changes"]) for stage in later)


def played(each: WorldTask, calls: int = 10**6) -> tuple[State, JsonObject]:
    """Return the state and the answer of the oracle, or those after some of its calls."""
    state, play = WORLD.start(each.task, 0), each.play()
    tools = {tool.name: tool for tool in each.task.tools}
    try:
        call = next(play)
        for _ in range(calls):
            result, state = WORLD.call(state, tools[call.name], dict(call.arguments))  # type: ignore[arg-type]
            call = play.send(result)
    except StopIteration as stop:
        return state, stop.value["answer"]
    return state, {}


def judged(each: WorldTask, state: State, answer: JsonObject) -> Verdict:
    return Case(each.task, "", (), state, answer=answer).verdict(ExactJudge())


@pytest.mark.heavy
@pytest.mark.parametrize(("first", "between"), SLOWED)
def test_the_oracle_solves_however_slow_it_is(made: list[WorldTask], first: int, between: int) -> None:
    failed = [each.task.id for each in made if not gold_solves(each, first=first, between=between)]
    assert not failed


def test_who_reads_once_fails_where_events_matter(made: list[WorldTask]) -> None:
    kinds = Counter(map(matters, made))
    assert kinds[True] >= 8
    assert kinds[False] >= 8
    assert not any(solves(each, once) for each in made if matters(each))


def test_nobody_is_blamed_for_what_others_changed(made: list[WorldTask]) -> None:
    for each in made:
        state, answer = played(each)
        assert state.changed
        parts = judged(each, state, answer).parts
        assert not any(part.startswith("kept:") for part in parts)
        assert acts(each.drawn.goal) or not any(part.startswith("state:") for part in parts)


def test_who_takes_back_what_others_changed_is_blamed(made: list[WorldTask]) -> None:
    taken = 0
    for each in made:
        state, answer = played(each)
        event = each.task.goal["script"]["events"][-1]
        if "row" not in event:
            continue
        data = each.world.blueprint.data
        back = data.put(state, event["entity"], event["row"], data.rows[event["entity"]][event["row"]])
        if back == state:
            # What the request asks for is what undoes the change.
            continue
        parts = judged(each, back, answer).parts
        # A row that came to be meant is not done where it is as before.
        blamed = [part for part in ("kept", "state") if parts.get(f"{part}:{event['entity']}") is False]
        assert blamed
        taken += "kept" in blamed
    assert taken >= 8


def test_who_removes_a_row_that_others_made_is_blamed(made: list[WorldTask]) -> None:
    found = 0
    for each in made:
        entities = [event["entity"] for event in each.task.goal["script"]["events"] if "new" in event]
        if not entities:
            continue
        state, answer = played(each)
        data = each.world.blueprint.data
        gone = data.put(state, entities[0], len(data.rows[entities[0]]), None)
        assert judged(each, gone, answer).status == "unsolved"
        found += 1
    assert found >= 3


def test_every_state_is_judged_by_what_has_happened_so_far(made: list[WorldTask]) -> None:
    for each in made:
        state, _ = played(each, calls=1)
        assert len(state.notes.get("events", ())) == sum(
            event["at"] <= 1 for event in each.task.goal["script"]["events"]
        )
        reads = not acts(each.drawn.goal)
        if reads:
            shown = {
                f"{entity}{attribute}": -1
                for entity, described in each.world.blueprint.entities.items()
                for attribute in ("", *(f".{name}" for name in described.attributes))
            }
            first = replace(state, shown={**shown, SHOWN: 1})
            assert judged(each, first, each.task.goal["stages"][0]["answer"]).status == "solved", each.task.id


def test_a_task_is_made_again_equal(made: list[WorldTask]) -> None:
    draw = getattr(apply_dials, "__wrapped__", apply_dials)
    for each in made[:6]:
        again = draw(task_of(each.task.id.removesuffix(".e1")), Dials(events=1))
        assert again is not None
        assert again.task == each.task
        assert again.task.goal == each.task.goal
        assert json.loads(json.dumps(each.task.goal)) == each.task.goal


def test_calls_count_alike_one_by_one_at_once_and_in_forks(made: list[WorldTask]) -> None:
    task = next(each.task for each in made if len(each.task.gold) >= 8)
    calls = [{"name": each.name, "arguments": each.arguments} for each in task.gold]
    env: ToolEnv = stb_env.make("stb/Worlds-v0", events=True)
    env.reset(options={"task_id": task.id})
    half = len(calls) // 2
    one = [env.step(call)[4]["calls"][0]["response"] for call in calls[:half]]
    fork = env.fork()
    kept = pickle.loads(pickle.dumps(env.snapshot()))  # our own bytes
    rest = [env.step(call)[4]["calls"][0]["response"] for call in calls[half:]]
    assert rest == [fork.step(call)[4]["calls"][0]["response"] for call in calls[half:]]
    fork.restore(kept)
    assert rest == [fork.step(call)[4]["calls"][0]["response"] for call in calls[half:]]
    env.reset(options={"task_id": task.id})
    assert [each["response"] for each in env.step(calls)[4]["calls"]] == one + rest


def test_one_tool_tells_what_others_changed(made: list[WorldTask]) -> None:
    each = next(each for each in made if len(each.task.goal["script"]["events"]) > 1)
    (feed,) = each.world.scripted.values()
    assert feed.tool in each.task.tools
    assert feed.tool.name not in each.world.tools
    state = WORLD.start(each.task, 0)
    last = each.task.goal["script"]["events"][-1]["at"]
    for _ in range(last):
        result, state = WORLD.call(state, feed.tool, {})
    lines = result.response["changes"]
    assert len(lines) == result.response["last"] == len(each.task.goal["script"]["events"])
    assert all(line["what"] in ("added", "changed", "removed") for line in lines)
    later, _ = WORLD.call(state, feed.tool, {"after": 1})
    assert later.response["changes"] == lines[1:]
    assert not state.shown
    wrong, _ = WORLD.call(state, feed.tool, {"after": -1})
    assert "whole number" in wrong.error


def test_rules_decide_a_row_that_came_in_after_the_first_round_of_reading() -> None:
    world = open_world("vet_clinic")
    entity = world.blueprint.entities["claim"]
    status, label = entity.columns["status"], entity.columns[entity.label]
    rows = world.blueprint.data.rows["claim"]
    twin = next(number for number, row in enumerate(rows) if row[status] == 0)
    row = (*rows[twin][:label], len(rows), *rows[twin][label + 1 :])
    goal = Work("settling", Select("claim"), "deny", (Measure("count"),))
    reads = len(list(_states(world, goal, State(script=Script()))))
    for at in (2, reads // 4):
        start = State(script=Script(events=(Event(at, "claim", new=row),)))
        *_, end = _states(world, goal, start)
        decided = end.changed["claim"]
        assert decided[twin] is not None
        assert decided[len(rows)] is not None
        assert decided[len(rows)][status] == decided[twin][status] != 0


def _states(world: Built, goal: Work, state: State) -> Iterator[State]:
    """Play a queue in rounds, and yield the state after each call."""
    plan, response = Session(world).carried(RoundsPlayer(world, {}).rounds(goal)), None
    while True:
        try:
            request = plan.send(response)
        except StopIteration:
            return
        result, state = WORLD.call(state, request.tool.tool, request.arguments)
        response = result.response
        yield state
