"""``stb-env cache``: import, inspect, filter and freeze recorded API responses."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, get_args

import typer
from rich.markup import escape
from rich.progress import Progress as Bar
from rich.table import Column, Table

from stb_env.backend.cache import CacheEntry, ResponseCache
from stb_env.backend.cache.key import id_prefix
from stb_env.backend.cache.resumable_pass import Progress
from stb_env.backend.taxonomy import Taxonomy
from stb_env.console import options
from stb_env.console.output import FAILED, console, emit, reporting
from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonObject
from stb_env.errors import ConfigError, did_you_mean
from stb_env.suites.stabletoolbench.cache_export import export_folder
from stb_env.suites.stabletoolbench.cache_import import import_source
from stb_env.suites.stabletoolbench.recording_reader import KINDS
from stb_env.tools import ToolId

app = typer.Typer(no_args_is_help=True)

Source = Annotated[Path, typer.Argument(metavar="SRC", help="File or folder of recorded responses.")]
Folder = Annotated[Path, typer.Option("--cache", help="Cache folder.")]
Overlay = Annotated[
    str | None,
    typer.Option("--overlay", help="redis://HOST:PORT/DATABASE of what several machines have added."),
]
Out = Annotated[Path, typer.Option("--out", help="New folder to write to.")]
Reading = Annotated[str, typer.Option("--taxonomy", help="StableToolBench's Appendix D: default or paper.")]

_SHOWN = 20
# One process stores what so many read; more would wait for it.
_READERS = 4


@app.command("import")
@reporting
def import_(
    source: Source,
    cache: Folder,
    kind: Annotated[str, typer.Option(help=f"Format of SRC: {', '.join(KINDS)}.")] = "auto",
    queries: Annotated[
        Path | None, typer.Option(help="Query files that name the APIs of answer files.")
    ] = None,
    origin: Annotated[
        str | None, typer.Option(help="What the entries are noted as; the format if absent.")
    ] = None,
    simulated: Annotated[bool, typer.Option("--simulated", help="Take MirrorAPI's own answers too.")] = False,
    overlay: Overlay = None,
    as_json: options.AsJson = False,
) -> None:
    """Add recorded responses to a cache; importing the same again changes nothing.

    The same command goes on where it was stopped.

    Example: stb-env cache import recordings --cache runs/cache
    """
    with _opened(cache, overlay, for_writing=True) as opened, _progress(as_json) as bar:
        task = bar.add_task("importing", total=None)
        report = import_source(
            opened,
            source,
            kind=kind,
            queries=queries,
            origin=origin,
            simulated=simulated,
            processes=min(_READERS, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1),
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )
        entries = len(opened)
    data = report.to_dict() | {"entries": entries}
    emit(data, as_json, _table(f"imported into {cache}", data))


@app.command()
@reporting
def export(cache: Folder, out: Out, overlay: Overlay = None, as_json: options.AsJson = False) -> None:
    """Write a cache as the official folder layout.

    The same command goes on where it was stopped, as long as nothing was added since.

    Example: stb-env cache export --cache runs/cache --out recordings
    """
    with _opened(cache, overlay) as opened, _told("exporting", opened, as_json) as told:
        data = export_folder(opened, out, progress=told)
    emit(data, as_json, _table(f"exported to {out}", data))


@app.command()
@reporting
def stats(cache: Folder, overlay: Overlay = None, as_json: options.AsJson = False) -> None:
    """Count entries by category, source, origin and class.

    The same command goes on where it was stopped, as long as nothing was added since.

    Example: stb-env cache stats --cache runs/cache
    """
    with _opened(cache, overlay) as opened, _told("counting", opened, as_json) as told:
        data = opened.stats(progress=told)
    emit(data, as_json, _table(str(cache), data))


@app.command()
@reporting
def show(
    api: Annotated[str, typer.Argument(metavar="CATEGORY/TOOL/API", help="The API.")],
    cache: Folder,
    limit: Annotated[int, typer.Option(min=1, help="Most answers.")] = _SHOWN,
    overlay: Overlay = None,
    as_json: options.AsJson = False,
) -> None:
    """Print the recorded answers of an API: what was asked, who answered, for what and when.

    Example: stb-env cache show Weather/open_city/forecast --cache runs/cache
    """
    identity = _identity(api)
    with _opened(cache, overlay) as opened:
        found = list(islice(opened.entries(id_prefix(identity)), limit))
    if not found:
        raise ConfigError(
            f"no answer of {'/'.join(identity)} in {cache}; `stb-env cache stats` counts what is there"
        )
    answers = [_answer(entry) for entry in found]
    table = Table("arguments", "answer", "source", Column("recorded", no_wrap=True), title="/".join(identity))
    for answer in answers:
        by = " ".join(filter(None, (answer["source"], answer["origin"], answer["model"], answer["prompt"])))
        cells = (jsontext.dumps(answer["arguments"]), answer["text"], by, answer["recorded"] or "-")
        table.add_row(*map(escape, cells))
    emit({"api": list(identity), "answers": answers}, as_json, table)


@app.command()
@reporting
def verify(cache: Folder, overlay: Overlay = None, as_json: options.AsJson = False) -> None:
    """Check every row and list the damaged ones; exit 1 where there are any.

    The same command goes on where it was stopped, as long as nothing was added since.

    Example: stb-env cache verify --cache runs/cache
    """
    with _opened(cache, overlay) as opened, _told("verifying", opened, as_json) as told:
        report = opened.verify(progress=told)
    emit(report.to_dict(), as_json, _table(str(cache), report.to_dict()))
    if not report.ok:
        raise typer.Exit(FAILED)


@app.command("filter")
@reporting
def filter_(
    cache: Folder,
    out: Annotated[
        Path | None, typer.Option(help="New cache folder for what is kept; only counts if absent.")
    ] = None,
    taxonomy: Reading = "default",
    overlay: Overlay = None,
    as_json: options.AsJson = False,
) -> None:
    """Drop the answers of an error class, Other Errors excepted, as StableToolBench did with its cache.

    Example: stb-env cache filter --cache runs/cache --out runs/clean
    """
    reading = _taxonomy(taxonomy)
    with _opened(cache, overlay) as opened, _told("filtering", opened, as_json, passes=1 + bool(out)) as told:
        data = opened.filter(out, taxonomy=reading, progress=told).to_dict()
    emit(data, as_json, _table(f"{cache} filtered", data))


@app.command()
@reporting
def merge(
    source: Annotated[Path, typer.Argument(metavar="OTHER", help="Cache folder whose entries are added.")],
    cache: Folder,
    overlay: Overlay = None,
    as_json: options.AsJson = False,
) -> None:
    """Add the entries of another cache; known answers stay, unless only the other's is real.

    Example: stb-env cache merge runs/other --cache runs/cache
    """
    with (
        _opened(source) as other,
        _opened(cache, overlay, for_writing=True) as opened,
        _told("merging", other, as_json) as told,
    ):
        data: JsonObject = opened.merge(other, progress=told).to_dict() | {"entries": len(opened)}
    emit(data, as_json, _table(f"merged into {cache}", data))


@app.command()
@reporting
def snapshot(cache: Folder, out: Out, overlay: Overlay = None, as_json: options.AsJson = False) -> None:
    """Freeze a cache into a new folder, read without locks and identified by its hash.

    The same command goes on where it was stopped, as long as nothing was added since.

    Example: stb-env cache snapshot --cache runs/cache --out runs/frozen
    """
    with _opened(cache, overlay) as opened, _told("freezing", opened, as_json, passes=2) as told:
        data = {"hash": opened.snapshot(out, progress=told), "entries": len(opened), "out": str(out)}
    emit(data, as_json, _table(f"frozen in {out}", data))


def _progress(as_json: bool) -> Bar:
    return Bar(console=console, transient=True, disable=as_json)


@contextmanager
def _told(what: str, cache: ResponseCache, as_json: bool, passes: int = 1) -> Iterator[Progress]:
    """Show how many entries are done."""
    total = None if as_json else passes * len(cache)
    with _progress(as_json) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.update(task, completed=done)


@contextmanager
def _opened(
    folder: Path, overlay: str | None = None, *, for_writing: bool = False
) -> Iterator[ResponseCache]:
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"--cache names a folder, and {folder} is a file")
    cache = ResponseCache(folder, read_only=not for_writing, overlay=overlay)
    try:
        yield cache
    finally:
        cache.close()


def _identity(api: str) -> ToolId:
    parts = api.split("/")
    if len(parts) != 3:
        raise ConfigError(f"an API is named CATEGORY/TOOL/API, got {api!r}")
    return ToolId.of(*parts)


def _answer(entry: CacheEntry) -> dict[str, Any]:
    names = ("arguments", "text", "source", "origin", "model", "prompt", "recorded")
    return {name: getattr(entry, name) for name in names} | {"class": entry.klass.value}


def _taxonomy(name: str) -> Taxonomy:
    known: tuple[Taxonomy, ...] = get_args(Taxonomy)
    for taxonomy in known:
        if taxonomy == name:
            return taxonomy
    raise ConfigError(f"no taxonomy {name!r}; expected one of {', '.join(known)}.{did_you_mean(name, known)}")


def _table(title: str, data: Mapping[str, object]) -> Table:
    """Show counts a line each, and of lists and nested counts the first few."""
    table = Table("figure", "value", title=title)
    for name, value in data.items():
        if not isinstance(value, dict | list):
            table.add_row(name, f"{value:,}" if type(value) is int else str(value))
            continue
        if isinstance(value, dict):
            rows = [(f"{name}: {part or '-'}", str(count)) for part, count in value.items()]
        else:
            rows = [(name, " ".join(str(part) for part in item.values())) for item in value]
        for row in rows[:_SHOWN]:
            table.add_row(*row)
        if len(rows) > _SHOWN:
            table.add_row(f"{name}: not shown", f"{len(rows) - _SHOWN:,} more; --json lists all")
    return table
