"""Solved examples for prompts, a set for each kind of call that the original asks a model for."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

from stb_env.suites.sambanova.common.official import Demonstration
from stb_env.suites.sambanova.tabletop.request import (
    function_request,
    goal_request,
    objects_line,
    phrase_request,
)
from stb_env.suites.sambanova.tabletop.scene import Scene

SCENE = Scene.of(
    {"green block": (-0.1, -0.35), "yellow block": (0.15, -0.4), "pink block": (0.0, -0.6)},
    {"red bowl": (-0.18, -0.62), "cyan bowl": (0.18, -0.65)},
)
"""The table that the examples are about."""

SETS = ("top", "object_names", "positions", "functions")
"""The sets: goals, phrases for objects, phrases for positions, functions to write; none for other calls."""


def demonstrations() -> list[Demonstration]:
    """Return the demonstrations, named after their set.

    Examples:
        >>> demos = demonstrations()
        >>> len(demos), demos[0].name, demos[0].program
        (45, 'top_0', "put_first_on_second('yellow block', 'green block')")
        >>> demos[-1].goal
        '# define function: pos = get_point_towards(start, end, metres).'
    """
    return list(_read())


@cache
def _read() -> tuple[Demonstration, ...]:
    file = files("stb_env.suites.sambanova.tabletop") / "content" / "demos.toml"
    sets = tomllib.loads(file.read_text(encoding="utf-8"))
    return tuple(
        Demonstration(f"{name}_{number}", _request(name, entry["goal"]), entry["program"].strip())
        for name in SETS
        for number, entry in enumerate(sets[name])
    )


def _request(name: str, goal: str) -> str:
    match name:
        case "top":
            return goal_request(SCENE.names, goal)
        case "object_names":
            return phrase_request(goal, objects_line(SCENE.names))
        case "positions":
            return phrase_request(goal)
    return function_request(goal)
