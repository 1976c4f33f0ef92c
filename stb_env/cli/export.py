"""``stb-env export``: write the episodes of a run in the formats of others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from stb_env.console import options
from stb_env.console.output import emit, reporting
from stb_env.errors import ConfigError, DataError, did_you_mean
from stb_env.formats.export import APART, WRITERS, ExportSettings, Writer
from stb_env.jsontypes import JsonMapping, JsonObject
from stb_env.rollout.verdict_file import read_judged
from stb_env.suite import resolved, suites
from stb_env.tools import Status
from stb_env.trajectory import Trajectory

Folder = Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run.")]
Format = Annotated[
    str, typer.Option("--format", help="sft, jsonl, or one of a suite: stabletoolbench, converted, passrate.")
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out", help="Folder to write to, RUN/exports/FORMAT by default; files in it never change."
    ),
]
Only = Annotated[
    str | None,
    typer.Option("--only", help="solved, valid, or all that no failure cut short; sft: solved, else: all."),
]
Method = Annotated[str | None, typer.Option("--method", help="Name of the method in a suite's answer files.")]
Branches = Annotated[bool, typer.Option("--branches", help="sft: every branch of a search, failed ones too.")]
JudgeName = Annotated[
    str | None, typer.Option("--judge", help="Whose verdicts count; those of the run's own judge by default.")
]


def _complete(episode: Trajectory) -> bool:
    """Say whether an episode was played to its end; one that lacks a verdict alone was."""
    last = episode.steps[-1]["calls"] if episode.steps else ()
    return episode.valid or any(call["status"] == Status.FINISHED for call in last)


CHOICES: Mapping[str, Callable[[Trajectory], bool]] = {
    "solved": lambda episode: episode.solved and episode.valid,
    "valid": lambda episode: episode.valid,
    "all": _complete,
}


def writers() -> dict[str, Writer]:
    """Return every writer by the name of its format: ours, and those of every suite."""
    found = dict(WRITERS)
    for suite in suites():
        found |= {name: resolved(reference) for name, reference in suite.exports.items()}
    return found


@reporting
def export(
    folder: Folder,
    format: Format = "stabletoolbench",
    out: Out = None,
    only: Only = None,
    method: Method = None,
    branches: Branches = False,
    judge: JudgeName = None,
    as_json: options.AsJson = False,
) -> None:
    """Write a run's episodes, with their newest verdicts, in a format that others read.

    Episodes that a failure cut short are never written, only counted. Running the command again changes
    nothing; where a file of another content is in the way, nothing is written at all.
    """
    write = _known("format", format, writers())
    chosen = _known("choice for --only", only or ("solved" if format == "sft" else "all"), CHOICES)
    if branches and format != "sft":
        raise ConfigError(f"--branches belongs to --format sft, got {format}")
    episodes = read_judged(folder, judge)
    kept = [episode for episode in episodes if chosen(episode)]
    try:
        files = _distinct(write(kept, ExportSettings(method, branches)))
    except RecursionError as error:
        raise DataError("an episode has too many steps for a format that nests them") from error
    out = out or folder / "exports" / format
    _write(out, files)
    invalid = sum(not episode.valid for episode in episodes if not chosen(episode))
    report = {
        "format": format,
        "out": str(out),
        "episodes": len(episodes),
        "exported": len(kept),
        "left_out": {"invalid": invalid, "not_solved": len(episodes) - len(kept) - invalid},
        "files": list(files),
    }
    emit(report, as_json, _table(report))


def _known(what: str, name: str, known: JsonMapping) -> Any:
    if name not in known:
        expected = ", ".join(known)
        raise ConfigError(f"no {what} {name!r}; expected one of {expected}.{did_you_mean(name, known)}")
    return known[name]


def _distinct(files: Iterator[tuple[str, str]]) -> dict[str, str]:
    texts: dict[str, str] = {}
    for name, text in files:
        if name in texts:
            raise ConfigError(f"two episodes would be {name}; export {APART}")
        texts[name] = text
    return texts


def _write(out: Path, files: Mapping[str, str]) -> None:
    new = [(out / name, text) for name, text in files.items() if not _same(out / name, text)]
    for file, text in new:
        file.parent.mkdir(parents=True, exist_ok=True)
        draft = file.with_name(f".{file.name}")
        draft.write_bytes(text.encode("utf-8"))
        draft.replace(file)


def _same(file: Path, text: str) -> bool:
    if not file.exists():
        return False
    if file.read_bytes() != text.encode("utf-8"):
        raise ConfigError(f"{file} exists with other content; nothing was written, use another --out")
    return True


def _table(report: JsonObject) -> Table:
    table = Table(title=f"{report['exported']} of {report['episodes']} episodes as {report['format']}")
    table.add_column("figure")
    table.add_column("value", justify="right")
    table.add_row("files written or unchanged", str(len(report["files"])))
    table.add_row("left out: invalid", str(report["left_out"]["invalid"]))
    table.add_row("left out: not solved", str(report["left_out"]["not_solved"]))
    table.add_row("folder", report["out"])
    return table
