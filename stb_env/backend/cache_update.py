"""What mode ``record`` adds to the cache: usable answers after Guo et al., 2024, with their provenance."""

from __future__ import annotations

import threading

from stb_env.backend.cache import CacheEntry, ResponseCache
from stb_env.backend.faults import UNAVAILABLE
from stb_env.errors import ConfigError
from stb_env.jsontypes import JsonMapping
from stb_env.metrics.taxonomy import Taxonomy, classify
from stb_env.tools import Tool, ToolResult

ORIGIN = "experiment"

# One process writes one entry at a time, so that looking and storing are one act; SQLite keeps the order
# among processes. Not a member, because recorders are pickled.
_WRITING = threading.Lock()


class Recorder:
    """Stores new answers in a cache's overlay; the first answer to a call stays.

    Args:
        cache: Where they go.
        taxonomy: Which reading of Appendix D decides what is kept.
        simulator: Fingerprint of the model that simulates; its ``model`` and ``prompt`` are noted.

    Raises:
        ConfigError: The cache is open for reading only.

    Examples:
        >>> from stb_env.backend.cache import call_key
        >>> from stb_env.tools import ToolId
        >>> ping, cache = Tool("ping", "", {}, ToolId("Net", "icmp", "ping")), ResponseCache()
        >>> recorder = Recorder(cache)
        >>> recorder.keep(ping, {}, call_key(ping.id, {}), ToolResult.of({"ms": 4}, source="real"))
        True
        >>> recorder.keep(ping, {}, call_key(ping.id, {}), ToolResult.of({"ms": 9}, source="real"))
        False
    """

    def __init__(
        self,
        cache: ResponseCache,
        taxonomy: Taxonomy = "default",
        simulator: JsonMapping | None = None,
    ) -> None:
        if cache.read_only:
            raise ConfigError(
                f"mode 'record' stores answers, but {cache.folder} is open for reading only; "
                "give ResponseCache(DIR), or use mode 'live'"
            )
        classify("", "", taxonomy=taxonomy)
        self.cache, self.taxonomy = cache, taxonomy
        self._model, self._prompt = (str((simulator or {}).get(name, "")) for name in ("model", "prompt"))

    def keep(self, tool: Tool, arguments: JsonMapping | str, key: str, result: ToolResult) -> bool:
        """Store an answer where it is worth keeping and new; say whether it was stored.

        Args:
            tool: The API.
            arguments: What it was called with.
            key: The call's key.
            result: What came.

        Raises:
            BackendError: The overlay stayed locked, or cannot be written.
        """
        if result.source == "real":
            provenance = {"model": "", "prompt": ""}
        elif result.source == "simulator":
            provenance = {"model": self._model, "prompt": self._prompt}
        else:
            return False
        if not self._is_kept(result):
            return False
        entry = CacheEntry.of(
            tool.id,
            arguments,
            result.response,
            error=result.error,
            source=result.source,
            origin=ORIGIN,
            **provenance,
        )
        with _WRITING:
            if self.cache.get(key) is not None:
                return False
            self.cache.put(key, entry)
        return True

    def _is_kept(self, result: ToolResult) -> bool:
        response = result.response
        # The taxonomy takes this wire string for a success, because its error is empty.
        return response != UNAVAILABLE and classify(result.error, response, taxonomy=self.taxonomy).kept
