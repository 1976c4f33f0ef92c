"""Searches at equal numbers of model calls: what each makes of an agent whose every step may be wrong.

ToolLLM reports that depth-first search over decisions solves more than a single chain, but at more calls;
StableToolBench repeats the comparison. Here the agent's error rate is known, its luck on a path is the same
under every search, and all searches may ask it equally often, so a difference is the search's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError
from stb_env.judges.heuristic import HeuristicJudge
from stb_env.lab.experiment import Experiment, LabSettings
from stb_env.lab.grounded_value import grounded_value
from stb_env.lab.mean_score import MeanScore
from stb_env.lab.stumbling_oracle import StumblingOracle
from stb_env.rollout import Job, plan, run_batch
from stb_env.suites.sandbox import env as sandbox
from stb_env.suites.sandbox.verifier import ExactJudge
from stb_env.trajectory import Trajectory
from stb_env.wrappers.search import (
    BestFirstSearch,
    DepthFirstSearch,
    IndependentChains,
    JudgeValue,
    MonteCarloTreeSearch,
    TreeSearch,
    Value,
    heuristic_value,
)

BUDGETS = (6, 12, 24)
"""Calls of the agent that a search may make for a task."""

COLUMNS = ("search", "calls allowed", "calls made", "solved", "95 %", "episodes", "invalid")

Wrap = Callable[[ToolEnv, int], TreeSearch]


def _uct(value: Value) -> Wrap:
    return lambda env, calls: MonteCarloTreeSearch(env, value, max_queries=calls)


SEARCHES: Mapping[str, Wrap] = {
    "CoT": lambda env, calls: IndependentChains(env, max_queries=calls),
    "CoT@n": lambda env, calls: IndependentChains(env, tries=calls, max_queries=calls),
    "DFS": lambda env, calls: DepthFirstSearch(env, max_queries=calls),
    "best-first, calls": lambda env, calls: BestFirstSearch(env, heuristic_value, max_queries=calls),
    "best-first, grounding": lambda env, calls: BestFirstSearch(env, grounded_value, max_queries=calls),
    "best of n, grounding": lambda env, calls: IndependentChains(
        env, tries=calls, max_queries=calls, answers=calls, value=grounded_value
    ),
    "UCT, calls": _uct(heuristic_value),
    "UCT, judge": _uct(JudgeValue(HeuristicJudge())),
    "UCT, grounding": _uct(grounded_value),
    "UCT, oracle": _uct(JudgeValue(ExactJudge(), oracle=True)),
}
"""Searches by name, with the value that they go by.

The values: ``calls`` is whether calls were answered, ``grounding`` besides whether arguments and answer stand
in what came before, ``judge`` the offline heuristic judge without the labels of the task. ``oracle`` is the
verifier that scores the episodes, which no real search has: it says what is left to gain.
"""

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
    """What a search reached.

    Attributes:
        search: Its name.
        allowed: Calls of the agent that it might make for a task.
        made: How many it made on average.
        scores: Score of each task's valid episodes.
        invalid: How many the infrastructure lost.
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
    def row(self) -> tuple[Any, ...]:
        """The cell as a row of the table."""
        rate, episodes = self.rate, sum(map(len, self.scores.values()))
        return (self.search, self.allowed, self.made, rate.mean, rate.interval, episodes, self.invalid)


Cells = Mapping[tuple[str, int], Cell]


def run(settings: LabSettings) -> Experiment:
    """Play the Sandbox's test split under every search, with the same agent and equal budgets.

    Args:
        settings: ``episodes`` is the number of tasks, spread over the split (all 600). Options:
            ``error_rate`` of a step (0.25), ``budgets``, calls of the agent for a task (6, 12 and 24).

    Raises:
        ConfigError: A setting is unknown or out of range.
    """
    settings.expect("error_rate", "budgets")
    rate, budgets = settings.share("error_rate", 0.25), _budgets(settings)
    env = sandbox.make(split="test")
    jobs = _spread(plan(env.tasks, episodes=None, seed=settings.seed), settings.episodes)
    cells = {
        (name, calls): _cell(name, calls, _played(env, jobs, wrap, calls, rate))
        for name, wrap in SEARCHES.items()
        for calls in budgets
    }
    return Experiment(
        "Searches at equal calls of the agent (Sandbox, test split)",
        COLUMNS,
        tuple(cell.row for cell in cells.values()),
        notes=tuple(_notes(rate, len(jobs))),
        details={"agent": StumblingOracle.name, "error_rate": rate, "tasks": len(jobs)},
        further=(_differences(cells, budgets),),
        plot=partial(_plot, cells, budgets),
    )


def _budgets(settings: LabSettings) -> list[int]:
    given = settings.option("budgets", BUDGETS)
    if not isinstance(given, Sequence) or isinstance(given, str) or not given:
        raise ConfigError(f"budgets is a list of whole numbers, got {given!r}; write budgets=[6,12]")
    return sorted({LabSettings(options={"budgets": calls}).count("budgets", 1) for calls in given})


def _spread(jobs: Sequence[Job], count: int | None) -> list[Job]:
    """Return so many jobs from all over the list, which is in groups."""
    count = min(count or len(jobs), len(jobs))
    return [jobs[index * len(jobs) // count] for index in range(count)]


def _played(env: ToolEnv, jobs: Sequence[Job], wrap: Wrap, calls: int, rate: float) -> list[Trajectory]:
    return run_batch(lambda: wrap(env.fork(), calls), partial(StumblingOracle, rate), jobs)


def _cell(search: str, allowed: int, episodes: Sequence[Trajectory]) -> Cell:
    scores: dict[str, list[float]] = {}
    for episode in episodes:
        if episode.valid:
            scores.setdefault(episode.task_id, []).append(episode.reward)
    made = float(np.mean([episode.tree["queries"] for episode in episodes if episode.tree]))
    return Cell(search, allowed, round(made, 3), scores, sum(not episode.valid for episode in episodes))


def _notes(rate: float, tasks: int) -> Iterator[str]:
    yield (
        f"{tasks} tasks; each step of the agent is wrong with probability {rate:g}, and it does not know. "
        "It gives up where it sees an error or cannot go on."
    )
    yield (
        "CoT, CoT@n, DFS and best-first end with their first answer; best of n and UCT use all calls and "
        "play the answer of the highest value. 'UCT, oracle' is valued by the verifier that scores the "
        "episodes, so it is a bound and no method."
    )


def _differences(cells: Cells, budgets: Sequence[int]) -> Experiment:
    rows: list[tuple[Any, ...]] = []
    for first, second in COMPARED:
        for calls in budgets:
            one, other = cells[first, calls].scores, cells[second, calls].scores
            gains = {
                task: [float(np.mean(one[task]) - np.mean(other[task]))] for task in one if task in other
            }
            gain = MeanScore.of(gains)
            rows.append((first, second, calls, gain.mean, gain.interval, gain.low > 0))
    return Experiment(
        "Differences, task by task",
        ("search", "against", "calls allowed", "gain", "95 %", "above 0"),
        tuple(rows),
    )


def _plot(cells: Cells, budgets: Sequence[int], axes: Any) -> None:
    for name in SEARCHES:
        rates = [cells[name, calls].rate for calls in budgets]
        style = "--" if name.endswith("oracle") else "-"
        means = [rate.mean for rate in rates]
        bars = [[rate.mean - rate.low for rate in rates], [rate.high - rate.mean for rate in rates]]
        axes.errorbar(budgets, means, yerr=bars, linestyle=style, marker="o", capsize=2, label=name)
    axes.set(xlabel="calls of the agent a task may take", ylabel="solved (exact)", ylim=(0, 1))
    axes.legend(fontsize="x-small")
