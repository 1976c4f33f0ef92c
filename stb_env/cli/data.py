"""``stb-env data``: check and import query files."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from stb_env.cli import options
from stb_env.cli.output import emit, reporting
from stb_env.files import write_json
from stb_env.formats.stabletoolbench import GROUPS, Loaded, load, normalized_record
from stb_env.tasks import TaskSet

app = typer.Typer(no_args_is_help=True)

Source = Annotated[
    Path, typer.Argument(metavar="SRC", help="A query file, a group folder or the repository layout.")
]
Strict = Annotated[bool, typer.Option("--strict", help="Stop at the first bad record.")]

_SHOWN = 20


@app.command("check")
@reporting
def check(src: Source, strict: Strict = False, as_json: options.AsJson = False) -> None:
    """Read query files and report what is in them and what is wrong; exit 1 where something is wrong."""
    loaded = load(src, strict=strict)
    emit(_report(loaded), as_json, _table(loaded))
    if loaded.problems:
        raise typer.Exit(1)


@app.command("import")
@reporting
def import_(
    src: Source,
    out: Annotated[Path, typer.Option("--out", help="Folder to write the official layout to.")],
    strict: Strict = False,
    as_json: options.AsJson = False,
) -> None:
    """Write the good records of any query file as the official layout, ready for --data."""
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


def _report(loaded: Loaded) -> dict[str, Any]:
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
