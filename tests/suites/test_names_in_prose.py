"""What an agent only talks about is no call, whatever syntax of its own a suite has."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from stb_env.actions import Action
from stb_env.suites.api_bank.action_reader import reader
from stb_env.suites.api_bank.api_set import LEVEL_12
from stb_env.suites.sambanova.cat_api import program as cats
from stb_env.suites.sambanova.cat_api import tools as cat_tools
from stb_env.suites.sambanova.google_sheets import program as sheets
from stb_env.suites.sambanova.google_sheets import tools as sheet_tools
from stb_env.suites.sambanova.home_search import program as homes
from stb_env.suites.sambanova.home_search.world import API as HOMES
from stb_env.suites.sambanova.open_weather import program as weather
from stb_env.suites.sambanova.open_weather import tools as weather_tools
from stb_env.suites.sambanova.tabletop import program as tabletop
from stb_env.suites.sambanova.tabletop import tools as tabletop_tools
from stb_env.suites.sambanova.trip_booking import program as trips
from stb_env.suites.sambanova.trip_booking.world import API as TRIPS
from stb_env.suites.sambanova.web_shop import program as shop
from stb_env.suites.sambanova.web_shop import tools as shop_tools

Read = Callable[[Any], Action]
READERS: list[tuple[Read, Iterable[str]]] = [
    (reader(LEVEL_12), LEVEL_12.apis),
    (cats.parse, cat_tools.BY_NAME),
    (sheets.parse, sheet_tools.BY_NAME),
    (homes.parse, HOMES.by_name),
    (weather.parse, weather_tools.BY_NAME),
    (tabletop.parse, tabletop_tools.BY_NAME),
    (trips.parse, TRIPS.by_name),
    (shop.parse, shop_tools.BY_NAME),
]
FORMS = (
    'I could use {"name": "NAME", "arguments": {}} for that, perhaps.',
    'One way would be\n```json\n{"name": "NAME", "arguments": {}}\n```\nbut I am not sure.',
)


def told(form: str, name: str) -> str:
    return form.replace('"NAME"', json.dumps(name))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("read", "names"), READERS)
def test_a_hallucinated_tool_in_prose_is_no_call(read: Read, names: Iterable[str], form: str):
    assert "summon_dragon" not in names
    assert read(told(form, "summon_dragon")).calls == ()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("read", "names"), READERS)
def test_a_tool_that_there_is_is_called_in_prose_too(read: Read, names: Iterable[str], form: str):
    assert len(read(told(form, next(iter(names)))).calls) == 1


@pytest.mark.parametrize(("read", "names"), READERS)
def test_a_hallucinated_tool_that_stands_alone_is_still_a_call(read: Read, names: Iterable[str]):
    alone = json.dumps({"name": "summon_dragon", "arguments": {}})
    assert [call.name for call in read(alone).calls] == ["summon_dragon"]
