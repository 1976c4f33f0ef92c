"""ToolLLM's pass rate (Qin et al., 2023), with the counts of Guo et al., 2024, Table 1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass

from stb_env.judges.original_pass import ANSWER_STATUSES, TASK_STATUSES
from stb_env.runs.metrics.intervals import bootstrap_interval
from stb_env.trajectory import Trajectory


@dataclass(frozen=True, slots=True)
class PassBookkeeping:
    """Counts that make up ToolLLM's pass rate.

    Attributes:
        episodes: Episodes that were judged.
        invalid: Episodes without a verdict, left out.
        tasks: How many were called solvable, unsolvable and unsure, averaged over votes.
        answers: How many answers were called solved, unsolved and unsure, averaged over votes.
        passed: Episodes that passed, for whatever reason.
        pass_rate: Share of them among the judged.
        interval: 95 % bootstrap interval of it.
    """

    episodes: int
    invalid: int
    tasks: Mapping[str, float]
    answers: Mapping[str, float]
    passed: int
    pass_rate: float
    interval: tuple[float, float]

    def to_dict(self) -> dict[str, object]:
        """Return the figures as plain data."""
        return asdict(self)


def bookkeeping(episodes: Iterable[Trajectory]) -> PassBookkeeping:
    """Count the verdicts of `stb_env.judges.original_pass.OriginalPassJudge`.

    ToolLLM's win rate goes by the same verdicts: compare two runs that have them, as SoWR does.

    Args:
        episodes: Judged episodes; those without its verdict count as invalid.

    Examples:
        >>> bookkeeping([]).pass_rate
        0.0
    """
    every = list(episodes)
    verdicts = [t.verdict for t in every if t.valid and t.verdict and "task_solvable" in _metrics(t)]
    passed = [float(verdict["status"] == "solved") for verdict in verdicts]

    def total(name: str) -> float:
        return round(sum(float(verdict["metrics"][name]) for verdict in verdicts), 6)

    return PassBookkeeping(
        len(verdicts),
        len(every) - len(verdicts),
        {status: total(f"task_{status}") for status in TASK_STATUSES},
        {status: total(f"answer_{status}") for status in ANSWER_STATUSES},
        int(sum(passed)),
        sum(passed) / len(passed) if passed else 0.0,
        bootstrap_interval(passed),
    )


def _metrics(episode: Trajectory) -> Mapping[str, float]:
    return (episode.verdict or {}).get("metrics") or {}
