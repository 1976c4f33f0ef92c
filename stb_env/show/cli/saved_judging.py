"""Counts of the decisions that a stopped judging command has saved."""

from __future__ import annotations

from pathlib import Path

from stb_env.runs.judging.ordered_work import read_lines
from stb_env.runs.judging.poll import FILE, PolledTask
from stb_env.runs.judging.rounds import Round
from stb_env.runs.verdict_file import read_judgements, verdict_file
from stb_env.suites.stabletoolbench.original_scores.result_files import all_result_files


def saved_verdicts(judge: str, folder: Path) -> str:
    """Say how many episodes of a run have a verdict that a judge gave after the run."""
    judgements = read_judgements(verdict_file(folder, judge)).values()
    return f"{sum(one.verdict is not None for one in judgements)} episodes have a verdict of {judge}"


def saved_comparisons(folder: Path) -> str:
    """Say how many comparisons with other runs are saved in a run."""
    rounds = [one for file in folder.glob("preferences-*.jsonl") for one in read_lines(file, Round.from_json)]
    return f"{len({one.key for one in rounds if one.result is not None})} comparisons have a result"


def saved_polls(folder: Path) -> str:
    """Say how many tasks have been decided by a vote."""
    polled = read_lines(folder / FILE, PolledTask.from_json)
    return f"{len({one.task_id for one in polled if one.solvable is not None})} tasks are decided"


def saved_rows(folder: Path) -> str:
    """Say how many rows the official result files below a folder have."""
    return f"{sum(len(files.read()) for files in all_result_files(folder))} rows are in result files"
