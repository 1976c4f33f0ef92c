"""``stb-env report``: what came of runs, as a page, as tables and as pictures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.console import Group
from rich.table import Table as RichTable
from rich.text import Text

from stb_env.console import options
from stb_env.console.output import emit, reporting
from stb_env.core.files import make_folder, write_text
from stb_env.core.options import Verdicts
from stb_env.errors import ConfigError
from stb_env.evaluation.tables import Table
from stb_env.show.cli.judge_outcome import tell
from stb_env.show.report.document.curves import curve_figures, curve_series
from stb_env.show.report.document.figures import write_figures
from stb_env.show.report.document.latex import numeric_columns
from stb_env.show.report.document.page import page
from stb_env.show.report.document.report import Report, read_report
from stb_env.show.report.document.tables import latex_tables, markdown_tables, pair_table, summary_table

Runs = Annotated[
    list[Path] | None,
    typer.Argument(metavar="[RUN]...", help="Run folders, or folders with runs or learning curves in them."),
]
Out = Annotated[Path | None, typer.Option("--out", help="Write the report as one HTML file.")]
Markdown = Annotated[
    str | None,
    typer.Option("--markdown", metavar="FILE", help="Write its tables as Markdown; - prints them."),
]
Latex = Annotated[
    str | None, typer.Option("--latex", metavar="FILE", help="Write its tables as LaTeX; - prints them.")
]
Figures = Annotated[
    Path | None,
    typer.Option(
        "--figures", metavar="DIR", help="Write pictures for papers, as SVG and PDF; needs the extra plots."
    ),
]
Curves = Annotated[
    list[Path] | None,
    typer.Option(
        "--curve", metavar="FILE", help="A learning curve; repeatable. curve*.jsonl in RUN is found."
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option("--ignore", metavar="NAME", help="Compare runs in spite of this difference; repeatable."),
]
Title = Annotated[str | None, typer.Option("--title", help="The heading.")]


PRINTED = "-"
"""Stands for the standard output."""


@reporting
def report(
    runs: Runs = None,
    out: Out = None,
    markdown: Markdown = None,
    latex_file: Latex = None,
    figures: Figures = None,
    curve: Curves = None,
    judge: Verdicts = None,
    ignore: Ignore = None,
    title: Title = None,
    as_json: options.AsJson = False,
) -> None:
    """Report on runs: rates with intervals, failures, tasks, calls, costs, votes, comparisons, curves.

    Example: stb-env report runs/gold runs/noop --out report.html
    """
    if [markdown, latex_file, PRINTED if as_json else None].count(PRINTED) > 1:
        raise ConfigError(
            "--markdown -, --latex - and --json exclude one another; name files for all but one"
        )
    found = read_report(runs or (), curves=curve or (), judge=judge, ignore=ignore or (), title=title)
    files = [
        *_write(out, lambda: page(found)),
        *_write_tables(markdown, lambda: markdown_tables(found)),
        *_write_tables(latex_file, lambda: latex_tables(found)),
        *(() if figures is None else write_figures(found, figures)),
    ]
    for file in files:
        tell(f"written: {file}")
    if PRINTED not in (markdown, latex_file) and (as_json or not files):
        emit({**found.to_dict(), "files": [str(file) for file in files]}, as_json, _shown(found))


def _write(file: Path | None, text: Callable[[], str]) -> list[Path]:
    if file is None:
        return []
    make_folder(file.parent)
    write_text(file, text())
    return [file]


def _write_tables(where: str | None, text: Callable[[], str]) -> list[Path]:
    if where != PRINTED:
        return _write(None if where is None else Path(where), text)
    typer.echo(text())
    return []


def _shown(found: Report) -> Group:
    """Return the first figures, as many as a terminal has room for."""
    shown = []
    if found.runs:
        names = ("run", "agent", "solved of valid", "solved of all", "score of all", "invalid")
        shown.append(summary_table(found.runs).chosen(names))
    if found.pairs:
        shown.append(
            pair_table(found.pairs).chosen(("A", "B", "B - A", "95 %", "lost", "gained", "p, McNemar"))
        )
    for name in curve_figures(found.curves):
        rows = [
            (curve, str(len(points)), f"{points[0][1]:g}", f"{points[-1][1]:g}")
            for curve, points in curve_series(found.curves, name).items()
        ]
        shown.append(Table(name, ("curve", "points", "first", "last"), rows))
    refused = [
        Text(f"{pair.first} and {pair.second} must not be compared: {pair.refusal}")
        for pair in found.pairs
        if pair.refusal
    ]
    hint = Text("--out report.html writes all of it as a page; --markdown, --latex and --figures for papers")
    return Group(*(_drawn(table) for table in shown), *refused, *(Text(one) for one in found.remarks), hint)


def _drawn(table: Table) -> RichTable:
    drawn = RichTable(title=table.title, box=box.SIMPLE_HEAD, pad_edge=False)
    for name, numeric in zip(table.columns, numeric_columns(table), strict=True):
        drawn.add_column(name, justify="right" if numeric else "left")
    for row in table.rows:
        drawn.add_row(*(Text(cell) for cell in row))
    return drawn
