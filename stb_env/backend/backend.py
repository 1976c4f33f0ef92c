"""Protocols of what answers tool calls: backends, real APIs and simulators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from typing_extensions import TypeVar

from stb_env.core.jsontypes import Json, JsonMapping
from stb_env.core.request import Slow
from stb_env.tasks import Task
from stb_env.tools import Tool, ToolCall, ToolResult

S = TypeVar("S", default=Any)
"""State of an episode as its backend, or its user, keeps it; who passes it on need not know its type."""


class Backend(Protocol[S]):
    """Answers tool calls. Holds no episode: the episode's state goes in and comes out.

    The state is an immutable value (None, a frozen dataclass, a tuple ...), so that a snapshot is a
    reference and a fork costs nothing. It must be picklable.
    """

    @property
    def fingerprint(self) -> dict[str, object]:
        """Plain data that decides the answers (mode, hashes, versions), for the run's manifest."""
        ...

    def start(self, task: Task, seed: int) -> S:
        """Return the state at the start of an episode of this task."""
        ...

    def answer(self, state: S, tool: Tool, call: ToolCall) -> Slow[tuple[ToolResult, S]]:
        """Answer one call whose arguments are valid (coerced already); return the result and the new state.

        Raises:
            InfrastructureError: No usable answer came.
        """
        ...

    def recorded(self, state: S, tool: Tool, call: ToolCall) -> ToolResult | None:
        """Return what was recorded for exactly this call, valid or not, or None.

        A recording is what the API really said, so it is preferred to our own complaint about the
        arguments. Backends without recordings return None.
        """
        ...

    def close(self) -> None:
        """Release handles."""
        ...


class Example(Protocol):
    """An earlier call of the same API with what it answered; a `CacheEntry` is one."""

    @property
    def arguments(self) -> JsonMapping | str:
        """The arguments: an object, or the raw text where they are none."""
        ...

    @property
    def error(self) -> str:
        """The answer's error, empty where there is none."""
        ...

    @property
    def response(self) -> Json:
        """The answer's response."""
        ...


class RealAPI(Protocol):
    """Passes calls on to the APIs themselves."""

    @property
    def fingerprint(self) -> dict[str, object]:
        """Plain data that decides the answers, without secrets."""
        ...

    def request(self, tool: Tool, arguments: Mapping[str, object] | str) -> Slow[ToolResult]:
        """Call an API; the result's source is ``real``, or ``env`` where the call could not be sent as it is.

        Raises:
            BackendError: No usable answer came: ``kind`` is transport, timeout, rate_limit or internal,
                ``stage`` is ``real``, ``status_code`` is set where HTTP gave one.
        """
        ...


class Simulator(Protocol):
    """Answers a call that no one else could."""

    @property
    def fingerprint(self) -> dict[str, object]:
        """Plain data that decides the answers: model, prompt version, profile ..."""
        ...

    def simulate(
        self, tool: Tool, arguments: Mapping[str, object] | str, *, key: str, examples: Sequence[Example] = ()
    ) -> Slow[ToolResult]:
        """Answer in an API's place; the result's source is ``simulator``.

        Args:
            tool: The API with its documentation.
            arguments: What it is called with.
            key: The call's key in the cache, the seed of anything random.
            examples: Recorded answers of the same API to other calls.

        Raises:
            SimulatorError: No usable answer came.
        """
        ...
