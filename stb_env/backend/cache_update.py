"""Recording in mode ``record``: usable answers after Guo et al., 2024, with their provenance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

from stb_env.backend.cache import CacheEntry, CallKey, Hit, ResponseCache
from stb_env.backend.faults import UNAVAILABLE
from stb_env.backend.taxonomy import Taxonomy, classify
from stb_env.errors import ConfigError
from stb_env.tools import Status, Tool, ToolResult

ORIGIN = "experiment"


class Recorder:
    """Stores new answers in a cache's overlay; the first answer to a call stays.

    Args:
        cache: Where they go.
        taxonomy: Which reading of Appendix D decides what is kept.
        simulator: Fingerprint of the model that simulates; its ``model`` and ``prompt`` are noted.
        believed: Whether every real answer is kept, since its service says by more than words if it worked.

    Raises:
        ConfigError: The cache is open for reading only.

    Examples:
        >>> from stb_env.backend.cache import call_key
        >>> from stb_env.tools import ToolId
        >>> ping, cache = Tool("ping", "", {}, ToolId("Net", "icmp", "ping")), ResponseCache()
        >>> recorder = Recorder(cache)
        >>> answers = [ToolResult.of({"ms": ms}, source="real") for ms in (4, 9)]
        >>> [recorder.keep(ping, {}, call_key(ping.id, {}), answer).response for answer in answers]
        [{'ms': 4}, {'ms': 4}]
    """

    def __init__(
        self,
        cache: ResponseCache,
        taxonomy: Taxonomy = "default",
        simulator: Mapping[str, object] | None = None,
        *,
        believed: bool = False,
    ) -> None:
        if cache.read_only:
            raise ConfigError(
                f"mode 'record' stores answers, but {cache.folder} is open for reading only; "
                "give ResponseCache(DIR), or use mode 'live'"
            )
        classify("", "", taxonomy=taxonomy)
        self.cache, self.taxonomy = cache, taxonomy
        self._believed = believed
        self._model, self._prompt = (str((simulator or {}).get(name, "")) for name in ("model", "prompt"))

    def known(self, call: CallKey) -> ToolResult | None:
        """Return what anybody has stored by now, or None."""
        hit = self.cache.get_anew(call)
        return None if hit is None else as_result(hit)

    def keep(
        self,
        tool: Tool,
        arguments: Mapping[str, object] | str,
        key: str,
        result: ToolResult,
        epoch: str = "",
    ) -> ToolResult:
        """Store an answer where it is worth keeping and new, and return what the agent is to see.

        That is the answer, unless another process had one first: then every later episode sees that one.

        Args:
            tool: The API.
            arguments: What it was called with.
            key: The call's key.
            result: What came.
            epoch: Name of the epoch in which it was asked; see `stb_env.backend.epochs`.

        Raises:
            BackendError: The overlay stayed locked, or cannot be written.
        """
        if result.source == "real":
            provenance = {"model": "", "prompt": ""}
        elif result.source == "simulator":
            provenance = {"model": self._model, "prompt": self._prompt}
        else:
            return result
        if not self._is_kept(result):
            return result
        entry = CacheEntry.of(
            tool.id,
            arguments,
            result.response,
            error=result.error,
            source=result.source,
            origin=ORIGIN,
            recorded=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            epoch=epoch,
            **provenance,
        )
        first = self.cache.add(key, entry)
        return result if first is None else replace(as_result(first), usage=result.usage)

    def _is_kept(self, result: ToolResult) -> bool:
        if self._believed and result.source == "real":
            return True
        response = result.response
        # The taxonomy takes this wire string for a success, because its error is empty.
        return response != UNAVAILABLE and classify(result.error, response, taxonomy=self.taxonomy).kept


def as_result(hit: Hit) -> ToolResult:
    """Return a recorded answer as the agent sees it."""
    status = Status.TOOL_ERROR if hit.error else Status.OK
    return ToolResult(hit.text, hit.error, "cache", status, origin=hit.source, key=hit.key)
