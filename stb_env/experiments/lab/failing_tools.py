"""Failing tools on real queries: StableToolBench's Table 12 and Figure 4 (specification, 8.10).

A share of the tools in use, those of all groups together, fails. Without the virtual system a call to one
of them is answered as in the paper's Figure 4, with a text that says nothing; with it the call goes straight
to the simulator, past the cache, as in Table 12. Every cell is a run in a folder of its own, so that what
was cut off goes on.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from stb_env import ConfigError, TaskSet, plan
from stb_env.backend.faults import ToolKey
from stb_env.core.jsontypes import JsonMapping
from stb_env.evaluation.plan import folder_name
from stb_env.evaluation.play_run import play_run
from stb_env.evaluation.resolved import RunSpec, resolve
from stb_env.experiments.lab.agents import located
from stb_env.experiments.lab.comparison import MARGIN
from stb_env.experiments.lab.experiment import Experiment, LabSettings, TableRow
from stb_env.experiments.lab.outages import (
    ACTIONS,
    CHANGES,
    SYSTEMS,
    Condition,
    Contrast,
    Verdict,
    contrasts,
    outage_pairs,
)
from stb_env.experiments.lab.plots import rate_lines
from stb_env.experiments.lab.query_groups import env_id, env_settings, groups_of
from stb_env.runs.make import make_env
from stb_env.runs.play_options import PlayOptions
from stb_env.runs.verdict_file import read_judged
from stb_env.suites.stabletoolbench.failing_tools import failing_tools

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = ("method", "virtual system", "share", "tools down", "SoPR", "std", "episodes", "invalid", "paper")

_OWN = ("agent", "shares", "margin", "groups", "concurrency", "trials")


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryCell(Condition):
    """Episodes of an agent on real queries under one condition.

    Attributes:
        agent: The text that names the agent.
        groups: Summary of the run on each group.
        scores: Mean score of each query's valid episodes.
    """

    agent: str
    groups: Mapping[str, JsonMapping] = field(default_factory=dict)
    scores: Mapping[str, float] = field(default_factory=dict)

    def means(self, verdict: Verdict, outage: int | None = None) -> Mapping[str, float]:
        """Return the mean score of each query; there is one verdict and one outage."""
        del verdict, outage
        return self.scores

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
    agents = dict.fromkeys(cell.agent for cell in cells)
    parts = ([cell for cell in cells if cell.agent == agent] for agent in agents)
    found = contrasts((pair for part in parts for pair in outage_pairs(part)), ["open"])
    built_in = settings.option("cache", None) is None and settings.option("real", None) is None
    return Experiment(
        "Failing tools on real queries, with and without the virtual system",
        COLUMNS,
        tuple(cell.row for cell in cells),
        notes=tuple(_notes(cells, found, groups, margin, built_in)),
        details={
            "groups": groups,
            "cells": [
                {"agent": cell.agent, "system": cell.system, "share": cell.share, "groups": dict(cell.groups)}
                for cell in cells
            ],
        },
        further=(_changes(found, margin, built_in), _published()),
        plot=partial(_plot, cells),
    )


def published_range(cell: QueryCell) -> tuple[float, float] | None:
    """Return the least and the greatest published rate of methods that search as a cell's does.

    Examples:
        >>> published_range(QueryCell(agent="cot", system="with", share=0.5))
        (0.49, 0.624)
        >>> published_range(QueryCell(agent="keyword", system="with", share=0.5)) is None
        True
    """
    name = cell.agent.partition("(")[0].lower()
    means = [
        rate.mean for rate in failing_tools() if rate.share == cell.share and rate.search.lower() == name
    ]
    return (min(means), max(means)) if means else None


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
) -> Iterator[QueryCell]:
    # With no tool down there is nothing that the two systems could differ in: played once, shown twice.
    if not share:
        found, scores = _groups_played(settings, agent, groups, "0", {})
        for system in SYSTEMS:
            yield QueryCell(share=0.0, system=system, agent=agent, groups=found, scores=scores)
        return
    for system, action in ACTIONS.items():
        faults = {"share": share, "seed": settings.seed, "action": action, "tools": tools}
        found, scores = _groups_played(settings, agent, groups, f"{share:g}-{system}", {"faults": faults})
        yield QueryCell(share=share, system=system, agent=agent, groups=found, scores=scores)


def _groups_played(
    settings: LabSettings, agent: str, groups: Sequence[str], name: str, faults: dict[str, object]
) -> tuple[dict[str, Mapping[str, object]], dict[str, float]]:
    """Play a cell; return the summary of each group and the score of each query."""
    summaries: dict[str, JsonMapping] = {}
    scores: dict[str, list[float]] = {}
    for group in groups:
        place = Path(folder_name(agent), name, group)
        kept = nullcontext(settings.out) if settings.out else tempfile.TemporaryDirectory(prefix="stb_lab_")
        with kept as out:
            summaries[group] = _played(settings, agent, group, Path(out) / place, faults)
            for episode in read_judged(Path(out) / place):
                if episode.valid:
                    scores.setdefault(f"{group} {episode.task_id}", []).append(episode.reward)
    return summaries, {query: fmean(several) for query, several in scores.items()}


def _played(
    settings: LabSettings, agent: str, group: str, out: Path, faults: dict[str, object]
) -> dict[str, object]:
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
    cells: Sequence[QueryCell],
    found: Sequence[Contrast[QueryCell]],
    groups: Sequence[str],
    margin: float,
    built_in: bool,
) -> Iterator[str]:
    judges = sorted({judge for cell in cells for one in cell.groups.values() for judge in one["judges"]})
    yield f"Groups: {', '.join(groups)}; SoPR is the unweighted mean over them, std over trials."
    yield f"Judged by: {', '.join(judges) or 'no one'}; a heuristic's rates do not compare with the paper's."
    yield (
        "paper is the range over the models of Table 12 that search alike (virtual system, judge "
        "gpt-4-turbo-preview, mean of six groups); its Figure 4, without the system, was only drawn."
    )
    if built_in:
        yield (
            "Neither cache nor real API was given, so tools that work are simulated too: with the system "
            "nothing can change, and its rows are no finding."
        )
    for one in found:
        if one.after.share == cells[-1].share and not (built_in and one.after.system == "with"):
            ends = f"{one.before.name} to {one.after.name}"
            yield f"{one.after.agent}, {ends}: {one.change.said(margin)}."


def _changes(found: Sequence[Contrast[QueryCell]], margin: float, built_in: bool) -> Experiment:
    rows = []
    for one in found:
        *figures, reads = one.change.figures(margin)
        if built_in and one.after.system == "with":
            reads = "built in: all answers are simulated"
        rows.append((one.after.agent, one.before.name, one.after.name, *figures, reads))
    note = (
        "95 % is a paired bootstrap over queries, those of all groups together; p is of a permutation test "
        "of signs, after Holm over the rows; lost and won count queries, with McNemar's exact test."
    )
    return Experiment(
        "Changes, in pairs of queries", ("method", "from", "to", *CHANGES), tuple(rows), (note,)
    )


def _published() -> Experiment:
    rates: dict[str, list[str]] = {}
    for rate in failing_tools():
        rates.setdefault(rate.method, []).append(f"{rate.mean:.3f} ± {rate.std:.3f}")
    shares = sorted({rate.share for rate in failing_tools()})
    return Experiment(
        "The paper's Table 12: SoPR with the virtual system, mean of six groups",
        ("method", *(f"{share:.0%} down" for share in shares)),
        tuple((method, *row) for method, row in rates.items()),
    )


def _plot(cells: Sequence[QueryCell], axes: Axes) -> None:
    lines: dict[str, list[tuple[object, float | None]]] = {}
    for cell in cells:
        lines.setdefault(f"{cell.agent}, {cell.system}", []).append((cell.share, cell.mean))
    rate_lines(axes, lines, xlabel="share of tools down", ylabel="SoPR")
