"""The Sandbox as the real API behind the virtual backend, and the tasks that can be played on it."""

from __future__ import annotations

from collections.abc import Sequence

from stb_env import Task, TaskSet, Tool, ToolCall, ToolResult
from stb_env.backend.backend import Example
from stb_env.backend.cache.key import read_arguments
from stb_env.backend.real_api.remote_server import accepted
from stb_env.backend.simulator.template import TemplateSimulator
from stb_env.jsontypes import JsonMapping, JsonObject
from stb_env.metrics.taxonomy import RealCheck
from stb_env.request import Slow
from stb_env.suites.sandbox.catalog import household
from stb_env.suites.sandbox.content.households import COUNT
from stb_env.suites.sandbox.task_key import EDITIONS
from stb_env.suites.sandbox.tasks import SandboxTasks
from stb_env.suites.sandbox.template import templates
from stb_env.suites.sandbox.world import SandboxWorld

HOME = EDITIONS["test"][0] * COUNT
"""The first household of the test split, in which tasks without a household of their own play too."""


class WorldAPI:
    """Answers calls of the Sandbox's APIs as a `RealAPI`.

    A real API knows of no episode: every call meets the same state, the start of one household, and what
    it changes is forgotten. Only tasks that look and write nothing can be solved that way.

    Args:
        home: Number of the household.
        check: Which reading decides whether an answer is usable, as for any real API; None passes on
            everything, as an agent without a virtual system would see it.

    Examples:
        >>> from stb_env.request import drive
        >>> from stb_env.suites.sandbox.catalog import tools
        >>> rate = next(tool for tool in tools().values() if tool.id.api == "get_rate")
        >>> drive(WorldAPI().request(rate, {"base_code": "AUR", "quote_code": "AUR"})).text
        '{"error": "", "response": {"base": "AUR", "quote": "AUR", "rate": 1.0}}'
    """

    def __init__(self, home: int = HOME, check: RealCheck | None = "default") -> None:
        self.home, self.check = home, check
        self._world = SandboxWorld()

    @property
    def fingerprint(self) -> JsonObject:
        """World, household and check."""
        return {**self._world.fingerprint, "household": self.home, "check": self.check or "none"}

    def request(self, tool: Tool, arguments: JsonMapping | str) -> Slow[ToolResult]:
        """Answer a call.

        Raises:
            BackendError: The answer says that the API does not work.
            DataError: The tool is not one of the Sandbox's.
        """
        call = ToolCall(tool.name, read_arguments(arguments))
        result, _ = yield from self._world.answer(household(self.home), tool, call)
        if self.check is not None:
            return accepted({"error": result.error, "response": result.response}, self.check)
        return ToolResult.of(result.response, error=result.error, source="real")


class LiveTemplate:
    """The template simulator in the place of a model: a `Simulator` that never waits.

    Args:
        template: Answers.
    """

    def __init__(self, template: TemplateSimulator | None = None) -> None:
        self.template = template or TemplateSimulator()

    @property
    def fingerprint(self) -> JsonObject:
        """The template simulator's version, as the model's name."""
        return {"model": self.template.version}

    def simulate(
        self, tool: Tool, arguments: JsonMapping | str, *, key: str, examples: Sequence[Example] = ()
    ) -> Slow[ToolResult]:
        """Answer in an API's place."""
        yield from ()
        responses = [example.response for example in examples]
        return self.template.simulate(tool, arguments, key=key, examples=responses)


def reading_tasks(home: int | None = HOME, split: str = "test") -> TaskSet:
    """Return the tasks of a listed split that write nothing and play in one household, or in any.

    Args:
        home: Number of the household; None for all of them.
        split: ``test`` or ``val``.
    """
    listed = SandboxTasks(split)
    tasks = map(listed.at, range(listed.size or 0))
    return TaskSet((task for task in tasks if is_reading(task, home)), name="Sandbox, reading only")


def is_reading(task: Task, home: int | None) -> bool:
    """Say whether a Sandbox task can be solved without writing, in this household (None for any)."""
    known = templates()[task.record["template"]]
    return not known.writes and not task.goal["writes"] and home in (None, task.record["household"])
