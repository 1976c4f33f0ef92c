"""Figures of the hot paths, measured in one run so that their ratios mean something."""

from __future__ import annotations

import tempfile
from pathlib import Path

from stb_env.experiments.bench.cache import cache_measurements
from stb_env.experiments.bench.episodes import episode_measurements
from stb_env.experiments.bench.generated import generated_measurements
from stb_env.experiments.bench.measurement import Measurement
from stb_env.experiments.bench.rollouts import rollout_measurements
from stb_env.experiments.bench.startup import start_measurements
from stb_env.experiments.bench.vector import vector_measurements
from stb_env.experiments.bench.worlds import (
    code_measurements,
    sandbox_measurements,
    searcher_measurements,
    world_measurements,
)

__all__ = ["Measurement", "bench"]

# Who measures for less than this wants to see that it works.
_BRIEF = 0.5


def bench(*, seconds: float = 0.5, data: str | None = None, entries: int = 2_000) -> list[Measurement]:
    """Measure the hot paths on this machine.

    Args:
        seconds: How long each figure is measured.
        data: Query files for the catalogue figure; None takes the shipped ones.
        entries: Number of cache entries.

    Returns:
        The figures, slow machines and fast ones alike: compare ratios, not machines.
    """
    with tempfile.TemporaryDirectory(prefix="stb-bench-") as folder:
        figures = list(cache_measurements(Path(folder), seconds, entries))
    figures += episode_measurements(seconds)
    figures += sandbox_measurements(seconds)
    figures += vector_measurements(seconds)
    figures += world_measurements(seconds)
    figures += generated_measurements(seconds)
    figures += code_measurements(seconds)
    figures += searcher_measurements(seconds)
    figures += start_measurements(seconds, data)
    figures += rollout_measurements(
        (64, 256, 1024) if seconds >= _BRIEF else (8,), 0.2 if seconds >= _BRIEF else 0.01
    )
    return figures
