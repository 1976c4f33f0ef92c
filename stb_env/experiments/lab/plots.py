"""Plots of the experiments: the forms that several of them share, and drawing into a file."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from stb_env import ConfigError
from stb_env.experiments.lab.comparison import MeanScore

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INSTALL_PLOTS = 'pip install "stb-env[plots]"'


def draw(plot: Callable[[Axes], None], file: Path) -> None:
    """Draw a plot into a PNG file.

    Raises:
        ConfigError: matplotlib is not installed; the message says how to get it.
    """
    try:
        matplotlib = importlib.import_module("matplotlib.figure")
    except ModuleNotFoundError as error:
        raise ConfigError(f"{file.name} was not drawn: plots need matplotlib ({INSTALL_PLOTS})") from error
    figure = matplotlib.Figure(figsize=(7.2, 4.5), layout="constrained")
    plot(figure.add_subplot())
    figure.savefig(file, dpi=150)


def grouped_bars(
    axes: Axes, names: Sequence[str], series: Mapping[str, Sequence[float]], ylabel: str
) -> None:
    """Draw a group of bars for each name, with one bar a series."""
    width = 0.8 / len(series)
    for position, (label, heights) in enumerate(series.items()):
        places = [index + (position + 0.5) * width - 0.4 for index in range(len(names))]
        axes.bar(places, heights, width, label=label)
    axes.set_xticks(range(len(names)), names)
    axes.set(ylabel=ylabel, ylim=(0, 1))
    axes.legend()


def rate_lines(axes: Axes, lines: Mapping[str, Iterable[tuple[object, float | None]]], **texts: str) -> None:
    """Draw a line of shares for each label, leaving out points without a value; ``with`` lines are solid."""
    for label, points in lines.items():
        shown = [point for point in points if point[1] is not None]
        if shown:
            style = "--" if label.endswith("without") else "-"
            axes.plot(*zip(*shown, strict=True), linestyle=style, marker="o", label=label)
    axes.set(ylim=(0, 1), **texts)
    axes.legend()


def score_line(axes: Axes, places: Sequence[float], rates: Sequence[MeanScore], **style: str | float) -> None:
    """Draw mean scores as a line with their intervals as bars."""
    # A percentile interval need not hold the mean, and matplotlib draws no negative length.
    below = [max(0.0, rate.mean - rate.low) for rate in rates]
    above = [max(0.0, rate.high - rate.mean) for rate in rates]
    axes.errorbar(places, [rate.mean for rate in rates], yerr=(below, above), marker="o", **style)
