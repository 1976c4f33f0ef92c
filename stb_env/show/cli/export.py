"""``stb-env export``: write the episodes of runs for training, and in the formats of others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, cast

import typer
from rich.table import Table
from typing_extensions import Doc

from stb_env.console import options
from stb_env.console.output import emit, reporting
from stb_env.core.jsontypes import JsonObject
from stb_env.core.kinds import AtLeast
from stb_env.core.options import Verdicts
from stb_env.errors import ConfigError, DataError, did_you_mean
from stb_env.formats.duplicates import Kind
from stb_env.formats.export import APART, ExportSettings, Writer
from stb_env.formats.record_file import Container
from stb_env.formats.selection import Only, Selection
from stb_env.formats.split import Split
from stb_env.formats.surrogates import replaced_in
from stb_env.runs.groups.advantages import ESTIMATORS
from stb_env.runs.verdict_file import manifest_of
from stb_env.show.cli.export_records import RECORDS, Kept, Making, check_names, export_records
from stb_env.show.cli.inspect_logs import logs
from stb_env.suite import resolved, suites

Format = Annotated[
    str,
    typer.Option(
        "--format",
        help="sft, preferences, kto, rl; jsonl, parquet, datasets (whole episodes); inspect (logs of Inspect "
        "AI's); or one of a suite: stabletoolbench, converted, passrate, api-bank, lynx.",
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        help="Folder, or file of records, to write to; RUN/exports/FORMAT by default. Files never change.",
    ),
]
OnlyName = Annotated[
    str | None,
    typer.Option(
        "--only",
        help="solved, valid, or all that no failure cut short. By default sft: solved; preferences, "
        "kto, rl, parquet and datasets: valid; else all.",
    ),
]
Solved = Annotated[bool, typer.Option("--solved", help="As --only solved.")]
Method = Annotated[str | None, typer.Option("--method", help="Name of the method in a suite's answer files.")]
As = Annotated[
    str | None,
    typer.Option("--as", help="What holds sft, preferences, kto and rl: jsonl, parquet, datasets."),
]
SplitText = Annotated[
    str | None,
    typer.Option(
        "--split", help="Parts by task: 0.8,0.1,0.1 (train, validation, test) or train=0.9,test=0.1."
    ),
]
Dedupe = Annotated[
    str,
    typer.Option(
        "--dedupe", help="none; exact: equal conversations; near: also tasks with near-equal queries."
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionOptions:
    """Selection of runs and of their episodes."""

    suite: Annotated[list[str] | None, Doc("Only episodes of this suite.")] = None
    group: Annotated[list[str] | None, Doc("Only episodes of this group.")] = None
    agent: Annotated[list[str] | None, Doc("Only runs of this agent.")] = None
    model: Annotated[list[str] | None, Doc("Only runs of this model.")] = None
    min_steps: Annotated[int, Doc("Fewest steps of an episode."), AtLeast(0)] = 0
    max_steps: Annotated[int | None, Doc("Most steps of an episode."), AtLeast(0)] = None
    max_characters: Annotated[int | None, Doc("Most characters of an episode's messages."), AtLeast(1)] = None
    max_simulated: Annotated[
        float | None, Doc("Largest share of calls that a simulator answered, 0 to 1.")
    ] = None

    def episodes(self, only: Only) -> Selection:
        """Return the selection of a run's episodes.

        Raises:
            ConfigError: A bound is out of range.
        """
        return Selection(
            only,
            tuple(self.suite or ()),
            tuple(self.group or ()),
            self.min_steps,
            self.max_steps,
            self.max_characters,
            self.max_simulated,
        )

    def keeps(self, folder: Path) -> bool:
        """Return whether a run is of an agent and a model that were asked for."""
        if not self.agent and not self.model:
            return True
        manifest = manifest_of(folder)
        model = (manifest.get("agent_settings") or {}).get("model")
        return (not self.agent or manifest.get("agent") in self.agent) and (
            not self.model or model in self.model
        )


CHOICES: tuple[Only, ...] = ("solved", "valid", "all")
CONTAINERS: tuple[Container, ...] = ("jsonl", "parquet", "datasets")
DEDUPE: tuple[Kind, ...] = ("none", "exact", "near")

INSPECT = "inspect"

_ONLY: Mapping[str, Only] = {
    "sft": "solved",
    **dict.fromkeys(("preferences", "kto", "rl", "parquet", "datasets"), "valid"),
}


def writers() -> dict[str, Writer]:
    """Return every suite's writer by the name of its format."""
    return {name: resolved(reference) for suite in suites() for name, reference in suite.exports.items()}


@reporting
def export(
    *,
    folders: options.Runs,
    format: Format = "stabletoolbench",
    out: Out = None,
    only: OnlyName = None,
    solved: Solved = False,
    method: Method = None,
    making: Making,
    judge: Annotated[
        Verdicts,
        Doc("Whose verdicts (with --against: preferences) count; the run's own by default."),
    ] = None,
    container: As = None,
    split: SplitText = None,
    dedupe: Dedupe = "none",
    selected: SelectionOptions,
    as_json: options.AsJson = False,
) -> None:
    """Write episodes of runs, with their newest verdicts, as training data or in a format that others read.

    Episodes that a failure cut short are never written, only counted; a log of Inspect's has whole runs, and
    shows those without a score. Running the command again changes
    nothing; where a file of another content is in the way, nothing is written at all. Records for training
    (sft, preferences, kto, rl, jsonl, parquet, datasets) get a data card beside them.

    Example: stb-env export runs/gold --format sft --only all
    """
    _known("format", format, [*RECORDS, INSPECT, *(found := writers())])
    chosen = "solved" if solved and only is None else only or _ONLY.get(format, "all")
    selection = selected.episodes(cast(Only, _known("choice for --only", chosen, CHOICES)))
    _check(format, only if solved else None, making, container, split)
    # A run that is given twice, perhaps by two paths, is one.
    distinct: dict[Path, Path] = {}
    for folder in folders:
        distinct.setdefault(folder.resolve(), folder)
    runs = [folder for folder in distinct.values() if selected.keeps(folder)]
    if not runs:
        raise ConfigError("no run is of that agent and model; see the manifest.json of each")
    check_names(runs, selection)
    kept = Kept(runs, judge, selection, cast(Kind, _known("choice for --dedupe", dedupe, DEDUPE)))
    out = out or folders[0] / "exports" / format
    if format in RECORDS:
        _known("estimator", making.advantage, ESTIMATORS)
        into = None if container is None else cast(Container, _known("container", container, CONTAINERS))
        settings = asdict(selection) | {"dedupe": dedupe, "split": split, "judge": judge}
        if format == "rl":
            settings["advantage"] = making.advantage
        parts = Split.parse(split) if split else None
        told = export_records(format, kept, making, out, into=into, split=parts, settings=settings)
    elif format == INSPECT:
        if kept.selection != Selection("all") or dedupe != "none":
            raise ConfigError("--format inspect writes whole runs; leave out what selects episodes")
        told = _export_logs(runs, judge, out)
    else:
        told = _export_files(found[format], kept, ExportSettings(method, making.branches), out)
    report = {"format": format, "out": str(out), **told}
    emit(report, as_json, _table(report))


def _check(
    format: str,
    only: str | None,
    making: Making,
    container: str | None,
    split: str | None,
) -> None:
    """Refuse options that another format has.

    Raises:
        ConfigError: One belongs to another format, or contradicts another.
    """
    if only not in (None, "solved"):
        raise ConfigError(f"--solved is --only solved, got --only {only} too")
    if making.branches and format not in ("sft", "preferences"):
        raise ConfigError(f"--branches belongs to --format sft and preferences, got {format}")
    for name, given in (("--against", making.against is not None), ("--first-turn", making.first_turn)):
        if given and format != "preferences":
            raise ConfigError(f"{name} belongs to --format preferences, got {format}")
    if making.branches and making.against is not None:
        raise ConfigError("--branches pairs the branches of one run, --against two runs; give one of them")
    if container is not None and format not in ("sft", "preferences", "kto", "rl"):
        raise ConfigError(f"--as belongs to --format sft, preferences, kto and rl, got {format}")
    if split is not None and format not in RECORDS:
        raise ConfigError(f"--split belongs to --format {', '.join(RECORDS)}, got {format}")


def _export_files(write: Writer, kept: Kept, settings: ExportSettings, out: Path) -> dict[str, object]:
    cleaned = [replaced_in(episode) for episode in kept]
    if not cleaned:
        raise kept.nothing_left(kept.left_out)
    episodes = [episode for episode, _ in cleaned]
    try:
        files = _distinct(write(episodes, settings))
    except RecursionError as error:
        raise DataError("an episode has too many steps for a format that nests them") from error
    _write(out, files)
    return {
        "episodes": kept.read,
        "exported": len(episodes),
        "left_out": {"invalid": 0, "not_solved": 0} | dict(kept.left_out),
        "replaced": sum(changed for _, changed in cleaned),
        "files": list(files),
    }


def _export_logs(runs: list[Path], judge: str | None, out: Path) -> dict[str, object]:
    episodes, files = logs(runs, judge)
    _write(out, files)
    return {
        "episodes": len(episodes),
        "exported": len(episodes),
        "left_out": {"invalid": 0, "not_solved": 0},
        "unscored": sum(not episode.valid for episode in episodes),
        "files": list(files),
    }


def _known(what: str, name: str, known: Iterable[str]) -> str:
    if name not in (known := list(known)):
        expected = ", ".join(known)
        raise ConfigError(f"no {what} {name!r}; expected one of {expected}.{did_you_mean(name, known)}")
    return name


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
    for name, part in report.get("parts", {}).items():
        table.add_row(f"records: {name}", str(part["rows"]))
    table.add_row("files written or unchanged", str(len(report["files"])))
    if longest := report.get("longest"):
        table.add_row("longest record (TRL keeps 1,024 tokens)", f"{longest:,} characters")
    if report.get("in_parts"):
        table.add_row("in several records: prefix broken", str(report["in_parts"]))
    if report.get("replaced"):
        table.add_row("texts changed: lone surrogates", str(report["replaced"]))
    for reason, count in report["left_out"].items():
        table.add_row(f"left out: {reason.replace('_', ' ')}", str(count))
    table.add_row("written to", report["out"])
    return table
