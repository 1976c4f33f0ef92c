"""Runs as logs of Inspect AI's, and its logs as runs, for ``stb-env export`` and ``stb-env data import``."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from rich.table import Table

from stb_env.console.output import emit
from stb_env.core.jsontypes import JsonObject
from stb_env.errors import DataError
from stb_env.formats.surrogates import replaced_in
from stb_env.runs import Run
from stb_env.runs.metrics.rates import summarize
from stb_env.runs.timing import Timing
from stb_env.runs.verdict_file import manifest_of, read_judged
from stb_env.trajectory import Trajectory


def logs(folders: Sequence[Path], judge: str | None) -> tuple[list[Trajectory], dict[str, str]]:
    """Return all episodes of runs, and the text of each run's log by the name of its file.

    Raises:
        ConfigError: Inspect is not installed.
        DataError: A run cannot be read.
    """
    from stb_env.integrations.inspect.logs import log_name, log_of, log_text

    episodes, files = [], {}
    for folder in folders:
        played = [replaced_in(episode)[0] for episode in read_judged(folder, judge)]
        time = datetime.fromtimestamp((folder / "trajectories.jsonl").stat().st_mtime, UTC)
        log = log_of(manifest_of(folder), played, time)
        files[log_name(log)] = log_text(log)
        episodes += played
    return episodes, files


def import_log(file: Path, out: Path, *, as_json: bool) -> None:
    """Save the episodes of a log as a run; what the run has already is passed over.

    Raises:
        ConfigError: Inspect is not installed, or the folder holds another run.
        DataError: It is no log of this package's tasks.
    """
    from stb_env.integrations.inspect.logs import read_log

    manifest, episodes = read_log(file)
    if not episodes:
        raise DataError(f"{file} has no samples; give the log of an evaluation that played some")
    run = Run(out, manifest)
    try:
        done = run.done
        run.add_all([(episode, Timing(0.0)) for episode in episodes if episode.key not in done])
        run.finish({"env": manifest["env"], "agent": manifest["agent"], **summarize(run.trajectories)})
    finally:
        run.close()
    report: JsonObject = {
        "episodes": len(episodes),
        "invalid": sum(not episode.valid for episode in episodes),
        "out": str(out),
    }
    table = Table(title=f"{len(episodes)} episodes imported", caption=f"saved in {out}")
    table.add_column("figure")
    table.add_column("value", justify="right")
    table.add_row("that a failure cut short", str(report["invalid"]))
    emit(report, as_json, table)
