"""The weather service as a backend; it has no state."""

from __future__ import annotations

import hashlib
from functools import lru_cache

from stb_env import jsontext
from stb_env.backend.world import World
from stb_env.errors import DataError, did_you_mean
from stb_env.jsontypes import JsonMapping, JsonObject
from stb_env.suites.sambanova.common.curl.crash import CrashError
from stb_env.suites.sambanova.common.curl.reader import CURL
from stb_env.suites.sambanova.common.curl.request import Answer, read_request
from stb_env.suites.sambanova.common.curl.words import MAX_COMMAND, CurlError
from stb_env.suites.sambanova.open_weather.apis import BY_NAME, KEY_FIELD
from stb_env.suites.sambanova.open_weather.command import as_typed
from stb_env.suites.sambanova.open_weather.original import run
from stb_env.suites.sambanova.open_weather.service import KEY, MAX_VALUE, VERSION, fetch, respond
from stb_env.suites.sambanova.open_weather.tools import BY_NAME as TOOLS_BY_NAME
from stb_env.suites.sambanova.open_weather.tools import TOOLS
from stb_env.tasks import Task
from stb_env.tools import Status, Tool, ToolCall, ToolResult
from stb_env.validation import check_call


class OpenWeatherWorld(World[tuple[()]]):
    """Answers weather requests; one serves any number of episodes.

    Args:
        original: Whether commands run as the original runs them, quirks included.

    Examples:
        >>> world = OpenWeatherWorld()
        >>> result, _ = world.call((), TOOLS_BY_NAME["coordinates_of_place"], {"q": "oslo"})
        >>> result.response[0]["lat"]
        59.9
    """

    def __init__(self, *, original: bool = False) -> None:
        self._original = original

    @property
    def fingerprint(self) -> JsonObject:
        """Version of the service and a hash over its documentation."""
        digest = hashlib.sha256("\n".join(tool.spec for tool in TOOLS).encode())
        return {
            "world": "open_weather",
            "version": VERSION,
            "original": self._original,
            "tools": digest.hexdigest(),
        }

    def start(self, task: Task, seed: int) -> tuple[()]:  # noqa: ARG002
        """Return the state, which holds nothing."""
        return ()

    def call(self, state: tuple[()], tool: Tool, arguments: JsonMapping) -> tuple[ToolResult, tuple[()]]:
        """Send one request.

        Raises:
            DataError: The tool is not one of this service's.
        """
        if tool.name == CURL:
            return self._curl(str(arguments.get("command", ""))), state
        api = BY_NAME.get(tool.name)
        if api is None:
            near = did_you_mean(tool.name, TOOLS_BY_NAME)
            raise DataError(
                f"{tool.name!r} is no tool of the weather service; take tools from its tasks.{near}"
            )
        params = tuple((name, _text(value)) for name, value in arguments.items())
        # What the service turns down for its length is nothing to remember.
        is_long = any(len(name) + len(text) > MAX_VALUE for name, text in params)
        return (_sent.__wrapped__ if is_long else _sent)(api.path, params), state

    def _curl(self, command: str) -> ToolResult:
        if self._original:
            # What is too long to be read is nothing to remember.
            return (_original if len(command) <= MAX_COMMAND else _original.__wrapped__)(command)
        call = as_typed(ToolCall(CURL, {"command": command}))
        if call.name == CURL:
            return _sent_as_it_is(command)
        tool = TOOLS_BY_NAME[call.name]
        checked = check_call(call, tool)
        if checked.violations or isinstance(checked.arguments, str):
            error = "invalid parameters: " + "; ".join(violation.message for violation in checked.violations)
            return ToolResult.of("", error=error, source="world", status=Status.INVALID_ARGUMENTS)
        return self.call((), tool, checked.arguments)[0]


@lru_cache(maxsize=64)
def _sent(path: str, params: tuple[tuple[str, str], ...]) -> ToolResult:
    return _result(respond("GET", path, {**dict(params), "appid": KEY}))


def _sent_as_it_is(command: str) -> ToolResult:
    """Send a command that stands for no call, to find out what is wrong with it."""
    try:
        return _result(fetch(read_request(command.replace(KEY_FIELD, KEY))))
    except CurlError as error:
        return ToolResult.of("", error=f"curl: ({error.code}) {error}", source="world")


@lru_cache(maxsize=64)
def _original(command: str) -> ToolResult:
    try:
        return ToolResult.of(run(command, KEY, fetch), source="world")
    except CrashError as error:
        return ToolResult.of("", error=str(error), source="world")


def _result(answer: Answer) -> ToolResult:
    if answer.code == 200:
        return ToolResult.of(answer.body, source="world")
    return ToolResult.of("", error=f"HTTP {answer.code}: {answer.body['message']}", source="world")


def _text(value: object) -> str:
    return value if isinstance(value, str) else jsontext.dumps(value)
