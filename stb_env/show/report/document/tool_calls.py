"""Calls of each tool, by source of the answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass

from stb_env.runs.metrics.rates import answered_by
from stb_env.tools import FINISH, Status
from stb_env.trajectory import Trajectory

_FAILED = {Status.TOOL_ERROR, Status.INVALID_ARGUMENTS, Status.UNKNOWN_TOOL, Status.FAILURE}


@dataclass(frozen=True, slots=True)
class ToolCalls:
    """The calls of one tool in a run.

    Attributes:
        tool: Its name, as it was called.
        calls: How many calls there were.
        failed: Those that ended in an error, whoever's.
        sources: How many calls each source answered; ``env`` refused what it never passed on.
    """

    tool: str
    calls: int
    failed: int
    sources: Mapping[str, int]

    def to_dict(self) -> dict[str, object]:
        """Return the counts as plain data."""
        return asdict(self)


def tool_calls(episodes: Iterable[Trajectory]) -> list[ToolCalls]:
    """Count the calls of each tool, the most called first; the call that ends an episode is none.

    Examples:
        >>> tool_calls([])
        []
    """
    calls: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    sources: dict[str, Counter[str]] = {}
    for episode in episodes:
        for step in episode.steps:
            for call in step["calls"]:
                tool = str(call["name"])
                if tool == FINISH:
                    continue
                calls[tool] += 1
                failed[tool] += call["status"] in _FAILED
                source = answered_by(call["source"], call.get("origin", ""))
                sources.setdefault(tool, Counter())[source] += 1
    ranked = sorted(calls, key=lambda tool: (-calls[tool], tool))
    return [
        ToolCalls(tool, calls[tool], failed[tool], dict(sorted(sources[tool].items()))) for tool in ranked
    ]
