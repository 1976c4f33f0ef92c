"""Conditions of the experiments on failing tools, and how scores change from one to another.

A condition is a share of tools that are down, with or without the virtual system.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Generic, Literal, NamedTuple, TypeVar, get_args

from stb_env.backend.faults import Action
from stb_env.experiments.lab.comparison import MeanScore, PairedChange, holm, task_means
from stb_env.experiments.lab.experiment import Experiment, TableRow

System = Literal["without", "with"]
SYSTEMS: tuple[System, ...] = get_args(System)
ACTIONS: Mapping[System, Action] = {"without": "unavailable", "with": "simulator"}
"""Response of a tool that is down, without and with the virtual system."""
Verdict = Literal["exact", "open"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
STATUSES = ("solved", "unsure", "unsolved")

CHANGES = ("change", "95 %", "p (Holm)", "lost", "won", "McNemar p", "reads")


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A share of tools that are down.

    Attributes:
        share: The share that was asked for.
        system: Whether the virtual system was there.
    """

    share: float
    system: System

    @property
    def name(self) -> str:
        """The condition, as tables name it."""
        return f"{self.share:.0%} {self.system}"

    def means(self, verdict: Verdict, outage: int | None = None) -> Mapping[str, float]:
        """Return the mean score of each task by one verdict, over all outages or in one."""
        raise NotImplementedError


C = TypeVar("C", bound=Condition)


@dataclass(frozen=True, slots=True)
class Contrast(Generic[C]):
    """A tested change from one condition to another under one verdict."""

    verdict: Verdict
    before: C
    after: C
    change: PairedChange


def outage_pairs(cells: Sequence[C]) -> Iterator[tuple[C, C]]:
    """Pair every condition with none down under the same system, and with the system with without."""
    by_place = {(cell.system, cell.share): cell for cell in cells}
    shares = sorted({cell.share for cell in cells if cell.share})
    for system in SYSTEMS:
        yield from ((by_place[system, 0.0], by_place[system, share]) for share in shares)
    yield from ((by_place["without", share], by_place["with", share]) for share in shares)


def contrasts(pairs: Iterable[tuple[C, C]], verdicts: Sequence[Verdict]) -> list[Contrast[C]]:
    """Test pairs of conditions under each verdict, task by task; p-values are after Holm over all."""
    found = [(verdict, *pair) for verdict, pair in product(verdicts, list(pairs))]
    tested = [
        PairedChange.of(before.means(verdict), after.means(verdict)) for verdict, before, after in found
    ]
    return [Contrast(*one, change) for one, change in zip(found, holm(tested), strict=True)]


class Judged(NamedTuple):
    """One episode with both verdicts.

    Attributes:
        task: Its task.
        outage: The choice of tools that was down.
        exact: Score of the exact verifier.
        open: Score of the open judge.
        solved: Whether the exact verifier passes it.
        status: Status of the open judge's verdict.
    """

    task: str
    outage: int
    exact: float
    open: float
    solved: bool
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxCell(Condition):
    """Episodes on Sandbox tasks under one condition, by two verdicts.

    Attributes:
        down: Number of tools that were down.
        tools: Number of tools that the tasks need.
        hit: Share of episodes whose task needs a tool that was down.
        judged: The episodes that both have judged.
        invalid: Number of episodes that the infrastructure lost.
        sources: Number of calls by what answered them.
    """

    COLUMNS = (
        *("tools down", "of needed", "tasks hit", "virtual system"),
        *("exact", "exact 95 %", "open", "open 95 %", "episodes", "invalid"),
    )

    down: int
    tools: int
    hit: float
    judged: Sequence[Judged]
    invalid: int
    sources: Mapping[str, int]

    @property
    def row(self) -> TableRow:
        """The cell as a row of the table."""
        rates = [figure for rate in map(self.rate, VERDICTS) for figure in (rate.mean, rate.interval)]
        return (
            self.share,
            f"{self.down} of {self.tools}",
            self.hit,
            self.system,
            *(rates if self.judged else [None] * len(rates)),
            len(self.judged),
            self.invalid,
        )

    def rate(self, verdict: Verdict) -> MeanScore:
        """Return the mean score by one verdict with its interval."""
        return MeanScore.of(self._scores(verdict, None))

    def means(self, verdict: Verdict, outage: int | None = None) -> dict[str, float]:
        """Return the mean score of each task; see `Condition`."""
        return task_means(self._scores(verdict, outage))

    @property
    def gaps(self) -> dict[str, float]:
        """By how much the open judge's score of each task exceeds the exact one."""
        exact = self.means("exact")
        return {task: score - exact[task] for task, score in self.means("open").items()}

    def _scores(self, verdict: Verdict, outage: int | None) -> dict[str, list[float]]:
        found: dict[str, list[float]] = {}
        for one in self.judged:
            if outage in (None, one.outage):
                found.setdefault(one.task, []).append(getattr(one, verdict))
        return found


def change_table(found: Iterable[Contrast[SandboxCell]], margin: float) -> Experiment:
    """Return the tests as a table."""
    change, interval, *tests = CHANGES
    rows = []
    for one in found:
        first, second, *figures = one.change.figures(margin)
        ends = (one.verdict, one.before.name, one.after.name)
        rows.append((*ends, first, second, _by_outage(one), *figures))
    return Experiment(
        "Changes, in pairs of tasks",
        ("verdict", "from", "to", change, interval, "by outage", *tests),
        tuple(rows),
        notes=(
            "95 % is a paired bootstrap over tasks; p is of a permutation test of signs, after Holm over the "
            "rows; lost and won count tasks solved in most of their episodes, with McNemar's exact test. By "
            "outage is the least and the greatest change over the choices of tools.",
        ),
    )


def _by_outage(one: Contrast[SandboxCell]) -> tuple[float, float] | None:
    """Return the least and the greatest change in one choice of tools."""
    changes = [
        PairedChange.of(one.before.means(one.verdict, outage), one.after.means(one.verdict, outage)).change
        for outage in sorted({episode.outage for episode in one.after.judged})
    ]
    return (min(changes), max(changes)) if changes else None


def agreement_table(cells: Iterable[SandboxCell]) -> Experiment:
    """Return what the open judge said where the truth is known, condition by condition."""
    truths = {"true": True, "false": False}
    return Experiment(
        "The open judge beside the truth, on the same episodes",
        (
            *("tools down", "virtual system", "open - exact", "95 %"),
            *(f"{truth}: {status}" for truth in truths for status in STATUSES),
            "agree",
        ),
        tuple(_agreement(cell) for cell in cells),
        notes=(
            "true and false are the exact verifier's; solved, unsure and unsolved the open judge's. It "
            "agrees where it says solved of what is true, or unsolved of what is false.",
        ),
    )


def _agreement(cell: SandboxCell) -> TableRow:
    said = Counter((one.solved, one.status) for one in cell.judged)
    counts = [said[solved, status] for solved in (True, False) for status in STATUSES]
    if not cell.judged:
        return (cell.share, cell.system, None, None, *counts, None)
    gap = PairedChange.of(cell.means("exact"), cell.means("open"))
    right = said[True, "solved"] + said[False, "unsolved"]
    return (cell.share, cell.system, gap.change, gap.interval, *counts, round(right / len(cell.judged), 6))
