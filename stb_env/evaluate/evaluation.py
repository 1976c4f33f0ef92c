"""Plays an evaluation cell by cell and computes its figures; stopped at any time, it goes on later."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from stb_env import __version__, jsontext
from stb_env.evaluate.cells import open_cell
from stb_env.evaluate.figures import run_figures
from stb_env.evaluate.ledger import BudgetExceeded, Ledger
from stb_env.evaluate.manifest import SCORES_VERSION
from stb_env.evaluate.plan import Cell, EvaluationPlan, group_name
from stb_env.evaluate.results import Results, WinFigures
from stb_env.files import write_json
from stb_env.jsontypes import JsonMapping, JsonObject
from stb_env.llm import metered
from stb_env.llm.chat import digest
from stb_env.rollout.verdict_file import manifest_of, read_judged
from stb_env.usage import Usage

VERSION = 1

Progress = Callable[[str, int, int], None]
"""Told the name of a run and how many of how many of its episodes are saved."""
Prefer = Callable[[Path, Path], JsonMapping]
"""Compares a run with a reference run, and returns its summary; see `stb_env.rollout.judging.prefer`."""


@dataclass(frozen=True, slots=True)
class Evaluated:
    """What an evaluation came to.

    Attributes:
        results: The figures of what is saved.
        stopped: Why it stopped before its end; empty where it did not.
        spent: What all models together cost, over all sittings.
    """

    results: Results
    stopped: str
    spent: Usage


def evaluate(
    plan: EvaluationPlan,
    out: str | Path,
    *,
    prefer: Prefer | None = None,
    progress: Progress | None = None,
) -> Evaluated:
    """Play every cell of a plan that is not played yet, and write the figures.

    Each cell is an ordinary run folder, ``OUT/SIMULATOR/AGENT/GROUP``. Beside them stand ``results.json``,
    ``results.md``, ``manifest.json`` and ``spending.jsonl``. Nothing in the results depends on how often the
    evaluation was stopped.

    Args:
        plan: The evaluation.
        out: Its folder; one that holds a part of it is completed.
        prefer: Compares a run with the reference's; None leaves the comparisons out.
        progress: Told how far each run is.

    Raises:
        ConfigError: A setting is wrong, or the folder holds another evaluation's runs.
        DataError: Data or saved runs cannot be read.

    Examples:
        >>> import tempfile
        >>> from stb_env.evaluate.plan import AgentPlan
        >>> plan = EvaluationPlan("tiny", ("stb/Sandbox-v0",), (AgentPlan("gold"),), episodes=2)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     done = evaluate(plan, folder)
        >>> done.results.averages[0].mean
        1.0
    """
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    stopped, wins = "", []
    with closing(Ledger(out / "spending.jsonl", plan.budget)) as ledger:
        try:
            with metered(ledger):
                write_json(out / "manifest.json", _manifest(plan, out), sort_keys=False)
                for cell in plan.cells:
                    _play(plan, cell, out, progress)
                wins = list(_wins(plan, out, prefer)) if prefer is not None else []
        except BudgetExceeded as error:
            stopped = str(error)
    results = read_results(plan, out, wins)
    results.write(out)
    return Evaluated(results, stopped, ledger.total)


def read_results(plan: EvaluationPlan, out: Path, wins: list[WinFigures] | None = None) -> Results:
    """Compute the figures of what is saved of an evaluation; plays nothing.

    Args:
        plan: The evaluation.
        out: Its folder, with the manifest that `evaluate` writes first.
        wins: Comparisons with the reference.

    Raises:
        DataError: A run or the manifest cannot be read.
    """
    planned = manifest_of(out).get("cells", {})
    runs = []
    for cell in plan.cells:
        folder = out / cell.folder
        played = (folder / "trajectories.jsonl").is_file()
        episodes = read_judged(folder) if played else []
        size = planned.get(cell.folder.as_posix(), {}).get("episodes", len(episodes))
        names = (cell.simulator.name, cell.agent.name, group_name(cell.group))
        runs.append(run_figures(*names, episodes, size))
    return Results.of(plan, runs, wins or [])


def _play(plan: EvaluationPlan, cell: Cell, out: Path, progress: Progress | None) -> None:
    def advance(done: int, total: int) -> None:
        if progress is not None:
            progress(str(cell), done, total)

    with closing(open_cell(plan, cell, out)) as session:
        session.play(out / cell.folder, concurrency=plan.concurrency, progress=advance)


def _wins(plan: EvaluationPlan, out: Path, prefer: Prefer) -> Iterator[WinFigures]:
    """Compare every run with the reference's on the same group under the same simulator."""
    if plan.reference is None:
        return
    by_place = {(cell.simulator.name, cell.agent.name, cell.group): cell for cell in plan.cells}
    for cell in plan.cells:
        if cell.agent.name == plan.reference:
            continue
        against = out / by_place[cell.simulator.name, plan.reference, cell.group].folder
        place = (cell.simulator.name, cell.agent.name, group_name(cell.group))
        if all(any(episode.valid for episode in read_judged(run)) for run in (out / cell.folder, against)):
            yield WinFigures.of(*place, prefer(out / cell.folder, against))
        else:
            yield WinFigures.none(*place)


def _manifest(plan: EvaluationPlan, out: Path) -> JsonObject:
    """Return what is to be played; opens every cell, so that a wrong one shows before the first costs."""
    cells = {}
    for cell in plan.cells:
        with closing(open_cell(plan, cell, out)) as session:
            cells[cell.folder.as_posix()] = {
                "episodes": len(session.jobs),
                "manifest": digest(json.loads(jsontext.dumps(session.manifest))),
            }
    return {
        "version": VERSION,
        "package": __version__,
        "scores": SCORES_VERSION,
        "plan": plan.to_dict(),
        "cells": cells,
    }
