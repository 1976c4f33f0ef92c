"""An evaluation that is ready to be played: every cell opened once, for whoever reads or plays it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from stb_env import __version__
from stb_env.core.jsontypes import JsonObject
from stb_env.core.run_identity import run_identity
from stb_env.evaluation.cells import CellOpener, PreparedCell
from stb_env.evaluation.ledger import Ledger
from stb_env.evaluation.manifest import SCORES_VERSION
from stb_env.evaluation.plan import EvaluationPlan
from stb_env.models import metered

VERSION = 1


class PlannedRun(TypedDict):
    """Entry of a run in the manifest of an evaluation."""

    player: str
    episodes: int
    run: str


class EvaluationManifest(TypedDict):
    """Manifest of an evaluation; runs by their folder."""

    version: int
    package: str
    scores: int
    plan: JsonObject
    cells: dict[str, PlannedRun]


@dataclass(frozen=True, slots=True)
class Prepared:
    """An evaluation that is ready to be played; see `prepared`.

    Attributes:
        plan: The evaluation.
        out: Its folder.
        ledger: What its models spend.
        manifest: What is to be played.
        waiting: The cells that were not played to their end yet, in order. Who has done so with one takes it
            out and closes it.
    """

    plan: EvaluationPlan
    out: Path
    ledger: Ledger
    manifest: EvaluationManifest
    waiting: deque[PreparedCell]


@contextmanager
def prepared(plan: EvaluationPlan, out: str | Path) -> Iterator[Prepared]:
    """Open every cell of a plan, so that a wrong one shows before the first costs; close them at the end.

    Asks no model and writes nothing. Models that are connected within the block are on the evaluation's
    ledger.

    Args:
        plan: The evaluation.
        out: Its folder, which may hold a part of it.

    Raises:
        ConfigError: A setting is wrong, or a model cannot be used.
        DataError: The data cannot be read.

    Examples:
        >>> from stb_env.evaluation.plan import AgentPlan
        >>> plan = EvaluationPlan("tiny", ("stb/Sandbox-v1",), (AgentPlan("gold"),), episodes=2)
        >>> with prepared(plan, "runs/tiny") as ready:
        ...     [(str(run.cell), len(run.run.jobs)) for run in ready.waiting]
        [('offline · gold · Sandbox', 2)]
    """
    out = Path(out)
    waiting: deque[PreparedCell] = deque()
    opener = CellOpener(plan, out)
    with closing(Ledger(out / "spending.jsonl", plan.budget)) as ledger, metered(ledger):
        try:
            for cell in plan.cells:
                waiting.append(opener.open(cell))
            yield Prepared(plan, out, ledger, _manifest(plan, waiting), waiting)
        finally:
            with ExitStack() as left:
                for run in waiting:
                    left.callback(run.close)


def _manifest(plan: EvaluationPlan, runs: Iterable[PreparedCell]) -> EvaluationManifest:
    several = len(plan.conditions) > 1
    return {
        "version": VERSION,
        "package": __version__,
        "scores": SCORES_VERSION,
        "plan": plan.to_dict(),
        "cells": {
            run.cell.folder.as_posix(): {
                "player": f"{run.cell.agent.name} under {run.cell.simulator.name}"
                if several
                else run.cell.agent.name,
                "episodes": len(run.run.jobs),
                "run": run_identity(run.run.manifest),
            }
            for run in runs
        },
    }
