"""API-Bank as a backend."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Literal

from stb_env.backend.world import World
from stb_env.core.jsontypes import Json, JsonMapping
from stb_env.errors import ConfigError, DataError, did_you_mean
from stb_env.suites.api_bank.api_error import ApiError, ArgumentsError
from stb_env.suites.api_bank.api_set import LEVEL_12, ApiSet
from stb_env.suites.api_bank.apis.smart_home import DEVICE_IDS
from stb_env.suites.api_bank.apis.tool_search import SEARCHER
from stb_env.suites.api_bank.argument_forms import NOTHING_LOOSE, Loose, as_stored
from stb_env.suites.api_bank.databases import Databases, embedded
from stb_env.suites.api_bank.definition import API
from stb_env.suites.api_bank.errata import errata
from stb_env.suites.api_bank.formats.dialogues import Envelope
from stb_env.suites.api_bank.state import State
from stb_env.tasks import Task
from stb_env.tools import Status, Tool, ToolResult

VERSION = 2
"""Raised whenever equal calls stop giving equal bytes."""

Searcher = Callable[[str], Json]
"""Returns what the tool search answers to keywords, or raises `ApiError`."""


class ApiBankWorld(World[State]):
    """Runs one set of API-Bank's APIs. It holds no episode, so one serves any number of them.

    Args:
        apis: `LEVEL_12` or `LEVEL_3`, perhaps described otherwise.
        databases: What the APIs know at the start; None takes the content that comes with the package.
        searcher: Answers ToolSearcher.
        compat: ``"original"`` takes arguments and judges results exactly as the released code does; by
            default its known defects are cured (see ``errata.json``).

    Raises:
        ConfigError: ``compat`` is unknown.

    Examples:
        >>> world = ApiBankWorld()
        >>> result, _ = world.call(world.fresh(), world.tools["Calculator"], {"formula": "(1+2)*3"})
        >>> result.response
        9.0
        >>> result, _ = world.call(world.fresh(), world.tools["PlayMusic"], {"music_name": " "})
        >>> result.error, result.status.name
        ('The music name cannot be empty.', 'TOOL_ERROR')
    """

    def __init__(
        self,
        apis: ApiSet = LEVEL_12,
        databases: Databases | None = None,
        *,
        searcher: Searcher | None = None,
        compat: Literal["original"] | None = None,
    ) -> None:
        if compat not in (None, "original"):
            raise ConfigError(f"compat must be 'original' or None, got {compat!r}")
        self.apis = apis
        self.databases = (databases or embedded()) if apis.uses_databases else Databases({}, {})
        self.tools = apis.tools
        self.original = compat == "original"
        self.searcher = searcher
        self._library = {**self.databases.library, SEARCHER: searcher}
        self._by_id = {tool.id: apis.apis[name] for name, tool in apis.tools.items()}
        self._tables = dict(self.databases.tables)
        if apis.uses_databases and not self.original:
            self._tables[DEVICE_IDS] = errata().device_ids

    @cached_property
    def fingerprint(self) -> dict[str, object]:
        """Version, set of APIs, and hashes over documentation and databases."""
        documentation = "\n".join(tool.spec for tool in self.tools.values()).encode("utf-8", "surrogatepass")
        return {
            "world": "api_bank",
            "version": VERSION,
            "apis": self.apis.name,
            "compat": "original" if self.original else f"errata {errata().version}",
            "tools": hashlib.sha256(documentation).hexdigest(),
            "databases": self.databases.fingerprint,
        }

    def start(self, task: Task, seed: int) -> State:
        """Return the state at the start of an episode.

        Args:
            task: The task; ``record["recorded_ids"]`` lists the ids that its dialogue recorded, by API, which
                are then handed out in place of random ones.
            seed: Decides random ids.
        """
        return self.fresh(seed, task.record.get("recorded_ids"))

    def fresh(self, seed: int = 0, recorded_ids: Mapping[str, tuple[str, ...]] | None = None) -> State:
        """Return a state in which nothing has happened yet."""
        return State(self._tables, seed, 0, recorded_ids or {})

    def call(self, state: State, tool: Tool, arguments: JsonMapping) -> tuple[ToolResult, State]:
        """Run one call; the response is the API's output, the error its exception's text.

        Raises:
            DataError: The tool is not one of this world's.
        """
        api = self._api(tool)
        try:
            bound = api.cast(arguments, original=self.original)
            bound = bound if self.original else as_stored(api.name, state, bound)
            run = api.run_untyped if self.original else api.run
            output, after = run(state, self._library, bound)
        except ArgumentsError as error:
            result = ToolResult.of("", error=str(error), source="world", status=Status.INVALID_ARGUMENTS)
            return result, state
        except ApiError as error:
            return ToolResult.of("", error=str(error), source="world"), state
        return ToolResult.of(output, source="world"), after

    def envelope(self, tool: Tool, arguments: Mapping[str, object], result: ToolResult) -> Envelope | None:
        """Return a call's result in the form that dialogues record: api_name, input, output, exception.

        Returns:
            The envelope, or None where the call never reached the API.
        """
        if result.status is Status.INVALID_ARGUMENTS:
            return None
        output, exception = (None, result.error) if result.error else (result.response, None)
        return self._api(tool).envelope(arguments, output, exception, original=self.original)

    def matches(
        self, tool: Tool, predicted: Envelope | None, gold: Envelope, loose: Loose = NOTHING_LOOSE
    ) -> bool:
        """Return whether a call's envelope is right, by the rule of its API.

        Args:
            tool: The API.
            predicted: The envelope; None where the call never reached the API.
            gold: The recorded envelope.
            loose: Arguments of the recorded call that nobody gave, so that any value will do; see
                `argument_origins`.
        """
        if predicted is None:
            return False
        return self._api(tool).matches(predicted, gold, original=self.original, loose=loose)

    def _api(self, tool: Tool) -> API:
        api = self._by_id.get(tool.id)
        if api is None:
            near = did_you_mean(tool.name, self.tools)
            raise DataError(f"{tool.name!r} is no tool of {self.apis.name}; take tools from its tasks.{near}")
        return api
