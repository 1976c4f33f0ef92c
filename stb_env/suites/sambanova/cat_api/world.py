"""The cat service as a backend; its state is an account."""

from __future__ import annotations

import hashlib
from functools import lru_cache

from stb_env.backend.world import World
from stb_env.errors import DataError, did_you_mean
from stb_env.jsontypes import JsonMapping, JsonObject
from stb_env.suites.sambanova.cat_api.account import Account
from stb_env.suites.sambanova.cat_api.apis import BY_NAME
from stb_env.suites.sambanova.cat_api.command import as_typed, request_of
from stb_env.suites.sambanova.cat_api.original import run
from stb_env.suites.sambanova.cat_api.service import VERSION, fetch, respond
from stb_env.suites.sambanova.cat_api.tools import BY_NAME as TOOLS_BY_NAME
from stb_env.suites.sambanova.cat_api.tools import TOOLS
from stb_env.suites.sambanova.common.curl.crash import CrashError
from stb_env.suites.sambanova.common.curl.reader import CURL
from stb_env.suites.sambanova.common.curl.request import Answer, read_request
from stb_env.suites.sambanova.common.curl.words import CurlError
from stb_env.tasks import Task
from stb_env.tools import Status, Tool, ToolCall, ToolResult
from stb_env.validation import check_call

KEY = "stb-env-cat-key"
"""The key that goes with every request; the embedded service lets anyone in."""

Called = tuple[ToolResult, Account]


class CatWorld(World):
    """Answers requests of an account; one serves any number of episodes.

    Args:
        original: Whether commands run as the original runs them, quirks included.

    Examples:
        >>> world = CatWorld()
        >>> result, account = world.call(Account(), TOOLS_BY_NAME["vote_up"], {"image_id": "zx1"})
        >>> result.response["message"], account.votes
        ('SUCCESS', {'zx1': 1})
    """

    def __init__(self, *, original: bool = False) -> None:
        self._original = original

    @property
    def fingerprint(self) -> JsonObject:
        """Version of the service and a hash over its documentation."""
        digest = hashlib.sha256("\n".join(tool.spec for tool in TOOLS).encode())
        return {
            "world": "cat_api",
            "version": VERSION,
            "original": self._original,
            "tools": digest.hexdigest(),
        }

    def start(self, task: Task, seed: int) -> Account:  # noqa: ARG002
        """Return the account as the task finds it."""
        return start_of(task)

    def call(self, state: Account, tool: Tool, arguments: JsonMapping) -> Called:
        """Send one request.

        Raises:
            DataError: The tool is not one of this service's.
        """
        if tool.name == CURL:
            return self._curl(state, str(arguments.get("command", "")))
        api = BY_NAME.get(tool.name)
        if api is None:
            near = did_you_mean(tool.name, TOOLS_BY_NAME)
            raise DataError(f"{tool.name!r} is no tool of the cat service; take tools from its tasks.{near}")
        return _result(*respond(request_of(api, arguments), state))

    def _curl(self, account: Account, command: str) -> Called:
        if self._original:
            return _original(account, command)
        call = as_typed(ToolCall(CURL, {"command": command}))
        if call.name == CURL:
            return _sent_as_it_is(account, command)
        tool = TOOLS_BY_NAME[call.name]
        checked = check_call(call, tool)
        if checked.violations or isinstance(checked.arguments, str):
            error = "invalid parameters: " + "; ".join(violation.message for violation in checked.violations)
            return ToolResult.of("", error=error, source="world", status=Status.INVALID_ARGUMENTS), account
        return self.call(account, tool, checked.arguments)


def start_of(task: Task) -> Account:
    """Return the account as a task finds it."""
    return _account(tuple(task.goal.get("favourites", ())))


@lru_cache(maxsize=1_024)
def _account(favourites: tuple[str, ...]) -> Account:
    return Account.of(favourites)


def _sent_as_it_is(account: Account, command: str) -> Called:
    """Send a command that stands for no call: mostly to find out what is wrong with it."""
    try:
        return _result(*fetch(read_request(command), account))
    except CurlError as error:
        return ToolResult.of("", error=f"curl: ({error.code}) {error}", source="world"), account


def _original(account: Account, command: str) -> Called:
    try:
        got, account = run(command, KEY, fetch, account)
    except CrashError as error:
        return ToolResult.of("", error=str(error), source="world"), account
    return ToolResult.of(got, source="world"), account


def _result(answer: Answer, account: Account) -> Called:
    if answer.code == 200:
        return ToolResult.of(answer.body, source="world"), account
    return ToolResult.of("", error=f"HTTP {answer.code}: {answer.body}", source="world"), account
