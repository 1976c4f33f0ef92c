"""The household as a backend: steps change the home where it is known what an activity is to reach.

Elsewhere, and by the original's rules, nothing is simulated: a step is done where function and objects fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from stb_env.backend.world import World
from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import DataError, did_you_mean
from stb_env.suites.sambanova.common.fingerprint import world_fingerprint
from stb_env.suites.sambanova.virtual_home.acts import RefusedError, done
from stb_env.suites.sambanova.virtual_home.grounding import problem
from stb_env.suites.sambanova.virtual_home.home import Home
from stb_env.suites.sambanova.virtual_home.step import Step, read_steps
from stb_env.suites.sambanova.virtual_home.tools import STEP, tools_of
from stb_env.suites.sambanova.virtual_home.vocabulary import Vocabulary, embedded
from stb_env.tasks import Task
from stb_env.tools import Status, Tool, ToolResult

VERSION = 3

_LOOKS = frozenset({"Find", "WalkTo", "RunTo", "TurnTo", "LookAt"})


class Progress(NamedTuple):
    """The progress of an episode.

    Attributes:
        program: Lines of the steps that were done.
        home: What they led to; None where nothing is simulated.
    """

    program: tuple[str, ...] = ()
    home: Home | None = None


class VirtualHomeWorld(World[Progress]):
    """Answers steps; what looks at a thing says in what state that is.

    Args:
        vocabulary: Which objects each function takes.
        original: Whether lines are taken as the original takes them.

    Examples:
        >>> world = VirtualHomeWorld()
        >>> tool = next(tool for tool in world.tools if tool.name == "Put")
        >>> put = {"object1": "cup", "object2": "table"}
        >>> result, state = world.call(Progress(), tool, put)
        >>> result.response, state.program
        ({'step': 1, 'done': 'Agent.Put(cup, table)'}, ('Agent.Put(cup, table)',))
        >>> world.call(Progress(home=Home()), tool, put)[0].error
        'Agent.Put(cup, table) was not done: hold the cup first: grab it'
    """

    def __init__(self, vocabulary: Vocabulary | None = None, *, original: bool = False) -> None:
        self.vocabulary = vocabulary or embedded()
        self.tools = tools_of(self.vocabulary)
        self._original = original

    @property
    def fingerprint(self) -> dict[str, object]:
        """Version of the rules and a hash over the tools, which name every object."""
        return world_fingerprint("virtual_home", VERSION, self.tools, original=self._original)

    def start(self, task: Task, seed: int) -> Progress:  # noqa: ARG002
        """Return the empty program, and the home as the task has it."""
        goal = task.goal
        if self._original or "reaches" not in goal:
            return Progress()
        return Progress(home=Home.of(goal["given"]))

    def call(self, state: Progress, tool: Tool, arguments: JsonMapping) -> tuple[ToolResult, Progress]:
        """Do one step.

        Raises:
            DataError: The tool is not one of this world's.
        """
        if tool.name == STEP:
            return self._line(state, str(arguments.get("line", "")))
        if tool.name not in self.vocabulary.functions:
            near = did_you_mean(tool.name, self.vocabulary.functions)
            raise DataError(f"{tool.name!r} is no function of a household; take tools from its tasks.{near}")
        places = self.vocabulary.places(tool.name)
        step = Step(tool.name, tuple(str(arguments.get(place, "")) for place in places))
        if len(arguments) != len(places) or not self.vocabulary.allows(step.name, step.objects):
            error = f"{tool.name} does not take {str(dict(arguments))[:300]}; {self._takes(tool.name)}"
            return ToolResult.of("", error=error, source="world", status=Status.INVALID_ARGUMENTS), state
        return _take(state, step)

    def _line(self, state: Progress, line: str) -> tuple[ToolResult, Progress]:
        if self._original:
            return self._original_line(state, line)
        steps = read_steps(line) or []
        if len(steps) != 1:
            return _no_step(state, line, "it is no call of a function with its objects")
        if self.vocabulary.allows(*steps[0]):
            return _take(state, steps[0])
        return _no_step(state, line, self._takes(steps[0].name))

    def _original_line(self, state: Progress, line: str) -> tuple[ToolResult, Progress]:
        wrong = problem(line, self.vocabulary)
        return _no_step(state, line, wrong) if wrong else _added(state, line, state.home)

    def _takes(self, name: str) -> str:
        """Say which objects a function takes, all of them."""
        if name not in self.vocabulary.functions:
            return f"{name[:80]!r} is no function.{did_you_mean(name, self.vocabulary.functions)}"
        places = self.vocabulary.places(name)
        told = [f"{place} is one of: {', '.join(objects)}" for place, objects in places.items()]
        return f"{name} takes {'; '.join(told) or 'no object'}"


def _take(state: Progress, step: Step) -> tuple[ToolResult, Progress]:
    if state.home is None:
        return _added(state, step.line, None)
    try:
        home = done(state.home, step)
    except RefusedError as refusal:
        error = f"{step.line} was not done: {refusal}"
        return ToolResult.of("", error=error, source="world"), state
    return _added(state, step.line, home, home.about(step.objects[0]) if step.name in _LOOKS else [])


def _added(
    state: Progress, line: str, home: Home | None, seen: Sequence[str] = ()
) -> tuple[ToolResult, Progress]:
    state = Progress((*state.program, line), home)
    told = {"step": len(state.program), "done": line, **({"seen": list(seen)} if seen else {})}
    return ToolResult.of(told, source="world"), state


def _no_step(state: Progress, line: str, wrong: str) -> tuple[ToolResult, Progress]:
    error = f"the line {line[:200]!r} is no step: {wrong}; write one as Agent.Find(cup)"
    return ToolResult.of("", error=error, source="world"), state
