"""A report as one HTML file that asks nothing of anyone: styles, script and charts stand in it."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib.resources import files
from itertools import chain
from xml.etree.ElementTree import Element

from stb_env import __version__
from stb_env.core.element import element, markup
from stb_env.evaluation.tables import Table
from stb_env.show.report.document import charts
from stb_env.show.report.document.curves import curve_figures, curve_series
from stb_env.show.report.document.latex import numeric_columns
from stb_env.show.report.document.report import Pair, Points, Report
from stb_env.show.report.document.reported_run import ReportedRun
from stb_env.show.report.document.spread import counts, edges
from stb_env.show.report.document.tables import (
    MEASURES,
    WHOLE,
    cost_table,
    failure_table,
    judge_table,
    outcome_table,
    pair_table,
    role_table,
    source_table,
    spread_table,
    summary_table,
    tool_table,
    vote_table,
)
from stb_env.show.report.document.task_table import task_section

_MOST_TOOLS = 15


def page(report: Report, now: datetime | None = None) -> str:
    """Return a report as an HTML document.

    Args:
        report: The report.
        now: When it was made; the time by the clock where not given.

    Examples:
        >>> page(Report("Nothing <yet>", [], [], {}, []))[:15]
        '<!doctype html>'
    """
    style, script = (_own(name) for name in ("report.css", "report.js"))
    made = (now or datetime.now(UTC)).strftime("%Y-%m-%d %H:%M UTC")
    sections = list(_sections(report))
    body = element(
        "body",
        element("header", element("h1", report.title), _about(report), _contents(sections)),
        element("main", *(element("p", remark, class_="note") for remark in report.remarks), *sections),
        element(
            "footer", f"Made by stb-env {__version__}, {made}. … marks text that was cut; --json has all."
        ),
        element("script", script),
    )
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy(style, script)),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("link", rel="icon", href="data:,"),
        element("title", report.title),
        element("style", style),
    )
    return f"<!doctype html>\n{markup(element('html', head, body, lang='en'))}\n"


def _own(name: str) -> str:
    return files("stb_env.show.report.document").joinpath("inline", name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """Allow the two texts that stand in the page, and nothing else."""
    mine, theirs = (
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style, script)
    )
    return (
        f"default-src 'none'; style-src 'sha256-{mine}'; script-src 'sha256-{theirs}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _about(report: Report) -> Element | None:
    if not report.runs:
        return None
    rows = [
        (
            run.name,
            run.agent,
            run.env,
            run.judged.judge,
            *(_told(run, name) for name in ("seed", "trials", "package")),
        )
        for run in report.runs
    ]
    columns = ("run", "agent", "environment", "judge", "seed", "trials", "stb-env")
    return drawn(Table("Runs", columns, rows), heading=False)


def _told(run: ReportedRun, name: str) -> str:
    return str(run.judged.manifest.get(name, "-"))


def _contents(sections: Sequence[Element]) -> Element:
    links = (element("a", section[0].text or "", href=f"#{section.get('id')}") for section in sections)
    return element("nav", *links, aria_label="Contents")


def _sections(report: Report) -> Iterator[Element]:
    runs = report.runs
    if runs:
        yield section("Summary", *_summary(runs))
        yield section("Outcomes", *_outcomes(runs))
    if report.pairs:
        yield section("Comparisons", *_comparisons(report.pairs))
    if report.curves:
        yield section("Learning curves", *_curves(report.curves))
    if runs:
        yield section("Calls", *_calls(runs))
        for title, names in (("Length", ("turns", "calls")), ("Cost", ("tokens", "dollars", "seconds"))):
            yield section(title, *_spreads(runs, names), *(_cost(runs) if title == "Cost" else ()))
        yield section("Agreement", *_agreement(runs))
        # Last, since it is as long as the suite.
        yield section("Tasks", *task_section(runs))


def section(title: str, *children: Element) -> Element:
    """Return a part of the page under a heading of its own.

    Examples:
        >>> section("Calls by tool").get("id")
        'calls-by-tool'
    """
    return element("section", element("h2", title), *children, id=title.lower().replace(" ", "-"))


def drawn(table: Table, *, heading: bool = True) -> Element:
    """Return a table of the page.

    Args:
        table: The table.
        heading: Whether its title stands above it; else only those hear it who do not see it.
    """
    numeric = numeric_columns(table)
    kinds = ["number" if each else None for each in numeric]
    head = (
        element("th", name, scope="col", class_=kind) for name, kind in zip(table.columns, kinds, strict=True)
    )
    rows = (element("tr", *_cells(row, kinds)) for row in table.rows)
    grid = element(
        "table",
        element("caption", table.title, class_=None if heading else "hidden"),
        element("thead", element("tr", *head)),
        element("tbody", *rows),
    )
    notes = (element("p", note, class_="note") for note in table.notes)
    # A wide table scrolls by itself, also by the keys.
    frame = element("div", grid, class_="scroll", tabindex="0", role="region", aria_label=table.title)
    return element("div", frame, *notes, class_="table")


def _cells(row: Sequence[str], kinds: Sequence[str | None]) -> Iterator[Element]:
    yield element("th", row[0], scope="row")
    for cell, kind in zip(row[1:], kinds[1:], strict=True):
        yield element("td", cell, class_=kind)


def figure(caption: str, chart: Element, *more: Element) -> Element:
    """Return a chart with its caption."""
    return element("figure", element("figcaption", caption), *more, chart)


def _summary(runs: Sequence[ReportedRun]) -> Iterator[Element]:
    rows = [
        (run.name, 100 * run.summary["solved_valid"], *(100 * limit for limit in run.solved_interval))
        for run in runs
        if run.measured
    ]
    title = "Solved of valid episodes, with 95 % interval"
    if rows:
        yield figure(title, charts.intervals(title, rows, 0, 100))
    yield drawn(summary_table(runs), heading=False)


def _outcomes(runs: Sequence[ReportedRun]) -> Iterator[Element]:
    rows = [(run.name, run.outcomes) for run in runs]
    shown = [name for name in runs[0].outcomes if any(parts[name] for _, parts in rows)]
    title = "How episodes ended"
    yield figure(title, charts.stacked(title, rows, shares=True), charts.legend(shown))
    yield drawn(outcome_table(runs), heading=False)
    failures = failure_table(runs)
    yield drawn(failures) if failures.rows else element("p", "No episode is invalid.", class_="note")


def _comparisons(pairs: Sequence[Pair]) -> Iterator[Element]:
    allowed = [(pair, pair.comparison) for pair in pairs if pair.comparison is not None]
    if allowed:
        # A comparison has them as A minus B.
        rows = [
            (f"{pair.second} - {pair.first}", *_turned(found.solved_difference, *found.solved_interval))
            for pair, found in allowed
        ]
        far = max(10.0, *(abs(limit) for row in rows for limit in row[2:]))
        title = "Difference of solved shares in points, with 95 % paired interval"
        yield figure(title, charts.intervals(title, rows, -far, far, ""))
    yield drawn(pair_table(pairs), heading=False)
    for pair in pairs:
        yield _pair(pair)


def _turned(difference: float, low: float, high: float) -> tuple[float, float, float]:
    """Return a difference and its limits the other way round, in points; no zero is negative."""
    return 0.0 - 100 * difference, 0.0 - 100 * high, 0.0 - 100 * low


def _pair(pair: Pair) -> Element:
    summary = element("summary", f"{pair.first} (A) and {pair.second} (B)")
    found = pair.comparison
    if found is None:
        refused = element("p", f"They must not be compared: {pair.refusal}", class_="note")
        return element("details", summary, refused, open="")
    told = (
        *(("ignored", str(one)) for one in found.ignored),
        *(("also different", remark) for remark in found.remarks),
    )
    return element(
        "details",
        summary,
        *(element("p", f"{what}: {text}", class_="note") for what, text in told),
        _task_list("Gained by B", found.only_second),
        _task_list("Lost by B", found.only_first),
    )


def _task_list(title: str, tasks: Sequence[str]) -> Element:
    items = (element("li", element("code", task)) for task in tasks)
    shown = element("ul", *items, class_="names") if tasks else element("p", "none", class_="note")
    return element("div", element("h3", f"{title} ({len(tasks)})"), shown, class_="side")


def _calls(runs: Sequence[ReportedRun]) -> Iterator[Element]:
    table = source_table(runs)
    if not table.rows:
        yield element("p", "No tool was called.", class_="note")
        return
    names = table.columns[1:]
    rows = [(run.name, {name: run.summary["sources"].get(name, 0) for name in names}) for run in runs]
    yield figure(
        "Calls by what answered", charts.stacked("Calls by source", rows, shares=False), charts.legend(names)
    )
    yield drawn(table, heading=False)
    for run in runs:
        if run.tools:
            yield _tools(run, opened=len(runs) == 1)


def _tools(run: ReportedRun, *, opened: bool) -> Element:
    most = run.tools[:_MOST_TOOLS]
    title = (
        f"The {len(most)} most called of {len(run.tools)} tools"
        if len(run.tools) > len(most)
        else "Calls by tool"
    )
    shown = sorted({source for tool in most for source in tool.sources})
    chart = charts.stacked(title, [(tool.tool, tool.sources) for tool in most], shares=False)
    summary = element("summary", f"Tools of {run.name}")
    parts = (figure(title, chart, charts.legend(shown)), drawn(tool_table(run), heading=False))
    return element("details", summary, *parts, open="" if opened else None)


def _spreads(runs: Sequence[ReportedRun], names: Sequence[str]) -> Iterator[Element]:
    nothing = True
    for name in names:
        table = spread_table(runs, name)
        if not table.rows:
            continue
        nothing = False
        limits = edges(
            list(chain.from_iterable(run.measures[name] for run in runs)),
            whole=name in WHOLE,
        )
        shown = [run for run in runs if any(run.measures[name])]
        histograms = (_histogram(run, name, limits, named=len(runs) > 1) for run in shown)
        yield element("figure", element("figcaption", MEASURES[name]), *chain.from_iterable(histograms))
        yield drawn(table, heading=False)
    if nothing:
        yield element("p", "There is nothing to measure.", class_="note")


def _histogram(run: ReportedRun, name: str, limits: Sequence[float], *, named: bool) -> Iterator[Element]:
    if named:
        yield element("h3", run.name)
    title = f"{MEASURES[name]}: {run.name}"
    yield charts.histogram(title, limits, counts(run.measures[name], limits), whole=name in WHOLE)


def _cost(runs: Sequence[ReportedRun]) -> Iterator[Element]:
    costs = cost_table(runs)
    if costs.rows:
        yield from (drawn(costs), drawn(role_table(runs)))
    else:
        yield element("p", "No model was asked.", class_="note")


def _agreement(runs: Sequence[ReportedRun]) -> Iterator[Element]:
    shown = [table for table in (vote_table(runs), judge_table(runs)) if table.rows]
    yield from (drawn(table) for table in shown)
    if not shown:
        yield element(
            "p", "No episode has several votes, and no other judge has judged these runs.", class_="note"
        )


def _curves(curves: Mapping[str, Points]) -> Iterator[Element]:
    for name in curve_figures(curves):
        series = curve_series(curves, name)
        title = f"{name} by step"
        rows = [
            (
                curve,
                str(len(points)),
                f"{points[0][1]:g}",
                f"{max(y for _, y in points):g}",
                f"{points[-1][1]:g}",
            )
            for curve, points in series.items()
        ]
        yield figure(title, charts.lines(title, series))
        yield drawn(Table(title, ("curve", "points", "first", "largest", "last"), rows), heading=False)
