"""Figures of the hot paths, measured in one run so that their ratios mean something."""

from __future__ import annotations

import tempfile
from pathlib import Path

from stb_env.bench.cache import cache_figures
from stb_env.bench.figure import Figure
from stb_env.bench.start import start_figures
from stb_env.bench.worlds import sandbox_figures, searcher_figures, world_figures

__all__ = ["Figure", "bench"]


def bench(*, seconds: float = 0.5, data: str | None = None, entries: int = 2_000) -> list[Figure]:
    """Measure the hot paths on this machine.

    Args:
        seconds: How long each figure is measured.
        data: Query files for the catalogue figure; None takes the shipped ones.
        entries: Number of cache entries.

    Returns:
        The figures, slow machines and fast ones alike: compare ratios, not machines.
    """
    with tempfile.TemporaryDirectory(prefix="stb-bench-") as folder:
        figures = list(cache_figures(Path(folder), seconds, entries))
    figures += sandbox_figures(seconds)
    figures += world_figures(seconds)
    figures += searcher_figures(seconds)
    figures += start_figures(seconds, data)
    return figures
