"""The household as a backend. Nothing is simulated: a step is done where function and objects fit."""

from __future__ import annotations

import hashlib

from stb_env.backend.world import World
from stb_env.errors import DataError, did_you_mean
from stb_env.jsontypes import JsonMapping, JsonObject
from stb_env.suites.sambanova.virtual_home.grounding import problem
from stb_env.suites.sambanova.virtual_home.step import Step, read_steps
from stb_env.suites.sambanova.virtual_home.tools import STEP, tools_of
from stb_env.suites.sambanova.virtual_home.vocabulary import Vocabulary, embedded
from stb_env.tasks import Task
from stb_env.tools import Status, Tool, ToolResult

VERSION = 2


class VirtualHomeWorld(World):
    """Answers steps; the state is the program so far, a tuple of lines.

    Args:
        vocabulary: Which objects each function takes.
        original: Whether lines are taken as the original takes them.

    Examples:
        >>> world = VirtualHomeWorld()
        >>> tool = next(tool for tool in world.tools if tool.name == "Put")
        >>> result, state = world.call((), tool, {"object1": "cup", "object2": "table"})
        >>> result.response, state
        ({'step': 1, 'done': 'Agent.Put(cup, table)'}, ('Agent.Put(cup, table)',))
    """

    def __init__(self, vocabulary: Vocabulary | None = None, *, original: bool = False) -> None:
        self.vocabulary = vocabulary or embedded()
        self.tools = tools_of(self.vocabulary)
        self._original = original

    @property
    def fingerprint(self) -> JsonObject:
        """Version of the rules and a hash over the tools, which name every object."""
        digest = hashlib.sha256("\n".join(tool.spec for tool in self.tools).encode())
        return {
            "world": "virtual_home",
            "version": VERSION,
            "original": self._original,
            "tools": digest.hexdigest(),
        }

    def start(self, task: Task, seed: int) -> tuple[str, ...]:  # noqa: ARG002
        """Return the empty program."""
        return ()

    def call(
        self, state: tuple[str, ...], tool: Tool, arguments: JsonMapping
    ) -> tuple[ToolResult, tuple[str, ...]]:
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
            error = f"{tool.name} does not take {dict(arguments)}"[:300]
            return ToolResult.of("", error=error, source="world", status=Status.INVALID_ARGUMENTS), state
        return _done(state, step.line)

    def _line(self, state: tuple[str, ...], line: str) -> tuple[ToolResult, tuple[str, ...]]:
        if self._original:
            wrong = problem(line, self.vocabulary)
        else:
            steps = read_steps(line) or []
            line = steps[0].line if len(steps) == 1 else line
            is_allowed = len(steps) == 1 and self.vocabulary.allows(*steps[0])
            wrong = "" if is_allowed else "it is no call of a function with its objects"
        if not wrong:
            return _done(state, line)
        error = f"the line {line[:200]!r} is no step: {wrong}; write one as Agent.Find(cup)"
        return ToolResult.of("", error=error, source="world"), state


def _done(state: tuple[str, ...], line: str) -> tuple[ToolResult, tuple[str, ...]]:
    state = (*state, line)
    return ToolResult.of({"step": len(state), "done": line}, source="world"), state
