"""Solvable win rate (SoWR; Guo et al., 2024): how often a candidate beats a reference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Literal

from stb_env.runs.metrics.intervals import bootstrap_interval

Result = Literal["win", "lose", "tie"]

_WORTH: Mapping[Result, float] = {"win": 1.0, "tie": 0.5, "lose": 0.0}


@dataclass(frozen=True, slots=True)
class WinRate:
    """Results of a candidate, one for each query.

    Attributes:
        queries: Queries that all shares are of: those that were decided, or all that were planned.
        undecided: Those among them that have no result; they are no win, no loss and no tie.
        win: Share that the candidate won: the rate that the paper prints.
        lose: Share that it lost.
        tie: Share that neither won.
        ties_half: Wins and half of the ties; exactly 0.5 where a run is compared with itself.
        interval: 95 % bootstrap interval of ``ties_half`` over queries.
    """

    queries: int
    undecided: int
    win: float
    lose: float
    tie: float
    ties_half: float
    interval: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Sowr:
    """SoWR of a candidate.

    Attributes:
        overall: All queries together.
        groups: Each group.
        average: Unweighted mean of the groups' ``win``, as the paper averages.
        average_ties_half: The same of ``ties_half``.
        undecided: Queries that lack a comparison; where the planned number is known, no win, loss or tie.
        invalid: Queries that nothing was compared of, counted the same: neither run answered them, or an
            answer has no verdict.
    """

    overall: WinRate
    groups: Mapping[str, WinRate]
    average: float
    average_ties_half: float
    undecided: int
    invalid: int

    def to_dict(self) -> dict[str, object]:
        """Return the rates as plain data."""
        return asdict(self)


def most_frequent(results: Iterable[Result]) -> Result:
    """Return the result that most comparisons had; a tie where none has more than every other.

    Examples:
        >>> most_frequent(["win", "lose", "win"]), most_frequent(["win", "lose"])
        ('win', 'tie')
    """
    counts = Counter(results).most_common(2)
    if not counts or (len(counts) == 2 and counts[0][1] == counts[1][1]):
        return "tie"
    return counts[0][0]


def win_rate(results: Sequence[Result], planned: int | None = None) -> WinRate:
    """Count results of queries.

    Args:
        results: The result of each query that was decided.
        planned: Queries that there should be; None for as many as were decided.

    Examples:
        >>> rate = win_rate(["win", "tie", "lose", "tie"])
        >>> rate.win, rate.lose, rate.tie, rate.ties_half
        (0.25, 0.25, 0.5, 0.5)
        >>> win_rate(["win"], planned=4).win
        0.25
    """
    total = max(len(results), planned or 0)
    counts = Counter(results)
    win, lose, tie = (counts[name] / total if total else 0.0 for name in ("win", "lose", "tie"))
    # One division, so that as many wins as losses are exactly a half.
    half = (2 * counts["win"] + counts["tie"]) / (2 * total) if total else 0.0
    undecided = total - len(results)
    interval = bootstrap_interval([*(_WORTH[result] for result in results), *[0.0] * undecided])
    return WinRate(total, undecided, win, lose, tie, half, interval)


def without_answers(
    rated: tuple[str, int], reference: tuple[str, int], planned: int
) -> Iterator[tuple[str, str]]:
    """Yield who lacks answers in a comparison, and what became of these queries; nothing where no one does.

    Args:
        rated: Who is rated, and how many queries are decided because it has no answer to them.
        reference: The same of the player that is compared with.
        planned: Queries that there should be.

    Examples:
        >>> list(without_answers(("mine", 0), ("ref", 9), 10))
        [('ref', '9 of 10 planned have no answer, and are won')]
    """
    for (name, missing), outcome in ((rated, "lost"), (reference, "won")):
        if missing:
            yield name, f"{missing} of {planned} planned have no answer, and are {outcome}"


def sowr(
    rounds: Mapping[str, Sequence[Result]],
    groups: Mapping[str, str],
    *,
    comparisons: int,
    invalid: int = 0,
    planned: Mapping[str, int] | None = None,
) -> Sowr:
    """Compute SoWR of comparisons.

    Args:
        rounds: The results of each query's comparisons, by task id.
        groups: Group of each of these tasks.
        comparisons: How many results a query must have to count.
        invalid: How many queries there was nothing to compare of.
        planned: How many queries each group should have, which all shares are of then, as under a protocol;
            None for those that were decided.
    """
    results = {task: most_frequent(seen) for task, seen in rounds.items() if len(seen) >= comparisons}
    by_group: dict[str, list[Result]] = {}
    for task, result in results.items():
        by_group.setdefault(groups[task], []).append(result)
    sizes: Mapping[str, int | None] = planned or dict.fromkeys(by_group)
    rates = {name: win_rate(by_group.get(name, []), size) for name, size in sorted(sizes.items())}
    return Sowr(
        win_rate(list(results.values()), sum(planned.values()) if planned else None),
        rates,
        fmean(rate.win for rate in rates.values()) if rates else 0.0,
        fmean(rate.ties_half for rate in rates.values()) if rates else 0.0,
        len(rounds) - len(results),
        invalid,
    )
