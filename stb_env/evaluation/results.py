"""The figures of an evaluation, as files and as tables like those of the StableToolBench paper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean

from stb_env.core import checksums
from stb_env.core.files import write_json, write_text
from stb_env.core.jsontypes import JsonMapping
from stb_env.evaluation.figures import AgentAverage, RunFigures, agent_average, grouped_interval, trial_spread
from stb_env.evaluation.tables import Table
from stb_env.runs.metrics.cost import Cost
from stb_env.runs.metrics.sowr import without_answers

_WORTH: Mapping[str, float] = {"win": 1.0, "tie": 0.5, "lose": 0.0}


def protocol_remarks(protocol: JsonMapping | None) -> Iterator[str]:
    """Yield which protocol made a run's numbers, and every departure from it; nothing without one.

    Args:
        protocol: What the run's manifest says of it.

    Examples:
        >>> list(protocol_remarks({"name": "mine", "version": 1, "departures": ["votes is 1, not 3"]}))
        ['Protocol mine, version 1.', 'Departs from the paper: votes is 1, not 3.']
    """
    if protocol is not None:
        yield f"Protocol {protocol['name']}, version {protocol['version']}."
        for departure in protocol["departures"]:
            yield f"Departs from the paper: {departure}."


@dataclass(frozen=True, slots=True)
class WinFigures:
    """Figures of a run against the reference's run on the same group.

    Attributes:
        simulator: Name of the simulator.
        agent: Name of the agent.
        group: Name of the group.
        judge: What compared them; empty where one of the two runs has no valid episode.
        rate: Win, lose and tie shares of all planned queries, ``ties_half`` and its interval; see
            `stb_env.runs.metrics.sowr`.
        without_answer: Queries that are lost because the run has no answer.
        reference_without_answer: Queries that are won because the reference has none.
        failed: Queries whose comparison failed, which the same command asks for again.
        remarks: Which protocol compared them, and in what that departs from its paper.
    """

    simulator: str
    agent: str
    group: str
    judge: str
    rate: JsonMapping
    without_answer: int = 0
    reference_without_answer: int = 0
    failed: int = 0
    remarks: Sequence[str] = ()

    @property
    def undecided(self) -> int:
        """Planned queries without a result: their comparison failed, or there was nothing to compare."""
        return int(self.rate.get("undecided", 0))

    @property
    def incomplete(self) -> bool:
        """True if its rate is of queries that have no result, or are lost for want of an answer."""
        return self.measured and bool(self.undecided or self.without_answer)

    @property
    def measured(self) -> bool:
        """True if any task was compared: without one there is no rate."""
        return bool(self.rate.get("queries", 0) > self.rate.get("undecided", 0))

    @property
    def worths(self) -> list[float]:
        """Worth of each query: 1 for a win, a half for a tie, 0 for a loss; in no order."""
        queries = self.rate.get("queries", 0)
        counts = (
            {worth: round(self.rate[name] * queries) for name, worth in _WORTH.items()} if queries else {}
        )
        # A planned query without a result is worth nothing.
        counts = {**counts, 0.0: counts.get(0.0, 0) + self.rate.get("undecided", 0)}
        return [worth for worth, count in counts.items() for _ in range(count)]

    @classmethod
    def of(cls, simulator: str, agent: str, group: str, summary: JsonMapping) -> WinFigures:
        """Take the figures from the summary of a comparison."""
        counts = (summary["without_answer"], summary["reference_without_answer"], summary["undecided"])
        remarks = tuple(protocol_remarks(summary.get("protocol")))
        return cls(simulator, agent, group, summary["judge"], dict(summary["overall"]), *counts, remarks)

    @classmethod
    def none(cls, simulator: str, agent: str, group: str) -> WinFigures:
        """Stand for a comparison that could not be made."""
        return cls(simulator, agent, group, "", {})


@dataclass(frozen=True, slots=True)
class Results:
    """The figures of an evaluation.

    Attributes:
        name: Its title.
        groups: Names of the groups, in order.
        reference: Name of the agent that the others were compared with, or None.
        runs: Figures of each run.
        averages: Each agent under each simulator, over all groups.
        wins: Each run against the reference's.
        remarks: Which protocol made the figures, and in what they depart from its paper.
    """

    name: str
    groups: Sequence[str]
    reference: str | None
    runs: Sequence[RunFigures]
    averages: Sequence[AgentAverage]
    wins: Sequence[WinFigures]
    remarks: Sequence[str] = ()

    @classmethod
    def of(
        cls,
        name: str,
        groups: Sequence[str],
        reference: str | None,
        runs: Sequence[RunFigures],
        wins: Sequence[WinFigures],
        remarks: Sequence[str] = (),
    ) -> Results:
        """Average runs over groups; the arguments are its attributes."""
        by_agent: dict[tuple[str, str], list[RunFigures]] = {}
        for run in runs:
            by_agent.setdefault((run.simulator, run.agent), []).append(run)
        averages = [agent_average(members) for members in by_agent.values()]
        return cls(name, groups, reference, runs, averages, wins, remarks)

    @property
    def missing(self) -> int:
        """Episodes that are planned and not saved."""
        return sum(run.planned - run.episodes for run in self.runs)

    @property
    def unmeasured(self) -> list[str]:
        """Runs that have episodes and no valid one, by name."""
        return [
            self._label(run.simulator, run.agent, run.group)
            for run in self.runs
            if run.episodes and not run.measured
        ]

    @property
    def uncompared(self) -> int:
        """Comparisons that failed, and are asked for again."""
        return sum(win.failed for win in self.wins)

    def to_dict(self) -> dict[str, object]:
        """Return the figures as plain data."""
        return {
            "name": self.name,
            "groups": list(self.groups),
            "reference": self.reference,
            "missing": self.missing,
            "runs": [run.to_dict() for run in self.runs],
            "averages": [average.to_dict() for average in self.averages],
            "wins": [asdict(win) for win in self.wins],
            "remarks": list(self.remarks),
        }

    def write(self, folder: Path) -> None:
        """Write ``results.json`` and ``results.md``, and note their checksums."""
        names = ("results.json", "results.md")
        checksums.forget(folder, *names)
        write_json(folder / "results.json", self.to_dict(), sort_keys=False)
        parts = [f"# {self.name}", *(table.markdown() for table in self.tables())]
        write_text(folder / "results.md", "\n\n".join(parts) + "\n")
        checksums.note(folder, *names)

    def tables(self) -> list[Table]:
        """Return the tables that there are figures for."""
        simulators = list(dict.fromkeys(average.simulator for average in self.averages))
        found = [self._rates(name, len(simulators)) for name in simulators]
        if self.wins:
            found += [self._win_rates(name, len(simulators)) for name in simulators]
        if len(simulators) > 1:
            found.append(self._simulators(simulators))
        if any(len(average.trials) > 1 for average in self.averages):
            found.append(self._trials())
        return [*found, self._episodes()]

    def _rates(self, simulator: str, of: int) -> Table:
        """Return SoPR by agent and group, as Table 3 has it."""
        runs = {(run.agent, run.group): run for run in self.runs if run.simulator == simulator}
        rows = [
            (
                f"{average.agent} (incomplete)" if average.unscored else average.agent,
                *(_rate(runs[average.agent, group]) for group in self.groups),
                _average(average),
                _interval(average.interval) if average.groups else "-",
            )
            for average in self.averages
            if average.simulator == simulator
        ]
        judges = sorted({judge for run in runs.values() for judge in run.judges if judge != "env"})
        notes = (
            "Per cent of all planned episodes: mean ± standard deviation over votes; the average weighs "
            "every group the same, with a 95 % bootstrap interval over tasks.",
            f"Judged by {', '.join(judges) or 'no one'}.",
            *_incomplete(list(runs.values())),
            *self.remarks,
        )
        columns = ("agent", *self.groups, "average", "95 % interval")
        return Table(f"Solvable pass rate{_under(simulator, of)}", columns, rows, notes)

    def _win_rates(self, simulator: str, of: int) -> Table:
        """Return SoWR by agent and group, as Table 5 has it."""
        by_agent: dict[str, dict[str, WinFigures]] = {}
        for win in self.wins:
            if win.simulator == simulator:
                by_agent.setdefault(win.agent, {})[win.group] = win
        rows = [_win_row(agent, self.groups, found) for agent, found in by_agent.items()]
        wins = [win for found in by_agent.values() for win in found.values()]
        judges = sorted({win.judge for win in wins if win.judge})
        missing = sum(win.undecided for win in wins)
        notes = (
            "Per cent of all planned queries won; ties as halves makes an agent against itself exactly 50.",
            f"Compared by {', '.join(judges) or 'no one'}.",
            *([f"Incomplete: {missing} planned queries have no result, and are no win."] if missing else []),
            *self._without_answers(by_agent),
            *dict.fromkeys([*self.remarks, *(remark for win in wins for remark in win.remarks)]),
        )
        columns = (
            "agent",
            *self.groups,
            "average",
            "win / tie / lose",
            "ties as halves",
            "95 % interval of it",
        )
        lacking = " (incomplete)" if any(win.reference_without_answer for win in wins) else ""
        title = f"Solvable win rate against {self.reference}{lacking}{_under(simulator, of)}"
        return Table(title, columns, rows, notes)

    def _without_answers(self, by_agent: Mapping[str, Mapping[str, WinFigures]]) -> Iterator[str]:
        for agent, found in by_agent.items():
            wins = found.values()
            mine = agent, sum(win.without_answer for win in wins)
            theirs = str(self.reference), sum(win.reference_without_answer for win in wins)
            planned = sum(int(win.rate.get("queries", 0)) for win in wins)
            for name, text in without_answers(mine, theirs, planned):
                yield f"{agent} against {self.reference}: {name} is incomplete, {text}."

    def _simulators(self, simulators: Sequence[str]) -> Table:
        """Return the average of each agent under each simulator, as Table 6 has it."""
        found = {(average.agent, average.simulator): average for average in self.averages}
        agents = list(dict.fromkeys(average.agent for average in self.averages))
        rows = [(agent, *(_average(found[agent, name]) for name in simulators)) for agent in agents]
        notes = ("Average solvable pass rate over groups, per cent ± standard deviation over votes.",)
        return Table("Simulators", ("agent", *simulators), rows, notes)

    def _trials(self) -> Table:
        rows = []
        for average in self.averages:
            mine = {
                run.group: trial_spread(run.trials)
                for run in self.runs
                if (run.simulator, run.agent) == (average.simulator, average.agent)
            }
            spreads = [*(mine[group] for group in self.groups), trial_spread(average.trials)]
            shown = (_spread(one["trial_mean"], one["trial_std"]) for one in spreads)
            rows.append((self._label(average.simulator, average.agent), *shown))
        notes = (
            "Mean reward of each trial over its planned episodes, per cent: mean ± population standard "
            "deviation over trials.",
        )
        return Table("Trials", ("agent", *self.groups, "average"), rows, notes)

    def _episodes(self) -> Table:
        rows = [
            (
                self._label(run.simulator, run.agent, run.group),
                f"{run.episodes} of {run.planned}",
                str(run.invalid),
                str(run.waiting),
                _share(run.solved_valid),
                _share(run.solved_all),
                _cached(run),
                _dollars(run.cost),
            )
            for run in self.runs
        ]
        columns = ("run", "episodes", "invalid", "waiting", "solved of valid", "solved of all")
        notes = (
            "Waiting: played, and without a verdict so far; the same command asks for it.",
            "Cached: share of calls to remote APIs that the cache answered (StableToolBench, Table 7); in "
            "brackets how many of these answers a simulator had given.",
        )
        return Table("Episodes", (*columns, "cached", "$ a solved task"), rows, notes)

    def _label(self, simulator: str, *names: str) -> str:
        """Return names as one, the simulator's only where there are several."""
        several = len({average.simulator for average in self.averages}) > 1
        return " · ".join((simulator, *names) if several else names)


def _rate(run: RunFigures) -> str:
    return _spread(run.rate.mean, run.rate.std) if run.measured else "-"


def _share(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"


def _average(average: AgentAverage) -> str:
    return _spread(average.mean, average.std) if average.groups else "-"


def _spread(mean: float | None, std: float | None) -> str:
    return "-" if mean is None or std is None else f"{100 * mean:.1f} ± {100 * std:.1f}"


def _interval(interval: tuple[float, float]) -> str:
    low, high = interval
    return f"{100 * low:.1f} to {100 * high:.1f}"


def _cached(run: RunFigures) -> str:
    if run.cache_share is None:
        return "-"
    simulated = f" ({run.simulated_hits:,})" if run.simulated_hits else ""
    return f"{run.cache_share:.1%}{simulated}"


def _dollars(cost: Cost) -> str:
    if cost.usage.unpriced:
        return "unknown"
    return "-" if cost.dollars_per_solved is None else f"{cost.dollars_per_solved:.4f}"


def _under(simulator: str, of: int) -> str:
    return f", {simulator}" if of > 1 else ""


def _incomplete(runs: Sequence[RunFigures]) -> Iterator[str]:
    yield f"Invalid episodes, which score 0: {sum(run.invalid for run in runs)}."
    if waiting := sum(run.waiting for run in runs):
        yield f"Waiting for a verdict, which score 0: {waiting} episodes."
    if missing := sum(run.planned - run.episodes for run in runs):
        yield f"Not played yet, which score 0: {missing} episodes."


def _win_row(agent: str, groups: Sequence[str], found: Mapping[str, WinFigures]) -> tuple[str, ...]:
    agent = f"{agent} (incomplete)" if any(win.incomplete for win in found.values()) else agent
    rated = [found[group] for group in groups if group in found and found[group].measured]
    cells = [
        f"{100 * win.rate['win']:.1f}" if (win := found.get(group)) in rated and win else "-"
        for group in groups
    ]
    if not rated:
        return (agent, *cells, *["-"] * 4)

    def mean(name: str) -> float:
        return 100 * fmean(win.rate[name] for win in rated)

    shares = " / ".join(f"{mean(name):.1f}" for name in ("win", "tie", "lose"))
    interval = grouped_interval([win.worths for win in rated])
    return (agent, *cells, f"{mean('win'):.1f}", shares, f"{mean('ties_half'):.1f}", _interval(interval))
