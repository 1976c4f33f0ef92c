"""The virtual API backend: cache, else real API, else simulator, else a typed failure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

from stb_env.backend.cache import ResponseCache, call_key
from stb_env.backend.simulator import TemplateSimulator
from stb_env.errors import CacheMiss, ConfigError, did_you_mean
from stb_env.request import Slow
from stb_env.tasks import Task
from stb_env.tools import Status, Tool, ToolCall, ToolResult

Mode = Literal["replay", "offline", "live", "record"]
MODES: tuple[Mode, ...] = ("replay", "offline", "live", "record")


class OfflineSimulator(Protocol):
    """Answers without waiting, from documentation and examples."""

    version: str

    def simulate(
        self, tool: Tool, arguments: Mapping[str, Any] | str, *, key: str, examples: Sequence[Any] = ()
    ) -> ToolResult:
        """Return the answer that follows from the call's key."""
        ...


class VirtualBackend:
    """Answers calls of remote APIs from a cache and, where the mode allows, from what stands behind it.

    Args:
        cache: Recorded responses; None for none.
        simulator: Answers misses in ``offline`` mode.
        mode: ``replay`` (a miss is a failure) or ``offline`` (a miss goes to the template simulator).

    Raises:
        ConfigError: The mode is unknown, or ``replay`` has no cache.
    """

    def __init__(
        self,
        cache: ResponseCache | None = None,
        simulator: OfflineSimulator | None = None,
        mode: Mode = "offline",
    ) -> None:
        if mode not in MODES:
            raise ConfigError(f"mode must be one of {MODES}, got {mode!r}.{did_you_mean(str(mode), MODES)}")
        if mode in ("live", "record"):
            raise ConfigError(
                f"mode {mode!r} needs models and real APIs, which this version does not have yet"
            )
        if mode == "replay" and cache is None:
            raise ConfigError(
                "mode 'replay' answers from a cache alone; give cache=DIR (stb-env cache import)"
            )
        self.cache = cache
        self.simulator = simulator or TemplateSimulator()
        self.mode = mode

    @property
    def fingerprint(self) -> dict[str, Any]:
        """Mode, cache hash and simulator version."""
        return {
            "mode": self.mode,
            "cache": self.cache.hash if self.cache is not None else "",
            "simulator": self.simulator.version if self.mode == "offline" else "",
        }

    def start(self, task: Task, seed: int) -> None:
        """Return None: recorded and simulated answers need no state."""

    def answer(self, state: None, tool: Tool, call: ToolCall) -> Slow[tuple[ToolResult, None]]:
        """Answer from the cache, else by the mode's rule.

        Raises:
            CacheMiss: In ``replay`` mode, for a call that was never recorded.
        """
        yield from ()
        key = call_key(tool.id, call.arguments)
        hit = self._hit(key)
        if hit is not None:
            return hit, state
        if self.mode == "replay":
            raise CacheMiss(
                f"no recorded response for {tool.name!r} with these arguments, and mode is 'replay'"
            )
        return self.simulator.simulate(tool, call.arguments, key=key, examples=self._examples(tool)), state

    def recorded(self, state: None, tool: Tool, call: ToolCall) -> ToolResult | None:  # noqa: ARG002 (as above)
        """Return the recorded response to exactly this call, or None."""
        return self._hit(call_key(tool.id, call.arguments))

    def close(self) -> None:
        """Close the cache's handles; the next look-up opens them again."""
        if self.cache is not None:
            self.cache.close()

    def _hit(self, key: str) -> ToolResult | None:
        hit = self.cache.get(key) if self.cache is not None else None
        if hit is None:
            return None
        return ToolResult(hit.text, hit.error, "cache", Status.TOOL_ERROR if hit.error else Status.OK)

    def _examples(self, tool: Tool) -> list[Any]:
        return [] if self.cache is None else [entry.response for entry in self.cache.examples(tool.id, 5)]
