"""What an agent only talks about is no call, whatever syntax of its own a suite has."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from stb_env.actions import Action
from stb_env.suites.api_bank.action_reader import reader
from stb_env.suites.api_bank.api_set import LEVEL_12
from stb_env.suites.sambanova.cat_api import api as cats
from stb_env.suites.sambanova.cat_api import env as cat_env
from stb_env.suites.sambanova.google_sheets import env as sheets
from stb_env.suites.sambanova.google_sheets import tools as sheet_tools
from stb_env.suites.sambanova.home_search import env as homes
from stb_env.suites.sambanova.open_weather import api as weather
from stb_env.suites.sambanova.open_weather import env as weather_env
from stb_env.suites.sambanova.tabletop import program as tabletop
from stb_env.suites.sambanova.tabletop import tools as tabletop_tools
from stb_env.suites.sambanova.trip_booking import env as trips
from stb_env.suites.sambanova.web_shop import program as shop
from stb_env.suites.sambanova.web_shop import tools as shop_tools

Read = Callable[[Any], Action]
READERS: list[tuple[Read, Iterable[str]]] = [
    (reader(LEVEL_12), LEVEL_12.apis),
    (cat_env.TASK.parse, cats.SERVICE.tools),
    (sheets.parse, sheet_tools.BY_NAME),
    (homes.TASK.parse, homes.API.by_name),
    (weather_env.TASK.parse, weather.SERVICE.tools),
    (tabletop.parse, tabletop_tools.BY_NAME),
    (trips.TASK.parse, trips.API.by_name),
    (shop.parse, shop_tools.BY_NAME),
]
FORMS = (
    'I could use {"name": "NAME", "arguments": {}} for that, perhaps.',
    'One way would be\n```json\n{"name": "NAME", "arguments": {}}\n```\nbut I am not sure.',
)


CALLS = (
    'I use it now:\n{"name": "NAME", "arguments": {}}',
    'I look it up.\n```json\n{"name": "NAME", "arguments": {}}\n```',
)


def told(form: str, name: str) -> str:
    return form.replace('"NAME"', json.dumps(name))


@pytest.mark.parametrize("form", FORMS + CALLS)
@pytest.mark.parametrize(("read", "names"), READERS)
def test_a_hallucinated_tool_in_prose_is_no_call(read: Read, names: Iterable[str], form: str):
    assert "summon_dragon" not in names
    assert read(told(form, "summon_dragon")).calls == ()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("read", "names"), READERS)
def test_a_sentence_about_a_tool_is_no_call(read: Read, names: Iterable[str], form: str):
    assert read(told(form, next(iter(names)))).calls == ()


@pytest.mark.parametrize("form", CALLS)
@pytest.mark.parametrize(("read", "names"), READERS)
def test_a_tool_that_there_is_is_called_behind_prose_too(read: Read, names: Iterable[str], form: str):
    assert len(read(told(form, next(iter(names)))).calls) == 1


@pytest.mark.parametrize(("read", "names"), READERS)
def test_a_hallucinated_tool_that_stands_alone_is_still_a_call(read: Read, names: Iterable[str]):
    alone = json.dumps({"name": "summon_dragon", "arguments": {}})
    assert [call.name for call in read(alone).calls] == ["summon_dragon"]
