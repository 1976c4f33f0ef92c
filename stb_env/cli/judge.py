"""``stb-env judge``: judge saved runs again."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import Progress
from rich.table import Table

from stb_env.cli import options
from stb_env.cli.make import make_env
from stb_env.cli.output import FAILED, console, emit, reporting
from stb_env.errors import ConfigError
from stb_env.judgement import manifest_of, verdict_file
from stb_env.judges.heuristic import HeuristicJudge
from stb_env.judges.protocol import Judge
from stb_env.judges.registry import load_judge
from stb_env.rejudge import Rejudged, rejudge
from stb_env.tasks import TaskSource

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a run.")]
OnlyFailed = Annotated[
    bool, typer.Option("--only-failed", help="Only the episodes that a failing judge left without a verdict.")
]
Votes = Annotated[int, typer.Option("--votes", min=1, help="How often a model judges each episode.")]
JudgeName = Annotated[
    str | None,
    typer.Option("--judge", help="pass, heuristic or an evaluator folder; pass where its model has a key."),
]
Models = Annotated[Path | None, typer.Option("--models", help="Models file (TOML); its judge is used.")]
Cache = Annotated[
    Path | None, typer.Option("--votes-cache", help="Folder of known votes; DIR/votes if not given.")
]


# Settings of a run that may ask others for an answer, and say nothing about its tasks.
_NOT_TASKS = frozenset({"mode", "judge"})


@reporting
def judge(
    folder: Folder,
    only_failed: OnlyFailed = False,
    votes: Votes = 1,
    judge: JudgeName = None,
    models: Models = None,
    votes_cache: Cache = None,
    data: options.Data = None,
    concurrency: options.Concurrency = 1,
    as_json: options.AsJson = False,
) -> None:
    """Judge a run's answers again; the run stays as it is, verdicts are kept beside it.

    Exit 1 where an episode is still without a verdict.
    """
    if not (folder / "trajectories.jsonl").is_file():
        raise ConfigError(f"{folder} holds no run; give a folder that `stb-env run --out` wrote")
    cache = votes_cache or folder / "votes"
    chosen = load_judge(judge, votes=votes, models=models, cache=cache, env=os.environ, remark=_tell)
    tasks = _tasks(folder, chosen, data)
    with Progress(console=console, transient=True, disable=as_json) as bars:
        bar = bars.add_task(chosen.name, total=None)
        result = rejudge(
            folder,
            chosen,
            only_failed=only_failed,
            tasks=tasks,
            concurrency=concurrency,
            progress=lambda done, total: bars.update(bar, completed=done, total=total),
        )
    report = _report(folder, chosen, result)
    emit(report, as_json, _table(report))
    if result.failed:
        raise typer.Exit(FAILED)


def _tell(remark: str) -> None:
    console.print(remark, soft_wrap=True)


def _tasks(folder: Path, judge: Judge, data: str | None) -> TaskSource | None:
    """Return the run's tasks for the heuristic, which goes by the APIs that they mark as relevant."""
    if not isinstance(judge, HeuristicJudge):
        return None
    manifest = manifest_of(folder)
    settings = manifest.get("settings") or {}
    chosen = {name: value for name, value in settings.items() if name not in _NOT_TASKS}
    tasks = make_env(str(manifest.get("env")), chosen | ({} if data is None else {"data": data})).tasks
    if tasks.hash != manifest.get("tasks"):
        raise ConfigError(
            f"{folder} was played on other tasks, and the heuristic needs to know their relevant APIs; "
            "give the files that it was played on with --data"
        )
    return tasks


def _report(folder: Path, judge: Judge, result: Rejudged) -> dict[str, Any]:
    return {
        "judged": result.judged,
        "failed": result.failed,
        "usage": result.usage.to_dict(),
        "verdicts": str(verdict_file(folder, judge.name)),
        **result.summary,
    }


def _table(report: dict[str, Any]) -> Table:
    runs, usage = report["votes"], report["usage"]
    table = Table(title=f"judged by {report['judge']}", caption=f"kept in {report['verdicts']}")
    table.add_column("figure")
    table.add_column("value", justify="right")
    rows = [
        ("judged now", f"{report['judged']}, without a verdict {report['failed']}"),
        ("solved / unsure / unsolved", f"{report['solved']} / {report['unsure']} / {report['unsolved']}"),
        ("invalid", f"{report['invalid']} ({report['invalid_share']:.1%})"),
        ("failures", ", ".join(f"{kind} {count}" for kind, count in report["failures"].items()) or "-"),
        ("solved of valid", f"{report['solved_valid']:.1%}"),
        ("solved of all", f"{report['solved_all']:.1%}"),
        ("mean score ± std over votes", f"{runs['mean']:.3f} ± {runs['std']:.3f} ({len(runs['scores'])})"),
        (
            "model calls behind it",
            f"{usage['calls']}, {usage['total_tokens']:,} tokens, ${usage['cost']:.4f}",
        ),
    ]
    for name, value in rows:
        table.add_row(name, value)
    return table
