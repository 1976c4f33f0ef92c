"""Two conditions of failing tools set against each other on the same tasks, and what that says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from stb_env.lab.experiment import Experiment, TableRow
from stb_env.lab.failure_cell import STATUSES, SYSTEMS, VERDICTS, Cell, Verdict
from stb_env.lab.paired_change import PairedChange, holm

COLUMNS = (
    "verdict",
    "from",
    "to",
    "change",
    "95 %",
    "by outage",
    "p (Holm)",
    "lost",
    "won",
    "McNemar p",
    "reads",
)
AGREEMENT = (
    "tools down",
    "virtual system",
    "open - exact",
    "95 %",
    *(f"true: {status}" for status in STATUSES),
    *(f"false: {status}" for status in STATUSES),
    "agree",
)


@dataclass(frozen=True, slots=True)
class Contrast:
    """A change between two cells under one verdict.

    Attributes:
        verdict: Whose scores.
        before: The cell that is changed from.
        after: The cell that is changed to.
        change: The change, tested.
    """

    verdict: Verdict
    before: Cell
    after: Cell
    change: PairedChange

    @classmethod
    def of(cls, verdict: Verdict, before: Cell, after: Cell) -> Contrast:
        """Test one."""
        return cls(verdict, before, after, PairedChange.of(before.means(verdict), after.means(verdict)))

    @property
    def by_outage(self) -> tuple[float, float] | None:
        """The least and the greatest change in one choice of tools, which intervals over tasks leave out."""
        changes = [
            PairedChange.of(self.before.means(self.verdict, one), self.after.means(self.verdict, one)).change
            for one in self.after.outages
        ]
        return (min(changes), max(changes)) if changes else None

    def row(self, margin: float) -> TableRow:
        """Return the contrast as a row of the table."""
        change = self.change
        ends = [f"{cell.share:.0%} {cell.name}" for cell in (self.before, self.after)]
        numbers = (change.change, change.interval, self.by_outage, change.adjusted, change.lost, change.won)
        return (self.verdict, *ends, *numbers, round(change.mcnemar, 6), change.said(margin))


def contrasts(cells: Sequence[Cell]) -> list[Contrast]:
    """Set every cell against none down, and with the system against without; p-values after Holm."""
    found = [Contrast.of(verdict, *pair) for verdict in VERDICTS for pair in _pairs(cells)]
    adjusted = holm([one.change for one in found])
    return [replace(one, change=change) for one, change in zip(found, adjusted, strict=True)]


def _pairs(cells: Sequence[Cell]) -> Iterator[tuple[Cell, Cell]]:
    for system in SYSTEMS:
        first, *others = (cell for cell in cells if cell.system is system)
        yield from ((first, other) for other in others)
    for share in sorted({cell.share for cell in cells if cell.share}):
        without, with_system = sorted(
            (cell for cell in cells if cell.share == share), key=lambda cell: cell.system
        )
        yield without, with_system


def change_table(found: Iterable[Contrast], margin: float) -> Experiment:
    """Return the tests as a table."""
    return Experiment(
        "Changes, in pairs of tasks",
        COLUMNS,
        tuple(one.row(margin) for one in found),
        notes=(
            "95 % is a paired bootstrap over tasks; p is of a permutation test of signs, after Holm over the "
            "rows; lost and won count tasks solved in most of their episodes, with McNemar's exact test. By "
            "outage is the least and the greatest change over the choices of tools.",
        ),
    )


def agreement_table(cells: Iterable[Cell]) -> Experiment:
    """Return what the open judge said where the truth is known, condition by condition."""
    return Experiment(
        "The open judge beside the truth, on the same episodes",
        AGREEMENT,
        tuple(_agreement(cell) for cell in cells),
        notes=(
            "true and false are the exact verifier's; solved, unsure and unsolved the open judge's. It "
            "agrees where it says solved of what is true, or unsolved of what is false.",
        ),
    )


def _agreement(cell: Cell) -> TableRow:
    counts = list(cell.confusion())
    right = counts[0] + counts[-1]
    if not cell.judged:
        return (cell.share, cell.name, None, None, *counts, None)
    gap = PairedChange.of(cell.means("exact"), cell.means("open"))
    share = round(right / len(cell.judged), 6)
    return (cell.share, cell.name, gap.change, gap.interval, *counts, share)


def hidden(first: Cell, last: Cell) -> PairedChange:
    """Return by how much more the open judge's score changed than the exact one's, task by task."""
    return PairedChange.of(_gaps(first), _gaps(last))


def _gaps(cell: Cell) -> dict[str, float]:
    exact = cell.means("exact")
    return {task: score - exact[task] for task, score in cell.means("open").items()}
