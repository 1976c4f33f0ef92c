"""Seeded fault injection: tools that are down, and network errors."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from stb_env import seeding
from stb_env.errors import ConfigError, did_you_mean
from stb_env.tools import ToolId, ToolResult

Action = Literal["unavailable", "simulator"]
ToolKey = tuple[str, str]
"""Category and tool, standardised: what is up or down as a whole, with all of its APIs."""

# A wire string: what a tool that Guo et al., 2024, made fail answered, its error left empty.
UNAVAILABLE = "This API did not return any useful information..."

_NAMED = ("truncated", "delay")
_STATUS = re.compile(r"[45][0-9]{2}")


@dataclass(frozen=True, slots=True)
class Faults:
    """Faults to inject. They follow from seed and call alone, never from order or time.

    Args:
        share: Part of the eligible tools that is down, from 0 to 1.
        seed: Chooses others.
        action: What a tool that is down does: ``unavailable`` answers as in the experiment of Guo et
            al., 2024, with real APIs, ``simulator`` hands the call straight to the simulator.
        after_cache: Recorded answers still count; otherwise the fault comes before the cache.
        tools: ``(category, tool)`` of the eligible tools. None takes those of the tasks that are played;
            where these are not known, those that have a working API, as far as the cache knows; without a
            cache every tool is down with this probability.
        errors: Shares of the requests to a real API that go wrong: an HTTP status (``"429"``),
            ``"truncated"`` (half of the answer is lost) or ``"delay"``.
        delay_s: Seconds that a delayed request is late.

    Raises:
        ConfigError: A setting is out of range.

    Examples:
        >>> faults = Faults(0.5, tools=[("Net", "icmp"), ("Net", "dns"), ("Data", "films"), ("Data", "news")])
        >>> len(faults.outage(faults.tools).down)
        2
        >>> Faults(errors={"slow": 0.1})
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: no fault 'slow'; expected an HTTP status (400 to 599), truncated or delay
    """

    share: float = 0.0
    seed: int = 0
    action: Action = "unavailable"
    after_cache: bool = False
    tools: Iterable[ToolKey] | None = None
    errors: Mapping[str, float] = field(default_factory=dict)
    delay_s: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise ConfigError(f"share of the faults must be from 0 to 1, got {self.share!r}")
        if self.action not in get_args(Action):
            raise ConfigError(f"action of the faults must be unavailable or simulator, got {self.action!r}")
        if not 0 <= self.delay_s < float("inf") or (self.delay_s > 0) != ("delay" in self.errors):
            got = f"{self.delay_s!r} and {dict(self.errors)}"
            raise ConfigError(f"delay_s and errors={{'delay': SHARE}} belong together, got {got}")
        _check_errors(self.errors)
        object.__setattr__(self, "errors", dict(sorted(self.errors.items())))
        if self.tools is not None:
            object.__setattr__(self, "tools", tuple(sorted({(str(c), str(t)) for c, t in self.tools})))

    @property
    def fingerprint(self) -> dict[str, object]:
        """The settings as plain data, those left alone not named."""
        named = {
            "share": self.share,
            "seed": self.seed,
            "action": self.action,
            "after_cache": self.after_cache,
            "tools": [list(tool) for tool in self.tools or ()],
            "errors": dict(self.errors),
            "delay_s": self.delay_s,
        }
        return {name: value for name, value in named.items() if value or name == "share"}

    def outage(self, eligible: Iterable[ToolKey] | None) -> Outage:
        """Return which tools are down: an exact part of the eligible ones, or each by itself where None."""
        if eligible is None:
            return Outage(self.share, self.seed, None)
        order = sorted(set(eligible), key=lambda tool: (seeding.derive("outage", self.seed, *tool), tool))
        # Halves round up, which Python's round does not.
        down = frozenset(order[: int(self.share * len(order) + 0.5)])
        return Outage(self.share, self.seed, down, len(order))

    def strike(self, key: str, attempt: int) -> str:
        """Return the fault of one attempt at a request, or an empty text.

        Args:
            key: Identifies the request.
            attempt: Number of the attempt, from 0; each has its own chance.

        Examples:
            >>> faults = Faults(errors={"429": 0.5, "500": 0.25})
            >>> struck = [faults.strike(f"call {n}", 0) for n in range(1000)]
            >>> [struck.count(fault) for fault in ("429", "500", "")]
            [477, 249, 274]
        """
        point = seeding.derive("fault", self.seed, key, attempt) / 2**63
        for fault, share in self.errors.items():
            point -= share
            if point < 0:
                return fault
        return ""


@dataclass(frozen=True, slots=True)
class Outage:
    """The tools that are down.

    Attributes:
        share: Part that was asked for.
        seed: Chose them.
        down: Category and tool of each, or None where each is down with probability ``share``.
        eligible: How many could have been chosen; 0 where that is not known.
    """

    share: float
    seed: int
    down: frozenset[ToolKey] | None
    eligible: int = 0

    @property
    def fingerprint(self) -> dict[str, object]:
        """The tools that are down, as plain data; empty where each fails by itself.

        Examples:
            >>> Faults(0.5).outage([("Net", "icmp"), ("Net", "dns")]).fingerprint
            {'tools': 2, 'down': [['Net', 'icmp']]}
        """
        if self.down is None:
            return {}
        return {"tools": self.eligible, "down": [list(tool) for tool in sorted(self.down)]}

    def hits(self, identity: ToolId) -> bool:
        """Say whether an API's tool is down."""
        tool = identity[:2]
        if self.down is not None:
            return tool in self.down
        return seeding.derive("outage", self.seed, *tool) < self.share * 2**63


def unavailable() -> ToolResult:
    """Return what a tool that is down answers."""
    return ToolResult.of(UNAVAILABLE, source="fault")


def _check_errors(errors: Mapping[str, float]) -> None:
    for name, share in errors.items():
        if name not in _NAMED and not (isinstance(name, str) and _STATUS.fullmatch(name)):
            near = did_you_mean(str(name), _NAMED)
            expected = "an HTTP status (400 to 599), truncated or delay"
            raise ConfigError(f"no fault {name!r}; expected {expected}{near and '.'}{near}")
        if not 0 <= share <= 1:
            raise ConfigError(f"the share of fault {name!r} must be from 0 to 1, got {share!r}")
    if sum(errors.values()) > 1 + 1e-9:
        raise ConfigError(f"the shares of all faults must sum to at most 1, got {dict(errors)}")
