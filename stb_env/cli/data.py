"""``stb-env data``: check and import query files, and import answers."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from stb_env.cli.answers import import_answers
from stb_env.cli.fetch import fetch
from stb_env.console import options
from stb_env.console.output import emit, reporting
from stb_env.errors import ConfigError, DataError, did_you_mean
from stb_env.files import write_json
from stb_env.jsontypes import JsonObject
from stb_env.suites.api_bank.commands import statistics_report, statistics_table
from stb_env.suites.api_bank.formats.statistics import find_dialogues, statistics
from stb_env.suites.stabletoolbench.answer_folder import find_kind
from stb_env.suites.stabletoolbench.queries import GROUPS, Loaded, load, normalized_record
from stb_env.tasks import TaskSet

app = typer.Typer(no_args_is_help=True)
app.command("fetch")(fetch)

Source = Annotated[
    Path, typer.Argument(metavar="SRC", help="A query file, a group folder or the repository layout.")
]
Answers = Annotated[
    Path,
    typer.Argument(metavar="SRC", help="Query files, original answer files or files in evaluation format."),
]
Strict = Annotated[bool, typer.Option("--strict", help="Stop at the first bad record.")]
KindName = Annotated[
    str,
    typer.Option("--kind", help="queries, answers, or auto: what the first known file of SRC holds."),
]

_SHOWN = 20


@app.command("check")
@reporting
def check(src: Source, strict: Strict = False, as_json: options.AsJson = False) -> None:
    """Report what is in query files and what is wrong (then exit 1); API-Bank's table 2 of dialogues."""
    dialogues = find_dialogues(src)
    if dialogues:
        found = statistics(dialogues)
        emit(statistics_report(found), as_json, statistics_table(found))
        return
    loaded = load(src, strict=strict)
    emit(_report(loaded), as_json, _table(loaded))
    if loaded.problems:
        raise typer.Exit(1)


@app.command("import")
@reporting
def import_(
    src: Answers,
    out: Annotated[Path, typer.Option("--out", help="Folder to write the official layout or the run to.")],
    kind: KindName = "auto",
    strict: Strict = False,
    as_json: options.AsJson = False,
) -> None:
    """Write queries as the official layout, ready for --data, or answers as a run, ready to be judged."""
    if _kind(src, kind) == "answers":
        import_answers(src, out, strict=strict, as_json=as_json)
    else:
        _import_queries(src, out, strict, as_json)


def _kind(src: Path, kind: str) -> str:
    kinds = ("auto", "queries", "answers")
    if kind not in kinds:
        raise ConfigError(f"no kind {kind!r}; expected one of {', '.join(kinds)}.{did_you_mean(kind, kinds)}")
    if kind != "auto":
        return kind
    found = find_kind(src)
    if found is None:
        raise DataError(f"{src} holds neither queries nor answers; name a file or folder that does")
    return "queries" if found == "queries" else "answers"


def _import_queries(src: Path, out: Path, strict: bool, as_json: bool) -> None:
    loaded = load(src, strict=strict)
    written = []
    for group in dict.fromkeys(task.group for task in loaded.tasks):
        tasks = loaded.tasks.filter(group=group)
        stem = GROUPS.get(group, group)
        written.append(
            _write(out / "test_instruction" / f"{stem}.json", [normalized_record(task) for task in tasks])
        )
        written.append(_write(out / "test_query_ids" / f"{stem}.json", {task.id: 0 for task in tasks}))
    emit(_report(loaded) | {"written": [str(file) for file in written]}, as_json, _table(loaded))


def _write(file: Path, value: Any) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    write_json(file, value, sort_keys=False)
    return file


def _report(loaded: Loaded) -> JsonObject:
    return {
        "queries": len(loaded.tasks),
        "groups": dict(Counter(task.group for task in loaded.tasks)),
        "tools": len({tool.id[:2] for task in loaded.tasks for tool in task.tools}),
        "apis": len(loaded.tasks.catalog),
        "hash": loaded.tasks.hash,
        "cut_templates": loaded.cut_templates,
        "problems": [
            {"file": p.file, "index": p.index, "field": p.field, "message": p.message}
            for p in loaded.problems
        ],
    }


def _table(loaded: Loaded) -> Table:
    apis = len(loaded.tasks.catalog)
    table = Table(
        title=f"{len(loaded.tasks)} queries, {apis} APIs, problems: {len(loaded.problems)}",
        caption=f"hash {loaded.tasks.hash[:16]}; {loaded.cut_templates} cut template responses are repaired",
    )
    for column in ("group", "queries", "APIs a query", "relevant APIs a query"):
        table.add_column(column, justify="left" if column == "group" else "right")
    for group in dict.fromkeys(task.group for task in loaded.tasks):
        tasks = loaded.tasks.filter(group=group)
        table.add_row(group, str(len(tasks)), _mean(tasks, "tools"), _mean(tasks, "relevant"))
    if loaded.problems:
        table.add_section()
        for problem in loaded.problems[:_SHOWN]:
            table.add_row("problem", "", "", str(problem))
    return table


def _mean(tasks: TaskSet, name: str) -> str:
    counts = [len(getattr(task, name)) for task in tasks]
    return f"{sum(counts) / len(counts):.2f}"
