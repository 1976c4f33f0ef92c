"""A table like Table 8 of SambaNova's ToolBench paper, from saved runs and beside the published figures."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, pstdev

from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import DataError
from stb_env.runs.protocol import find_protocol
from stb_env.runs.saved_player import player_of
from stb_env.runs.verdict_file import manifest_of, read_judged
from stb_env.suites.sambanova import tasks
from stb_env.suites.sambanova.alignment.task_complexity import embedded_tests, trained_complexity
from stb_env.suites.sambanova.common.task import Measure, SambaNovaTask
from stb_env.suites.sambanova.published import published, studied_complexities
from stb_env.suites.sambanova.ranking import groups, place
from stb_env.suites.sambanova.table_row import Figure, Row
from stb_env.trajectory import Trajectory

RANKS = ("rank", "complexity")
"""The last columns of the table."""


@dataclass(frozen=True, slots=True)
class _Run:
    """A saved run of one task."""

    task: SambaNovaTask
    manifest: JsonMapping
    episodes: Sequence[Trajectory]


def read_rows(folders: Iterable[str | Path]) -> list[Row]:
    """Read saved runs, one row for each agent.

    Raises:
        DataError: A folder is no run of a task of the suite, or two are of the same agent and task.
    """
    known = _played()
    found: dict[str, dict[str, _Run]] = {}
    for folder in map(Path, folders):
        episodes = read_judged(folder)
        names = {episode.suite for episode in episodes}
        if len(names) != 1 or not names <= known.keys():
            got = ", ".join(sorted(names)) or "no episodes"
            raise DataError(f"{folder} must be a run of one SambaNova task, got {got}")
        task, manifest = known[names.pop()], manifest_of(folder)
        column, name = task.column, _player(manifest, folder)
        runs = found.setdefault(name, {})
        if column in runs:
            raise DataError(f"{folder} is a second run of {name} on {column}; leave one of them out")
        runs[column] = _Run(task, manifest, episodes)
    return [_row(name, runs) for name, runs in found.items()]


def markdown(rows: Sequence[Row]) -> str:
    """Return the table as Markdown; a figure that is not there is a hyphen."""
    columns = dict.fromkeys([*published()["columns"], *(column for row in rows for column in row.cells)])
    shown = [column for column in columns if any(column in row.cells for row in rows)]
    lines = [["model", *shown, *RANKS], ["---"] * (len(shown) + 1 + len(RANKS))]
    lines += [
        [row.name, *(cell_text(row, column) for column in shown), *rank_texts(row, rows)] for row in rows
    ]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return "\n\n".join([table, *notes(rows)]) + "\n"


def cell_text(row: Row, column: str) -> str:
    """Return what a row shows in a column."""
    return " / ".join(map(str, row.cells[column])) if column in row.cells else "-"


def rank_texts(row: Row, rows: Sequence[Row]) -> tuple[str, str]:
    """Return a row's rank among the rows on equal tests, and its correlation of complexity with errors."""
    ranked, correlation = place(row, rows), row.complexity_rank
    return (
        "-" if ranked is None else f"{ranked[0]:.1f} of {ranked[1]}",
        "-" if correlation is None else f"{correlation:.1f}",
    )


def notes(rows: Sequence[Row]) -> list[str]:
    """Return what has to be known of the figures, a sentence each."""
    judges = sorted({judge for row in rows for judge in row.judges})
    invalid, episodes = sum(row.invalid for row in rows), sum(row.episodes for row in rows)
    return [
        "Success in per cent, mean ± standard deviation over runs; virtual_home: executable / LCS; webshop: "
        "mean reward times 100; rank: mean rank over the columns that all rows on equal tests have; "
        "complexity: Spearman correlation of the complexity of these tests with the error.",
        *([f"Judged by {', '.join(judges)}."] if judges else []),
        *([f"Left out as invalid: {invalid} of {episodes} episodes."] if episodes else []),
        *_kept_apart(rows),
        *(note for row in rows for note in _followed(row)),
    ]


def _kept_apart(rows: Sequence[Row]) -> Iterator[str]:
    apart = groups(rows)
    if len(apart) > 1:
        named = "; ".join(", ".join(row.name for row in group) for group in apart)
        yield (
            "Not ranked together, for their tests differ (tasks, split, compat or the tasks played): "
            f"{named}."
        )


def _followed(row: Row) -> Iterator[str]:
    """Yield which protocol made a row, and what departs from it."""
    by_notes: dict[tuple[str, ...], list[str]] = {}
    for column, said in row.protocols.items():
        by_notes.setdefault(said, []).append(column)
    for (name, *departures), columns in by_notes.items():
        where = "" if len(by_notes) == 1 else f" on {', '.join(columns)}"
        departs = f"; departs: {'; '.join(departures)}" if departures else ""
        yield f"{row.name}{where}: {name}{departs}."


def _played() -> dict[str, SambaNovaTask]:
    """Return tasks by the names that saved episodes have; of two that share one, the first is played."""
    known: dict[str, SambaNovaTask] = {}
    for task in tasks.SUITE.values():
        known.setdefault(task.name, task)
    return known


def _player(manifest: JsonMapping, folder: Path) -> str:
    """Return who a row is of: the model alone where it played as the paper has it, else model and agent."""
    agent = str(manifest.get("agent") or "")
    model = (manifest.get("agent_settings") or {}).get("model")
    model = model.get("model") if isinstance(model, dict) else model
    name = agent.rpartition(":")[2]
    if not agent or not model:
        return name or player_of(folder).name
    if not _is_standard(agent, str(manifest.get("env"))):
        return f"{model} · {name}"
    return str(model) if "protocol" in manifest else f"{model} (no protocol)"


def _is_standard(agent: str, env_id: str) -> bool:
    """Return whether an agent is the paper's on an environment; not every task is played by the same one."""
    paper = find_protocol("sambanova")
    standard = str(paper.values("run", env_id).get("agent", ""))
    return agent in (standard, paper.agent_spec(standard))


def _row(name: str, runs: Mapping[str, _Run]) -> Row:
    valid = {column: [one for one in run.episodes if one.valid] for column, run in runs.items()}
    judged = {str(episode.verdict["judge"]) for run in valid.values() for episode in run if episode.verdict}
    counted = {column: run for column, run in runs.items() if valid[column]}
    return Row(
        name,
        {
            column: tuple(_figure(valid[column], _MEASURES[measure]) for measure in run.task.figures)
            for column, run in counted.items()
        },
        {column: tests for column, run in counted.items() if (tests := _tests(run))},
        _complexities(counted),
        sum(len(run.episodes) for run in runs.values()),
        sum(len(run.episodes) - len(valid[column]) for column, run in runs.items()),
        tuple(sorted(judged - {"env"})),
        {column: _figure(valid[column], _is_executable) for column in counted},
        {column: _protocol(run.manifest) for column, run in runs.items()},
    )


def _tests(run: _Run) -> str:
    """Return what tells the tests of a run apart from others; nothing where its manifest names none."""
    if "tasks" not in run.manifest:
        return ""
    settings = run.manifest.get("settings") or {}
    played = "\n".join(sorted({episode.task_id for episode in run.episodes}))
    parts = {
        "tasks": run.manifest["tasks"],
        "played": hashlib.sha256(played.encode()).hexdigest(),
        "split": settings.get("split", "test"),
        "compat": settings.get("compat"),
        "judge": run.manifest.get("judge"),
    }
    return ", ".join(f"{part} {value}" for part, value in parts.items())


def _complexities(runs: Mapping[str, _Run]) -> dict[str, float]:
    """Return the complexity of the tests that were played, of those that the rank study has."""
    studied = studied_complexities()
    scores = {
        column: trained_complexity(run.task)
        for column, run in runs.items()
        if column in studied and run.manifest.get("tasks") == embedded_tests(run.task)
    }
    return {column: score.score for column, score in scores.items() if score is not None}


def _protocol(manifest: JsonMapping) -> tuple[str, ...]:
    protocol = manifest.get("protocol")
    if protocol is None:
        return ("no protocol",)
    return (f"protocol {protocol['name']}, version {protocol['version']}", *protocol["departures"])


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


def _is_executable(episode: Trajectory) -> float:
    verdict = episode.verdict or {}
    # Runs of earlier versions have it among the parts.
    figures = {**(verdict.get("parts") or {}), **(verdict.get("metrics") or {})}
    return float(figures.get("executable", False))


_MEASURES: Mapping[Measure, Callable[[Trajectory], float]] = {
    "success": lambda episode: float(episode.solved),
    "score": _score,
    "executable": _is_executable,
    "lcs": _lcs,
}
