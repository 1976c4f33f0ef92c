"""A row of the tasks' table: an agent's figures by column, on which tests, and by whose rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import NamedTuple

from stb_env.suites.sambanova.complexity import spearman

PAPER = "the paper's"
"""The tests that published figures are of."""


class Figure(NamedTuple):
    """A figure in per cent, and its standard deviation over runs; None where one run is all there is."""

    mean: float
    std: float | None = None

    def __str__(self) -> str:
        return f"{self.mean:.1f}" if self.std is None else f"{self.mean:.1f} ± {self.std:.1f}"


Cell = tuple[Figure, ...]
"""The figures of a column: one, or for VirtualHome executability and longest common subsequence."""


@dataclass(frozen=True, slots=True)
class Row:
    """One agent of the table.

    Attributes:
        name: The agent.
        cells: Its figures by column.
        tests: What tells the tests behind each figure apart from others: tasks, split and rules.
        complexities: Complexity of the tests by column, where it is known and the rank study has the task.
        episodes: Episodes behind them.
        invalid: Episodes that were left out, for their infrastructure failed.
        judges: Who judged.
        executable: Share of episodes in which nothing failed, by column.
        protocols: Which protocol made the figures, and in what it was departed from; by column.
    """

    name: str
    cells: Mapping[str, Cell]
    tests: Mapping[str, str] = field(default_factory=dict)
    complexities: Mapping[str, float] = field(default_factory=dict)
    episodes: int = 0
    invalid: int = 0
    judges: tuple[str, ...] = ()
    executable: Mapping[str, Figure] | None = None
    protocols: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def error(self, column: str) -> float:
        """Return the error in a column, in per cent; of two figures the last one counts."""
        return 100 - self.cells[column][-1].mean

    @property
    def complexity_rank(self) -> float | None:
        """Spearman correlation of the tests' complexity with the error; None below three studied tasks."""
        errors = [self.error(column) for column in self.complexities]
        if len(errors) < 3 or len(set(errors)) < 2:
            return None
        return spearman(list(self.complexities.values()), errors)

    def to_dict(self) -> dict[str, object]:
        """Return the row as plain data."""
        return {**asdict(self), "complexity_rank": self.complexity_rank}
