"""Accuracy of judges on what the Sandbox knows for certain (Table 8 of StableToolBench, without people)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stb_env import Task, load_judge
from stb_env.experiments.lab.experiment import Experiment, LabSettings, TableRow
from stb_env.experiments.lab.judge_accuracy import (
    STATUSES,
    Accuracy,
    CasePair,
    NeededTools,
    Panel,
    ScoreComparison,
    Scores,
    model_panel,
    score,
)
from stb_env.experiments.lab.judge_cases import (
    CORRUPTIONS,
    ToolCase,
    corrupted_case,
    draw_tasks,
    gold_case,
    tool_case,
)
from stb_env.experiments.lab.plots import grouped_bars
from stb_env.models import connect, load_models
from stb_env.suites.sandbox.verifier import ExactJudge

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TASKS = 200
QUESTIONS = ("solvability", "solving", "comparison")
EXACT = "exact"
PAPER = (
    ("Claude 2", 0.71, None, None),
    ("Gemini Pro", 0.82, None, None),
    ("GPT 3.5 Turbo", 0.65, 0.68, 0.56),
    ("GPT 4 Turbo", 0.80, 0.74, 0.78),
)

_COLUMNS = ("judge", *QUESTIONS, "kappa", "consistency", "missing")
_NOTES = (
    "The row exact is the truth itself and checks the laboratory. For the others unsure and a tie are "
    "right about nothing, but a task that a judge is unsure of counts as held unsolvable; a judge of single "
    "answers compares two by their scores.",
    "kappa is Cohen's, of verdicts with the truth; consistency is the share of pairs with one outcome in "
    "both orders; missing counts decisions that did not come.",
)


def run(settings: LabSettings) -> Experiment:
    """Let judges decide on tasks, episodes and pairs of episodes whose truth is known.

    Options: ``judge``, names divided by commas as ``stb-env judge`` takes them (``heuristic`` by default);
    ``votes`` and ``models`` for model judges. The model of ``pass`` decides on solvability too.
    ``episodes`` is the number of tasks: all of them for solvability, half of them solved and corrupted for
    the others.

    Raises:
        ConfigError: An option or a judge is unknown, or its model cannot be used.
    """
    settings.expect("judge", "votes", "models")
    tasks = draw_tasks(settings.episodes or TASKS, settings.seed)
    pairs = episode_pairs(tasks[::2], settings.seed)
    # The truth itself checks the laboratory.
    panels = [Panel(EXACT, NeededTools(), ExactJudge(), ScoreComparison(ExactJudge()))]
    asked = str(settings.option("judge", "heuristic")).split(",")
    panels += [_panel(name, settings) for name in asked if name != EXACT]
    episodes = [case for pair in pairs for case in pair]
    scores = [score(panel, tool_cases(tasks, settings.seed), episodes, pairs) for panel in panels]
    return Experiment(
        title="Judges against the known truth",
        columns=_COLUMNS,
        rows=tuple(map(_row, scores)),
        notes=(f"{len(tasks)} tasks, {2 * len(pairs)} episodes, {len(pairs)} pairs.", *_NOTES),
        further=(_confusion(scores), Experiment("StableToolBench, Table 8", ("judge", *QUESTIONS), PAPER)),
        plot=lambda axes: _plot(axes, scores),
    )


def tool_cases(tasks: Sequence[Task], seed: int) -> list[ToolCase]:
    """Return the tasks, every other one without a tool that it needs."""
    return [tool_case(task, position % 2 == 0, seed) for position, task in enumerate(tasks)]


def episode_pairs(tasks: Sequence[Task], seed: int) -> list[CasePair]:
    """Return a solved and a corrupted episode of each task, the kinds of corruption in turn.

    A task that no corruption makes fail is left out.
    """
    kinds, pairs = list(CORRUPTIONS), []
    for task in tasks:
        gold, corrupted = gold_case(task), corrupted_case(task, kinds, seed)
        if gold.solved and corrupted is not None:
            pairs.append((gold, corrupted))
        # The next task begins with another kind.
        kinds.append(kinds.pop(0))
    return pairs


def _panel(name: str, settings: LabSettings) -> Panel:
    votes, models = settings.count("votes", 1), settings.option("models", None)
    cache = None if settings.out is None else settings.out / "votes"
    if name == "pass":
        return model_panel(connect(load_models(models)["judge"]), votes=votes, cache=cache)
    judge = load_judge(name, votes=votes, models=models, cache=cache)
    return Panel(judge.name, None, judge, ScoreComparison(judge))


def _row(scores: Scores) -> TableRow:
    found = [getattr(scores, question) for question in QUESTIONS]
    missing = sum(accuracy.missing for accuracy in found if accuracy is not None)
    return scores.name, *map(_share, found), scores.kappa, scores.consistency, missing


def _share(accuracy: Accuracy | None) -> float | None:
    return None if accuracy is None else accuracy.share


def _confusion(scores: Sequence[Scores]) -> Experiment:
    """Return what each judge said of each kind of episode; only gold is solved."""
    rows: tuple[TableRow, ...] = tuple(
        (one.name, kind, sum(counts.values()), *(counts[status] for status in STATUSES))
        for one in scores
        for kind, counts in sorted(one.confusion.items())
    )
    return Experiment("Verdicts by kind of episode", ("judge", "kind", "episodes", *STATUSES), rows)


def _plot(axes: Axes, scores: Sequence[Scores]) -> None:
    bars = {one.name: [_share(getattr(one, name)) or 0.0 for name in QUESTIONS] for one in scores}
    grouped_bars(axes, QUESTIONS, bars, "accuracy")
