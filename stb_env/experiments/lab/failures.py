"""Failing tools, with and without the virtual system: StableToolBench's Figures 4 and 7 and Table 12 in kind.

The paper makes a share of the tools fail and shows that an agent's pass rate then falls where the agent
meets the real APIs, and stays where a simulator answers in their place. It could see this only through its
own judge, which reads answers and cannot check them. Here the same episodes are judged twice: by such an
open judge, and by the exact verifier, which knows what is true.

The agent must know nothing of the judge, or the curve is built in: the default one reads results as a
program would and says what came. Conditions are compared in pairs of tasks, and every sentence of the
result follows from such a test.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from stb_env import (
    ConfigError,
    InfrastructureError,
    Job,
    Judge,
    TaskSet,
    ToolEnv,
    Trajectory,
    VirtualBackend,
    load_judge,
    plan,
    run_batch,
)
from stb_env.backend.faults import Faults, ToolKey
from stb_env.core.reference import read_settings
from stb_env.core.request import drive
from stb_env.experiments.lab import failing_tools
from stb_env.experiments.lab.agents import load_player
from stb_env.experiments.lab.comparison import MARGIN, PairedChange
from stb_env.experiments.lab.experiment import Experiment, LabSettings
from stb_env.experiments.lab.outages import (
    ACTIONS,
    SYSTEMS,
    VERDICTS,
    Contrast,
    Judged,
    SandboxCell,
    System,
    agreement_table,
    change_table,
    contrasts,
    outage_pairs,
)
from stb_env.experiments.lab.plots import score_line
from stb_env.experiments.lab.reader import Reader
from stb_env.experiments.lab.sandbox_api import LiveTemplate, WorldAPI, reading_tasks
from stb_env.judges.registry import EXACT
from stb_env.runs import AgentFactory
from stb_env.runs.baselines.gold import Gold
from stb_env.runs.judging import case_of
from stb_env.runs.metrics.rates import sources
from stb_env.suites.sandbox.oracle import oracle
from stb_env.suites.sandbox.verifier import ExactJudge

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHARES = (0.0, 0.1, 0.2, 0.5)
"""The paper's shares of tools that are down."""

OUTAGES = 3


class Setup(NamedTuple):
    """Tasks, agent and judge, which are the same in all conditions.

    Attributes:
        tasks: The tasks.
        agent: Who plays them.
        judge: The open judge.
        outages: How often other tools are chosen to be down.
        concurrency: Episodes played, and judged, at the same time.
        seed: Everything random follows from it.
    """

    tasks: TaskSet
    agent: AgentFactory
    judge: Judge
    outages: int
    concurrency: int
    seed: int

    @property
    def needed(self) -> set[ToolKey]:
        """The tools that the tasks need; all of them work, so all are eligible to fail."""
        return {identity[:2] for task in self.tasks for identity in task.relevant}


def run(settings: LabSettings) -> Experiment:
    """Play the same tasks with ever more tools down, with and without the virtual system.

    Args:
        settings: ``episodes`` is the number of tasks (all that write nothing). Options: ``agent`` (reader),
            ``judge`` (heuristic), ``models`` of both, ``outages``, how often other tools are chosen to be
            down (3), ``shares`` (0, 0.1, 0.2 and 0.5), ``margin``, the change that counts as none (0.02),
            ``concurrency`` (1). With ``data`` real queries are played; see `failing_tools.run`.

    Raises:
        ConfigError: A setting is unknown or out of range.
    """
    shares, margin = settings.shares("shares", SHARES), settings.share("margin", MARGIN)
    shares = sorted({0.0, *shares})
    if "data" in settings.options:
        return failing_tools.run(settings, shares, margin)
    settings.expect("outages", "shares", "margin", "judge", "agent", "models", "concurrency")
    setup = _setup(settings)
    cells = [_cell(setup, share, system) for share in shares for system in SYSTEMS]
    found = contrasts(outage_pairs(cells), VERDICTS)
    return Experiment(
        "Failing tools, with and without the virtual system",
        SandboxCell.COLUMNS,
        tuple(cell.row for cell in cells),
        notes=(
            f"open is judged by: {setup.judge.name}; both verdicts are on the same episodes, "
            f"{len(setup.tasks)} tasks, each under {setup.outages} choices of tools that are down.",
            *_conclusions(found, margin),
            *_hidden(cells, margin),
        ),
        details={
            "judge": setup.judge.name,
            "agent": settings.option("agent", Reader.name),
            "tasks": len(setup.tasks),
            "margin": margin,
            "sources": [
                {"tools down": cell.share, "system": cell.system == "with", "calls": dict(cell.sources)}
                for cell in cells
            ],
        },
        further=(change_table(found, margin), agreement_table(cells)),
        plot=partial(_plot, cells),
    )


def _setup(settings: LabSettings) -> Setup:
    models = settings.option("models", None)
    judge = settings.text("judge", "heuristic")
    if judge == EXACT:
        raise ConfigError("the exact verifier judges every episode here; judge is the open one beside it")
    tasks = reading_tasks(home=None)
    return Setup(
        tasks[: settings.episodes] if settings.episodes else tasks,
        _agent(settings, models),
        load_judge(judge, models=models),
        settings.count("outages", OUTAGES),
        settings.count("concurrency", 1),
        settings.seed,
    )


def _agent(settings: LabSettings, models: str | None) -> AgentFactory:
    spec = settings.option("agent", Reader.name)
    if not isinstance(spec, str):
        raise ConfigError(f"one agent plays in the Sandbox, got {spec!r}; several play the queries of --data")
    if read_settings(spec)[0] == Gold.name:
        raise ConfigError(
            "gold relies on true answers and cannot go on where a tool is down; write --agent reader, which "
            "follows gold's plan and answers with what came"
        )
    return load_player(spec, models)


def _cell(setup: Setup, share: float, system: System) -> SandboxCell:
    episodes = list(_episodes(setup, share, system))
    with ThreadPoolExecutor(setup.concurrency, thread_name_prefix="judge") as pool:
        judged = list(pool.map(partial(_judged, tasks=setup.tasks, judge=setup.judge), episodes))
    kept = [one for one in judged if one is not None]
    needed = setup.needed
    down = [Faults(share, setup.seed + outage).outage(needed).down or () for outage in range(setup.outages)]
    hits = [
        any(identity[:2] in tools for identity in task.relevant) for tools in down for task in setup.tasks
    ]
    return SandboxCell(
        share=share,
        system=system,
        down=len(down[0]),
        tools=len(needed),
        hit=round(sum(hits) / len(hits), 6),
        judged=kept,
        invalid=len(judged) - len(kept),
        sources=sources(episodes),
    )


def _episodes(setup: Setup, share: float, system: System) -> Iterator[Trajectory]:
    jobs = plan(setup.tasks, episodes=None, trials=setup.outages, seed=setup.seed)
    # A real API is that of one household, and each task has its own.
    parts: dict[tuple[int, int], list[Job]] = {}
    for job in jobs:
        home = setup.tasks.get(job.task_id).record["household"]
        parts.setdefault((job.trial, home), []).append(job)
    for (outage, home), part in parts.items():
        faults = Faults(share, setup.seed + outage, ACTIONS[system], tools=setup.needed) if share else None
        make_env = partial(_env, setup.tasks, home, system, faults)
        yield from run_batch(make_env, setup.agent, part, concurrency=setup.concurrency)


def _env(tasks: TaskSet, home: int, system: System, faults: Faults | None) -> ToolEnv:
    """Return the Sandbox's tasks behind its real API alone, or behind the virtual system."""
    # Without a virtual system nobody checks what an API answers before the agent sees it.
    virtual = system == "with"
    real = WorldAPI(home, check="default" if virtual else None)
    simulator = LiveTemplate() if virtual else None
    backend = VirtualBackend(mode="live", real=real, live_simulator=simulator, faults=faults)
    return ToolEnv(tasks, backend, ExactJudge(), oracle=oracle)


def _judged(episode: Trajectory, tasks: TaskSet, judge: Judge) -> Judged | None:
    """Return both verdicts on an episode; where one is missing, None."""
    if not episode.valid:
        return None
    exact = (episode.task_id, episode.trial, episode.reward)
    if not episode.text:
        # An end without an answer needs no judge.
        return Judged(*exact, 0.0, episode.solved, "unsolved")
    try:
        verdict = drive(judge.judge(case_of(episode, tasks.get(episode.task_id))))
    except InfrastructureError:
        return None
    if verdict.status == "na":
        return None
    return Judged(*exact, verdict.score, episode.solved, str(verdict.status))


def _conclusions(found: Sequence[Contrast[SandboxCell]], margin: float) -> Iterator[str]:
    """Say what the tests say of the greatest share of tools down."""
    worst = max((one.after.share for one in found), default=0.0)
    for one in found:
        if one.after.share == worst:
            if one.before.system == one.after.system:
                which = f"{one.after.system.capitalize()} the system, no tool down to {worst:.0%}"
            else:
                which = f"At {worst:.0%} down, without to with the system"
            yield f"{which}, {one.verdict} score: {one.change.said(margin)}."


def _hidden(cells: Sequence[SandboxCell], margin: float) -> Iterator[str]:
    """Say by how much more the open judge's score changed than the exact one's, task by task."""
    for system in SYSTEMS:
        part = [cell for cell in cells if cell.system == system]
        if len(part) > 1:
            gap = PairedChange.of(part[0].gaps, part[-1].gaps).said(margin)
            yield f"{system.capitalize()} the system, open score beyond the exact one: {gap}."


def _plot(cells: Sequence[SandboxCell], axes: Axes) -> None:
    for system, color in zip(SYSTEMS, ("tab:red", "tab:blue"), strict=True):
        part = [cell for cell in cells if cell.system == system]
        for verdict, line in zip(VERDICTS, ("-", "--"), strict=True):
            score_line(
                axes,
                [cell.share for cell in part],
                [cell.rate(verdict) for cell in part],
                linestyle=line,
                color=color,
                capsize=3,
                label=f"{system}, {verdict}",
            )
    axes.set(xlabel="share of tools down", ylabel="rate", ylim=(0, 1))
    axes.legend()
