"""Backends of other people's: a class whose methods return what they answer, or await it."""

from __future__ import annotations

from collections.abc import Awaitable
from functools import partial
from typing import Any, Protocol

from stb_env.backend.backend import Backend
from stb_env.errors import BackendError, ConfigError, others_code
from stb_env.jsontypes import JsonObject
from stb_env.reference import source_of
from stb_env.request import Slow, called, is_slow
from stb_env.tasks import Task
from stb_env.tools import Tool, ToolCall, ToolResult

Answered = tuple[ToolResult, Any]


class Answering(Protocol):
    """The least that a backend of your own has."""

    def answer(
        self, state: Any, tool: Tool, call: ToolCall
    ) -> tuple[Any, Any] | Awaitable[tuple[Any, Any]] | Slow[Answered]:
        """Return what a call is answered, and the new state."""
        ...


BackendLike = Backend | Answering
"""A backend, or an object with a method that answers; see `as_backend`."""


class OwnBackend:
    """Asks somebody else's object for answers, and knows what a backend says where that does not.

    Args:
        backend: Has a method ``answer(state, tool, call)``. It returns the answer and the new state,
            something to await for the two, or a generator as our own backends do. The answer is a
            `ToolResult`, or any JSON value that is a response. The other methods of a `Backend` may be
            missing: the state is then None at first, nothing was recorded and nothing is to be closed.

    Examples:
        >>> from stb_env.request import drive
        >>> class Echo:
        ...     async def answer(self, state, tool, call):
        ...         return call.arguments, state
        >>> backend = OwnBackend(Echo())
        >>> result, state = drive(backend.answer(None, Tool("echo", "", {}), ToolCall("echo", {"n": 1})))
        >>> result.response, state
        ({'n': 1}, None)
    """

    def __init__(self, backend: Any) -> None:
        self._backend = backend

    @property
    def fingerprint(self) -> JsonObject:
        """Its own, or the version of its code."""
        own: JsonObject | None = getattr(self._backend, "fingerprint", None)
        return {"backend": source_of(self._backend)} if own is None else own

    def start(self, task: Task, seed: int) -> Any:
        """Return its state at the start of an episode; None where it has no such method."""
        begin = getattr(self._backend, "start", None)
        return None if begin is None else begin(task, seed)

    def answer(self, state: Any, tool: Tool, call: ToolCall) -> Slow[Answered]:
        """Answer one call.

        Raises:
            BackendError: It raised something, or returned what is no answer.
        """
        who = f"backend {type(self._backend).__name__!r}"
        with others_code(who, self._backend.answer, partial(BackendError, stage="world")):
            return as_answer((yield from called(self._backend.answer, state, tool, call)), who)

    def recorded(self, state: Any, tool: Tool, call: ToolCall) -> ToolResult | None:
        """Return what it recorded for exactly this call; None where it has no such method."""
        recorded = getattr(self._backend, "recorded", None)
        return None if recorded is None else recorded(state, tool, call)

    def close(self) -> None:
        """Release its handles, where it has any."""
        close = getattr(self._backend, "close", None)
        if close is not None:
            close()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._backend, name)


def as_answer(answered: Any, who: str) -> tuple[ToolResult, Any]:
    """Return a result and a state.

    Raises:
        BackendError: It is something else.

    Examples:
        >>> as_answer(({"n": 1}, "state"), "backend 'Mine'")[0].text
        '{"error": "", "response": {"n": 1}}'
    """
    if not isinstance(answered, tuple) or len(answered) != 2:
        raise BackendError(
            f"{who} returned a {type(answered).__name__}; expected the answer and the new state, as in "
            "return {'found': 3}, state",
            stage="world",
        )
    result, state = answered
    return (result if isinstance(result, ToolResult) else ToolResult.of(result, source="world")), state


def as_backend(backend: BackendLike) -> Backend:
    """Return a backend: the given one where it works as ours do, else an `OwnBackend` around it.

    Raises:
        ConfigError: It has no method ``answer``.

    Examples:
        >>> as_backend("https://api.example")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: a backend has a method answer(state, tool, call), got 'https://...
    """
    if isinstance(backend, type) or not callable(getattr(backend, "answer", None)):
        raise ConfigError(f"a backend has a method answer(state, tool, call), got {backend!r}")
    rest = ("fingerprint", "start", "recorded", "close")
    if is_slow(backend.answer) and all(hasattr(backend, name) for name in rest):
        return backend  # type: ignore[return-value] # it is what the protocol asks for
    return OwnBackend(backend)
