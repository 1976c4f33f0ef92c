"""The tasks of SambaNova ToolBench in one table: where each world is, and how its prompts are made."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from stb_env.errors import ConfigError, did_you_mean
from stb_env.suites.sambanova.common.prompt import example_text

Syntax = Literal["curl", "python", "pages"]

STOPS = ("------", "Task:")
"""Texts that end every answer."""

_CALLED = re.compile(r"(\w+)\s*\(")
_ON_PAGE = re.compile(r"(?m)^((?:search|click)\[.*)$")
_KEY = "appid"
_LONGEST = 20_000


class Example(NamedTuple):
    """A demonstration: its name, what is asked, the program, and its text in a prompt."""

    name: str
    goal: str
    program: str
    text: str


@dataclass(frozen=True, slots=True)
class SuiteTask:
    """One task of the suite, with the settings that the paper's runs had (its Table 8 and scripts).

    Attributes:
        id: Name of the task.
        env_id: Environment that plays it.
        world: Folder of its world.
        syntax: What its programs are: a curl command, Python calls, or actions on pages, one at a time.
        functions: Size of its API, for the complexity score; 0 where the score is 0 by definition.
        max_tokens: Bound on an answer.
        documents_k: API documents in a prompt.
        examples_k: Demonstrations in a prompt.
        templates: Templates of its alignment data.
        repeats: Samples made from each template.
        published_complexity: Score of the paper's training data (Table 9).
        advanced: Whether it needs reasoning beyond API calls; the rank study leaves such tasks out.
        version: What its demonstrations are asked for, where there are several sets of them.
        stops: Texts that end its answers besides the usual ones.
    """

    id: str
    env_id: str
    world: str
    syntax: Syntax
    functions: int
    max_tokens: int
    documents_k: int
    examples_k: int
    templates: int
    repeats: int
    published_complexity: float
    advanced: bool = False
    version: str = ""
    stops: tuple[str, ...] = ()

    @property
    def is_bare(self) -> bool:
        """Whether its prompt is the goal alone, which brings all that there is to see."""
        return not (self.documents_k or self.examples_k)

    @property
    def suite(self) -> str:
        """Name of the suite in observations and saved episodes."""
        return self.env_id.removeprefix("stb/").removesuffix("-v0")

    @property
    def is_stepwise(self) -> bool:
        """Whether each answer is one action on the page that the prompt shows, not a whole program."""
        return self.syntax == "pages"

    @property
    def samples(self) -> int:
        """How many alignment samples the paper has."""
        return self.templates * self.repeats

    def documents(self) -> dict[str, str]:
        """Return the API documents by name.

        Raises:
            ConfigError: The world is not part of this installation.
        """
        return dict(_documents(self.world))

    def examples(self) -> tuple[Example, ...]:
        """Return the demonstrations.

        Raises:
            ConfigError: The world is not part of this installation.
        """
        return _examples(self.world, self.version, self.syntax)

    def turns(self, example: Example) -> list[tuple[str, str]]:
        """Return what the example answers to what: one program to its goal, or actions, each to its page."""
        return _turns(example.program) if self.is_stepwise else [(example.goal, example.program)]

    def calls(self, program: str) -> list[str]:
        r"""Return the calls of a program as the complexity score counts them.

        A request counts as its kind together with the set of its parameters; of other programs every call
        counts, those in arguments too.

        Examples:
            >>> suite_task("trip_booking").calls('origin = Loc("Rome")\nAPI.set_origin(origin)')
            ['Loc', 'set_origin']
            >>> suite_task("web_shop").calls("search[lamp]")
            ['search']
        """
        if self.syntax == "curl":
            return _requests(self.world, program)
        if self.syntax == "pages":
            return [line.split("[")[0] for line in _ON_PAGE.findall(program)]
        return list(_called(program))


SUITE = {
    task.id: task
    for task in (
        # The paper prints 37 and 52 for the first two; counting requests gives them the other way round.
        SuiteTask("open_weather", "stb/OpenWeather-v0", "open_weather", "curl", 52, 128, 9, 3, 90, 20, 1.1),
        SuiteTask("cat_api", "stb/CatAPI-v0", "cat_api", "curl", 37, 128, 6, 3, 40, 45, 1.0),
        SuiteTask("home_search", "stb/HomeSearch-v0", "home_search", "python", 15, 128, 15, 3, 100, 18, 6.4),
        SuiteTask(
            "trip_booking", "stb/TripBooking-v0", "trip_booking", "python", 20, 300, 20, 3, 30, 60, 10.1
        ),
        SuiteTask(
            "google_sheets",
            "stb/GoogleSheets-v0",
            "google_sheets",
            "python",
            108,
            256,
            10,
            3,
            1,
            118,
            12.1,
            True,
        ),
        SuiteTask(
            "virtual_home", "stb/VirtualHome-v0", "virtual_home", "python", 40, 128, 10, 3, 1, 512, 12.3
        ),
        SuiteTask("web_shop", "stb/WebShop-v0", "web_shop", "pages", 0, 128, 2, 3, 2, 900, 0.0, True),
        SuiteTask(
            "web_shop_short", "stb/WebShop-v0", "web_shop", "pages", 0, 128, 2, 3, 2, 900, 0.0, True, "short"
        ),
        # The appendix gives no size; the demonstrations call 32 functions.
        SuiteTask(
            *("tabletop", "stb/Tabletop-v0", "tabletop", "python", 32, 256, 0, 0, 1, 74, 4.6, True),
            stops=("#", "objects = ["),
        ),
    )
}
"""Every task by its name, in the order of the paper's tables."""


def suite_task(name: str) -> SuiteTask:
    """Return a task by its name, its suite's name, or the id of its environment.

    Raises:
        ConfigError: There is no such task; the message names the nearest.

    Examples:
        >>> suite_task("home_search") is suite_task("HomeSearch") is suite_task("stb/HomeSearch-v0")
        True
    """
    if name in SUITE:
        return SUITE[name]
    for task in SUITE.values():
        if name in (task.suite, task.env_id):
            return task
    known = ", ".join(SUITE)
    raise ConfigError(f"no ToolBench task {name!r}; there is {known}.{did_you_mean(name, list(SUITE))}")


@lru_cache
def _documents(world: str) -> tuple[tuple[str, str], ...]:
    found = _offered(world, "tools", "documents")()
    return tuple((name, text) for name, text in found)


@lru_cache
def _examples(world: str, version: str, syntax: Syntax) -> tuple[Example, ...]:
    offered = _offered(world, "demos", "demonstrations")
    found = offered(version) if version else offered()
    return tuple(Example(name, goal, program, _text(goal, program, syntax)) for name, goal, program in found)


def _offered(world: str, module: str, function: str) -> Callable[..., Iterable[Sequence[str]]]:
    path = f"stb_env.suites.sambanova.{world}.{module}"
    try:
        offered: Callable[..., Iterable[Sequence[str]]] = getattr(importlib.import_module(path), function)
    except (ModuleNotFoundError, AttributeError) as error:
        raise ConfigError(f"the world {world!r} offers no {function}: {error}; update stb_env") from error
    return offered


def _text(goal: str, program: str, syntax: Syntax) -> str:
    turns = _turns(program) if syntax == "pages" else [(goal, program)]
    return "\n".join(example_text(asked, answer) for asked, answer in turns)


def _turns(trajectory: str) -> list[tuple[str, str]]:
    """Return the pages of a trajectory with the action on each."""
    parts = _ON_PAGE.split(trajectory)
    return [(page.strip(), action) for page, action in zip(parts[::2], parts[1::2], strict=False)]


def _requests(world: str, program: str) -> list[str]:
    parse = importlib.import_module(f"stb_env.suites.sambanova.{world}.program").parse
    named = [
        (call.name, call.arguments if not isinstance(call.arguments, str) else {})
        for call in parse(program).calls
    ]
    return [" ".join([name, *sorted(key for key in arguments if key != _KEY)]) for name, arguments in named]


def _called(program: str) -> Iterator[str]:
    try:
        tree = ast.parse(program[:_LONGEST])
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        yield from _CALLED.findall(program)
        return
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    for call in sorted(calls, key=lambda node: (node.end_lineno or 0, node.end_col_offset or 0)):
        match call.func:
            case ast.Name(name) | ast.Attribute(attr=name):
                yield name
