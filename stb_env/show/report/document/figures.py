"""Pictures of a report for papers, as SVG and PDF; matplotlib draws them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stb_env.core.files import make_folder
from stb_env.errors import ConfigError
from stb_env.show.report.document.curves import curve_figures, curve_series
from stb_env.show.report.document.report import Pair, Report
from stb_env.show.report.document.reported_run import ReportedRun
from stb_env.show.report.document.spread import counts, edges
from stb_env.show.report.document.tables import MEASURES, WHOLE, spread_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Draw = Callable[["Axes"], None]

FORMATS = ("svg", "pdf")

_COLOURS = {
    "solved": "#1c6e43",
    "unsure": "#d9a440",
    "unsolved": "#b3261e",
    "invalid": "#6b3fa0",
    "waiting": "#7f8c99",
}
_MISSING = "#c9c5bd"
_INK = "#24588f"
# Text stays text, to be searched and set in the paper's own font; files of the same figures are the same.
_STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "stb-env",
    "pdf.fonttype": 42,
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.constrained_layout.use": True,
}
_METADATA: dict[str, dict[str, Any]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
_WIDTH = 5.5


def write_figures(report: Report, folder: Path) -> list[Path]:
    """Write every picture that there are figures for, as SVG and as PDF.

    Args:
        report: The report.
        folder: Where to; it is made where there is none.

    Returns:
        The files.

    Raises:
        ConfigError: matplotlib is not installed.
    """
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ConfigError("figures need matplotlib; install it with: pip install 'stb-env[plots]'") from error
    make_folder(folder)
    written = []
    with rc_context(_STYLE):
        for name, height, draw in _pictures(report):
            picture = Figure(figsize=(_WIDTH, height))
            draw(picture.subplots())
            for form in FORMATS:
                file = folder / f"{name}.{form}"
                picture.savefig(file, metadata=_METADATA[form])
                written.append(file)
    return written


def _pictures(report: Report) -> Iterator[tuple[str, float, Draw]]:
    """Yield name, height in inches and how to draw each picture."""
    runs = report.runs
    tall = 0.9 + 0.3 * len(runs)
    if any(run.measured for run in runs):
        yield "solved", tall, lambda axes: _solved(axes, runs)
    if runs:
        yield "outcomes", tall + 0.3, lambda axes: _outcomes(axes, runs)
    allowed = [pair for pair in report.pairs if pair.comparison is not None]
    if allowed:
        yield "comparisons", 0.9 + 0.3 * len(allowed), lambda axes: _comparisons(axes, allowed)
    for name in MEASURES:
        if runs and spread_table(runs, name).rows:
            yield name, 2.6, lambda axes, name=name: _spread(axes, runs, name)  # type: ignore[misc] # bound as it is now
    for name in curve_figures(report.curves):
        yield f"curve-{_file_name(name)}", 2.8, lambda axes, name=name: _curve(axes, report, name)  # type: ignore[misc] # as above


def _solved(axes: Axes, runs: Sequence[ReportedRun]) -> None:
    rows = [(run.name, run.summary["solved_valid"], *run.solved_interval) for run in runs if run.measured]
    _intervals(axes, [(name, 100 * value, 100 * low, 100 * high) for name, value, low, high in rows])
    axes.set_xlim(-2, 102)
    axes.set_xlabel("solved of valid episodes (%), 95 % interval over tasks")


def _outcomes(axes: Axes, runs: Sequence[ReportedRun]) -> None:
    done = [0.0] * len(runs)
    places = list(range(len(runs)))
    for name in runs[0].outcomes:
        amounts = [run.outcomes[name] for run in runs]
        if any(amounts):
            shares = [
                100 * amount / max(1, run.summary["planned"])
                for amount, run in zip(amounts, runs, strict=True)
            ]
            axes.barh(places, shares, left=done, height=0.6, color=_COLOURS.get(name, _MISSING), label=name)
            done = [before + share for before, share in zip(done, shares, strict=True)]
    _name_rows(axes, [run.name for run in runs])
    axes.set_xlabel("planned episodes (%)")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=5, frameon=False)


def _comparisons(axes: Axes, pairs: Sequence[Pair]) -> None:
    rows = []
    for pair in pairs:
        if pair.comparison is not None:
            low, high = pair.comparison.solved_interval
            values = (0.0 - 100 * value for value in (pair.comparison.solved_difference, high, low))
            rows.append((f"{pair.second} - {pair.first}", *values))
    _intervals(axes, rows)
    axes.axvline(0, color="0.4", linewidth=0.8)
    axes.set_xlabel("difference of solved shares (points), 95 % paired interval")


def _intervals(axes: Axes, rows: Sequence[tuple[object, ...]]) -> None:
    for place, (_, value, low, high) in enumerate(rows):
        axes.plot((low, high), (place, place), color=_INK, alpha=0.5, linewidth=2)
        axes.plot(value, place, "o", color=_INK, markersize=5)
    _name_rows(axes, [str(row[0]) for row in rows])


def _name_rows(axes: Axes, names: Sequence[str]) -> None:
    # No formula stands in a name, whatever signs it has.
    axes.set_yticks(range(len(names)), [name.replace("$", r"\$") for name in names])
    axes.set_ylim(len(names) - 0.5, -0.5)


def _spread(axes: Axes, runs: Sequence[ReportedRun], name: str) -> None:
    limits = edges([value for run in runs for value in run.measures[name]], whole=name in WHOLE)
    for run in runs:
        axes.stairs(counts(run.measures[name], limits), limits, label=run.name.replace("$", r"\$"))
    axes.set_xlabel(MEASURES[name].lower())
    axes.set_ylabel("episodes")
    if len(runs) > 1:
        axes.legend(frameon=False)


def _curve(axes: Axes, report: Report, name: str) -> None:
    for curve, points in curve_series(report.curves, name).items():
        axes.plot(*zip(*points, strict=True), marker="o", markersize=3, label=curve.replace("$", r"\$"))
    axes.set_xlabel("step")
    axes.set_ylabel(name.replace("$", r"\$"))
    if len(report.curves) > 1:
        axes.legend(frameon=False)


def _file_name(name: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-_" else "-" for letter in name)
