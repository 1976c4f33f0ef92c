"""The tools of a world: what they show is what is there, in the conventions of their services."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from stb_env.actions.validation import check_call
from stb_env.suites.worlds.data.rows import State
from stb_env.suites.worlds.schema.kit import Quantity, shipped_kit
from stb_env.suites.worlds.services.api_error import ApiError
from stb_env.suites.worlds.services.archetypes.tool import WorldTool
from stb_env.suites.worlds.world import Built, GeneratedWorld, build
from stb_env.tools import Status, ToolCall

from .sampled import each_world


@pytest.fixture(scope="module", params=each_world(range(6), light=2))
def world(request: pytest.FixtureRequest) -> Built:
    kit, seed = request.param
    return build(shipped_kit(kit), seed)


def tools(world: Built, *kinds: str) -> Iterator[WorldTool]:
    return (tool for tool in world.meant if tool.kind in kinds)


def nested(tool: WorldTool, name: str, value: Any) -> dict[str, Any]:
    group = next(param.group for param in tool.params if param.name == name)
    return {group: {name: value}} if group else {name: value}


def pages(tool: WorldTool, arguments: dict[str, Any]) -> list[dict[str, Any]]:
    """Read all pages of a list."""
    assert tool.pager is not None
    rows: list[dict[str, Any]] = []
    place: Any = {}
    while place is not None:
        response: Any = tool.call(State(), {**arguments, **place})[0]
        shown = response[tool.items]
        place = tool.pager.next_page(response, len(rows), len(shown))
        rows += shown
        assert len(shown) <= tool.limit
    return rows


def test_every_value_is_read_as_it_was_written(world: Built) -> None:
    for entity, fields in world.codec.fields.items():
        rows = world.blueprint.data.rows[entity]
        for number in (0, len(rows) // 2, len(rows) - 1):
            shown = world.codec.row(entity, number, rows[number], tuple(fields.values()))
            identifier, values = world.codec.read_row(entity, shown)
            assert world.codec.number_of(entity, identifier) == number
            assert tuple(values[name] for name in world.blueprint.entities[entity].attributes) == rows[number]


def test_numbers_that_are_text_tell_their_form(world: Built) -> None:
    for entity, fields in world.codec.fields.items():
        for name, field in fields.items():
            attribute = world.blueprint.entities[entity].attributes[name]
            if isinstance(attribute, Quantity) and field.schema["type"] == "string":
                told = re.search(r"As text, such as (.+)\.$", str(field.schema["description"]))
                assert told is not None
                assert field.argument(field.read(told[1])) == told[1]


def test_identifiers_are_different_and_belong_to_their_entity(world: Built) -> None:
    for entity, rows in world.blueprint.data.rows.items():
        identifiers = {world.codec.id_of(entity, number) for number in range(len(rows))}
        assert len(identifiers) == len(rows)
        nothing: list[Any] = ["", "x", None, True, -1, 1.5, [], "RE-OWN-00000000"]
        for wrong in nothing:
            with pytest.raises(ApiError):
                world.codec.number_of(entity, wrong)


def test_pages_have_every_row_once(world: Built) -> None:
    for tool in tools(world, "list"):
        rows = pages(tool, {})
        identifiers = [row[world.codec.id_field(tool.entity)] for row in rows]
        assert len(set(identifiers)) == len(rows) == len(world.blueprint.data.rows[tool.entity])


def test_filters_keep_exactly_the_rows_that_meet_them(world: Built) -> None:
    for tool in tools(world, "list", "related"):
        drawn = world.blueprint.data.rows[tool.entity]
        for each in tool.filters:
            value = drawn[len(drawn) // 3][each.field.column]
            arguments = nested(tool, each.param, each.field.argument(value))
            assert not check_call(ToolCall(tool.tool.name, arguments), tool.tool).violations
            found = {
                world.codec.number_of(tool.entity, row[world.codec.id_field(tool.entity)])
                for row in pages(tool, arguments)
            }
            values = {number: row[each.field.column] for number, row in enumerate(drawn)}
            match each.op:
                case "=":
                    assert found == {number for number, got in values.items() if got == value}
                case ">=":
                    assert found == {number for number, got in values.items() if got >= value}
                case "<=":
                    assert found == {number for number, got in values.items() if got <= value}


@pytest.mark.heavy
def test_sorted_lists_rise_and_fall(world: Built) -> None:
    for tool in tools(world, "list"):
        style = world.codec.style(tool.entity)
        for field in tool.sorts:
            for order in ("asc", "desc"):
                arguments = {style.field("sort by"): field.name, style.field("order"): order}
                values = [
                    world.codec.read_row(tool.entity, row)[1][field.attribute]
                    for row in pages(tool, arguments)
                ]
                assert values == sorted(values, reverse=order == "desc")


def test_rows_are_found_by_key_and_words(world: Built) -> None:
    for tool in tools(world, "key", "search"):
        column = world.blueprint.entities[tool.entity].columns[tool.subject]
        texts = world.blueprint.data.texts[tool.entity, tool.subject]
        number = len(world.blueprint.data.rows[tool.entity]) - 1
        text = texts[world.blueprint.data.rows[tool.entity][number][column]]
        response: Any = tool.call(State(), {tool.params[0].name: text.upper()})[0]
        hits = response[tool.items] if tool.items else [response]
        wanted = world.codec.id_of(tool.entity, number)
        assert wanted in [hit[world.codec.id_field(tool.entity)] for hit in hits]


def test_acting_changes_one_row_and_nothing_else(world: Built) -> None:
    for tool in tools(world, "transition"):
        action: Any = world.blueprint.entities[tool.entity].actions[tool.subject]
        life: Any = world.blueprint.entities[tool.entity].attributes[action.field]
        column = world.blueprint.entities[tool.entity].columns[action.field]
        moved = refused = 0
        for number, row in enumerate(world.blueprint.data.rows[tool.entity][:40]):
            identifier = world.codec.id_of(tool.entity, number)
            arguments = {tool.params[0].name: identifier if tool.limit == 1 else [identifier]}
            if life.values[row[column]] in action.source and not action.when:
                _, state = tool.call(State(), arguments)
                after = state.changed[tool.entity][number]
                assert after is not None
                assert life.values[after[column]] == action.target
                assert {entity: list(rows) for entity, rows in state.changed.items()} == {
                    tool.entity: [number]
                }
                moved += 1
            elif life.values[row[column]] not in action.source:
                with pytest.raises(ApiError):
                    tool.call(State(), arguments)
                refused += 1
        assert moved or action.when
        assert refused or not set(life.values) - {*action.source, action.target}


def test_wrong_calls_are_answered_with_errors(world: Built) -> None:
    backend = GeneratedWorld()
    for tool in world.tools.values():
        tried: list[dict[str, Any]] = [
            {"nothing": 1},
            {each.name: {} for each in tool.params if not each.group},
        ]
        for arguments in tried:
            if arguments:
                result, state = backend.call(State(), tool.tool, arguments)
                assert result.status in (Status.INVALID_ARGUMENTS, Status.TOOL_ERROR), (
                    tool.tool.name,
                    arguments,
                )
                assert state == State()


def test_results_tell_which_rows_they_show(world: Built) -> None:
    get = next(tools(world, "get"))
    arguments = {get.params[0].name: world.codec.id_of(get.entity, 3)}
    _, state = get.call(State(), arguments)
    shown = {get.entity, *(f"{get.entity}.{field.attribute}" for field in get.fields)}
    assert state.shown == dict.fromkeys(shown, 1 << 3)
    assert get.call(state, arguments)[1] is state
    assert state == State()
