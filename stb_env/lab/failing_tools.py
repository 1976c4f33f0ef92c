"""Failing tools on real queries: StableToolBench's Table 12 and Figure 4 (specification, 8.10).

A share of the tools in use, those of all groups together, fails. Without the virtual system a call to one
of them is answered as in the paper's Figure 4, with a text that says nothing; with it the call goes straight
to the simulator, past the cache, as in Table 12. Every cell is a run in a folder of its own, so that what
was cut off goes on.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from stb_env.backend.faults import ToolKey
from stb_env.errors import ConfigError
from stb_env.evaluate.plan import folder_name
from stb_env.evaluate.play_run import play_run
from stb_env.evaluate.resolved import RunSpec, resolve
from stb_env.jsontypes import JsonMapping, JsonObject
from stb_env.lab.experiment import Experiment, LabSettings, TableRow
from stb_env.lab.paired_change import MARGIN, PairedChange, holm
from stb_env.lab.players import located
from stb_env.lab.query_groups import env_id, env_settings, groups_of
from stb_env.rollout import plan
from stb_env.rollout.make import make_env
from stb_env.rollout.play_options import PlayOptions
from stb_env.rollout.verdict_file import read_judged
from stb_env.suites.stabletoolbench.failing_tools import FailingTools, failing_tools
from stb_env.tasks import TaskSet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SYSTEMS: Mapping[str, str] = {"without": "unavailable", "with": "simulator"}
"""What a tool that is down does, by whether the virtual system is there."""

COLUMNS = ("method", "virtual system", "share", "tools down", "SoPR", "std", "episodes", "invalid", "paper")

CHANGES = ("method", "from", "to", "change", "95 %", "p (Holm)", "lost", "won", "McNemar p", "reads")

_OWN = ("agent", "shares", "margin", "groups", "concurrency", "trials")

Query = tuple[str, str]
"""Group and id of a query."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What a method reached with a share of the tools down.

    Attributes:
        agent: The text that names the agent.
        system: ``with`` or ``without`` the virtual system.
        share: The share that was asked for.
        groups: Summary of the run on each group.
        scores: Mean score of each query's valid episodes.
    """

    agent: str
    system: str
    share: float
    groups: Mapping[str, JsonMapping]
    scores: Mapping[Query, float] = field(default_factory=dict)

    @property
    def mean(self) -> float | None:
        """Mean score: of each group's valid episodes, then unweighted over groups; None without any."""
        return self._over_groups("mean")

    @property
    def row(self) -> TableRow:
        """The cell as a row of the table."""
        # Chosen once for all groups, so each says the same.
        outage = next((one["outage"] for one in self.groups.values() if "outage" in one), None)
        return (
            self.agent,
            self.system,
            self.share,
            "none" if outage is None else f"{outage['down']} of {outage['tools']}",
            self.mean,
            self._over_groups("std"),
            sum(one["episodes"] for one in self.groups.values()),
            sum(one["invalid"] for one in self.groups.values()),
            published_range(self) if self.system == "with" else None,
        )

    def _over_groups(self, figure: str) -> float | None:
        # Where nothing is valid there is no rate.
        rates = [one[figure] for one in self.groups.values() if one["episodes"] > one["invalid"]]
        return round(fmean(rates), 6) if rates else None


def run(settings: LabSettings, shares: Sequence[float], margin: float = MARGIN) -> Experiment:
    """Play real queries with ever more tools down, with and without the virtual system.

    Args:
        settings: ``episodes`` is the number of queries of each group; ``out`` keeps every run. Options:
            ``data``, ``agent`` (one or a list), ``groups`` (those that the data has), ``concurrency`` and
            ``trials`` (1), and any setting of StableToolBench's environments: ``cache``, ``mode``,
            ``real``, ``simulator``, ``judge``, ``votes``, ``models``, ``tools`` ...
        shares: Shares of tools that are down, from 0.
        margin: Change that counts as none.

    Raises:
        ConfigError: A setting is wrong.
        DataError: The data cannot be read.
    """
    groups = groups_of(settings)
    tools = _tools_in_use(settings, groups)
    cells = [
        cell
        for agent in _agents(settings)
        for share in shares
        for cell in _cells(settings, agent, share, groups, tools)
    ]
    return Experiment(
        "Failing tools on real queries, with and without the virtual system",
        COLUMNS,
        tuple(cell.row for cell in cells),
        notes=tuple(_notes(settings, cells, groups, margin)),
        details={
            "groups": groups,
            "cells": [
                {"agent": cell.agent, "system": cell.system, "share": cell.share, "groups": dict(cell.groups)}
                for cell in cells
            ],
        },
        further=(_changes(cells, margin, _all_simulated(settings)), _published()),
        plot=partial(_plot, cells),
    )


def published_range(cell: Cell) -> tuple[float, float] | None:
    """Return the least and the greatest published rate of methods that search as a cell's does.

    Examples:
        >>> published_range(Cell("cot", "with", 0.5, {}))
        (0.49, 0.624)
        >>> published_range(Cell("keyword", "with", 0.5, {})) is None
        True
    """
    means = [rate.mean for rate in failing_tools() if _is_like(rate, cell)]
    return (min(means), max(means)) if means else None


def _is_like(rate: FailingTools, cell: Cell) -> bool:
    name = cell.agent.partition("(")[0].lower()
    return rate.share == cell.share and rate.search.lower() == name


def _tools_in_use(settings: LabSettings, groups: Sequence[str]) -> list[list[str]]:
    """Return category and tool of every tool of the queries that are played."""
    found: set[ToolKey] = set()
    for group in groups:
        with closing(make_env(env_id(group), env_settings(settings, _OWN))) as env:
            jobs = plan(env.tasks, episodes=settings.episodes, trials=1, seed=settings.seed)
            found |= TaskSet(env.tasks.get(job.task_id) for job in jobs).tools_used
    return [list(tool) for tool in sorted(found)]


def _cells(
    settings: LabSettings, agent: str, share: float, groups: Sequence[str], tools: list[list[str]]
) -> Iterator[Cell]:
    # With no tool down there is nothing that the two systems could differ in: played once, shown twice.
    if not share:
        found, scores = _groups_played(settings, agent, groups, "0", {})
        yield from (Cell(agent, system, 0.0, found, scores) for system in SYSTEMS)
        return
    for system, action in SYSTEMS.items():
        faults = {"share": share, "seed": settings.seed, "action": action, "tools": tools}
        name = f"{share:g}-{system}"
        yield Cell(agent, system, share, *_groups_played(settings, agent, groups, name, {"faults": faults}))


def _groups_played(
    settings: LabSettings, agent: str, groups: Sequence[str], name: str, faults: JsonObject
) -> tuple[dict[str, JsonMapping], dict[Query, float]]:
    """Play a cell; return the summary of each group and the score of each query."""
    summaries: dict[str, JsonMapping] = {}
    scores: dict[Query, list[float]] = {}
    for group in groups:
        place = Path(folder_name(agent), name, group)
        with _folder(settings) as out:
            summaries[group] = _played(settings, agent, group, out / place, faults)
            for episode in read_judged(out / place):
                if episode.valid:
                    scores.setdefault((group, episode.task_id), []).append(episode.reward)
    return summaries, {query: fmean(several) for query, several in scores.items()}


def _folder(settings: LabSettings) -> AbstractContextManager[Path]:
    """Return where runs are kept: in the output folder, or only until they are read."""
    return _passing() if settings.out is None else nullcontext(settings.out)


@contextmanager
def _passing() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="stb_lab_") as folder:
        yield Path(folder)


def _played(settings: LabSettings, agent: str, group: str, out: Path, faults: JsonObject) -> JsonObject:
    spec = RunSpec(
        env_id(group),
        located(agent),
        env_settings(settings, _OWN) | faults,
        seed=settings.seed,
        episodes=settings.episodes,
        trials=settings.count("trials", 1),
    )
    with closing(resolve(spec)) as run:
        return play_run(run, out, PlayOptions(concurrency=settings.count("concurrency", 1)))


def _agents(settings: LabSettings) -> list[str]:
    given = settings.option("agent", "cot")
    agents = [given] if isinstance(given, str) else given
    if not isinstance(agents, list) or not agents or not all(isinstance(name, str) for name in agents):
        raise ConfigError(
            f"agent is an agent or a list of them, got {given!r}; write --agent cot --agent dfs"
        )
    if len({folder_name(name) for name in agents}) < len(agents):
        raise ConfigError(f"two agents would share a folder: {', '.join(agents)}; give each once")
    return agents


def _notes(
    settings: LabSettings, cells: Sequence[Cell], groups: Sequence[str], margin: float
) -> Iterator[str]:
    judges = sorted({judge for cell in cells for one in cell.groups.values() for judge in one["judges"]})
    yield f"Groups: {', '.join(groups)}; SoPR is the unweighted mean over them, std over trials."
    yield f"Judged by: {', '.join(judges) or 'no one'}; a heuristic's rates do not compare with the paper's."
    yield (
        "paper is the range over the models of Table 12 that search alike (virtual system, judge "
        "gpt-4-turbo-preview, mean of six groups); its Figure 4, without the system, was only drawn."
    )
    built_in = _all_simulated(settings)
    if built_in:
        yield (
            "Neither cache nor real API was given, so tools that work are simulated too: with the system "
            "nothing can change, and its rows are no finding."
        )
    for one in _contrasts(cells):
        if one.after.share == cells[-1].share and not (built_in and one.after.system == "with"):
            yield f"{one.after.agent}, {one.where}: {one.change.said(margin)}."


def _all_simulated(settings: LabSettings) -> bool:
    return settings.option("cache", None) is None and settings.option("real", None) is None


@dataclass(frozen=True, slots=True)
class Contrast:
    """A change between two cells of one agent, tested query by query."""

    before: Cell
    after: Cell
    change: PairedChange

    @property
    def where(self) -> str:
        """Both ends in words."""
        return f"{_ends(self.before)} to {_ends(self.after)}"


def _ends(cell: Cell) -> str:
    return f"{cell.share:.0%} {cell.system}"


def _contrasts(cells: Sequence[Cell]) -> list[Contrast]:
    """Set every cell against none down, and with the system against without; p-values after Holm."""
    pairs: list[tuple[Cell, Cell]] = []
    for agent in dict.fromkeys(cell.agent for cell in cells):
        mine = [cell for cell in cells if cell.agent == agent]
        by_place = {(cell.system, cell.share): cell for cell in mine}
        shares = sorted({cell.share for cell in mine if cell.share})
        pairs += [(by_place[system, 0.0], by_place[system, share]) for system in SYSTEMS for share in shares]
        pairs += [(by_place["without", share], by_place["with", share]) for share in shares]
    adjusted = holm([PairedChange.of(before.scores, after.scores) for before, after in pairs])
    return [Contrast(*pair, change) for pair, change in zip(pairs, adjusted, strict=True)]


def _changes(cells: Sequence[Cell], margin: float, built_in: bool) -> Experiment:
    rows = []
    for one in _contrasts(cells):
        change = one.change
        tests = (change.change, change.interval, change.adjusted, change.lost, change.won)
        ends = (_ends(one.before), _ends(one.after))
        by_construction = built_in and one.after.system == "with"
        reads = "built in: all answers are simulated" if by_construction else change.said(margin)
        rows.append((one.after.agent, *ends, *tests, round(change.mcnemar, 6), reads))
    note = (
        "95 % is a paired bootstrap over queries, those of all groups together; p is of a permutation test "
        "of signs, after Holm over the rows; lost and won count queries, with McNemar's exact test."
    )
    return Experiment("Changes, in pairs of queries", CHANGES, tuple(rows), (note,))


def _published() -> Experiment:
    rates = failing_tools()
    shares = sorted({rate.share for rate in rates})
    columns = ("method", *(f"{share:.0%} down" for share in shares))
    rows = tuple((method, *_row(rates, method)) for method in dict.fromkeys(rate.method for rate in rates))
    return Experiment("The paper's Table 12: SoPR with the virtual system, mean of six groups", columns, rows)


def _row(rates: Iterable[FailingTools], method: str) -> Iterator[str]:
    return (f"{rate.mean:.3f} ± {rate.std:.3f}" for rate in rates if rate.method == method)


def _plot(cells: Sequence[Cell], axes: Axes) -> None:
    for agent, system in dict.fromkeys((cell.agent, cell.system) for cell in cells):
        part = [cell for cell in cells if (cell.agent, cell.system) == (agent, system)]
        shown = [(cell.share, cell.mean) for cell in part if cell.mean is not None]
        line = "-" if system == "with" else "--"
        axes.plot(*zip(*shown, strict=True), line, marker="o", label=f"{agent}, {system}")
    axes.set(xlabel="share of tools down", ylabel="SoPR", ylim=(0, 1))
    axes.legend()
