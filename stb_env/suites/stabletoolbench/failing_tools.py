"""The published rates with failing tools: Table 12 of Guo et al., 2024 (specification, 8.10)."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True, slots=True)
class FailingTools:
    """SoPR of one published method at one share of failing tools, from 0 to 1.

    Attributes:
        method: Model and search.
        share: Share of the tools that were sent straight to the simulator.
        mean: SoPR, the mean over six groups.
        std: Mean of the groups' standard deviations over votes.
    """

    method: str
    share: float
    mean: float
    std: float

    @property
    def search(self) -> str:
        """Search of the method: ``CoT``, one chain, or ``DFS``, of width two and without a filter."""
        return self.method.rpartition(" ")[2]


@cache
def failing_tools() -> tuple[FailingTools, ...]:
    """Return every published rate, method by method.

    Examples:
        >>> rates = failing_tools()
        >>> rates[1].method, rates[1].search, rates[1].share, rates[1].mean
        ('GPT-3.5-Turbo-0613 CoT', 'CoT', 0.1, 0.487)
    """
    text = (resources.files("stb_env.suites.stabletoolbench") / "published.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)["failing_tools"]
    return tuple(
        FailingTools(method, share, round(mean / 100, 4), round(std / 100, 4))
        for method, row in table["rows"].items()
        for share, mean, std in zip(table["shares"], row["means"], row["stds"], strict=True)
    )
