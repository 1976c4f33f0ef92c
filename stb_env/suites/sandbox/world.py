"""The sandbox as a backend."""

from __future__ import annotations

import hashlib

from stb_env.backend.world import Tables, World
from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import DataError, did_you_mean
from stb_env.suites.sandbox.api_error import ApiError, ArgumentsError
from stb_env.suites.sandbox.catalog import apis, household, tools
from stb_env.tasks import Task
from stb_env.tools import Status, Tool, ToolResult

VERSION = 6
"""Raised whenever equal calls or task ids stop giving equal bytes."""


class SandboxWorld(World[Tables]):
    """Runs the sandbox's tools. It holds nothing itself, so one serves any number of episodes.

    Examples:
        >>> world = SandboxWorld()
        >>> tool = next(tool for tool in tools().values() if tool.id.api == "get_rate")
        >>> result, _ = world.call(household(0), tool, {"base_code": "aur", "quote_code": "AUR"})
        >>> result.response
        {'base': 'AUR', 'quote': 'AUR', 'rate': 1.0}
    """

    @property
    def fingerprint(self) -> dict[str, object]:
        """Version of the world and a hash over all documentation."""
        digest = hashlib.sha256("\n".join(tool.spec for tool in tools().values()).encode())
        return {"world": "sandbox", "version": VERSION, "tools": digest.hexdigest()}

    def start(self, task: Task, seed: int) -> Tables:  # noqa: ARG002
        """Return the starting state of the household in which the task plays."""
        return household(task.record.get("household", 0))

    def call(self, state: Tables, tool: Tool, arguments: JsonMapping) -> tuple[ToolResult, Tables]:
        """Run one call.

        Raises:
            DataError: The tool is not one of the sandbox's.
        """
        api = apis().get(tool.id)
        if api is None:
            near = did_you_mean(tool.id.api, (known.api for known in apis()))
            raise DataError(f"{tool.name!r} is no tool of the sandbox; take tools from its tasks.{near}")
        try:
            response, state = api.run(state, arguments)
        except ArgumentsError as error:
            result = ToolResult.of("", error=str(error), source="world", status=Status.INVALID_ARGUMENTS)
            return result, state
        except ApiError as error:
            return ToolResult.of("", error=str(error), source="world"), state
        return ToolResult.of(response, source="world"), state
