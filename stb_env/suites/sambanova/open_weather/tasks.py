"""Weather goals, made from a seed."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial

from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.seeding import rng
from stb_env.suites.sambanova.common.content import content
from stb_env.suites.sambanova.common.labelled import labelled_task
from stb_env.suites.sambanova.common.official import Demonstration, Item
from stb_env.suites.sambanova.common.rest.judge import OriginalJudge
from stb_env.suites.sambanova.common.rest.service import Endpoint
from stb_env.suites.sambanova.common.seeded_tasks import SeededTasks, belongs
from stb_env.suites.sambanova.open_weather.api import SERVICE, render
from stb_env.suites.sambanova.open_weather.places import MOST_NAMESAKES, cities
from stb_env.suites.sambanova.open_weather.report import LANGUAGES, UNITS
from stb_env.suites.sambanova.open_weather.service import ENDPOINTS, VERSION
from stb_env.suites.sambanova.open_weather.zips import areas
from stb_env.tasks import Task
from stb_env.tools import ToolCall

NAME = "OpenWeather"

_RIDE = 3.0
"""Degrees from a city within which points are drawn."""
_BEFORE_SHARE = 0.3
"""Share of wishes for a form of the answer that come before the question."""


@lru_cache(maxsize=256)
def generate(split: str, index: int) -> Task:
    """Make a task again from its split and index."""
    draw = rng("open_weather", VERSION, split, index)
    endpoint = ENDPOINTS[index % len(ENDPOINTS)]
    while True:
        arguments = _arguments(endpoint, draw)
        label = render(endpoint, arguments)
        if belongs(split, label):
            break
    call = ToolCall(endpoint.name, arguments)
    return weather_task(f"{split}-{index}", split, _goal(endpoint, arguments, draw), call, (label,))


tasks_of = partial(SeededTasks, NAME, generate)
"""Makes the goals of a split, in which the nine endpoints take turns; no request is in both splits.

No goal asks for XML, since the original evaluator cannot judge it: the same tasks serve both judges.
"""


def weather_task(task_id: str, split: str, goal: str, call: ToolCall, labels: Sequence[str]) -> Task:
    """Build a task from a goal, the call that solves it and the commands that are accepted."""
    return labelled_task(NAME, SERVICE.tools, task_id, split, goal, (call,), labels, group=call.name)


def official_task(item: Item, original: bool) -> Task:
    """Make a task of an official item.

    Args:
        item: The item.
        original: Whether its labels have to run in the original's own way.

    Raises:
        DataError: A label does not run.
    """
    for label in item.labels:
        OriginalJudge(SERVICE).answer_to(label, ()) if original else SERVICE.label(label)
    return weather_task(str(item.number), "test", item.goal, SERVICE.typed_label(item.labels[0]), item.labels)


def demonstrations() -> list[Demonstration]:
    """Return two solved examples of each endpoint, as the paper has them; none is a test task.

    Examples:
        >>> demo = demonstrations()[0]
        >>> demo.name, demo.program.startswith("curl -X GET 'https://api.openweathermap.org/")
        ('0_0', True)
    """
    return [
        Demonstration.of(f"{kind}_{number}", generate("demo", kind + number * len(ENDPOINTS)))
        for kind in range(len(ENDPOINTS))
        for number in range(2)
    ]


def _arguments(endpoint: Endpoint, draw: random.Random) -> dict[str, object]:
    arguments = _place(endpoint, draw)
    for name in endpoint.optional:
        if draw.random() < 0.5:
            arguments[name] = _option(name, draw)
    return arguments


def _place(endpoint: Endpoint, draw: random.Random) -> dict[str, object]:
    """Draw a place: a city, a zip code that there is, or a point within a day's ride of a city."""
    if endpoint.required == ("zip",):
        return {"zip": f"{draw.choice(list(areas()))}{draw.randint(1, 99):02}"}
    city = draw.choice(list(cities().values()))
    if endpoint.required == ("q",):
        return {"q": city.name}
    north, east = (draw.uniform(-_RIDE, _RIDE) for _ in range(2))
    # East of 180 degrees is the far west.
    return {"lat": round(city.lat + north, 1), "lon": round((city.lon + east + 180) % 360 - 180, 1)}


def _option(name: str, draw: random.Random) -> object:
    match name:
        case "units":
            return draw.choice(UNITS)
        case "lang":
            return draw.choice(list(LANGUAGES))
        case "limit":
            return draw.randint(2, MOST_NAMESAKES)
    return "json"


def _goal(endpoint: Endpoint, arguments: Mapping[str, object], draw: random.Random) -> str:
    texts: JsonMapping = content("open_weather", "goals")
    before: list[str] = []
    after: list[str] = []
    for name in draw.sample(endpoint.optional, len(endpoint.optional)):
        if name in arguments:
            is_free = name in texts["anywhere"]
            choices = texts["anywhere" if is_free else "after"][name]
            sentences = before if is_free and draw.random() < _BEFORE_SHARE else after
            sentences.append(draw.choice(choices[arguments[name]] if name == "units" else choices))
    return " ".join([*before, draw.choice(texts[endpoint.name]), *after]).format_map(_words(arguments))


def _words(arguments: JsonMapping) -> dict[str, object]:
    """Return the arguments as goals name them."""
    words: JsonObject = {**arguments, "place": arguments.get("q")}
    words["language"] = LANGUAGES.get(arguments.get("lang", ""))
    if "lat" in arguments:
        lat, lon = arguments["lat"], arguments["lon"]
        words["compass"] = f"{abs(lat)}° {'S' if lat < 0 else 'N'}, {abs(lon)}° {'W' if lon < 0 else 'E'}"
    return words
