"""Epochs: tell the calls before a write from those after it, for tools of a service with state."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, Protocol

from stb_env.core.request import Slow, drive
from stb_env.formats.catalog_file import source_of
from stb_env.tools import Tool, ToolCall, ToolResult

_READING_METHODS = frozenset({"GET", "HEAD"})


def may_write(tool: Tool) -> bool:
    """Return whether a call of a catalogue's tool may change the state of its service.

    The member ``reads`` of its source says so. Where there is none, an operation whose method is GET or HEAD
    reads, and anything else may write.

    Examples:
        >>> sources = [{"method": "GET"}, {"method": "PATCH"}, {"method": "POST", "reads": True}, {}]
        >>> [may_write(Tool("t", "", {}, record={"source": source})) for source in sources]
        [False, True, False, True]
    """
    source = source_of(tool)
    if "reads" in source:
        return source["reads"] is not True
    return str(source.get("method", "")).upper() not in _READING_METHODS


def may_repeat(tool: Tool) -> bool:
    """Return whether a call of a catalogue's tool may be sent again after a failure.

    It may where it only reads, or where its source says ``"idempotent": true``: twice is as once.

    Examples:
        >>> sources = [{"method": "GET"}, {"method": "POST"}, {"method": "PUT", "idempotent": True}]
        >>> [may_repeat(Tool("t", "", {}, record={"source": source})) for source in sources]
        [True, False, True]
    """
    return source_of(tool).get("idempotent") is True or not may_write(tool)


def epoch_after(key: str) -> str:
    """Return the name of the epoch that a writing call opens.

    Args:
        key: The call's key in the cache. It depends on the epoch before the call, so that the name is a hash
            of all writing calls since the reset, in their order.

    Examples:
        >>> len(epoch_after("a")), epoch_after("a") == epoch_after("b")
        (32, False)
    """
    return hashlib.blake2b(key.encode(), digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class Episode:
    """State of an episode of a virtual backend.

    Attributes:
        answers: Answers of services and simulators so far, by key; copied when it grows, never changed.
        epoch: Name of the current epoch; empty until a call may have written.
        writes: The writing calls so far, in order. Only the live modes keep them.
        sent: How many of them the service has got, since an answer from a recording sends nothing; None until
            the episode asks it for the first time.
    """

    answers: Mapping[str, ToolResult] = field(default_factory=dict)
    epoch: str = ""
    writes: tuple[tuple[Tool, ToolCall], ...] = ()
    sent: int | None = None

    def answered(self, key: str, result: ToolResult) -> Episode:
        """Return the state after an answer that did not come from a recording."""
        # Asking again costs nothing.
        return replace(self, answers={**self.answers, key: replace(result, usage=None)})

    def wrote(self, key: str, tool: Tool, call: ToolCall, *, keep: bool) -> Episode:
        """Return the state after a writing call; ``keep`` remembers the call."""
        writes = (*self.writes, (tool, call)) if keep else self.writes
        return replace(self, epoch=epoch_after(key), writes=writes)


class StatefulAPI(Protocol):
    """A real API whose services keep state between calls."""

    @property
    def fingerprint(self) -> dict[str, object]:
        """Plain data that names its services."""
        ...

    @property
    def resets(self) -> bool:
        """True if its services can be set back to their first state."""
        ...

    def reset(self) -> Slow[None]:
        """Set its services back.

        Raises:
            BackendError: A service did not confirm it.
        """
        ...

    def request(self, tool: Tool, arguments: Mapping[str, object] | str) -> Slow[ToolResult]:
        """Call an API; see `RealAPI`."""
        ...


class ServiceState:
    """Brings a service that can be reset to the state of an episode before it is asked.

    The service is reset before the first call of an episode that needs it. Where it is in the state of
    another episode, it is reset and gets the writing calls of this one again, so that episodes may alternate
    and forks see what they wrote. One call is made at a time. This holds within one process.
    """

    _known: ClassVar[dict[str, ServiceState]] = {}

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._epoch: str | None = None

    @classmethod
    def of(cls, api: StatefulAPI) -> ServiceState:
        """Return what all environments of the process share for the same services."""
        return cls._known.setdefault(json.dumps(api.fingerprint, sort_keys=True), cls())

    @classmethod
    def forget(cls) -> None:
        """Forget the state of all services, as a forked process has to."""
        cls._known = {}

    def ask(self, api: StatefulAPI, episode: Episode, tool: Tool, call: ToolCall, after: str) -> ToolResult:
        """Return the answer to a call in the state of an episode.

        Args:
            api: The services.
            episode: State of the episode before the call.
            tool: The tool that is called.
            call: The call.
            after: Name of the epoch after the call.

        Raises:
            BackendError: A service gave no usable answer, or could not be reset.
        """
        with self._lock:
            # Until the call is answered, the state is not known.
            known, self._epoch = self._epoch, None
            if episode.sent is None or known != episode.epoch:
                drive(api.reset())
                for written_tool, written in episode.writes:
                    drive(api.request(written_tool, written.arguments))
            result = drive(api.request(tool, call.arguments))
            self._epoch = after
            return result


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=ServiceState.forget)
