"""A table like Table 8 of SambaNova's ToolBench paper, from saved runs and beside the published figures."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from statistics import fmean, pstdev
from typing import NamedTuple

from stb_env.errors import DataError, did_you_mean
from stb_env.jsontypes import Json, JsonMapping, JsonObject
from stb_env.rollout.verdict_file import manifest_of, read_judged
from stb_env.suites.sambanova import tasks
from stb_env.suites.sambanova.common.task import Measure, SambaNovaTask
from stb_env.suites.sambanova.complexity import spearman
from stb_env.trajectory import Trajectory

_STUDIED_MODELS = {
    "gpt4": "gpt4",
    "llama-30b": "llama",
    "codegen-16B-mono": "codegen",
    "starcoder": "starcoder",
}


class Figure(NamedTuple):
    """A figure in per cent, and its standard deviation over runs; None where one run is all there is."""

    mean: float
    std: float | None = None

    def __str__(self) -> str:
        return f"{self.mean:.1f}" if self.std is None else f"{self.mean:.1f} ± {self.std:.1f}"


Cell = tuple[Figure, ...]
"""What a column shows: one figure, or for VirtualHome executability and longest common subsequence."""


@dataclass(frozen=True, slots=True)
class Row:
    """One agent of the table.

    Attributes:
        name: The agent.
        cells: Its figures by column.
        episodes: Episodes behind them.
        invalid: Episodes that were left out, for their infrastructure failed.
        judges: Who judged.
        executable: Share of episodes in which nothing failed, by column.
    """

    name: str
    cells: Mapping[str, Cell]
    episodes: int = 0
    invalid: int = 0
    judges: tuple[str, ...] = ()
    executable: Mapping[str, Figure] | None = None

    @property
    def complexity_rank(self) -> float | None:
        """Spearman correlation of the published complexity with the error; None below three studied tasks."""
        known = {column: score for column, score in _studied().items() if column in self.cells}
        errors = [100 - self.cells[column][-1].mean for column in known]
        if len(known) < 3 or len(set(errors)) < 2:
            return None
        return spearman(list(known.values()), errors)

    def to_dict(self) -> JsonObject:
        """Return the row as plain data."""
        return {**asdict(self), "complexity_rank": self.complexity_rank}


def read_rows(folders: Iterable[str | Path]) -> list[Row]:
    """Read saved runs, one row for each agent.

    Raises:
        DataError: A folder is no run of a task of the suite, or two are of the same agent and task.
    """
    known = _played()
    found: dict[str, dict[str, list[Trajectory]]] = {}
    for folder in map(Path, folders):
        episodes = read_judged(folder)
        names = {episode.suite for episode in episodes}
        if len(names) != 1 or not names <= known.keys():
            got = ", ".join(sorted(names)) or "no episodes"
            raise DataError(f"{folder} must be a run of one SambaNova task, got {got}")
        column = known[names.pop()].column
        runs = found.setdefault(_agent(folder), {})
        if column in runs:
            raise DataError(
                f"{folder} is a second run of {_agent(folder)} on {column}; leave one of them out"
            )
        runs[column] = episodes
    return [_row(name, runs) for name, runs in found.items()]


def published_row(model: str, setting: str = "three_shot") -> Row:
    """Return the published figures of a model.

    Args:
        model: Its name in the paper's tables.
        setting: ``three_shot`` for Table 8, or a setting of Table 11, such as ``Sys. Prompt``.

    Raises:
        DataError: There are none; the message names the nearest.

    Examples:
        >>> row = published_row("gpt4")
        >>> str(row.cells["trip_booking"][0]), [str(figure) for figure in row.cells["virtual_home"]]
        ('96.7', ['23.0', '23.5'])
    """
    data = _published()
    settings = {"three_shot": data["three_shot"], **data["ablation"]}
    models = _found("setting", setting, settings)
    figures = _found("model", model, models)
    read = _printed if setting == "three_shot" else _printed_with_std
    label = "3-shot" if setting == "three_shot" else setting
    return Row(f"{model} (paper, {label})", {column: read(value) for column, value in figures.items()})


def published_settings() -> tuple[str, ...]:
    """Return the settings that figures were published of."""
    return ("three_shot", *_published()["ablation"])


def rank_study() -> dict[str, tuple[float, float]]:
    """Return, for each model studied, the correlation of complexity with errors: recomputed, and as printed.

    Examples:
        >>> {model: (round(computed, 1), printed) for model, (computed, printed) in rank_study().items()}
        {'gpt4': (0.2, 0.2), 'llama-30b': (1.0, 1.0), 'codegen-16B-mono': (1.0, 1.0), 'starcoder': (0.9, 0.7)}
    """
    printed = _published()["spearman"]["complexity"]
    ranks = {model: published_row(model).complexity_rank for model in _STUDIED_MODELS}
    return {
        model: (rank, printed[_STUDIED_MODELS[model]]) for model, rank in ranks.items() if rank is not None
    }


def markdown(rows: Sequence[Row]) -> str:
    """Return the table as Markdown; a figure that is not there is a hyphen."""
    columns = dict.fromkeys([*_published()["columns"], *(column for row in rows for column in row.cells)])
    shown = [column for column in columns if any(column in row.cells for row in rows)]
    lines = [["model", *shown, "rank"], ["---"] * (len(shown) + 2)]
    lines += [[row.name, *(cell_text(row, column) for column in shown), rank_text(row)] for row in rows]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return "\n\n".join([table, *notes(rows)]) + "\n"


def cell_text(row: Row, column: str) -> str:
    """Return what a row shows in a column."""
    return " / ".join(map(str, row.cells[column])) if column in row.cells else "-"


def rank_text(row: Row) -> str:
    """Return a row's correlation of complexity with errors."""
    return "-" if row.complexity_rank is None else f"{row.complexity_rank:.1f}"


def notes(rows: Sequence[Row]) -> list[str]:
    """Return what has to be known of the figures, a sentence each."""
    judges = sorted({judge for row in rows for judge in row.judges})
    invalid, episodes = sum(row.invalid for row in rows), sum(row.episodes for row in rows)
    return [
        "Success in per cent, mean ± standard deviation over runs; virtual_home: executable / LCS; webshop: "
        "mean reward times 100; rank: Spearman correlation of the published complexity with the error.",
        *([f"Judged by {', '.join(judges)}."] if judges else []),
        *([f"Left out as invalid: {invalid} of {episodes} episodes."] if episodes else []),
    ]


def _played() -> dict[str, SambaNovaTask]:
    """Return tasks by the names that saved episodes have; of two that share one, the first is played."""
    known: dict[str, SambaNovaTask] = {}
    for task in tasks.SUITE.values():
        known.setdefault(task.name, task)
    return known


def _studied() -> dict[str, float]:
    """Return complexities by column, of the tasks over which the paper correlates them with errors."""
    return {
        task.column: task.published_complexity
        for task in tasks.SUITE.values()
        if task.published_complexity is not None and not task.advanced
    }


def _agent(folder: Path) -> str:
    manifest = manifest_of(folder)
    name = str(manifest.get("agent", folder.parent.name)).rpartition(":")[2]
    settings = manifest.get("agent_settings") or {}
    return f"{settings['model']} · {name}" if "model" in settings else name


def _row(name: str, runs: Mapping[str, Sequence[Trajectory]]) -> Row:
    figures = {task.column: task.figures for task in tasks.SUITE.values()}
    valid = {column: [episode for episode in run if episode.valid] for column, run in runs.items()}
    judged = {str(episode.verdict["judge"]) for run in valid.values() for episode in run if episode.verdict}
    return Row(
        name,
        {column: _cell(figures[column], run) for column, run in valid.items() if run},
        sum(map(len, runs.values())),
        sum(len(run) - len(valid[column]) for column, run in runs.items()),
        tuple(sorted(judged - {"env"})),
        {column: _figure(run, _is_executable) for column, run in valid.items() if run},
    )


def _cell(measures: Iterable[Measure], run: Sequence[Trajectory]) -> Cell:
    return tuple(_figure(run, _MEASURES[measure]) for measure in measures)


def _figure(run: Sequence[Trajectory], value: Callable[[Trajectory], float]) -> Figure:
    trials: dict[int, list[float]] = {}
    for episode in run:
        trials.setdefault(episode.trial, []).append(value(episode))
    means = [100 * fmean(values) for values in trials.values()]
    return Figure(round(fmean(means), 6), round(pstdev(means), 6) if len(means) > 1 else None)


def _score(episode: Trajectory) -> float:
    return float(episode.verdict["score"]) if episode.verdict else 0.0


def _lcs(episode: Trajectory) -> float:
    # Of runs before the metric there is the score alone, which it was then.
    metrics = (episode.verdict or {}).get("metrics") or {}
    return float(metrics.get("lcs", _score(episode)))


def _is_success(episode: Trajectory) -> float:
    return float(episode.solved)


def _is_executable(episode: Trajectory) -> float:
    parts = (episode.verdict or {}).get("parts") or {}
    return float(parts.get("executable", False))


_MEASURES: Mapping[Measure, Callable[[Trajectory], float]] = {
    "success": _is_success,
    "score": _score,
    "executable": _is_executable,
    "lcs": _lcs,
}


def _printed(value: Json) -> Cell:
    return tuple(Figure(mean) for mean in (value if isinstance(value, list) else [value]))


def _printed_with_std(value: Json) -> Cell:
    return tuple(Figure(*pair) for pair in (value if isinstance(value[0], list) else [value]))


def _found(what: str, name: str, known: JsonMapping) -> JsonMapping:
    if name not in known:
        raise DataError(f"no figures were published of {what} {name!r}.{did_you_mean(name, list(known))}")
    figures: JsonMapping = known[name]
    return figures


@cache
def _published() -> JsonMapping:
    text = (resources.files("stb_env.suites.sambanova") / "published.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
