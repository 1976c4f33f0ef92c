"""SoPR exactly as StableToolBench's program computes and writes it.

Kept as they are: queries without a converted answer are left out of the denominator, a query that is in
the result file already is not judged again even where votes are missing, and these count 0. The measure to
use is `stb_env.runs.metrics.sopr`. The words of files and output are the original's.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean, pstdev

from stb_env.core.jsontypes import JsonMapping
from stb_env.core.request import Slow
from stb_env.errors import DataError
from stb_env.models import ChatModel
from stb_env.suites.stabletoolbench.original_scores.converted import (
    Entry,
    answer_status,
    steps_of,
    tool_names,
)
from stb_env.suites.stabletoolbench.original_scores.questions import Questions
from stb_env.verdict import SCORES, VerdictStatus

COLUMNS = (
    "query",
    "available_tools",
    "model_intermediate_steps",
    "model_final_step",
    "model",
    "query_id",
    "is_solved",
)
STATUSES: Mapping[str, VerdictStatus] = {
    f"AnswerStatus.{status.title()}": status for status in ("solved", "unsure", "unsolved")
}


@dataclass(frozen=True, slots=True)
class SolveRate:
    """Figures that the original prints and writes.

    Attributes:
        results: The result file: what was judged, by query id, in the order of judging. The keys of
            ``is_solved`` are numbers where they were judged now, and text where they were read.
        scores: Mean score of each run.
        solve_rate: Mean of ``scores``, in per cent.
        std: Their population standard deviation, in per cent.
    """

    results: Mapping[str, JsonMapping]
    scores: tuple[float, ...]
    solve_rate: float
    std: float

    @property
    def printed(self) -> str:
        """The line that is printed."""
        return f"Solve rate: {self.solve_rate:.1f}% Std: {self.std:.1f}%"

    def to_json(self) -> dict[str, object]:
        """Return the content of the result file, all keys text."""
        return {task: {**entry, "is_solved": _named(entry)} for task, entry in self.results.items()}

    def to_csv(self, model: str) -> str:
        """Return the table beside it: tab-separated, CRLF, lists and mappings in Python's text form."""
        text = io.StringIO()
        writer = csv.writer(text, delimiter="\t")
        writer.writerow(COLUMNS)
        for task, entry in self.results.items():
            names, steps, final = entry["tool_names"], entry["answer_steps"], entry["final_step"]
            writer.writerow([entry["query"], names, steps, final, model, task, entry["is_solved"]])
        return text.getvalue()


def solve_rate(
    converted: Mapping[str, Entry],
    test_ids: Container[str],
    evaluator: Questions,
    model: ChatModel,
    *,
    evaluate_times: int = 4,
    existing: Mapping[str, Mapping[str, object]] | None = None,
    overwrite: bool = False,
) -> Slow[SolveRate]:
    """Judge converted answers as the original does; the requests' ``index`` is the number of the run.

    Args:
        converted: The converted answers, by query id.
        test_ids: Ids of the group.
        evaluator: The official evaluator.
        model: Judges.
        evaluate_times: How often each answer is judged.
        existing: What the result file holds already.
        overwrite: Whether that is judged again.

    Raises:
        InfrastructureError: No usable reply came.
    """
    results: dict[str, JsonMapping] = dict(existing or {})
    for task in to_judge(converted, test_ids, results, overwrite=overwrite):
        results[task] = yield from judge_entry(converted[task], evaluator, model, evaluate_times)
    return rated(results, evaluate_times)


def to_judge(
    converted: Iterable[str], test_ids: Container[str], known: Container[str], *, overwrite: bool = False
) -> list[str]:
    """Return the queries that are judged: those of the group that have an answer and no result yet."""
    return [task for task in converted if task in test_ids and (overwrite or task not in known)]


def judge_entry(
    entry: Entry, evaluator: Questions, model: ChatModel, evaluate_times: int
) -> Slow[dict[str, object]]:
    """Judge one converted answer as often as asked, and return what the result file has for it.

    Raises:
        InfrastructureError: No usable reply came.
    """
    steps = steps_of(entry["answer"])
    solved: dict[int, str] = {}
    for run in range(evaluate_times):
        status: VerdictStatus = "unsolved"
        if steps.finished:
            status = yield from answer_status(evaluator, model, entry["query"], entry["answer"], run)
        solved[run] = f"AnswerStatus.{status.title()}"
    return {
        "query": entry["query"],
        "tool_names": tool_names(entry),
        "answer_steps": steps.lines,
        "final_step": steps.final,
        "is_solved": solved,
    }


def rated(results: Mapping[str, Mapping[str, object]], runs: int) -> SolveRate:
    """Score what a result file holds; a run that a query lacks counts 0 there."""
    if not results:
        return SolveRate({}, (), 0.0, 0.0)
    votes = [row_scores(row, runs) for row in results.values()]
    scores = tuple(fmean(cast[run] for cast in votes) for run in range(runs))
    return SolveRate(results, scores, fmean(scores) * 100, pstdev(scores) * 100)


def row_scores(row: Mapping[str, object], runs: int) -> list[float]:
    """Return the score of each run of a row of a result file; a run that it lacks counts 0.

    Raises:
        DataError: It has a status that there is not.

    Examples:
        >>> row_scores({"is_solved": {"0": "AnswerStatus.Solved", "1": "AnswerStatus.Unsure"}}, 3)
        [1.0, 0.5, 0.0]
    """
    solved = _named(row)
    return [_score(solved.get(str(run))) for run in range(runs)]


def _score(name: str | None) -> float:
    if name is not None and name not in STATUSES:
        raise DataError(f"no status {name!r} of an answer; a result file has {', '.join(STATUSES)}")
    return SCORES[STATUSES[name]] if name is not None else 0.0


def _named(entry: JsonMapping) -> dict[str, str]:
    return {str(run): status for run, status in entry["is_solved"].items()}
