"""Conventions of services: who keeps to them gets on, and who skips a step does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import pytest

from stb_env.judges.judge import Case
from stb_env.suites.worlds.data.rows import State
from stb_env.suites.worlds.goals.goal import Change, Lookup
from stb_env.suites.worlds.judge import ExactJudge
from stb_env.suites.worlds.services.api_error import ApiError
from stb_env.suites.worlds.services.archetypes.tool import ACTS, WorldTool
from stb_env.suites.worlds.tasks.making import formed, kits
from stb_env.suites.worlds.tasks.world_task import WorldTask
from stb_env.suites.worlds.world import Built, GeneratedWorld, built
from stb_env.tools import Tool, ToolResult

WORLD = GeneratedWorld()


class Player:
    """Makes calls in one world, one after the other."""

    def __init__(self, state: State | None = None) -> None:
        self.state = State() if state is None else state

    def call(self, tool: WorldTool | Tool, **arguments: Any) -> ToolResult:
        shown = tool.tool if isinstance(tool, WorldTool) else tool
        result, self.state = WORLD.call(self.state, shown, arguments)
        return result

    def sign_in(self, world: Built) -> None:
        for tool in world.offered.sign_ins.values():
            assert not self.call(tool).error


def standing_for(kind: str, action: str = "") -> Iterator[tuple[Built, WorldTool, tuple[WorldTool, ...]]]:
    """Yield tools of a kind that stand for several, with those and their world."""
    for name in kits():
        world = built(f"{name}-0")
        for tool in world.meant:
            parts = world.offered.parts.get(tool.tool.name, ())
            if parts and parts[0].kind == kind and action in ("", tool.kind):
                yield world, tool, parts


def acting(world: Built, tool: WorldTool) -> list[dict[str, Any]]:
    """Return arguments of two calls of a tool that sets a field of a row, each to another value."""
    field = tool.fields[0]
    values = dict.fromkeys(row[field.column] for row in world.blueprint.data.rows[tool.entity])
    named = {tool.params[0].name: world.codec.id_of(tool.entity, 0)}
    return [{**named, tool.params[1].name: field.argument(value)} for value in list(values)[1:3]]


def test_nobody_is_answered_who_has_not_signed_in() -> None:
    world = next(found for name in kits() if (found := built(f"{name}-0")).offered.sign_ins)
    ((service, sign_in), *_) = world.offered.sign_ins.items()
    entity = next(name for name, each in world.blueprint.entities.items() if each.service == service)
    tool = world.by_kind["get", entity, ""]
    arguments = {tool.params[0].name: world.codec.id_of(entity, 0)}
    player = Player()
    refused = player.call(tool, **arguments)
    assert sign_in.tool.name in refused.error
    assert player.state == State()
    player.call(sign_in)
    assert not player.call(tool, **arguments).error


def test_a_quote_changes_nothing_until_it_is_confirmed_once() -> None:
    world, tool, (quote, confirm) = next(standing_for("quote", "set"))
    token = confirm.params[0].name
    first, second = acting(world, tool)
    player = Player()
    player.sign_in(world)
    assert "there is no" in player.call(confirm, **{token: "RE-Q-000000"}).error
    old = player.call(quote, **first).response
    new = player.call(quote, **second).response
    assert old["preview"] == tool.call(State(), first)[0]
    assert player.state.changed == {}
    # A later quote stands in the place of an earlier one.
    assert "later quote" in player.call(confirm, **{token: old[quote.items]}).error
    assert player.state.changed == {}
    assert not player.call(confirm, **{token: new[quote.items]}).error
    assert player.state.changed == tool.call(State(), second)[1].changed
    done = player.state
    assert "used before" in player.call(confirm, **{token: new[quote.items]}).error
    assert player.state == done
    wrong = player.call(quote, **{**first, "more": 1})
    assert "unknown parameter" in wrong.error


def test_an_export_is_fetched_once_it_is_done() -> None:
    found = 0
    for world, tool, (start, poll, fetch) in islice(standing_for("start"), 3):
        job, player = fetch.params[0].name, Player()
        player.sign_in(world)
        assert "there is no" in player.call(fetch, **{job: "x"}).error
        code = player.call(start).response[start.items]
        for _ in range(start.limit):
            assert "still running" in player.call(fetch, **{job: code}).error
            player.call(poll, **{job: code})
        assert player.call(poll, **{job: code}).response[poll.items] == "done"
        assert player.call(fetch, **{job: code}).response == tool.call(State(), {})[0]
        assert player.state.shown
        found += 1
    assert found == 3


def test_a_report_is_of_last_night_until_it_is_refreshed() -> None:
    stale = 0
    for world, tool, (refresh, report) in islice(standing_for("refresh"), 6):
        player, field = Player(), world.codec.fields[tool.entity][tool.subject]
        player.sign_in(world)
        asked = {tool.params[0].name: field.argument(0)}
        right = tool.call(State(), asked)[0]
        old = player.call(report, **asked)
        assert old.response.keys() == right.keys()  # type: ignore[attr-defined]
        stale += old.response != right
        # Figures of last night are evidence of nothing.
        assert not player.state.shown
        player.call(refresh)
        assert player.call(report, **asked).response == right
        data = world.blueprint.data
        player.state = data.put(player.state, tool.entity, 0, None)
        assert player.call(report, **asked).response != right or data.rows[tool.entity][0][field.column]
    assert stale >= 4


def test_a_void_row_is_gone_and_takes_a_reason() -> None:
    worlds = (built(f"{name}-1") for name in kits())
    world, tool = next((world, tool) for world in worlds for tool in world.meant if tool.kind == "void")
    row = {tool.params[0].name: world.codec.id_of(tool.entity, 0)}
    with pytest.raises(ApiError, match="reason is required"):
        tool.call(State(), row)
    assert tool.call(State(), {**row, "reason": "duplicate"})[1].changed == {tool.entity: {0: None}}


def without(made: WorldTask, *kinds: str, answer: dict[str, Any] | None = None) -> str:
    """Play gold without the calls of some kinds, and return whether that solves the task."""
    state, tools = WORLD.start(made.task, 0), {tool.name: tool for tool in made.task.tools}
    for call in made.task.gold:
        if made.world.tools[call.name].kind not in kinds:
            _, state = WORLD.call(state, tools[call.name], dict(call.arguments))  # type: ignore[arg-type]
    case = Case(made.task, "", (), state, answer=answer or made.task.goal["answer"])
    return case.verdict(ExactJudge()).status


@pytest.mark.heavy
def test_who_quotes_and_does_not_confirm_or_skips_a_step_fails() -> None:
    tried: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    for place, name in enumerate(kits()[::2]):
        made = formed(f"{name}-{place}", 1 + place % 3, 0, "")
        if made is None:
            continue
        kinds = {made.world.tools[call.name].kind for call in made.task.gold}
        assert without(made) == "solved"
        for kind in kinds & {"sign_in", "confirm", "quote", "start", "fetch", "refresh"}:
            tried[kind] += 1
            failed[kind] += without(made, kind) == "unsolved"
    assert failed["confirm"] == tried["confirm"] >= 1
    # The rows that an answer stands on can be those of another service.
    assert failed["sign_in"] > tried["sign_in"] // 2 > 0


def test_a_look_that_nobody_answered_is_no_evidence() -> None:
    for name in kits():
        for number in range(4):
            made = formed(f"{name}-0", 2, number, "ab"[number % 2])
            looks = None if made is None else made.task.goal.get("looks")
            if made is None or looks is None or not made.world.offered.sign_ins:
                continue
            kinds = [made.world.tools[call.name].kind for call in made.task.gold]
            if "sign_in" in kinds and not set(kinds) & set(ACTS):
                assert without(made, "sign_in") == "unsolved"
                return
    pytest.fail("no task with a name that is no row's has to sign in")


def of_goal(shape: type, wanted: str, level: int, names: Iterable[str]) -> WorldTask:
    """Return a task whose goal is of a shape and has a part of it that others have not."""
    for number in range(60):
        for name in names:
            made = formed(f"{name}-{number % 5}", level, number, "")
            if made is not None and isinstance(made.drawn.goal, shape) and getattr(made.drawn.goal, wanted):
                return made
    raise AssertionError(f"no task has {wanted}")


def test_a_quantity_is_moved_between_two_rows_and_no_more_than_there_is() -> None:
    made = of_goal(Change, "target", 2, ["hotel_group", "coworking_space", "dental_lab"])
    goal, world = made.drawn.goal, made.world
    assert isinstance(goal, Change)
    entity = goal.select.entity
    tool = world.by_kind["move", entity, goal.action]
    (start, one), (end, other) = sorted(made.drawn.expected.state.changed[entity].items())
    column, drawn = tool.fields[0].column, world.blueprint.data.rows[entity]
    assert one is not None
    assert other is not None
    assert one[column] + other[column] == drawn[start][column] + drawn[end][column]
    assert without(made) == "solved"
    assert without(made, "move", "confirm") == "unsolved"
    back = next(call for call in made.task.gold if tool.params[0].name in call.arguments)
    given = list(dict(back.arguments).values())  # type: ignore[arg-type]
    names = [param.name for param in tool.params]
    _, turned = tool.call(
        State(), dict(zip(names, [given[1], given[0], tool.fields[0].argument(1)], strict=True))
    )
    assert turned.changed != made.drawn.expected.state.changed
    for wrong in (drawn[start][column] + drawn[end][column] + 1, 0, -1):
        with pytest.raises(ApiError, match=r"has only|must be above 0"):
            tool.call(State(), dict(zip(names, [*given[:2], tool.fields[0].argument(wrong)], strict=True)))
    with pytest.raises(ApiError, match="must differ"):
        tool.call(State(), dict(zip(names, [given[0], given[0], given[2]], strict=True)))


def test_an_amount_in_another_currency_is_converted_at_the_rate_of_the_day() -> None:
    made = of_goal(Lookup, "currency", 1, ["language_school", "vet_clinic"])
    ((name, right),) = made.task.goal["answer"].items()
    assert name.endswith(f"_in_{made.drawn.goal.currency.lower()}")  # type: ignore[union-attr]
    tool = made.world.by_kind["convert", "", ""]
    usual = made.task.gold[-1].arguments["amount"]  # type: ignore[index]
    assert without(made) == "solved"
    asked = {"amount": usual, "currency": made.drawn.goal.currency}  # type: ignore[union-attr]
    response: Any = tool.call(State(), asked)[0]
    assert response["amount"] == right != usual
    assert abs(response["amount"] - usual * response["rate"]) <= 0.00501
    assert without(made, answer={name: usual}) == "unsolved"
    for wrong in ("many", True, 0.12345, None, [1]):
        with pytest.raises(ApiError):
            tool.call(State(), {**asked, "amount": wrong})
