"""Weather goals, made from a seed."""

from __future__ import annotations

import json
import random
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from stb_env.jsontypes import JsonMapping, JsonObject
from stb_env.seeding import rng
from stb_env.suites.sambanova.common.seeded_tasks import SeededTasks, belongs
from stb_env.suites.sambanova.open_weather.apis import APIS, Api
from stb_env.suites.sambanova.open_weather.command import render
from stb_env.suites.sambanova.open_weather.places import MOST_NAMESAKES, cities
from stb_env.suites.sambanova.open_weather.report import LANGUAGES, UNITS
from stb_env.suites.sambanova.open_weather.service import VERSION
from stb_env.suites.sambanova.open_weather.tools import BY_NAME, TOOLS
from stb_env.suites.sambanova.open_weather.zips import areas
from stb_env.tasks import Task
from stb_env.tools import ToolCall

NAME = "OpenWeather"

_RIDE = 3.0
"""Degrees from a city within which points are drawn."""
_BEFORE_SHARE = 0.3
"""How often a wish for a form of the answer comes before the question."""


class OpenWeatherTasks(SeededTasks):
    """A `TaskSource` of weather goals; the nine kinds of request take turns.

    No goal asks for XML, since the original evaluator cannot judge it: the same tasks serve both judges.

    Args:
        split: ``test``, a fixed list of 100, or ``train``, without end. No request is in both.

    Raises:
        ConfigError: There is no such split.

    Examples:
        >>> task = OpenWeatherTasks("test").at(4)
        >>> task.group, task.gold[0].name
        ('coordinates_of_place', 'coordinates_of_place')
    """

    def __init__(self, split: str = "test") -> None:
        super().__init__(NAME, generate, split)


@lru_cache(maxsize=256)
def generate(split: str, index: int) -> Task:
    """Make a task again from its split and index."""
    draw = rng("open_weather", VERSION, split, index)
    api = APIS[index % len(APIS)]
    while True:
        arguments = _arguments(api, draw)
        label = render(api, arguments)
        if belongs(split, label):
            break
    call = ToolCall(api.name, arguments)
    return weather_task(f"{split}-{index}", split, _goal(api, arguments, draw), call, (label,))


def weather_task(task_id: str, split: str, goal: str, call: ToolCall, labels: tuple[str, ...]) -> Task:
    """Build a task from a goal, the call that solves it and the commands that are accepted."""
    return Task(
        id=task_id,
        query=goal,
        tools=TOOLS,
        suite=NAME,
        group=call.name,
        split=split,
        relevant=(BY_NAME[call.name].id,),
        gold=(call,),
        goal={"labels": list(labels)},
        answer="acts",
        record={"prompt": goal, "completion": list(labels)},
    )


def _arguments(api: Api, draw: random.Random) -> JsonObject:
    arguments = _place(api, draw)
    for name in api.optional:
        if draw.random() < 0.5:
            arguments[name] = _option(name, draw)
    return arguments


def _place(api: Api, draw: random.Random) -> JsonObject:
    """Draw a place: a city, a zip code that there is, or a point within a day's ride of a city."""
    if api.place == ("zip",):
        return {"zip": f"{draw.choice(list(areas()))}{draw.randint(1, 99):02}"}
    city = draw.choice(list(cities().values()))
    if api.place == ("q",):
        return {"q": city.name}
    north, east = (draw.uniform(-_RIDE, _RIDE) for _ in range(2))
    # East of 180 degrees is the far west.
    return {"lat": round(city.lat + north, 1), "lon": round((city.lon + east + 180) % 360 - 180, 1)}


def _option(name: str, draw: random.Random) -> Any:
    match name:
        case "units":
            return draw.choice(UNITS)
        case "lang":
            return draw.choice(list(LANGUAGES))
        case "limit":
            return draw.randint(2, MOST_NAMESAKES)
    return "json"


def _goal(api: Api, arguments: JsonMapping, draw: random.Random) -> str:
    texts = _texts()
    before: list[str] = []
    after: list[str] = []
    for name in draw.sample(api.optional, len(api.optional)):
        if name in arguments:
            is_free = name in texts["anywhere"]
            choices = texts["anywhere" if is_free else "after"][name]
            sentences = before if is_free and draw.random() < _BEFORE_SHARE else after
            sentences.append(draw.choice(choices[arguments[name]] if name == "units" else choices))
    return " ".join([*before, draw.choice(texts[api.name]), *after]).format_map(_words(arguments))


def _words(arguments: JsonMapping) -> JsonObject:
    """Return the arguments as goals name them."""
    words: JsonObject = {**arguments, "place": arguments.get("q")}
    words["language"] = LANGUAGES.get(arguments.get("lang", ""))
    if "lat" in arguments:
        lat, lon = arguments["lat"], arguments["lon"]
        words["compass"] = f"{abs(lat)}° {'S' if lat < 0 else 'N'}, {abs(lon)}° {'W' if lon < 0 else 'E'}"
    return words


@cache
def _texts() -> JsonMapping:
    file = files("stb_env.suites.sambanova.open_weather") / "content" / "goals.json"
    texts: JsonObject = json.loads(file.read_text(encoding="utf-8"))
    return texts
