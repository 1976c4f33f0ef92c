"""``stb-env export``: write the episodes of a run in the formats of others."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple
from urllib.parse import quote

import typer
from rich.table import Table

from stb_env import jsontext
from stb_env.cli import options
from stb_env.cli.output import emit, reporting
from stb_env.errors import ConfigError, DataError, did_you_mean
from stb_env.formats.sft import sft_lines
from stb_env.formats.stabletoolbench import GROUPS
from stb_env.formats.toolbench_answer import answer_file, evaluation_entry, file_name, method_of
from stb_env.judgement import read_judged
from stb_env.tools import Status
from stb_env.trajectory import Trajectory

Folder = Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run.")]
Format = Annotated[str, typer.Option("--format", help="toolbench, evaluation, sft or jsonl.")]
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
Method = Annotated[
    str | None, typer.Option("--method", help="Name of the method in toolbench and evaluation files.")
]
Branches = Annotated[bool, typer.Option("--branches", help="sft: every branch of a search, failed ones too.")]
JudgeName = Annotated[
    str | None, typer.Option("--judge", help="Whose verdicts count; those of the run's own judge by default.")
]


class Settings(NamedTuple):
    """How episodes are written."""

    method: str | None
    branches: bool


Files = Iterator[tuple[str, str]]


def _toolbench(episodes: Sequence[Trajectory], settings: Settings) -> Files:
    places = _places(episodes)
    for episode, place in zip(episodes, places, strict=True):
        name = file_name(episode.task_id, settings.method or method_of(episode))
        yield f"{place}/{name}", _document(answer_file(episode))
    yield from _evaluation(episodes, settings)


def _evaluation(episodes: Sequence[Trajectory], settings: Settings) -> Files:
    groups: dict[str, dict[str, Any]] = defaultdict(dict)
    for episode, place in zip(episodes, _places(episodes), strict=True):
        if episode.task_id in groups[place]:
            raise ConfigError(
                f"two episodes would be entry {episode.task_id} of {place}.json; export {_APART}"
            )
        groups[place][episode.task_id] = evaluation_entry(episode, settings.method)
    for place, entries in groups.items():
        yield f"{place}.json", _document(entries)


def _sft(episodes: Sequence[Trajectory], settings: Settings) -> Files:
    lines = (line for t in episodes for line in sft_lines(t, every_branch=settings.branches))
    yield "sft.jsonl", "".join(jsontext.dumps(line) + "\n" for line in lines)


def _jsonl(episodes: Sequence[Trajectory], settings: Settings) -> Files:
    del settings
    yield "trajectories.jsonl", "".join(episode.to_json() + "\n" for episode in episodes)


_APART = "them from separate runs"
FORMATS: Mapping[str, Callable[[Sequence[Trajectory], Settings], Files]] = {
    "toolbench": _toolbench,
    "evaluation": _evaluation,
    "sft": _sft,
    "jsonl": _jsonl,
}


def _complete(episode: Trajectory) -> bool:
    """Say whether an episode was played to its end; one that lacks a verdict alone was."""
    last = episode.steps[-1]["calls"] if episode.steps else ()
    return episode.valid or any(call["status"] == Status.FINISHED for call in last)


CHOICES: Mapping[str, Callable[[Trajectory], bool]] = {
    "solved": lambda episode: episode.solved and episode.valid,
    "valid": lambda episode: episode.valid,
    "all": _complete,
}


@reporting
def export(
    folder: Folder,
    format: Format = "toolbench",
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
    write = _known("format", format, FORMATS)
    chosen = _known("choice for --only", only or ("solved" if format == "sft" else "all"), CHOICES)
    if branches and format != "sft":
        raise ConfigError(f"--branches belongs to --format sft, got {format}")
    episodes = read_judged(folder, judge)
    kept = [episode for episode in episodes if chosen(episode)]
    try:
        files = _distinct(write(kept, Settings(method, branches)))
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


def _known(what: str, name: str, known: Mapping[str, Any]) -> Any:
    if name not in known:
        expected = ", ".join(known)
        raise ConfigError(f"no {what} {name!r}; expected one of {expected}.{did_you_mean(name, known)}")
    return known[name]


def _places(episodes: Sequence[Trajectory]) -> list[str]:
    """Return a folder for each episode: its group's, apart by method and trial where there are several."""
    methods = {method_of(episode) for episode in episodes}
    trials = {episode.trial for episode in episodes}
    places = []
    for episode in episodes:
        group = GROUPS.get(episode.group, episode.group) or episode.suite or "episodes"
        parts = [method_of(episode)] if len(methods) > 1 else []
        parts += [f"trial_{episode.trial}"] if len(trials) > 1 else []
        places.append("/".join(quote(part, safe=" @") for part in [*parts, group]))
    return places


def _document(value: Any) -> str:
    return json.dumps(value, indent=2) + "\n"


def _distinct(files: Files) -> dict[str, str]:
    texts: dict[str, str] = {}
    for name, text in files:
        if name in texts:
            raise ConfigError(f"two episodes would be {name}; export {_APART}")
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


def _table(report: dict[str, Any]) -> Table:
    table = Table(title=f"{report['exported']} of {report['episodes']} episodes as {report['format']}")
    table.add_column("figure")
    table.add_column("value", justify="right")
    table.add_row("files written or unchanged", str(len(report["files"])))
    table.add_row("left out: invalid", str(report["left_out"]["invalid"]))
    table.add_row("left out: not solved", str(report["left_out"]["not_solved"]))
    table.add_row("folder", report["out"])
    return table
