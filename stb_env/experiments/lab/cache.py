"""Cache hit rates at three snapshots, and what the filter keeps: StableToolBench's Tables 7 and 2 in kind.

The cache grows as the paper's did: first by what training tasks asked, then by the test tasks' own
history, then by experiments. Behind it stands the Sandbox as a real API with broken endpoints, and the
template simulator for what these cannot answer. Agents that took no part in its growth are then replayed
against each snapshot.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import count, islice
from pathlib import Path

from stb_env import ResponseCache, TaskSet, ToolEnv, Trajectory, VirtualBackend, plan, run_batch
from stb_env.backend.cache_update import ORIGIN
from stb_env.experiments.lab import query_cache
from stb_env.experiments.lab.experiment import Experiment, LabSettings, TableRow, rounded_share
from stb_env.experiments.lab.plots import rate_lines
from stb_env.experiments.lab.reader import NoisyOracle
from stb_env.experiments.lab.sandbox_api import FlawedAPI, LiveTemplate, is_reading, reading_tasks
from stb_env.runs.metrics.rates import cache_hits, sources
from stb_env.seeding import derive
from stb_env.suites.sandbox.oracle import oracle
from stb_env.suites.sandbox.tasks import SandboxTasks
from stb_env.suites.sandbox.verifier import ExactJudge

SNAPSHOTS = ("start", "mid", "final")
AGENTS: Mapping[str, float] = {f"noisy oracle, {rate:.0%} errors": rate for rate in (0.0, 0.3, 0.6, 1.0)}
"""Agents and their error rates, in the place of the paper's methods."""

PAPER_FILTER: Mapping[str, tuple[int, int]] = {
    "train": (58_105, 25_995),
    "test": (5_921, 2_393),
    ORIGIN: (255_828, 136_592),
}
"""Entries before and after the filter by origin, in the paper's Table 2."""

# The test tasks' own history covers one in ten; the experiments have come half way at the middle snapshot.
_HISTORY, _MIDDLE = 10, 2


@dataclass(frozen=True, slots=True)
class Stage:
    """A step in the growth of the cache.

    Attributes:
        origin: What its entries are noted as.
        tasks: The tasks that are played.
        rates: Error rates of the agents that play them.
        snapshot: Name of the snapshot that is taken after it; empty for none.
    """

    origin: str
    tasks: TaskSet
    rates: Sequence[float]
    snapshot: str = ""


def run(settings: LabSettings) -> Experiment:
    """Grow a cache, freeze it three times, and replay other episodes against each snapshot.

    Args:
        settings: ``episodes`` is the number of test tasks (100). Option: ``faulty``, the share of the APIs
            that are broken (0.3). With ``data``, real queries are played instead; see
            `stb_env.experiments.lab.query_cache`.

    Raises:
        ConfigError: A setting is unknown or out of range.
    """
    if "data" in settings.options:
        return query_cache.run(settings)
    settings.expect("faulty")
    tasks = reading_tasks()[: settings.episodes or 100]
    raw = ResponseCache()
    rates: dict[str, dict[str, float]] = {}
    whole: dict[str, dict[str, float]] = {}
    sizes: dict[str, int] = {}
    with tempfile.TemporaryDirectory(prefix="stb_lab_") as folder:
        hashes = _grow(settings, _stages(tasks), raw, Path(folder))
        for name in SNAPSHOTS:
            with closing(ResponseCache(Path(folder) / name, read_only=True)) as cache:
                sizes[name] = len(cache)
                rates[name], whole[name] = _replay(settings, tasks, cache)
    return Experiment(
        "Cache hit rate by snapshot (StableToolBench, Table 7)",
        ("agent", *reversed(SNAPSHOTS)),
        tuple(_rows(rates)),
        notes=tuple(_notes(rates, sizes)),
        details={"snapshots": {name: {"entries": sizes[name], "hash": hashes[name]} for name in SNAPSHOTS}},
        further=(
            Experiment(
                "Share of episodes that a replay brings to their end",
                ("agent", *reversed(SNAPSHOTS)),
                tuple(_rows(whole)),
            ),
            _filter_table(raw),
        ),
        plot=lambda axes: rate_lines(
            axes,
            {agent: [(name, rates[name][agent]) for name in SNAPSHOTS] for agent in AGENTS},
            ylabel="cache hit rate",
        ),
    )


def _stages(tasks: TaskSet) -> Iterator[Stage]:
    history = tasks[::_HISTORY]
    middle = -(-len(tasks) // _MIDDLE)
    drawn = map(SandboxTasks("train").at, count())
    training = islice((task for task in drawn if is_reading(task, home=0)), len(tasks))
    yield Stage("train", TaskSet(training, name="Sandbox, training"), (0.3,))
    yield Stage("test", history, (0.3,), snapshot="start")
    yield Stage(ORIGIN, tasks[:middle], tuple(AGENTS.values()), snapshot="mid")
    yield Stage(ORIGIN, tasks[middle:], tuple(AGENTS.values()), snapshot="final")


def _grow(settings: LabSettings, stages: Iterable[Stage], raw: ResponseCache, folder: Path) -> dict[str, str]:
    """Play the stages in record mode; keep all raw answers too, and return the snapshots' hashes."""
    cache, hashes = ResponseCache(), {}
    for stage in stages:
        api = FlawedAPI(settings.share("faulty", 0.3), settings.seed, check="default")
        backend = VirtualBackend(cache, mode="record", real=api, live_simulator=LiveTemplate())
        for rate in stage.rates:
            _play(backend, stage.tasks, rate, derive(settings.seed, "grow", stage.origin))
        new = [replace(entry, origin=stage.origin) for entry in cache.entries() if entry.origin == ORIGIN]
        cache.put_many((entry.key, entry) for entry in new)
        # The origin of an answer is the stage that asked for it first.
        answers = (replace(entry, origin=stage.origin) for entry in api.answers.values())
        raw.put_many((entry.key, entry) for entry in answers if raw.get(entry.call) is None)
        if stage.snapshot:
            hashes[stage.snapshot] = cache.snapshot(folder / stage.snapshot)
    return hashes


def _play(backend: VirtualBackend, tasks: TaskSet, rate: float, seed: int) -> list[Trajectory]:
    jobs = plan(tasks, episodes=None, seed=seed)
    make_env = partial(ToolEnv, tasks, backend, ExactJudge(), oracle=oracle)
    return run_batch(make_env, partial(NoisyOracle, rate), jobs)


def _replay(
    settings: LabSettings, tasks: TaskSet, cache: ResponseCache
) -> tuple[dict[str, float], dict[str, float]]:
    """Play every agent with new seeds, and return its hit rate and its share of completed episodes.

    A call that was never recorded ends its episode.
    """
    rates, completed = {}, {}
    backend = VirtualBackend(cache, mode="replay")
    for agent, rate in AGENTS.items():
        episodes = _play(backend, tasks, rate, derive(settings.seed, "replay"))
        hits, whole = cache_hits(sources(episodes)), sum(episode.valid for episode in episodes)
        rates[agent] = rounded_share(hits, hits + len(episodes) - whole)
        completed[agent] = rounded_share(whole, len(episodes))
    return rates, completed


def _rows(values: Mapping[str, Mapping[str, float]]) -> Iterator[TableRow]:
    for agent in AGENTS:
        yield (agent, *(values[name][agent] for name in reversed(SNAPSHOTS)))


def _notes(rates: Mapping[str, Mapping[str, float]], sizes: Mapping[str, int]) -> Iterator[str]:
    entries = ", ".join(f"{name} {sizes[name]:,}" for name in SNAPSHOTS)
    yield f"Entries: {entries}. A replay stops an episode at its first miss, which counts as one miss."
    rise = all(rates["start"][agent] < rates["mid"][agent] < rates["final"][agent] for agent in AGENTS)
    yield f"Hit rates rise from start to mid to final for every agent: {'yes' if rise else 'no'}."
    by_errors = [rates["final"][agent] for agent in AGENTS]
    yield (
        f"At the final snapshot they go from {by_errors[0]:.3f} to {by_errors[-1]:.3f} as agents err more: "
        "calls that others did not make are what a cache cannot know."
    )


def _filter_table(raw: ResponseCache) -> Experiment:
    report = raw.filter()
    rows: list[TableRow] = []
    for origin, paper in PAPER_FILTER.items():
        before, after = report.before[origin], report.after[origin]
        rows.append((origin, before, after, rounded_share(after, before), rounded_share(paper[1], paper[0])))
    before, after = report.before.total(), report.after.total()
    totals = [sum(column) for column in zip(*PAPER_FILTER.values(), strict=True)]
    rows.append(("total", before, after, rounded_share(after, before), rounded_share(totals[1], totals[0])))
    dropped = ", ".join(
        f"{name.replace('_', ' ')} {n}" for name, n in sorted(Counter(report.dropped).items())
    )
    return Experiment(
        "What the API answered, before and after filtering (StableToolBench, Table 2)",
        ("origin", "before", "after", "kept", "StableToolBench, kept"),
        tuple(rows),
        notes=(f"Dropped: {dropped or 'nothing'}.",),
    )
