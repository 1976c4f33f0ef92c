"""What an agent reached with a share of the tools down, by two verdicts on the same episodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from stb_env.lab.experiment import TableRow
from stb_env.lab.mean_score import MeanScore

Verdict = Literal["exact", "open"]
VERDICTS: tuple[Verdict, ...] = ("exact", "open")
SYSTEMS: Mapping[bool, str] = {False: "without", True: "with"}
STATUSES = ("solved", "unsure", "unsolved")

COLUMNS = (
    "tools down",
    "of needed",
    "tasks hit",
    "virtual system",
    "exact",
    "exact 95 %",
    "open",
    "open 95 %",
    "episodes",
    "invalid",
)


class Judged(NamedTuple):
    """One episode with both verdicts.

    Attributes:
        task: Its task.
        outage: Which choice of tools was down.
        exact: Score of the exact verifier.
        open: Score of the open judge.
        solved: Whether the exact verifier passes it.
        status: What the open judge says of it.
    """

    task: str
    outage: int
    exact: float
    open: float
    solved: bool
    status: str


@dataclass(frozen=True, slots=True)
class Cell:
    """One condition.

    Attributes:
        share: Share of the needed tools that was asked for.
        system: Whether the virtual system was there.
        down: How many tools that came to.
        tools: How many tools the tasks need.
        hit: Share of episodes whose task needs a tool that was down.
        judged: The episodes that both have judged.
        invalid: How many the infrastructure lost.
        sources: How many calls were answered by what.
    """

    share: float
    system: bool
    down: int
    tools: int
    hit: float
    judged: Sequence[Judged]
    invalid: int
    sources: Mapping[str, int]

    @property
    def name(self) -> str:
        """The system, as tables say it."""
        return SYSTEMS[self.system]

    @property
    def row(self) -> TableRow:
        """The cell as a row of the table."""
        exact, seen = self.rate("exact"), self.rate("open")
        rates = (exact.mean, exact.interval, seen.mean, seen.interval)
        return (
            self.share,
            f"{self.down} of {self.tools}",
            self.hit,
            self.name,
            *(rates if self.judged else (None,) * len(rates)),
            len(self.judged),
            self.invalid,
        )

    def rate(self, verdict: Verdict) -> MeanScore:
        """Return the mean score by one verdict with its interval."""
        return MeanScore.of(self._scores(verdict, None))

    def means(self, verdict: Verdict, outage: int | None = None) -> dict[str, float]:
        """Return the mean score of each task by one verdict, over all outages or in one."""
        return {task: float(np.mean(several)) for task, several in self._scores(verdict, outage).items()}

    @property
    def outages(self) -> list[int]:
        """Which choices of tools were played."""
        return sorted({one.outage for one in self.judged})

    def confusion(self) -> Iterator[int]:
        """Yield how many episodes got each open status: of those truly solved, then of the others."""
        counts = Counter((one.solved, one.status) for one in self.judged)
        for solved in (True, False):
            yield from (counts[solved, status] for status in STATUSES)

    def _scores(self, verdict: Verdict, outage: int | None) -> dict[str, list[float]]:
        found: dict[str, list[float]] = {}
        for one in self.judged:
            if outage in (None, one.outage):
                found.setdefault(one.task, []).append(getattr(one, verdict))
        return found
