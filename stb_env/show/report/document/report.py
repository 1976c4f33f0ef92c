"""Contents of a report: the figures of runs, of pairs of them, and of training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from stb_env.errors import ConfigError, DataError
from stb_env.evaluation.comparison import Comparison, compare_judged
from stb_env.runs.curve import read_curve
from stb_env.show.report.document.reported_run import ReportedRun, read_reported_run
from stb_env.show.report.saved.find_runs import find_runs

CURVES = "curve*.jsonl"
"""What the examples call the files of learning curves that they write beside runs."""

Points = Sequence[Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two runs on the same environment.

    Attributes:
        first: Name of the first.
        second: Name of the second.
        comparison: How they compare; None where they must not be compared.
        refusal: Why they must not; empty where they may.
    """

    first: str
    second: str
    comparison: Comparison | None
    refusal: str = ""

    def to_dict(self) -> dict[str, object]:
        """Return the comparison, or why there is none, as plain data."""
        found = None if self.comparison is None else self.comparison.to_dict()
        return {"first": self.first, "second": self.second, "comparison": found, "refusal": self.refusal}


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that a report says.

    Attributes:
        title: Its heading.
        runs: Its runs, in the order in which they were named.
        pairs: Each two of them that were played in the same environment.
        curves: Points of learning curves by name.
        remarks: What was left out, a sentence each.
    """

    title: str
    runs: Sequence[ReportedRun]
    pairs: Sequence[Pair]
    curves: Mapping[str, Points]
    remarks: Sequence[str]

    def to_dict(self) -> dict[str, object]:
        """Return everything as plain data."""
        return {
            "title": self.title,
            "runs": [run.to_dict() for run in self.runs],
            "pairs": [pair.to_dict() for pair in self.pairs],
            "curves": {name: [dict(point) for point in points] for name, points in self.curves.items()},
            "remarks": list(self.remarks),
        }


def read_report(
    paths: Sequence[Path],
    *,
    curves: Sequence[Path] = (),
    judge: str | None = None,
    ignore: Sequence[str] = (),
    title: str | None = None,
) -> Report:
    """Read runs and learning curves for a report.

    Args:
        paths: Run folders, or folders with runs or curves somewhere below.
        curves: Files that a `stb_env.runs.Curve` wrote, besides those found in the folders.
        judge: Whose verdicts count; those of each run's own judge where not given.
        ignore: Names of differences between runs to accept, as `stb-env compare` takes them.
        title: The heading; what the runs are called where not given.

    Raises:
        ConfigError: There is nothing to report on, or a file is no curve.
        DataError: A run cannot be read.

    Examples:
        >>> read_report([])
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: nothing to report on; name runs, or learning curves with --curve
    """
    below = [file for path in paths if path.is_dir() for file in sorted(path.rglob(CURVES))]
    files = list(dict.fromkeys(file.resolve() for file in (*curves, *below)))
    # A folder that holds curves alone is no mistake.
    folders = [path for path in paths if not (path.is_dir() and any(path.rglob(CURVES))) or _has_runs(path)]
    found = find_runs(folders) if folders else {}
    begun = [name for name, folder in found.items() if not (folder / "trajectories.jsonl").is_file()]
    runs = [read_reported_run(name, found[name], judge) for name in found if name not in begun]
    if not runs and not files:
        raise ConfigError("nothing to report on; name runs, or learning curves with --curve")
    pairs = [
        _pair(first, second, ignore) for first, second in combinations(runs, 2) if first.env == second.env
    ]
    remarks = [f"{name} has begun and saved no episode yet." for name in begun]
    return Report(
        title or _title(runs),
        runs,
        pairs,
        {_curve_name(file, files): read_curve(file) for file in files},
        remarks,
    )


def _has_runs(folder: Path) -> bool:
    return any(True for name in ("trajectories.jsonl", "manifest.json") for _ in folder.rglob(name))


def _pair(first: ReportedRun, second: ReportedRun, ignore: Sequence[str]) -> Pair:
    try:
        found = compare_judged(first.judged, second.judged, ignore=ignore)
    except (ConfigError, DataError) as error:
        return Pair(first.name, second.name, None, str(error))
    return Pair(first.name, second.name, found)


def _title(runs: Sequence[ReportedRun]) -> str:
    if not runs:
        return "Learning curves"
    named = list(dict.fromkeys(run.env for run in runs))
    return f"{', '.join(named[:3])}{' …' if len(named) > 3 else ''}: " + (
        "1 run" if len(runs) == 1 else f"{len(runs)} runs"
    )


def _curve_name(file: Path, files: Sequence[Path]) -> str:
    """Return a curve's name: its file's, with as much of its path as tells it from the others."""
    depth = 2
    while depth < len(file.parts):
        tail = file.parts[-depth:]
        if sum(other.parts[-depth:] == tail for other in files) == 1:
            break
        depth += 1
    return "/".join(file.parts[-depth:])
