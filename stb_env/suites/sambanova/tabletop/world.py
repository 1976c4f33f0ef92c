"""The table as a backend; its state is what stands on it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, partial

import numpy as np

from stb_env.backend.world import World
from stb_env.core.jsontypes import Json, JsonObject
from stb_env.core.request import Slow
from stb_env.errors import DataError, did_you_mean
from stb_env.suites.sambanova.common.fingerprint import world_fingerprint
from stb_env.suites.sambanova.common.interpreter.arrays import NUMPY, Arrays
from stb_env.suites.sambanova.common.interpreter.budget import Budget, weigh
from stb_env.suites.sambanova.common.interpreter.child import watched_world
from stb_env.suites.sambanova.common.interpreter.costs import RULES
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.common.interpreter.kinds import Native
from stb_env.suites.sambanova.common.interpreter.machine import Machine, Outcome
from stb_env.suites.sambanova.common.interpreter.reader import PROGRAM
from stb_env.suites.sambanova.common.interpreter.values import PYTHON_ERRORS, said
from stb_env.suites.sambanova.tabletop import costs
from stb_env.suites.sambanova.tabletop.libraries import MODULES
from stb_env.suites.sambanova.tabletop.primitives import BY_NAME, PRIMITIVES
from stb_env.suites.sambanova.tabletop.robot import Robot
from stb_env.suites.sambanova.tabletop.scene import Scene
from stb_env.suites.sambanova.tabletop.shapes import AFFINITY, GEOMETRY, Shape
from stb_env.suites.sambanova.tabletop.tools import TOOLS
from stb_env.tasks import Task
from stb_env.tools import Tool, ToolCall, ToolResult

VERSION = 2

# What the original refuses wherever it stands in the text.
_FORBIDDEN = ("import", "__")
_KINDS = (Arrays(objects=True),)


class TabletopWorld(World[Scene]):
    """Moves blocks; one world serves any number of episodes.

    Args:
        original: Whether what the original refuses or misspells is so here too.

    Examples:
        >>> from stb_env.suites.sambanova.tabletop.tools import BY_NAME as TOOL
        >>> scene = Scene.of({"red block": (0.1, -0.4)}, {})
        >>> result, after = TabletopWorld().call(
        ...     scene, TOOL["put_first_on_second"], {"first": "red block", "second": [0, -0.5]}
        ... )
        >>> result.response, after.blocks
        ({'red block': [0.0, -0.5, 0.02]}, {'red block': (0.0, -0.5, 0.02)})
    """

    def __init__(self, *, original: bool = False) -> None:
        self.original = original

    @property
    def fingerprint(self) -> dict[str, object]:
        """Version of the world and a hash over its documentation."""
        return world_fingerprint("tabletop", VERSION, TOOLS, original=self.original) | {"costs": RULES}

    def start(self, task: Task, seed: int) -> Scene:  # noqa: ARG002
        """Return the table as the task finds it."""
        return start_of(task)

    def call(self, state: Scene, tool: Tool, arguments: Mapping[str, object]) -> tuple[ToolResult, Scene]:
        """Make one call, or run a program; what fails leaves the table as it is.

        Raises:
            DataError: The tool is not one of this world's.
        """
        robot = Robot(state)
        try:
            if tool.name == PROGRAM:
                return _played(state, str(arguments.get("text", "")), self.original)
            primitive = BY_NAME.get(tool.name)
            if primitive is None:
                near = did_you_mean(tool.name, BY_NAME)
                raise DataError(f"{tool.name!r} is no tool of the table; take tools from its tasks.{near}")
            response = _plain(primitive.run(robot, **arguments))
            if primitive.moves:
                response = _changes(state, robot.scene)
        except CrashError as error:
            return ToolResult.of("", error=str(error), source="world"), state
        except PYTHON_ERRORS as error:
            return ToolResult.of("", error=said(error), source="world"), state
        return ToolResult.of(response, source="world"), robot.scene

    def answer(self, state: Scene, tool: Tool, call: ToolCall) -> Slow[tuple[ToolResult, Scene]]:
        """Answer one call; a program runs in a child process."""
        if tool.name == PROGRAM and not isinstance(call.arguments, str):
            text = str(call.arguments.get("text", ""))
            return (yield from watched_world(_played, state, text, self.original))
        return (yield from super().answer(state, tool, call))


def _played(state: Scene, text: str, original: bool) -> tuple[ToolResult, Scene]:
    """Run a program on the table.

    Raises:
        CrashError: It does not run through.
    """
    robot = Robot(state, original=original)
    try:
        response = _report(run(text, robot), state, robot.scene)
    except PYTHON_ERRORS as error:
        raise CrashError(said(error)) from error
    return ToolResult.of(response, source="world"), robot.scene


def run(
    text: str, robot: Robot, more: Mapping[str, object] | None = None, *, budget: Budget | None = None
) -> Outcome:
    """Run a program; ``objects`` is there from the start, as the names of all objects.

    Args:
        text: The program.
        robot: What it acts with.
        more: Names that it is given besides.
        budget: The steps that it may take.

    Raises:
        CrashError: It does not run through.
    """
    for part in _FORBIDDEN if robot.original else ():
        if part in text:
            raise CrashError(f"programs must not contain {part!r}")
    names: dict[str, object] = {
        each.name: Native(each.name, partial(each.run, robot), costs.PRIMITIVES[each.name])
        for each in PRIMITIVES
    }
    names |= {
        "np": NUMPY,
        "affinity": AFFINITY,
        **GEOMETRY,
        "objects": robot.names(),
        "__name__": "__main__",
        **(more or {}),
    }
    machine = Machine(names, modules={} if robot.original else MODULES, kinds=_KINDS, budget=budget)
    with np.errstate(all="ignore"):
        # What NumPy warns of is the program's affair.
        return machine.run(text)


def start_of(task: Task) -> Scene:
    """Return the table as a task finds it."""
    positions = task.goal["positions"]
    return _scene(tuple((name, tuple(at)) for name, at in positions.items()))


@lru_cache(maxsize=1_024)
def _scene(positions: tuple[tuple[str, tuple[float, ...]], ...]) -> Scene:
    return Scene.of(
        {name: at for name, at in positions if name.endswith("block")},
        {name: at for name, at in positions if not name.endswith("block")},
    )


def _report(outcome: Outcome, before: Scene, after: Scene) -> JsonObject:
    report: JsonObject = {"moved": _changes(before, after)}
    if outcome.printed:
        report["printed"] = list(outcome.printed)
    if outcome.value is not None:
        weigh(outcome.value)
        report["value"] = _plain(outcome.value)
    return report


def _changes(before: Scene, after: Scene) -> dict[str, list[float]]:
    return {name: list(at) for name, at in after.blocks.items() if before.blocks[name] != at}


def _plain(value: object) -> Json:
    """Return a value as JSON data."""
    match value:
        case np.ndarray():
            return np.round(value, 6).tolist()
        case Shape():
            return [list(point) for point in value.ring]
        case list() | tuple():
            return [_plain(item) for item in value]
        case dict():
            return {str(key): _plain(item) for key, item in value.items()}
        case bool() | int() | float() | str() | None:
            return value
    return repr(value)
