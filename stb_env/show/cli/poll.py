"""``stb-env judge --solvable``: several models vote on which tasks can be solved."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from stb_env.console.progress import bar
from stb_env.errors import ConfigError
from stb_env.judges.solvability import ModelSolvability
from stb_env.judges.solvability_panel import SolvabilityPanel
from stb_env.models import connect, load_models
from stb_env.models.preflight import checking
from stb_env.runs.judging import Polled, poll_tasks
from stb_env.runs.make import make_env
from stb_env.show.cli.judge_outcome import Decisions, Outcome, spent
from stb_env.suites.stabletoolbench.queries import load
from stb_env.tasks import Task


def poll(
    tasks: str,
    data: str | None,
    models: Sequence[Path],
    needed: int | None,
    out: Path | None,
    cache: Path | None,
    concurrency: int,
    quiet: bool,
) -> Outcome:
    """Let a panel of models vote on tasks.

    Args:
        tasks: An environment id, or a path of query files.
        data: Query files of the environment.
        models: Models files; the judge of each votes. None of them for the configured judge alone.
        needed: How many must call a task solvable.
        out: Folder for the votes.
        cache: Folder of votes that are known; ``votes`` in ``out`` where not given.
        concurrency: Tasks voted on at the same time.
        quiet: Whether to show no progress.

    Raises:
        ConfigError: A setting is missing or wrong, or a model cannot be used.
        DataError: The tasks cannot be read.
    """
    if out is None:
        raise ConfigError("--solvable keeps its votes in a folder; name one with --out DIR")
    votes = cache or out / "votes"
    with checking(votes):
        panel = panel_of(models, needed, votes)
    with bar("solvability", quiet) as progress:
        result = poll_tasks(_tasks(tasks, data), panel, out, concurrency=concurrency, progress=progress)
    summary = result.summary
    report = {"asked": result.asked, "usage": result.usage.report(), "out": str(out), **summary}
    rows = [
        ("tasks, asked about now", f"{summary['tasks']}, {result.asked}"),
        (f"solvable (at least {panel.needed} of {len(panel.judges)} votes)", f"{summary['solvable']}"),
        ("unsolvable", f"{summary['unsolvable']}"),
        ("undecided", f"{summary['undecided']}"),
        *(
            (f"  {name}", ", ".join(f"{'missing' if s == 'None' else s} {n}" for s, n in counts.items() if n))
            for name, counts in summary["models"].items()
        ),
        spent(result.usage),
    ]
    return Outcome(
        "solvability",
        report,
        f"solvability of {tasks}",
        rows,
        f"kept in {out}",
        bool(summary["undecided"]),
        _decisions(result),
    )


def panel_of(models: Sequence[Path], needed: int | None, cache: Path) -> SolvabilityPanel:
    """Return a panel of the judges of several models files.

    Args:
        models: Models files; none of them for the configured judge alone.
        needed: How many must call a task solvable; more than half where not given.
        cache: Folder of votes that are known.

    Raises:
        ConfigError: A model cannot be used.
    """
    configs = [load_models(file, os.environ)["judge"] for file in models or (None,)]
    connected = [connect(config, env=os.environ) for config in configs]
    return SolvabilityPanel([ModelSolvability(model, cache=cache) for model in connected], needed)


def _tasks(where: str, data: str | None) -> list[Task]:
    if not where.startswith("stb/"):
        return list(load(Path(where)).tasks)
    tasks = make_env(where, {} if data is None else {"data": data}).tasks
    if tasks.size is None:
        raise ConfigError(f"{where} generates tasks without end; give a split that ends")
    return [tasks.at(index) for index in range(tasks.size)]


def _decisions(result: Polled) -> dict[str, Decisions]:
    """Return what each model said, and the panel as a whole."""
    decisions: dict[str, dict[tuple[str, int], str]] = {"panel": {}}
    for polled in result.tasks:
        if polled.solvable is not None:
            said = "solvable" if polled.solvable else "unsolvable"
            decisions["panel"][polled.task_id, 0] = said
        for vote in polled.votes:
            if vote["status"] is not None:
                decisions.setdefault(vote["judge"], {})[polled.task_id, 0] = vote["status"]
    return dict(decisions)
