"""``stb-env data``: check and import query files, and import answers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stb_env.console import options
from stb_env.console.inspection import Inspect, Inspection
from stb_env.console.output import emit, reporting
from stb_env.core.files import write_json
from stb_env.errors import ConfigError, DataError, did_you_mean
from stb_env.show.cli.answers import import_answers
from stb_env.show.cli.fetch import fetch
from stb_env.show.cli.inspect_logs import import_log
from stb_env.suite import resolved, suites
from stb_env.suites.stabletoolbench.answer_folder import find_kind
from stb_env.suites.stabletoolbench.inspect import inspection
from stb_env.suites.stabletoolbench.queries import GROUPS, load, normalized_record

app = typer.Typer(no_args_is_help=True)
app.command("fetch")(fetch)

Source = Annotated[
    Path, typer.Argument(metavar="SRC", help="A query file, a group folder or the repository layout.")
]
Answers = Annotated[
    Path,
    typer.Argument(metavar="SRC", help="Query files, answer files (original or converted), or a log."),
]
Strict = Annotated[bool, typer.Option("--strict", help="Stop at the first bad record.")]
KindName = Annotated[
    str,
    typer.Option(
        "--kind",
        help="queries, answers, inspect (a log of Inspect AI), or auto: what SRC's first known file holds.",
    ),
]


@app.command("check")
@reporting
def check(src: Source, strict: Strict = False, as_json: options.AsJson = False) -> None:
    """Report what is in query files and what is wrong (then exit 1); API-Bank's table 2 of dialogues.

    Example: stb-env data check queries
    """
    found = _inspected(src, strict)
    emit(found.report, as_json, found.table)
    if not found.passed:
        raise typer.Exit(1)


def _inspected(src: Path, strict: bool) -> Inspection:
    """Let each suite look at the files; where none knows them, say what the first found wrong."""
    problem: DataError | None = None
    for suite in suites():
        if suite.inspect is None:
            continue
        inspect: Inspect = resolved(suite.inspect)
        try:
            found = inspect(src, strict)
        except DataError as error:
            problem = problem or error
            continue
        if found is not None:
            return found
    raise problem or DataError(f"{src} holds official files of no suite")


@app.command("import")
@reporting
def import_(
    src: Answers,
    out: Annotated[Path, typer.Option("--out", help="Folder to write the official layout or the run to.")],
    kind: KindName = "auto",
    strict: Strict = False,
    as_json: options.AsJson = False,
) -> None:
    """Write queries as the official layout, ready for --data; answers, or a log of Inspect AI's, as a run.

    Example: stb-env data import answers --out runs/answers
    """
    found = _kind(src, kind)
    if found == "inspect":
        import_log(src, out, as_json=as_json)
    elif found == "answers":
        import_answers(src, out, strict=strict, as_json=as_json)
    else:
        _import_queries(src, out, strict, as_json)


def _kind(src: Path, kind: str) -> str:
    kinds = ("auto", "queries", "answers", "inspect")
    if kind not in kinds:
        raise ConfigError(f"no kind {kind!r}; expected one of {', '.join(kinds)}.{did_you_mean(kind, kinds)}")
    if kind != "auto":
        return kind
    if src.suffix == ".eval":
        return "inspect"
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
    found = inspection(loaded)
    emit(found.report | {"written": [str(file) for file in written]}, as_json, found.table)


def _write(file: Path, value: object) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    write_json(file, value, sort_keys=False)
    return file
