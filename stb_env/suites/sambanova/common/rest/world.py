"""A REST service as a backend."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from stb_env.actions.validation import check_call
from stb_env.backend.world import World
from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import DataError, did_you_mean
from stb_env.suites.sambanova.common.fingerprint import world_fingerprint
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.common.rest.actions import CURL
from stb_env.suites.sambanova.common.rest.curl import MAX_COMMAND, Answer, CurlError, Request, read_request
from stb_env.suites.sambanova.common.rest.service import S, Service
from stb_env.tasks import Task
from stb_env.tools import Status, Tool, ToolResult

_MOST_REMEMBERED = 200


class RestWorld(World[S]):
    """Answers requests to a service; one world serves any number of episodes.

    Args:
        service: The service.
        original: Whether commands run as the original runs them, quirks included.
    """

    def __init__(self, service: Service[S], *, original: bool = False) -> None:
        self.service = service
        self._original = original

    @property
    def fingerprint(self) -> dict[str, object]:
        """Version of the service and a hash over its documentation."""
        service = self.service
        return world_fingerprint(
            service.name, service.version, service.tools.values(), original=self._original
        )

    def start(self, task: Task, seed: int) -> S:  # noqa: ARG002
        """Return the state as the task finds it."""
        return self.service.start(task)

    def call(self, state: S, tool: Tool, arguments: JsonMapping) -> tuple[ToolResult, S]:
        """Send one request.

        Raises:
            DataError: The tool is not one of this service's.
        """
        if tool.name == CURL:
            return self._curl(state, str(arguments.get("command", "")))
        endpoint = self.service.by_name.get(tool.name)
        if endpoint is None:
            near = did_you_mean(tool.name, self.service.tools)
            raise DataError(
                f"{tool.name!r} is no tool of the {self.service.title}; take tools from its tasks.{near}"
            )
        request = self.service.request(endpoint, arguments)
        if not self.service.is_stateless:
            return _shown(*self.service.respond(request, state))
        params = tuple(request.params.items())
        # What the service turns down for its length is nothing to remember.
        is_long = any(len(name) + len(text) > _MOST_REMEMBERED for name, text in params)
        return (_answered.__wrapped__ if is_long else _answered)(self.service, request.path, params), state

    def _curl(self, state: S, command: str) -> tuple[ToolResult, S]:
        if self._original:
            if not self.service.is_stateless:
                return _run(self.service, command, state)
            # What is too long to be read is nothing to remember.
            remembered = _ran if len(command) <= MAX_COMMAND else _ran.__wrapped__
            return remembered(self.service, command), state
        call = self.service.typed_label(command)
        if call.name == CURL:
            return self._sent_as_it_is(state, command)
        tool = self.service.tools[call.name]
        checked = check_call(call, tool)
        if checked.violations or isinstance(checked.arguments, str):
            error = "invalid parameters: " + "; ".join(violation.message for violation in checked.violations)
            return ToolResult.of("", error=error, source="world", status=Status.INVALID_ARGUMENTS), state
        return self.call(state, tool, checked.arguments)

    def _sent_as_it_is(self, state: S, command: str) -> tuple[ToolResult, S]:
        """Send a command that stands for no call: mostly to find out what is wrong with it."""
        if self.service.key_field:
            command = command.replace(self.service.key_field, self.service.key)
        try:
            return _shown(*self.service.fetch(read_request(command), state))
        except CurlError as error:
            return ToolResult.of("", error=f"curl: ({error.code}) {error}", source="world"), state


@lru_cache(maxsize=64)
def _answered(service: Service[Any], path: str, params: tuple[tuple[str, str], ...]) -> ToolResult:
    return _shown(*service.respond(Request("GET", service.host, path, dict(params)), ()))[0]


@lru_cache(maxsize=64)
def _ran(service: Service[Any], command: str) -> ToolResult:
    return _run(service, command, ())[0]


def _run(service: Service[S], command: str, state: S) -> tuple[ToolResult, S]:
    try:
        items, state = service.run(command, state)
    except CrashError as error:
        return ToolResult.of("", error=str(error), source="world"), state
    return ToolResult.of(items, source="world"), state


def _shown(answer: Answer, state: S) -> tuple[ToolResult, S]:
    if answer.code == 200:
        return ToolResult.of(answer.body, source="world"), state
    message = answer.body["message"] if isinstance(answer.body, Mapping) else answer.body
    return ToolResult.of("", error=f"HTTP {answer.code}: {message}", source="world"), state
