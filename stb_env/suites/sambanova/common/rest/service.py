"""The declaration of a REST service: its endpoints as a table, from which tools and documents follow."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, Literal, NamedTuple, TypeVar

from stb_env.actions.validation import check_call
from stb_env.core import jsontext
from stb_env.core.jsontypes import Json, JsonMapping, JsonObject
from stb_env.errors import DataError
from stb_env.suites.sambanova.common.calls import named_arguments
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.common.rest.actions import CURL, command_of, curl_tool
from stb_env.suites.sambanova.common.rest.curl import Answer, CurlError, Request, read_request
from stb_env.tasks import Task
from stb_env.tools import Tool, ToolCall, ToolId

S = TypeVar("S")
"""State of a service: what an episode has changed."""

Fetch = Callable[[Request, S], tuple[Answer, S]]
"""Sends a request; raises `CurlError` where nothing answers."""
Items = dict[Hashable, Json]
"""An answer as the original compares it: its members, or its entries by position."""


class Endpoint(NamedTuple):
    """One kind of request.

    Attributes:
        name: Name of its tool.
        summary: What it does.
        path: Path of its address.
        required: Parameters that have to be given.
        optional: Parameters that can be left out.
        method: HTTP method.
        value: The ``value`` that it posts besides its parameters, if any.
    """

    name: str
    summary: str
    path: str
    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    method: Literal["GET", "POST", "DELETE"] = "GET"
    value: int | None = None

    @property
    def parameters(self) -> tuple[str, ...]:
        """Every parameter, in the order of the canonical command."""
        return self.required + self.optional

    @property
    def reads(self) -> bool:
        """True if it reads and changes nothing."""
        return self.method == "GET"


@dataclass(frozen=True, eq=False)
class Service(Generic[S]):
    """A service that answers requests; equal to itself alone.

    Attributes:
        name: Name of the world, and of the service in the identities of its tools.
        title: Names it in errors.
        category: Category of its tools.
        host: The host that it answers for.
        key: The key that is sent to it.
        key_field: What stands for the key in commands; empty where commands have none.
        version: Raised whenever equal requests or task ids stop giving equal bytes.
        endpoints: The kinds of request.
        schemas: JSON Schema of each parameter.
        start: Returns the state at the start of a task.
        respond: Answers a request, whatever host it was sent to.
        request: Returns the request that a call stands for, with the key.
        write: Returns the command of a call, as the original writes it.
        read: Returns the call that a request to the host stands for, or None.
        final_command: Returns the command that the original runs, made of a kept line and the key.
        items: Returns what the original reads from an answer to a final command, or raises `CrashError`.
        is_stateless: Whether equal requests always have equal answers.
    """

    name: str
    title: str
    category: str
    host: str
    key: str
    key_field: str
    version: int
    endpoints: tuple[Endpoint, ...]
    schemas: Mapping[str, JsonMapping]
    start: Callable[[Task], S]
    respond: Fetch[S]
    request: Callable[[Endpoint, JsonMapping], Request]
    write: Callable[[Endpoint, JsonMapping], str]
    read: Callable[[Request], tuple[str, JsonObject] | None]
    final_command: Callable[[str, str], str]
    items: Callable[[Answer, str], Items]
    is_stateless: bool = False

    @cached_property
    def by_name(self) -> Mapping[str, Endpoint]:
        """Endpoints by name."""
        return {endpoint.name: endpoint for endpoint in self.endpoints}

    @cached_property
    def tools(self) -> Mapping[str, Tool]:
        """Tools by name: one for each endpoint, and one for commands as they are."""
        tools = (*map(self._tool, self.endpoints), curl_tool(self.category, self.name, self.host))
        return {tool.name: tool for tool in tools}

    def fetch(self, request: Request, state: S) -> tuple[Answer, S]:
        """Send a request to the host that it names.

        Raises:
            CurlError: There is no such host here.
        """
        if request.host != self.host:
            host = request.host[:80]
            raise CurlError(f"could not resolve the host {host!r}; the service is at {self.host}", 6)
        return self.respond(request, state)

    def as_command(self, call: ToolCall) -> ToolCall:
        """Write a typed call as the call of its command; any other call stays as it is."""
        endpoint = self.by_name.get(call.name)
        if endpoint is None or isinstance(call.arguments, str):
            return call
        arguments = named_arguments(call.arguments, endpoint.parameters)
        return ToolCall(CURL, {"command": self.write(endpoint, arguments)}, call.id)

    def as_typed(self, call: ToolCall) -> ToolCall:
        """Read the call of a command as the typed call that it stands for.

        It stays as it is where it stands for none: a broken command, another host or path, not the key. The
        service says what is wrong with it.
        """
        command = command_of(call)
        if command is None:
            return call
        try:
            request = read_request(command)
        except CurlError:
            return call
        typed = self.read(request) if request.host == self.host else None
        return call if typed is None else ToolCall(typed[0], typed[1], call.id)

    def typed_label(self, label: str) -> ToolCall:
        """Return the call that an accepted command stands for."""
        return self.as_typed(ToolCall(CURL, {"command": label}))

    def label(self, label: str) -> tuple[Endpoint, Mapping[str, object]]:
        """Return the endpoint and the arguments of an accepted command.

        Raises:
            DataError: It is no valid request to the service.
        """
        call = self.typed_label(label)
        if call.name == CURL or isinstance(call.arguments, str):
            raise DataError(f"the label {label[:200]!r} is no request that the service answers; correct it")
        problems = check_call(call, self.tools[call.name]).violations
        if problems:
            raise DataError(
                f"the label {label[:200]!r} is no valid request: {problems[0].message}; correct it, or take "
                "compat='original', which passes over what it does not know"
            )
        return self.by_name[call.name], call.arguments

    def run(self, kept: str, state: S, fetch: Fetch[S] | None = None, key: str = "") -> tuple[Items, S]:
        """Send a command as the original does.

        Args:
            kept: The first curl line of a generation, or all of it.
            state: The state before it.
            fetch: Sends requests, if it is another service that answers.
            key: The key of that service.

        Raises:
            CrashError: There is no answer, or none that the original can read.
        """
        command = self.final_command(kept, key or self.key)
        try:
            answer, state = (fetch or self.fetch)(read_request(command), state)
        except CurlError as error:
            raise CrashError(f"shell process failed: return code {error.code}") from error
        return self.items(answer, command), state

    def _tool(self, endpoint: Endpoint) -> Tool:
        parameters = {
            "type": "object",
            "properties": {name: self.schemas[name] for name in endpoint.parameters},
            "required": list(endpoint.required),
        }
        identity = ToolId.of(self.category, self.name, endpoint.name)
        return Tool(endpoint.name, endpoint.summary, parameters, identity)


def argument_text(value: object) -> str:
    """Return an argument as a request has it.

    Examples:
        >>> argument_text("oslo"), argument_text(2)
        ('oslo', '2')
    """
    return value if isinstance(value, str) else jsontext.dumps(value)


def is_literal(value: object, *, null: bool) -> bool:
    """Return whether Python reads a JSON value as a literal, which is how the original reads answers.

    Args:
        value: A JSON value.
        null: Whether null was made a text beforehand.

    Examples:
        >>> is_literal([1, {"a": "b"}], null=False), is_literal([True], null=True)
        (True, False)
    """
    if isinstance(value, dict):
        return all(is_literal(item, null=null) for item in value.values())
    if isinstance(value, list):
        return all(is_literal(item, null=null) for item in value)
    return null if value is None else not isinstance(value, bool)
