"""The Sandbox as the real API behind the virtual backend, sound or with broken endpoints, and its tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stb_env import ConfigError, Task, TaskSet, Tool, ToolCall, ToolResult, seeding
from stb_env.backend.backend import Example
from stb_env.backend.cache import CacheEntry
from stb_env.backend.cache.key import read_arguments
from stb_env.backend.real_api.remote_server import accepted
from stb_env.backend.simulator.template import TemplateSimulator
from stb_env.backend.taxonomy import ApiClass, RealCheck
from stb_env.core.request import Slow
from stb_env.suites.sandbox.catalog import household
from stb_env.suites.sandbox.content.households import COUNT
from stb_env.suites.sandbox.task_key import EDITIONS
from stb_env.suites.sandbox.tasks import SandboxTasks
from stb_env.suites.sandbox.template import templates
from stb_env.suites.sandbox.world import SandboxWorld
from stb_env.tools import ToolId

HOME = EDITIONS["test"][0] * COUNT
"""The first household of the test split, in which tasks without a household of their own play too."""


COUNTS: Mapping[ApiClass, int] = {
    ApiClass.NOT_AUTHORISED: 1058,
    ApiClass.NOT_CONNECTED: 2426,
    ApiClass.NOT_FOUND: 583,
    ApiClass.PARAMETER_CHANGE: 591,
    ApiClass.PARSING_ERROR: 4247,
}
"""Numbers of APIs that the paper found broken in each way (Tables 10 and 11); the odds here."""

# Error and response. Each API of a kind keeps to one of its wordings.
_WORDINGS: Mapping[ApiClass, tuple[tuple[str, str | dict[str, str | int]], ...]] = {
    ApiClass.NOT_AUTHORISED: (
        ("", {"message": "Unauthorized: this key has no access"}),
        ("", {"message": "This endpoint is disabled for your subscription"}),
        ("", {"error": "invalid credentials", "code": 401}),
    ),
    ApiClass.NOT_CONNECTED: (
        ("", {"message": "connection timed out"}),
        ("HTTP error: upstream did not answer", ""),
        ("", {"error": "rate limit exceeded"}),
    ),
    ApiClass.NOT_FOUND: (
        ("", {"message": "API doesn't exists"}),
        ("", "Service Not Found"),
        ("", {"message": "Internal error", "status": 500}),
    ),
    ApiClass.PARAMETER_CHANGE: (
        ("", {"message": "missing required parameter: locale"}),
        ("", {"error": "variable region is not defined"}),
    ),
    ApiClass.PARSING_ERROR: (
        ("Function executing from sandbox.stub import call error...\ninvalid syntax", ""),
        ("Function executing from sandbox.stub import call error...\nunterminated string literal", ""),
    ),
}


class WorldAPI:
    """Answers calls of the Sandbox's APIs as a `RealAPI`.

    A real API knows of no episode: every call meets the same state, the start of one household, and what
    it changes is forgotten. Only tasks that look and write nothing can be solved that way.

    Args:
        home: Number of the household.
        check: Which reading decides whether an answer is usable, as for any real API; None passes on
            everything, as an agent without a virtual system would see it.

    Examples:
        >>> from stb_env.core.request import drive
        >>> from stb_env.suites.sandbox.catalog import tools
        >>> rate = next(tool for tool in tools().values() if tool.id.api == "get_rate")
        >>> drive(WorldAPI().request(rate, {"base_code": "AUR", "quote_code": "AUR"})).text
        '{"error": "", "response": {"base": "AUR", "quote": "AUR", "rate": 1.0}}'
    """

    def __init__(self, home: int = HOME, check: RealCheck | None = "default") -> None:
        self.home, self.check = home, check
        self._world = SandboxWorld()

    @property
    def fingerprint(self) -> dict[str, object]:
        """World, household and check."""
        return {**self._world.fingerprint, "household": self.home, "check": self.check or "none"}

    def request(self, tool: Tool, arguments: Mapping[str, object] | str) -> Slow[ToolResult]:
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


class FlawedAPI:
    """A `RealAPI` around the Sandbox with broken APIs; what it answered is remembered.

    Args:
        share: Share of the APIs that are broken, each by its own draw.
        seed: Decides which ones, and how.
        check: Which reading decides whether an answer is usable; None passes on everything.

    Attributes:
        answers: Every raw answer so far, by the call's key.

    Raises:
        ConfigError: The share is none.

    Examples:
        >>> from stb_env.core.request import drive
        >>> from stb_env.suites.sandbox.catalog import tools
        >>> rate = next(tool for tool in tools().values() if tool.id.api == "get_rate")
        >>> broken = FlawedAPI(1.0, seed=2)
        >>> broken.flaw(rate.id).value, drive(broken.request(rate, {})).response
        ('parameter_change', {'message': 'missing required parameter: locale'})
    """

    def __init__(self, share: float = 0.5, seed: int = 0, check: RealCheck | None = None) -> None:
        if not 0 <= share <= 1:
            raise ConfigError(f"the share of broken APIs is from 0 to 1, got {share!r}")
        self.share, self.seed, self.check = share, seed, check
        self.answers: dict[str, CacheEntry] = {}
        self._sound = WorldAPI(check=None)

    @property
    def fingerprint(self) -> dict[str, object]:
        """The sound API's, with share, seed and check."""
        own = {"share": self.share, "seed": self.seed, "check": self.check or "none"}
        return {**self._sound.fingerprint, **own}

    def flaw(self, identity: ToolId) -> ApiClass | None:
        """Return in which way an API is broken, or None."""
        rng = seeding.rng("flawed api", self.seed, *identity)
        if rng.random() >= self.share:
            return None
        return rng.choices(list(COUNTS), weights=list(COUNTS.values()))[0]

    def request(self, tool: Tool, arguments: Mapping[str, object] | str) -> Slow[ToolResult]:
        """Answer a call.

        Raises:
            BackendError: The answer says that the API does not work, and answers are checked.
        """
        flaw = self.flaw(tool.id)
        if flaw is None:
            result = yield from self._sound.request(tool, arguments)
        else:
            error, response = seeding.rng("flaw wording", self.seed, *tool.id).choice(_WORDINGS[flaw])
            result = ToolResult.of(response, error=error, source="real")
        entry = CacheEntry.of(tool.id, arguments, result.response, error=result.error, source="real")
        self.answers.setdefault(entry.key, entry)
        if self.check is None:
            return result
        return accepted({"error": result.error, "response": result.response}, self.check)


class LiveTemplate:
    """The template simulator in the place of a model: a `Simulator` that never waits.

    Args:
        template: Answers.
    """

    def __init__(self, template: TemplateSimulator | None = None) -> None:
        self.template = template or TemplateSimulator()

    @property
    def fingerprint(self) -> dict[str, object]:
        """The template simulator's version, as the model's name."""
        return {"model": self.template.version}

    def simulate(
        self, tool: Tool, arguments: Mapping[str, object] | str, *, key: str, examples: Sequence[Example] = ()
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
