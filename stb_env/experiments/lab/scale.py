"""Throughput and cost of a run by machines, tasks and latency of models.

A simulation (`ClusterModel`) is fed with what an episode, a reply and a saved line cost. With ``measure``
they are measured here first, and the simulation stands beside a real cluster of a few workers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stb_env.experiments.lab.cluster_figures import MEASURED, ClusterFigures, play_on_cluster
from stb_env.experiments.lab.cluster_model import ClusterModel
from stb_env.experiments.lab.experiment import Experiment, LabSettings, TableRow
from stb_env.runs.cluster import RayCluster

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WORKERS = (1, 10, 100, 1_000, 10_000)
_REAL_WORKERS = (1, 2, 4)
_EPISODES = 20_000
_LASTING = 1_000
_HOUR = 3_600


def run(settings: LabSettings) -> Experiment:
    """Simulate runs on clusters of many sizes.

    Args:
        settings: ``episodes`` is the number of episodes (20,000, or two for each place where that is
            more). Options: ``workers`` (a list), ``concurrency`` of each worker (16), ``latency`` of a call
            in seconds (a list), ``calls`` of a model an episode (4), ``core_price`` in dollars an hour
            (0.04), and ``measure`` (false): measure the costs here, with Ray, in place of those that are
            noted.

    Raises:
        ConfigError: A setting is wrong, or Ray is not installed and is to be measured.
    """
    settings.expect("workers", "concurrency", "latency", "calls", "core_price", "measure")
    sizes = settings.counts("workers", _WORKERS)
    concurrency, calls = settings.count("concurrency", 16), settings.count("calls", 4)
    latencies, price = settings.seconds("latency", [0.05, 1, 10]), settings.number("core_price", 0.04)
    figures, beside = _measured() if settings.flag("measure") else (MEASURED, ())
    rows = [
        _row(figures.model(workers, concurrency, latency * calls), settings.episodes, latency, price)
        for latency in latencies
        for workers in sizes
    ]
    advice = (
        f"One driver saves at most {1 / figures.write:,.0f} episodes a second; beyond that, play several "
        "runs with seeds of their own, each with its driver."
    )
    return Experiment(
        "Throughput and cost of a run on many machines (simulated)",
        (
            "latency, s",
            "workers",
            "episodes",
            "episodes a second",
            "of the bound",
            "limited by",
            "core-$ a million",
        ),
        tuple(rows),
        notes=(figures.origin, advice),
        details={"figures": figures.to_dict(), "concurrency": concurrency, "calls": calls},
        further=beside,
        plot=lambda axes: _draw(axes, rows, latencies),
    )


def _row(model: ClusterModel, asked: int | None, latency: float, price: float) -> TableRow:
    episodes = asked or max(_EPISODES, 2 * model.workers * model.concurrency)
    rate = model.rate(episodes)
    dollars = (model.workers + 1) * price / _HOUR / rate * 1_000_000
    return (
        latency,
        model.workers,
        episodes,
        round(rate, 1),
        round(rate / model.bound, 3),
        model.limited_by,
        round(dollars, 2),
    )


def _measured() -> tuple[ClusterFigures, tuple[Experiment]]:
    """Measure the costs here, and set the simulation beside a cluster of this machine."""
    with RayCluster(workers=max(_REAL_WORKERS)).joined():
        figures = ClusterFigures.measured()
        rows: list[TableRow] = []
        for name, waiting, concurrency in (("waits 0.5 s", 0.5, 8), ("computes", None, 1)):
            for workers in _REAL_WORKERS:
                real = play_on_cluster(workers, concurrency, waiting)
                model = figures.model(workers, concurrency, waiting, real.cores)
                simulated = model.lasting(_LASTING)
                shown = (round(one, 2) for one in (real.rate, simulated, real.rate / simulated))
                rows.append((name, workers, round(real.cores, 2), *shown))
    title = "The simulation beside a real cluster on this machine, with the cores that others left"
    heads = ("agent", "workers", "cores", "measured, episodes a second", "simulated", "measured / simulated")
    return figures, (Experiment(title, heads, tuple(rows)),)


def _draw(axes: Axes, rows: Sequence[TableRow], latencies: Sequence[float]) -> None:
    for latency in latencies:
        points = [(row[1], row[3]) for row in rows if row[0] == latency]
        axes.loglog(*zip(*points, strict=True), marker="o", label=f"{latency:g} s a call")
    axes.set_xlabel("workers")
    axes.set_ylabel("episodes a second")
    axes.legend()
