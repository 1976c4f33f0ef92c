"""``stb-env data fetch``: the public files of a data set, from pinned revisions."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import platformdirs
import typer
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn
from rich.table import Table

from stb_env.console import options
from stb_env.console.output import console, emit, reporting
from stb_env.errors import ConfigError
from stb_env.fetch import Fetcher, Report, Sources, read_sources
from stb_env.fetch.download import Progress as Told

Name = Annotated[
    str | None,
    typer.Argument(metavar="NAME", help="A data set, such as toolllm; --list names all."),
]
Folder = Annotated[
    Path | None, typer.Option("--folder", help="Data folder; one of the user's own if not given.")
]
Only = Annotated[
    list[str] | None,
    typer.Option("--only", help="A part of the data set; repeatable. All but the optional ones if absent."),
]
Listed = Annotated[bool, typer.Option("--list", help="Print what can be fetched, and fetch nothing.")]
SourceFile = Annotated[
    Path | None, typer.Option("--source", help="Another list of sources (TOML), such as one of mirrors.")
]

_SHOWN = 20


@reporting
def fetch(
    name: Name = None,
    folder: Folder = None,
    only: Only = None,
    listed: Listed = False,
    source: SourceFile = None,
    as_json: options.AsJson = False,
) -> None:
    """Fetch the public files of a data set; doing it again goes on, checks every file and changes none.

    The first fetch records commits and hashes in fetched.json; later ones hold the files to them.

    Example: stb-env data fetch --list
    """
    sources = read_sources(source)
    if listed:
        emit({"datasets": _listing(sources)}, as_json, _listing_table(sources))
        return
    if name is None:
        raise ConfigError(f"name a data set: {', '.join(sources.datasets)}; --list shows their parts")
    root = folder or Path(platformdirs.user_data_dir("stb_env", appauthor=False))
    with _progress(as_json) as told:
        report = Fetcher(sources, root, told).fetch(name, only or ())
    following = next_steps(root) if name == "stabletoolbench" else []
    emit(report.to_dict() | {"next": following}, as_json, _table(report))
    if following and not as_json:
        typer.echo("\nnext:\n" + "\n".join(f"  {command}" for command in following))


def next_steps(root: Path) -> list[str]:
    """Return the commands that use what was fetched of StableToolBench.

    Args:
        root: The data folder.
    """
    folder = root / "stabletoolbench"
    queries, cache = folder / "solvable_queries", folder / "cache"
    imported = folder / "response_cache"
    commands = []
    if cache.is_dir():
        # Where in the archive it lies is its makers' affair; its name is the original server's.
        recorded = min((path for path in cache.rglob("tool_response_cache") if path.is_dir()), default=cache)
        commands.append(["stb-env", "cache", "import", str(recorded), "--cache", str(imported)])
    if queries.is_dir():
        run = ["stb-env", "run", "stb/I1Instruction-v0", "--data", str(queries)]
        run += ["--cache", str(imported)] if commands else []
        commands.append([*run, "--agent", "gold", "--seed", "0", "--out", "runs/i1"])
    return [shlex.join(command) for command in commands]


@contextmanager
def _progress(as_json: bool) -> Iterator[Told]:
    columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn()
    with Progress(*columns, console=console, transient=True, disable=as_json) as bars:
        bar = bars.add_task("connecting", total=None)
        shown = ""

        def told(what: str, done: int, size: int | None) -> None:
            nonlocal shown
            if what != shown:
                # Speed is measured from the start of a task, so another file is another start.
                bars.reset(bar)
                shown = what
            bars.update(bar, description=what, completed=done, total=size)

        yield told


def _table(report: Report) -> Table:
    new = sum(outcome.recorded for outcome in report.files)
    table = Table(title=f"{report.dataset} in {report.folder}", caption=f"{new} hashes recorded now")
    for column in ("file", "bytes", "SHA-256", ""):
        table.add_column(column, justify="right" if column == "bytes" else "left", overflow="fold")
    for outcome in report.files[:_SHOWN]:
        table.add_row(
            outcome.file.removeprefix(f"{report.dataset}/"),
            f"{outcome.size:,}",
            outcome.sha256[:16],
            outcome.status,
        )
    rest = report.files[_SHOWN:]
    if rest:
        table.add_row(f"and {len(rest)} more", f"{sum(outcome.size for outcome in rest):,}", "", "")
    for folder in report.unpacked:
        table.add_row(f"{folder.relative_to(report.folder / report.dataset)}/", "", "", "unpacked")
    return table


def _listing(sources: Sources) -> list[dict[str, object]]:
    return [
        {
            "name": dataset.name,
            "title": dataset.title,
            "homepage": dataset.homepage,
            "licence": dataset.licence,
            "parts": [
                {
                    "name": part.name,
                    "about": part.about,
                    "from": part.origin,
                    "revision": part.revision,
                    "optional": part.optional,
                }
                for part in dataset.parts.values()
            ],
        }
        for dataset in sources.datasets.values()
    ]


def _listing_table(sources: Sources) -> Table:
    table = Table(title="what can be fetched", caption="optional parts come only with --only PART")
    for column in ("data set", "what", "from"):
        table.add_column(column, overflow="fold")
    for dataset in sources.datasets.values():
        table.add_row(dataset.name, f"{dataset.title}; licence: {dataset.licence}", dataset.homepage)
        for part in dataset.parts.values():
            called = f"{part.name} (optional)" if part.optional else part.name
            table.add_row(f"  {called}", part.about, part.origin)
        table.add_section()
    return table
