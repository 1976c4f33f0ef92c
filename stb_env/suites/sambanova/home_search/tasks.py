"""Wishes for a home, made from a seed: each is met by at least one home of the catalogue."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import lru_cache, partial

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonArray
from stb_env.seeding import rng
from stb_env.suites.sambanova.common.labelled import labelled_task
from stb_env.suites.sambanova.common.official import Demonstration
from stb_env.suites.sambanova.common.seeded_tasks import SeededTasks, belongs
from stb_env.suites.sambanova.home_search.catalogue import FIELDS, VERSION, Home, cities, homes_in
from stb_env.suites.sambanova.home_search.functions import HOME_TYPES, NUMBERS
from stb_env.suites.sambanova.home_search.goals import goal_of
from stb_env.suites.sambanova.home_search.tools import BY_NAME
from stb_env.tasks import Task
from stb_env.tools import ToolCall

NAME = "HomeSearch"
WITHHELD = ("set_num_balconies", "set_floor_number", "set_max_commute_time")
"""Functions that no demonstration uses, as the paper withholds three."""

_KEYS = {"set_location": "location", "set_buy_or_rent": "buy_or_rent"} | {
    name: number.key for name, number in NUMBERS.items()
}
_MOST = 6
_OTHER_TYPES_SHARE = 0.6


def generate(split: str, index: int) -> Task:
    """Make a task again from its split and index."""
    return make_task(split, index, withheld=())


@lru_cache(maxsize=256)
def make_task(split: str, index: int, withheld: tuple[str, ...]) -> Task:
    """Make a task that does without some of the functions."""
    draw = rng("home_search", VERSION, split, index)
    while True:
        city = draw.choice(list(cities()))
        home = draw.choice(homes_in(city))
        calls = _calls(city, home, withheld, draw)
        if belongs(split, " ".join(sorted(call.name for call in calls))):
            break
    goal = _goal(calls, draw)
    return home_task(f"{split}-{index}", split, goal, calls, (render(calls),))


tasks_of = partial(SeededTasks, NAME, generate)
"""Makes the goals of a split; no set of functions is in both splits."""


def home_task(task_id: str, split: str, goal: str, gold: Sequence[ToolCall], labels: Sequence[str]) -> Task:
    """Build a task from a goal, the calls that solve it and the programs that are accepted."""
    return labelled_task(NAME, BY_NAME, task_id, split, goal, gold, labels, group="home_search")


def demonstrations() -> list[Demonstration]:
    """Return ten solved examples, as the paper has them; none has the set of functions of a test task.

    Examples:
        >>> demo = demonstrations()[0]
        >>> demo.name, demo.program.endswith("API.search()")
        ('0_0', True)
    """
    return [Demonstration.of(f"{index}_0", make_task("demo", index, WITHHELD)) for index in range(10)]


def render(calls: Sequence[ToolCall]) -> str:
    r"""Write calls as a program.

    Examples:
        >>> render([ToolCall("set_location", {"value": "Fargo"}), ToolCall("search", {})])
        'API.set_location("Fargo")\nAPI.search()'
    """
    return "\n".join(f"API.{call.name}({', '.join(map(jsontext.dumps, _values(call)))})" for call in calls)


def _values(call: ToolCall) -> JsonArray:
    return [] if isinstance(call.arguments, str) else list(call.arguments.values())


def _calls(city: str, home: Home, withheld: Sequence[str], draw: random.Random) -> tuple[ToolCall, ...]:
    wished = [name for name in NUMBERS if name not in withheld and _value(NUMBERS[name].key, home, draw)]
    chosen = set(draw.sample(wished, draw.randint(2, min(_MOST, len(wished)))))
    calls = [
        ToolCall("set_location", {"value": city}),
        ToolCall("set_buy_or_rent", {"value": home.mode}),
    ]
    if draw.random() < _OTHER_TYPES_SHARE:
        # Nobody who asks for rooms would take bare land as well.
        others = [kind for kind in HOME_TYPES[home.mode] if kind not in (home.type, "Land")]
        kinds = [home.type, *draw.sample(others, draw.randint(0, 2))]
        draw.shuffle(kinds)
        calls.append(ToolCall("select_home_type", {"home_types": kinds}))
    numbers = [
        ToolCall(name, {"value": _value(NUMBERS[name].key, home, draw)}) for name in NUMBERS if name in chosen
    ]
    return (*calls, *numbers, ToolCall("search", {}))


def _value(key: str, home: Home, draw: random.Random) -> int | float:
    """Return what a criterion may ask for so that the home meets it; 0 where it is nothing to ask for."""
    has: int | float = getattr(home, FIELDS[key])
    step = {"price": 10 if home.mode == "rent" else 1_000, "square_feet": 50}.get(FIELDS[key], 0)
    if key.startswith("max_") and step:
        return (int(has * draw.uniform(1.02, 1.3)) // step + 1) * step
    if key.startswith("min_"):
        return int(has * draw.uniform(0.7, 0.98)) // step * step
    return int(has) if has == int(has) else has


def _goal(calls: Sequence[ToolCall], draw: random.Random) -> str:
    given = {call.name: _values(call)[0] for call in calls if _values(call)}
    kinds = given.pop("select_home_type", [])
    return goal_of({_KEYS[name]: value for name, value in given.items()}, kinds, draw)
