"""``stb-env data import`` of answers: they become a run that can be judged, exported and measured."""

from __future__ import annotations

import hashlib
from pathlib import Path

from rich.table import Table

from stb_env import __version__
from stb_env.console.output import emit
from stb_env.core.jsontypes import JsonObject
from stb_env.errors import DataError
from stb_env.runs import Run
from stb_env.runs.metrics.rates import summarize
from stb_env.suites.stabletoolbench.answer_folder import AnswerFolder, json_files

_SHOWN = 20


def import_answers(source: Path, out: Path, *, strict: bool, as_json: bool) -> None:
    """Read answers and save them as a run; what the run has already is passed over.

    Raises:
        ConfigError: The folder holds another run.
        DataError: There are no answers, or ``strict`` met a file that cannot be read.
    """
    folder = AnswerFolder(source, strict)
    episodes = list(folder)
    if not episodes:
        raise DataError(f"no answer of {source} can be read: {_first(folder.problems) or 'there are none'}")
    run = Run(out, _manifest(source))
    try:
        done = run.done
        for episode in (episode for episode in episodes if episode.key not in done):
            run.add(episode, 0.0)
        run.finish({"env": "import", "agent": None, **summarize(run.trajectories)})
    finally:
        run.close()
    report = {
        "episodes": len(episodes),
        "answered": sum(not episode.valid for episode in episodes),
        "unanswered": sum(episode.valid for episode in episodes),
        "files": dict(sorted(folder.kinds.items())),
        "problems": [{"file": file, "message": message} for file, message in folder.problems.items()],
        "out": str(out),
    }
    emit(report, as_json, _table(report))


def _manifest(source: Path) -> dict[str, object]:
    """Return what identifies the import: no path, for that may move."""
    digest = hashlib.sha256()
    for file in json_files(source):
        digest.update(file.name.encode("utf-8", "surrogatepass") + b"\0" + file.read_bytes())
    return {
        "version": 1,
        "env": "import",
        "package": __version__,
        "agent": None,
        "judge": None,
        "imported": digest.hexdigest(),
    }


def _first(problems: dict[str, str]) -> str:
    return next((f"{file}: {message}" for file, message in problems.items()), "")


def _table(report: JsonObject) -> Table:
    table = Table(title=f"{report['episodes']} episodes imported", caption=f"saved in {report['out']}")
    table.add_column("figure")
    table.add_column("value", justify="right")
    table.add_row("with an answer, to be judged", str(report["answered"]))
    table.add_row("without an answer, unsolved", str(report["unanswered"]))
    for kind, count in report["files"].items():
        table.add_row(f"files: {kind}", str(count))
    for problem in report["problems"][:_SHOWN]:
        table.add_row("problem", f"{problem['file']}: {problem['message']}")
    return table
