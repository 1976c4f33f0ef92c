"""Failing tools, with and without the virtual system: StableToolBench's Figures 4 and 7 and Table 12 in kind.

The paper makes a share of the tools fail and shows that an agent's pass rate then falls where the agent
meets the real APIs, and stays where a simulator answers in their place. It could see this only through its
own judge, which reads answers and cannot check them. Here the same episodes are judged twice: by such an
open judge, and by the exact verifier, which knows what is true.

The default open judge is the heuristic. It fails about a third of the oracle's right answers, those whose
facts were computed and stand in no response, so its level says little; what counts is how it changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from stb_env.backend.faults import Faults, ToolKey
from stb_env.backend.virtual import VirtualBackend
from stb_env.baselines.registry import load_agent
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError, InfrastructureError
from stb_env.judges.judge import Judge
from stb_env.judges.registry import load_judge
from stb_env.lab import failing_tools
from stb_env.lab.experiment import Experiment, LabSettings, TableRow, shown
from stb_env.lab.mean_score import MeanScore
from stb_env.lab.noisy_oracle import NoisyOracle
from stb_env.lab.world_api import LiveTemplate, WorldAPI, reading_tasks
from stb_env.metrics.rates import sources
from stb_env.request import drive
from stb_env.rollout import AgentFactory, Job, plan, run_batch
from stb_env.rollout.judging import case_of
from stb_env.suites.sandbox.oracle import oracle
from stb_env.suites.sandbox.verifier import ExactJudge
from stb_env.tasks import TaskSet
from stb_env.trajectory import Trajectory

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHARES = (0.0, 0.1, 0.2, 0.5)
"""The paper's shares of tools that are down."""

COLUMNS = ("tools down", "virtual system", "exact", "exact 95 %", "open", "open 95 %", "episodes", "invalid")

_SYSTEMS = {False: "without", True: "with"}


@dataclass(frozen=True, slots=True)
class Cell:
    """What an agent reached with a share of the tools down.

    Attributes:
        share: The share.
        system: Whether the virtual system was there.
        exact: Rate under the exact verifier.
        open: Rate under the open judge.
        episodes: How many both have judged.
        invalid: How many the infrastructure lost.
        sources: How many calls were answered by what.
    """

    share: float
    system: bool
    exact: MeanScore
    open: MeanScore
    episodes: int
    invalid: int
    sources: Mapping[str, int]

    @property
    def row(self) -> TableRow:
        """The cell as a row of the table."""
        rates = (self.exact.mean, self.exact.interval, self.open.mean, self.open.interval)
        return (self.share, _SYSTEMS[self.system], *rates, self.episodes, self.invalid)


def run(settings: LabSettings) -> Experiment:
    """Play the same tasks with ever more tools down, with and without the virtual system.

    Args:
        settings: ``episodes`` is the number of tasks (all that write nothing). Options: ``error_rate`` of
            the noisy oracle (0.3), ``outages``, how often other tools are chosen to be down (3),
            ``shares`` (0, 0.1, 0.2 and 0.5), ``judge`` (heuristic), ``agent`` (the noisy oracle),
            ``concurrency`` (1). With ``data`` real queries are played; see `failing_tools.run`.

    Raises:
        ConfigError: A setting is unknown or out of range.
    """
    if "data" in settings.options:
        return failing_tools.run(settings, _shares(settings))
    settings.expect("error_rate", "outages", "shares", "judge", "agent", "concurrency")
    judge = load_judge(str(settings.option("judge", "heuristic")))
    tasks = reading_tasks()
    chosen = tasks[: settings.episodes] if settings.episodes else tasks
    measure = partial(_cell, settings, chosen, _agent(settings), judge)
    cells = [measure(share, system) for share in _shares(settings) for system in _SYSTEMS]
    relations = _relations(cells)
    return Experiment(
        "Failing tools, with and without the virtual system",
        COLUMNS,
        tuple(cell.row for cell in cells),
        notes=(
            f"open is judged by: {judge.name}; both verdicts are on the same episodes",
            *_notes(cells, relations),
        ),
        details={
            "judge": judge.name,
            "agent": settings.option("agent", NoisyOracle.name),
            "tasks": len(chosen),
            "eligible_tools": len(_needed(chosen)),
            "relations": relations,
            "sources": [{"tools down": c.share, "system": c.system, "calls": dict(c.sources)} for c in cells],
        },
        plot=partial(_plot, cells),
    )


def _agent(settings: LabSettings) -> AgentFactory:
    spec = settings.option("agent", NoisyOracle.name)
    if not isinstance(spec, str):
        raise ConfigError(f"one agent plays in the Sandbox, got {spec!r}; several play the queries of --data")
    if spec == NoisyOracle.name:
        return partial(NoisyOracle, settings.share("error_rate", 0.3))
    return load_agent(spec)


def _shares(settings: LabSettings) -> list[float]:
    given = settings.option("shares", SHARES)
    if not isinstance(given, Sequence) or isinstance(given, str) or not given:
        raise ConfigError(f"shares is a list of shares, got {given!r}; write shares=[0,0.5]")
    checked = [LabSettings(options={"shares": share}).share("shares", 0.0) for share in given]
    return sorted({0.0, *checked})


def _cell(
    settings: LabSettings, tasks: TaskSet, agent: AgentFactory, judge: Judge, share: float, system: bool
) -> Cell:
    episodes = list(_episodes(settings, tasks, agent, share, system))
    exact: dict[str, list[float]] = {}
    seen: dict[str, list[float]] = {}
    with ThreadPoolExecutor(settings.count("concurrency", 1), thread_name_prefix="judge") as pool:
        scores = list(pool.map(partial(_open_score, tasks=tasks, judge=judge), episodes))
    for episode, score in zip(episodes, scores, strict=True):
        if score is not None:
            exact.setdefault(episode.task_id, []).append(episode.reward)
            seen.setdefault(episode.task_id, []).append(score)
    judged = sum(map(len, exact.values()))
    lost = len(episodes) - judged
    return Cell(share, system, MeanScore.of(exact), MeanScore.of(seen), judged, lost, sources(episodes))


def _episodes(
    settings: LabSettings, tasks: TaskSet, agent: AgentFactory, share: float, system: bool
) -> Iterator[Trajectory]:
    jobs = plan(tasks, episodes=None, trials=settings.count("outages", 3), seed=settings.seed)
    by_outage: dict[int, list[Job]] = {}
    for job in jobs:
        by_outage.setdefault(job.trial, []).append(job)
    for outage, part in by_outage.items():
        faults = _faults(share, settings.seed + outage, system, _needed(tasks))
        make_env = partial(_env, tasks, system, faults)
        yield from run_batch(make_env, agent, part, concurrency=settings.count("concurrency", 1))


def _env(tasks: TaskSet, system: bool, faults: Faults | None) -> ToolEnv:
    """Return the Sandbox's tasks behind its real API alone, or behind the virtual system."""
    # Without a virtual system nobody checks what an API answers before the agent sees it.
    real = WorldAPI(check="default" if system else None)
    simulator = LiveTemplate() if system else None
    backend = VirtualBackend(mode="live", real=real, live_simulator=simulator, faults=faults)
    return ToolEnv(tasks, backend, ExactJudge(), oracle=oracle)


def _faults(share: float, seed: int, system: bool, tools: Iterable[ToolKey]) -> Faults | None:
    if not share:
        return None
    return Faults(share, seed, "simulator" if system else "unavailable", tools=tools)


def _needed(tasks: TaskSet) -> set[ToolKey]:
    """Return the tools that the tasks need; all of them work, so all are eligible to fail."""
    return {identity[:2] for task in tasks for identity in task.relevant}


def _open_score(episode: Trajectory, tasks: TaskSet, judge: Judge) -> float | None:
    """Return the open judge's score; an end without an answer needs no judge. None where there is none."""
    if not episode.valid:
        return None
    if not episode.answer:
        return 0.0
    try:
        verdict = drive(judge.judge(case_of(episode, tasks.get(episode.task_id))))
    except InfrastructureError:
        return None
    return verdict.score if verdict.status != "na" else None


def _relations(cells: Sequence[Cell]) -> dict[str, bool]:
    """Say which of the paper's findings, and of ours, these numbers bear out."""
    without = [cell for cell in cells if not cell.system]
    virtual = [cell for cell in cells if cell.system]
    return {
        "without_exact_falls": _falls([cell.exact for cell in without]),
        "without_open_falls": _falls([cell.open for cell in without]),
        "with_open_stays": all(cell.open.overlaps(virtual[0].open) for cell in virtual),
        "with_exact_falls": _falls([cell.exact for cell in virtual]),
    }


def _falls(rates: Sequence[MeanScore]) -> bool:
    """Say whether the rate ends below its start by more than both intervals."""
    return rates[-1].high < rates[0].low


def _notes(cells: Sequence[Cell], held: Mapping[str, bool]) -> Iterator[str]:
    for system, name in _SYSTEMS.items():
        first, last = _ends(cells, system)
        yield (
            f"{name.capitalize()} the virtual system, from no tool down to {last.share:.0%}: the exact rate "
            f"goes from {first.exact.mean:.3f} to {last.exact.mean:.3f}, the open judge's from "
            f"{first.open.mean:.3f} to {last.open.mean:.3f}."
        )
    falls = held["without_exact_falls"] and held["without_open_falls"]
    yield f"Without it both rates fall by more than their intervals: {shown(falls)}."
    stays = shown(held["with_open_stays"])
    yield f"With it the open judge's rate stays, each interval overlapping that with no tool down: {stays}."
    first, last = _ends(cells, system=True)
    hidden = last.open.mean - first.open.mean - (last.exact.mean - first.exact.mean)
    yield (
        f"With it the exact rate falls all the same: {shown(held['with_exact_falls'])}; what simulation "
        f"costs in truth and the open judge does not see comes to {100 * hidden:.1f} points."
    )


def _ends(cells: Sequence[Cell], system: bool) -> tuple[Cell, Cell]:
    part = [cell for cell in cells if cell.system is system]
    return part[0], part[-1]


def _plot(cells: Sequence[Cell], axes: Axes) -> None:
    for system, name in _SYSTEMS.items():
        part = [cell for cell in cells if cell.system is system]
        for verdict, line in (("exact", "-"), ("open", "--")):
            rates: list[MeanScore] = [getattr(cell, verdict) for cell in part]
            means = [rate.mean for rate in rates]
            # A percentile interval need not hold the mean, and matplotlib draws no negative length.
            below = [max(0.0, rate.mean - rate.low) for rate in rates]
            above = [max(0.0, rate.high - rate.mean) for rate in rates]
            axes.errorbar(
                [cell.share for cell in part],
                means,
                yerr=(below, above),
                linestyle=line,
                marker="o",
                color="tab:blue" if system else "tab:red",
                capsize=3,
                label=f"{name}, {verdict}",
            )
    axes.set(xlabel="share of tools down", ylabel="rate", ylim=(0, 1))
    axes.legend()
