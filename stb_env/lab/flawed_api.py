"""A real API with a seeded share of broken endpoints, in the ways that StableToolBench found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stb_env import ConfigError, Tool, ToolResult, seeding
from stb_env.backend.cache import CacheEntry
from stb_env.backend.real_api.remote_server import accepted
from stb_env.jsontypes import JsonMapping, JsonObject
from stb_env.lab.world_api import HOME, WorldAPI
from stb_env.metrics.taxonomy import ApiClass, RealCheck
from stb_env.request import Slow
from stb_env.tools import ToolId

COUNTS: Mapping[ApiClass, int] = {
    ApiClass.NOT_AUTHORISED: 1058,
    ApiClass.NOT_CONNECTED: 2426,
    ApiClass.NOT_FOUND: 583,
    ApiClass.PARAMETER_CHANGE: 591,
    ApiClass.PARSING_ERROR: 4247,
}
"""Numbers of APIs that the paper found broken in each way (Tables 10 and 11); the odds here."""

# Error and response. Each API of a kind keeps to one of its wordings.
_WORDINGS: Mapping[ApiClass, tuple[tuple[str, Any], ...]] = {
    ApiClass.NOT_AUTHORISED: (
        ("", {"message": "Unauthorized: this key has no access"}),
        ("", {"message": "This endpoint is disabled for your subscription"}),
        ("", {"error": "invalid credentials", "code": 401}),
    ),
    ApiClass.NOT_CONNECTED: (
        ("", {"message": "connection timed out"}),
        ("HTTP error: upstream did not answer", ""),
        ("", {"error": "rate limit exceeded"}),
    ),
    ApiClass.NOT_FOUND: (
        ("", {"message": "API doesn't exists"}),
        ("", "Service Not Found"),
        ("", {"message": "Internal error", "status": 500}),
    ),
    ApiClass.PARAMETER_CHANGE: (
        ("", {"message": "missing required parameter: locale"}),
        ("", {"error": "variable region is not defined"}),
    ),
    ApiClass.PARSING_ERROR: (
        ("Function executing from sandbox.stub import call error...\ninvalid syntax", ""),
        ("Function executing from sandbox.stub import call error...\nunterminated string literal", ""),
    ),
}


class FlawedAPI:
    """A `RealAPI` around the Sandbox with broken APIs; what it answered is remembered.

    Args:
        share: Share of the APIs that are broken, each by its own draw.
        seed: Decides which ones, and how.
        check: Which reading decides whether an answer is usable; None passes on everything.
        home: Number of the household.

    Attributes:
        answers: Every raw answer so far, by the call's key.

    Raises:
        ConfigError: The share is none.

    Examples:
        >>> from stb_env.request import drive
        >>> from stb_env.suites.sandbox.catalog import tools
        >>> rate = next(tool for tool in tools().values() if tool.id.api == "get_rate")
        >>> broken = FlawedAPI(1.0, seed=2)
        >>> broken.flaw(rate.id).value, drive(broken.request(rate, {})).response
        ('parameter_change', {'message': 'missing required parameter: locale'})
    """

    def __init__(
        self, share: float = 0.5, seed: int = 0, check: RealCheck | None = None, home: int = HOME
    ) -> None:
        if not 0 <= share <= 1:
            raise ConfigError(f"the share of broken APIs is from 0 to 1, got {share!r}")
        self.share, self.seed, self.check = share, seed, check
        self.answers: dict[str, CacheEntry] = {}
        self._sound = WorldAPI(home, check=None)

    @property
    def fingerprint(self) -> JsonObject:
        """The sound API's, with share, seed and check."""
        own = {"share": self.share, "seed": self.seed, "check": self.check or "none"}
        return {**self._sound.fingerprint, **own}

    def flaw(self, identity: ToolId) -> ApiClass | None:
        """Return in which way an API is broken, or None."""
        rng = seeding.rng("flawed api", self.seed, *identity)
        if rng.random() >= self.share:
            return None
        return rng.choices(list(COUNTS), weights=list(COUNTS.values()))[0]

    def request(self, tool: Tool, arguments: JsonMapping | str) -> Slow[ToolResult]:
        """Answer a call.

        Raises:
            BackendError: The answer says that the API does not work, and answers are checked.
        """
        flaw = self.flaw(tool.id)
        if flaw is None:
            result = yield from self._sound.request(tool, arguments)
        else:
            error, response = seeding.rng("flaw wording", self.seed, *tool.id).choice(_WORDINGS[flaw])
            result = ToolResult.of(response, error=error, source="real")
        entry = CacheEntry.of(tool.id, arguments, result.response, error=result.error, source="real")
        self.answers.setdefault(entry.key, entry)
        if self.check is None:
            return result
        return accepted({"error": result.error, "response": result.response}, self.check)
