"""Searches at equal numbers of model calls, with an agent whose every step may be wrong.

ToolLLM reports that depth-first search over decisions solves more than a single chain, but at more calls;
StableToolBench repeats the comparison. Here the agent's error rate is known, its luck on a path is the same
under every search, and all searches may ask it equally often, so a difference is the search's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from stb_env import (
    Agent,
    ConfigError,
    DepthFirstSearch,
    IndependentChains,
    Job,
    Judge,
    MonteCarloTreeSearch,
    ToolEnv,
    TreeSearch,
    load_judge,
    plan,
    run_batch,
)
from stb_env.experiments.lab.agents import load_player
from stb_env.experiments.lab.comparison import MARGIN, MeanScore, PairedChange, holm, task_means
from stb_env.experiments.lab.experiment import Experiment, LabSettings, TableRow
from stb_env.experiments.lab.grounded_value import grounded_value
from stb_env.experiments.lab.plots import score_line
from stb_env.experiments.lab.query_groups import env_id, env_settings, groups_of
from stb_env.experiments.lab.stumbling_oracle import StumblingOracle
from stb_env.judges.registry import EXACT
from stb_env.runs import AgentFactory
from stb_env.runs.baselines.gold import Gold
from stb_env.runs.baselines.replay import Replay
from stb_env.runs.make import make_env
from stb_env.suites.sandbox import env as sandbox
from stb_env.suites.sandbox.verifier import ExactJudge
from stb_env.wrappers.search import BestFirstSearch, JudgeValue, Value, heuristic_value

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BUDGETS = (6, 12, 24)
"""Calls of the agent that a search may make for a task."""

ERROR_RATE = 0.25

COLUMNS = ("search", "calls allowed", "calls made", "solved", "95 %", "episodes", "invalid")

_OWN = ("error_rate", "budgets", "agent", "judge", "models", "margin")
# The models file is the environment's as well.
_OWN_WITH_DATA = ("error_rate", "budgets", "agent", "judge", "margin", "groups")

Wrap = Callable[[ToolEnv, int], TreeSearch]


def _uct(value: Value) -> Wrap:
    return lambda env, calls: MonteCarloTreeSearch(env, value, max_queries=calls)


def searches(judge: Judge, truth: Judge) -> dict[str, Wrap]:
    """Return the searches by name, with the value that they go by.

    The values: ``calls`` is whether calls were answered, ``grounding`` besides whether arguments and answer
    stand in what came before, ``judge`` an open judge without the labels of the task. ``oracle`` is what
    scores the episodes, which no real search has: it says what is left to gain.

    Args:
        judge: The open judge.
        truth: What scores the episodes.
    """
    return {
        "CoT": lambda env, calls: IndependentChains(env, max_queries=calls),
        "CoT@n": lambda env, calls: IndependentChains(env, tries=calls, max_queries=calls),
        "DFS": lambda env, calls: DepthFirstSearch(env, max_queries=calls),
        "best-first, calls": lambda env, calls: BestFirstSearch(env, heuristic_value, max_queries=calls),
        "best-first, grounding": lambda env, calls: BestFirstSearch(env, grounded_value, max_queries=calls),
        "best of n, grounding": lambda env, calls: IndependentChains(
            env, tries=calls, max_queries=calls, answers=calls, value=grounded_value
        ),
        "UCT, calls": _uct(heuristic_value),
        "UCT, judge": _uct(JudgeValue(judge)),
        "UCT, grounding": _uct(grounded_value),
        "UCT, oracle": _uct(JudgeValue(truth, oracle=True)),
    }


COMPARED = (
    ("DFS", "CoT"),
    ("DFS", "CoT@n"),
    ("UCT, grounding", "CoT"),
    ("UCT, grounding", "DFS"),
    ("UCT, judge", "DFS"),
    ("UCT, grounding", "best of n, grounding"),
    ("UCT, oracle", "UCT, grounding"),
)
"""Pairs whose difference is measured task by task."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Scores of a search at one budget.

    Attributes:
        search: Its name.
        allowed: Calls of the agent that it might make for a task.
        made: Mean number of calls that it made.
        scores: Score of each task's valid episodes.
        invalid: Number of episodes that the infrastructure lost.
    """

    search: str
    allowed: int
    made: float
    scores: Mapping[str, Sequence[float]]
    invalid: int

    @property
    def rate(self) -> MeanScore:
        """Mean score with its interval."""
        return MeanScore.of(self.scores)

    @property
    def row(self) -> TableRow:
        """The cell as a row of the table."""
        rate, episodes = self.rate, sum(map(len, self.scores.values()))
        return (self.search, self.allowed, self.made, rate.mean, rate.interval, episodes, self.invalid)


Cells = Mapping[tuple[str, int], Cell]


class Setup(NamedTuple):
    """Agent, judges and tasks, which are the same under all searches.

    Attributes:
        agent: Who plays.
        judge: The open judge, which values answers in ``UCT, judge``.
        truth: What scores the episodes: the exact verifier, or on real queries the open judge.
        parts: Environments, each with its name and the episodes that are played in it.
    """

    agent: AgentFactory
    judge: Judge
    truth: Judge
    parts: Sequence[tuple[str, ToolEnv, Sequence[Job]]]

    @property
    def tasks(self) -> int:
        """Number of tasks."""
        return sum(len(jobs) for *_, jobs in self.parts)


def run(settings: LabSettings) -> Experiment:
    """Play the same tasks under every search, with the same agent and equal budgets.

    Args:
        settings: ``episodes`` is the number of tasks, spread over the Sandbox's test split (all of it), or of
            each group of ``data``. Options: ``budgets``, calls of the agent for a task (6, 12 and 24),
            ``agent`` (the stumbling oracle) with its ``error_rate`` of a step (0.25), ``judge``, the open one
            (heuristic), ``margin``, the change that counts as none (0.02), and ``models``. With ``data``,
            query files, ``groups`` of them are played (all) and the judge scores; any setting of
            StableToolBench's environments may be given.

    Raises:
        ConfigError: A setting is unknown or out of range.
        DataError: The data cannot be read.
    """
    real = "data" in settings.options
    if not real:
        settings.expect(*_OWN)
    budgets, margin = settings.counts("budgets", BUDGETS), settings.share("margin", MARGIN)
    setup = _setup(settings, real)
    cells = {
        (name, calls): _cell(setup, name, wrap, calls)
        for name, wrap in searches(setup.judge, setup.truth).items()
        for calls in budgets
    }
    return Experiment(
        f"Searches at equal calls of the agent ({'real queries' if real else 'Sandbox, test split'})",
        COLUMNS,
        tuple(cell.row for cell in cells.values()),
        notes=tuple(_notes(settings, setup)),
        details={
            "agent": settings.option("agent", StumblingOracle.name),
            "judge": setup.judge.name,
            "scored by": setup.truth.name,
            "tasks": setup.tasks,
        },
        further=(_differences(cells, budgets, margin),),
        plot=partial(_plot, cells, budgets),
    )


def _setup(settings: LabSettings, real: bool) -> Setup:
    if settings.option("judge", None) == EXACT:
        raise ConfigError(
            "the exact verifier scores the Sandbox as it is and knows no real query; judge is an open one"
        )
    judge = load_judge(settings.text("judge", "heuristic"), models=settings.option("models", None))
    agent = _agent(settings, real)
    if not real:
        env = sandbox.make(split="test")
        jobs = _spread(plan(env.tasks, episodes=None, seed=settings.seed), settings.episodes)
        return Setup(agent, judge, ExactJudge(), [("", env, jobs)])
    given = env_settings(settings, _OWN_WITH_DATA) | {"judge": judge}
    parts = []
    for group in groups_of(settings):
        env = make_env(env_id(group), given)
        jobs = plan(env.tasks, episodes=None, seed=settings.seed)
        parts.append((group, env, _spread(jobs, settings.episodes)))
    return Setup(agent, judge, judge, parts)


def _agent(settings: LabSettings, real: bool) -> AgentFactory:
    if "agent" not in settings.options and not real:
        return partial(StumblingOracle, settings.share("error_rate", ERROR_RATE))
    if "error_rate" in settings.options:
        raise ConfigError(
            "error_rate is the default agent's, which plays the Sandbox alone; leave out error_rate, or "
            "agent and data"
        )
    spec = settings.text("agent", "chat")
    factory = load_player(spec, settings.option("models", None))
    agent = factory()
    if isinstance(agent, Gold | Replay):
        raise ConfigError(
            f"{spec} follows one plan and cannot go back to another node; write --agent chat, or "
            "--agent stumbling_oracle in the Sandbox"
        )
    if type(agent).wrap is not Agent.wrap:
        raise ConfigError(
            f"{spec} brings a search of its own, and this experiment compares searches; write --agent chat"
        )
    if real and isinstance(agent, StumblingOracle):
        raise ConfigError(f"{spec} knows the Sandbox's solutions alone; on real queries write --agent chat")
    return factory


def _spread(jobs: Sequence[Job], count: int | None) -> list[Job]:
    """Return so many jobs from all over the list, which is in groups."""
    count = min(count or len(jobs), len(jobs))
    return [jobs[index * len(jobs) // count] for index in range(count)]


def _cell(setup: Setup, search: str, wrap: Wrap, calls: int) -> Cell:
    """Play all tasks under one search."""
    scores: dict[str, list[float]] = {}
    queries: list[int] = []
    invalid = 0
    for part, env, jobs in setup.parts:
        for episode in run_batch(partial(_wrapped, env, wrap, calls), setup.agent, jobs):
            if episode.valid:
                scores.setdefault(f"{part} {episode.task_id}", []).append(episode.reward)
            else:
                invalid += 1
            if episode.tree:
                queries.append(episode.tree["queries"])
    made = float(np.mean(queries)) if queries else 0.0
    return Cell(search, calls, round(made, 3), scores, invalid)


def _wrapped(env: ToolEnv, wrap: Wrap, calls: int) -> TreeSearch:
    return wrap(env.fork(), calls)


def _notes(settings: LabSettings, setup: Setup) -> Iterator[str]:
    if "agent" in settings.options or "data" in settings.options:
        yield f"{setup.tasks} tasks, played by {settings.option('agent', 'chat')}."
    else:
        rate = settings.share("error_rate", ERROR_RATE)
        yield (
            f"{setup.tasks} tasks; each step of the agent is wrong with probability {rate:g}, and it does "
            "not know. It gives up where it sees an error or cannot go on."
        )
    yield f"Scored by {setup.truth.name}; 'UCT, judge' goes by {setup.judge.name}, without the task's labels."
    yield (
        "CoT, CoT@n, DFS and best-first end with their first answer; best of n and UCT use all calls and "
        "play the answer of the highest value. 'UCT, oracle' is valued by what scores the episodes, so it is "
        "a bound and no method."
    )


def _differences(cells: Cells, budgets: Sequence[int], margin: float) -> Experiment:
    pairs = [(first, second, calls) for first, second in COMPARED for calls in budgets]
    changes = [
        PairedChange.of(task_means(cells[second, calls].scores), task_means(cells[first, calls].scores))
        for first, second, calls in pairs
    ]
    rows = (
        (*pair, change.change, change.interval, change.adjusted, change.said(margin))
        for pair, change in zip(pairs, holm(changes), strict=True)
    )
    return Experiment(
        "Differences, in pairs of tasks",
        ("search", "against", "calls allowed", "gain", "95 %", "p (Holm)", "reads"),
        tuple(rows),
    )


def _plot(cells: Cells, budgets: Sequence[int], axes: Axes) -> None:
    for name in dict.fromkeys(name for name, _ in cells):
        style = "--" if name.endswith("oracle") else "-"
        rates = [cells[name, calls].rate for calls in budgets]
        score_line(axes, budgets, rates, linestyle=style, capsize=2, label=name)
    axes.set(xlabel="calls of the agent a task may take", ylabel="solved (exact)", ylim=(0, 1))
    axes.legend(fontsize="x-small")
