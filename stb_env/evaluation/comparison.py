"""Two runs on the same tasks, side by side: solved rates, whether they differ, and which tasks flipped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import ConfigError
from stb_env.evaluation.discrepancies import (
    Discrepancy,
    JudgedRun,
    discrepancies,
    judge_settings,
    unless_ignored,
)
from stb_env.runs.metrics.cost import Cost, cost
from stb_env.runs.metrics.rates import summarize
from stb_env.runs.metrics.significance import Difference, compare_runs, paired_bootstrap
from stb_env.runs.saved_player import planned_episodes
from stb_env.runs.verdict_file import iter_judged, manifest_of
from stb_env.trajectory import Trajectory

# What may differ between runs that are compared, and is still worth a remark.
_REMARKABLE = ("package", "seed", "trials", "episodes")


@dataclass(frozen=True, slots=True)
class Side:
    """One of two runs.

    Attributes:
        run: Its folder, as it was given.
        agent: Who played.
        summary: Its rates, with what they leave out.
        cost: What it cost.
    """

    run: str
    agent: str
    summary: JsonMapping
    cost: Cost

    def to_dict(self) -> dict[str, object]:
        """Return the figures as plain data."""
        return {"run": self.run, "agent": self.agent, **self.summary, "cost": self.cost.to_dict()}


@dataclass(frozen=True, slots=True)
class Comparison:
    """Comparison of two runs, on the tasks with a valid episode in both.

    Attributes:
        judge: Whose verdicts these are.
        first: The first run.
        second: The second run.
        score: The difference of mean scores, with tests.
        solved: Share of trials solved, mean over the shared tasks, of the first run and of the second.
        solved_difference: Their difference.
        solved_interval: 95 % paired bootstrap interval of it.
        only_first: Tasks that only the first run solved in most of its trials.
        only_second: Tasks that only the second run solved in most of its trials.
        ignored: What differs and was ignored.
        remarks: What else differs.
    """

    judge: str
    first: Side
    second: Side
    score: Difference
    solved: tuple[float, float]
    solved_difference: float
    solved_interval: tuple[float, float]
    only_first: Sequence[str]
    only_second: Sequence[str]
    ignored: Sequence[Discrepancy]
    remarks: Sequence[str]

    def to_dict(self) -> dict[str, object]:
        """Return the comparison as plain data."""
        return {
            "judge": self.judge,
            "first": self.first.to_dict(),
            "second": self.second.to_dict(),
            "score": self.score.to_dict(),
            "solved": list(self.solved),
            "solved_difference": self.solved_difference,
            "solved_interval": list(self.solved_interval),
            "only_first": list(self.only_first),
            "only_second": list(self.only_second),
            "ignored": [asdict(one) for one in self.ignored],
            "remarks": list(self.remarks),
        }


def compare_folders(
    first: str | Path,
    second: str | Path,
    *,
    judge: str | None = None,
    ignore: Sequence[str] = (),
    seed: int = 0,
) -> Comparison:
    """Compare two saved runs, if they may be compared.

    Args:
        first: Folder of a run.
        second: Folder of another.
        judge: Name of the judge whose verdicts count; None for the one that each run itself had.
        ignore: Names of differences to accept.
        seed: Seed of the resampling.

    Raises:
        ConfigError: A folder holds no run, or the runs differ in what decides their numbers; the message
            names each difference with both values.
        DataError: A run cannot be read, or the two share no task with valid episodes.
    """
    mine, theirs = (read_judged_run(Path(folder), judge, outlines=True) for folder in (first, second))
    return compare_judged(mine, theirs, ignore=ignore, seed=seed)


def compare_judged(
    mine: JudgedRun, theirs: JudgedRun, *, ignore: Sequence[str] = (), seed: int = 0
) -> Comparison:
    """Compare two runs that were read already; see `compare_folders`.

    Args:
        mine: The first run.
        theirs: The second.
        ignore: Names of differences to accept.
        seed: Seed of the resampling.

    Raises:
        ConfigError: The runs differ in what decides their numbers.
        DataError: The two share no task with valid episodes.
    """
    found = discrepancies(mine, theirs)
    unless_ignored(found, ignore, mine, theirs)
    one, other = (_as_one_judge(run) if found else run.episodes for run in (mine, theirs))
    score = compare_runs(one, other, seed=seed)
    solved = _solved(one, other)
    rates = [[shares[side] for shares in solved.values()] for side in (0, 1)]
    means = (float(np.mean(rates[0])), float(np.mean(rates[1])))
    return Comparison(
        " and ".join(dict.fromkeys((mine.judge, theirs.judge))),
        _side(mine),
        _side(theirs),
        score,
        means,
        means[0] - means[1],
        paired_bootstrap(rates[0], rates[1], seed=seed),
        [task for task, (won, lost) in solved.items() if won > 0.5 >= lost],
        [task for task, (lost, won) in solved.items() if won > 0.5 >= lost],
        found,
        _remarks(mine.manifest, theirs.manifest),
    )


def read_judged_run(folder: Path, judge: str | None = None, *, outlines: bool = False) -> JudgedRun:
    """Read a saved run as one judge sees it.

    Args:
        folder: The run.
        judge: Name of the judge; None for the one that the run itself had.
        outlines: Read the outline of each episode alone (`Trajectory.outline`).

    Raises:
        ConfigError: The folder holds no run, or one without a manifest.
        DataError: The run or its verdicts cannot be read.
    """
    if not (folder / "trajectories.jsonl").is_file():
        hint = " (an evaluation; compare two of its runs)" if (folder / "results.json").is_file() else ""
        raise ConfigError(f"{folder} holds no run{hint}; give a folder that `stb-env run --out` wrote")
    manifest = manifest_of(folder)
    if not manifest:
        raise ConfigError(
            f"{folder} has no manifest.json, and nothing else says under which conditions it was played; "
            "play it with `stb-env run --out`"
        )
    name = judge or str(manifest.get("judge"))
    judged = iter_judged(folder, name)
    episodes = [episode.outline if outlines else episode for episode in judged]
    return JudgedRun(folder, manifest, name, judge_settings(folder, name, episodes), episodes)


def _as_one_judge(run: JudgedRun) -> list[Trajectory]:
    """Return the episodes as if all had one judge, where different ones were explicitly accepted."""
    return [
        episode
        if episode.verdict is None or episode.verdict["judge"] == "env"
        else replace(episode, verdict={**episode.verdict, "judge": "any"})
        for episode in run.episodes
    ]


def _solved(first: Sequence[Trajectory], second: Sequence[Trajectory]) -> dict[str, tuple[float, float]]:
    """Return the share of valid trials that each run solved, by task that both have one of."""
    shares: list[dict[str, float]] = []
    for episodes in (first, second):
        trials: dict[str, list[bool]] = {}
        for episode in episodes:
            if episode.valid:
                trials.setdefault(episode.task_id, []).append(episode.solved)
        shares.append({task: float(np.mean(solved)) for task, solved in trials.items()})
    return {task: (share, shares[1][task]) for task, share in shares[0].items() if task in shares[1]}


def _side(run: JudgedRun) -> Side:
    agent = str(run.manifest.get("agent", "-"))
    return Side(
        str(run.folder), agent, summarize(run.episodes, planned_episodes(run.folder)), cost(run.episodes)
    )


def _remarks(first: Mapping[str, object], second: Mapping[str, object]) -> list[str]:
    return [
        str(Discrepancy(name, first.get(name), second.get(name)))
        for name in _REMARKABLE
        if first.get(name) != second.get(name)
    ]
