"""``stb-env bench``: figures of the hot paths."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table

from stb_env.bench import Measurement
from stb_env.bench import bench as measure
from stb_env.console import options
from stb_env.console.output import emit, reporting


@reporting
def bench(
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.01, help="How long each figure is measured.")
    ] = 0.5,
    data: options.Data = None,
    as_json: options.AsJson = False,
) -> None:
    """Measure the hot paths in one run; compare ratios, machines differ."""
    figures = measure(seconds=seconds, data=data)
    table = Table(title="hot paths")
    for column, side in (("figure", "left"), ("value", "right"), ("against", "left")):
        table.add_column(column, justify="right" if side == "right" else "left")
    for figure in figures:
        table.add_row(figure.name, _shown(figure), figure.note)
    rows = [{"name": f.name, "value": f.value, "unit": f.unit, "note": f.note} for f in figures]
    emit({"figures": rows}, as_json, table)


def _shown(figure: Measurement) -> str:
    if figure.unit == "/s":
        return f"{figure.value:,.0f} /s"
    return f"{figure.value:.3f} {figure.unit}" if figure.value < 100 else f"{figure.value:,.1f} {figure.unit}"
