"""``stb-env judge``: judge saved runs again, compare two of them, or vote on tasks."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from typing_extensions import Doc

from stb_env.console import options
from stb_env.console.output import FAILED, emit, reporting, stoppable
from stb_env.console.progress import bar
from stb_env.core.jsontypes import JsonObject
from stb_env.core.options import Concurrency, Data, Seed
from stb_env.core.reference import is_reference
from stb_env.errors import ConfigError, STBError
from stb_env.judges.heuristic import HeuristicJudge
from stb_env.judges.judge import Judge
from stb_env.judges.registry import load_judge
from stb_env.models.preflight import checking
from stb_env.runs.judging import rejudge
from stb_env.runs.make import make_env
from stb_env.runs.metrics.human_accuracy import read_labels
from stb_env.runs.verdict_file import manifest_of, verdict_file
from stb_env.show.cli.judge_outcome import Outcome, spent, tell
from stb_env.show.cli.judging_settings import (
    ComparisonOptions,
    JudgingOptions,
    JudgingSettings,
    settings_under,
)
from stb_env.show.cli.original import (
    SCORES,
    OriginalJudging,
    OriginalOptions,
    original_passes,
    original_preferences,
)
from stb_env.show.cli.poll import poll
from stb_env.show.cli.prefer import Comparing, compare
from stb_env.show.cli.saved_judging import saved_comparisons, saved_polls, saved_rows, saved_verdicts
from stb_env.suite import replaced_by, suite_of
from stb_env.suites.stabletoolbench.original_scores.answer_sets import played_departures
from stb_env.tasks import TaskSource

Folder = Annotated[Path | None, typer.Argument(metavar="DIR", help="Folder of a run.")]
OnlyFailed = Annotated[
    bool, typer.Option("--only-failed", help="Only the episodes that a failing judge left without a verdict.")
]
Models = Annotated[
    list[Path] | None,
    typer.Option("--models", help="Models file (TOML); its judge is used. Repeat for --solvable."),
]
Cache = Annotated[
    Path | None, typer.Option("--votes-cache", help="Folder of known votes; DIR/votes if not given.")
]
Against = Annotated[
    Path | None, typer.Option("--against", metavar="REF", help="Compare with this run instead (SoWR).")
]
Solvable = Annotated[
    str | None,
    typer.Option(
        "--solvable", metavar="TASKS", help="Vote on these tasks instead: an environment id or query files."
    ),
]
Needed = Annotated[
    int | None, typer.Option("--needed", min=1, help="Votes that make a task solvable; most if not given.")
]
Human = Annotated[
    Path | None, typer.Option("--human", metavar="FILE", help="Labelled file to measure accuracy against.")
]
# As the paper and the published scripts judge; the program's own default is 4.
_TIMES = 3

# Settings of a run that may ask others for an answer, and say nothing about its tasks.
_NOT_TASKS = frozenset({"mode", "judge", "votes", "simulator", "real", "faults", "health"})


@reporting
def judge(
    *,
    folder: Folder = None,
    only_failed: OnlyFailed = False,
    judging: JudgingOptions,
    models: Models = None,
    votes_cache: Cache = None,
    against: Against = None,
    comparison: ComparisonOptions,
    solvable: Solvable = None,
    needed: Needed = None,
    human: Human = None,
    original: OriginalOptions,
    data: Data = None,
    seed: Annotated[Seed, Doc("Seed of the order of two answers.")] = 0,
    concurrency: Concurrency = 1,
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder for --solvable or the files of --compat original.")
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Judge a run's answers again, compare them with another run's, or vote on tasks.

    The run stays as it is; what was decided is kept beside it, and a stopped command goes on where it was.
    Exit 1 where an episode, a comparison or a task is still undecided; 130 where Ctrl-C or SIGTERM ended it.

    Example: stb-env judge runs/chat --models models.toml --votes 3
    """
    mend = only_failed or None
    labelled = read_labels(human) if human is not None else []
    chosen = settings_under("judge" if against is None else "comparison", judging, comparison)
    only_original = {
        "--test-ids": original.test_ids,
        "--overwrite": original.overwrite or None,
        "--pass-results": original.pass_results,
    }
    if solvable is not None:
        _refuse(
            "--solvable",
            DIR=folder,
            **{"--against": against, "--judge": judging.judge, "--only-failed": mend},
        )
        _refuse(
            "--solvable", **{"--compat": judging.compat, "--evaluator": judging.evaluator, **only_original}
        )
        with stoppable(out, saved_polls):
            outcome = poll(solvable, data, models or [], needed, out, votes_cache, concurrency, as_json)
    elif chosen.compat is not None:
        _refuse("--compat original", **{"--needed": needed, "--only-failed": mend, "--judge": judging.judge})
        times = chosen.comparisons if against is not None else chosen.votes or _TIMES
        how = OriginalJudging(
            chosen.evaluator,
            times,
            original,
            _one(models),
            votes_cache,
            out,
            seed=seed,
            concurrency=concurrency,
            protocol=bool(chosen.protocol),
        )
        outcome = _as_the_original(folder, against, how, as_json)
    else:
        _refuse("DIR", **{"--needed": needed, "--out": out})
        _refuse("our own judging; add --compat original", **only_original)
        run, file = _run_folder(folder), _one(models)
        cache = votes_cache or run / "votes"
        if against is not None:
            _refuse("--against", **{"--only-failed": mend})
            comparing = Comparing(chosen, file, cache, seed)
            with stoppable(run, saved_comparisons):
                outcome = compare(run, _run_folder(against), comparing, concurrency, as_json)
        else:
            outcome = _judged(run, chosen, file, cache, data, only_failed, concurrency, as_json)
    if human is not None:
        outcome.measure(labelled)
    if chosen.protocol:
        played = () if folder is None else played_departures(folder)
        departures = list(dict.fromkeys([*chosen.protocol["departures"], *played]))
        outcome.report["protocol"] = {**chosen.protocol, "departures": departures}
        outcome.rows.extend(options.protocol_rows(outcome.report["protocol"]))
    emit(outcome.report, as_json, outcome.table())
    if outcome.failed:
        raise typer.Exit(FAILED)


def _judged(
    run: Path,
    chosen: JudgingSettings,
    models: Path | None,
    cache: Path,
    data: str | None,
    only_failed: bool,
    concurrency: int,
    quiet: bool,
) -> Outcome:
    _check_judge(run, chosen.judge)
    # Told once it is certain that the judge will judge.
    remarks: list[str] = []
    with checking(cache):
        judge = load_judge(
            chosen.judge,
            votes=chosen.votes or 1,
            models=models,
            cache=cache,
            evaluator=chosen.evaluator,
            remark=remarks.append,
        )
    if chosen.judge is None and isinstance(judge, HeuristicJudge):
        _check_exact(run)
    for remark in remarks:
        tell(remark)
    tasks = _tasks(run, judge, data, own=is_reference(chosen.judge or ""))
    return _again(run, judge, only_failed, tasks, concurrency, quiet)


def _check_judge(run: Path, named: str | None) -> None:
    """Refuse a run of an id that was replaced, unless a judge is named that goes by the episodes alone."""
    env_id = str(manifest_of(run).get("env"))
    if (following := replaced_by(env_id)) and named in (None, "heuristic"):
        raise ConfigError(
            f"{run} is a run of {env_id}, which was replaced by {following}: its judge is gone, and so are "
            "its tasks; its verdicts are still read, and --judge pass asks a model about its episodes"
        )


def _check_exact(run: Path) -> None:
    """Refuse to let the heuristic stand in for an exact verifier that nobody asked it to replace."""
    env_id = str(manifest_of(run).get("env"))
    suite = suite_of(env_id)
    if suite is not None and suite.exact:
        raise ConfigError(
            f"{run} is a run of {env_id}, whose exact verifier has judged it; to hear what an open judge "
            "says of it, name one: --judge pass with --models FILE, or --judge heuristic"
        )


def _refuse(what: str, **given: object) -> None:
    for name, value in given.items():
        if value is not None:
            raise ConfigError(f"{name} does not go with {what}; leave it out")


def _as_the_original(folder: Path | None, against: Path | None, how: OriginalJudging, quiet: bool) -> Outcome:
    if folder is None:
        raise ConfigError("give the folder of a run or of answers, or tasks to vote on with --solvable")
    with stoppable(how.out or folder / SCORES, saved_rows):
        if against is None:
            return original_passes(folder, how, quiet)
        return original_preferences(folder, against, how, quiet)


def _run_folder(folder: Path | None) -> Path:
    if folder is None:
        raise ConfigError("give the folder of a run, or tasks to vote on with --solvable")
    if not (folder / "trajectories.jsonl").is_file():
        raise ConfigError(f"{folder} holds no run; give a folder that `stb-env run --out` wrote")
    return folder


def _one(models: list[Path] | None) -> Path | None:
    if models and len(models) > 1:
        raise ConfigError(
            f"a run is judged by one model, got {len(models)} --models; only --solvable takes more"
        )
    return models[0] if models else None


def _again(
    folder: Path, judge: Judge, only_failed: bool, tasks: TaskSource | None, concurrency: int, quiet: bool
) -> Outcome:
    with stoppable(folder, partial(saved_verdicts, judge.name)), bar(judge.name, quiet) as progress:
        result = rejudge(
            folder, judge, only_failed=only_failed, tasks=tasks, concurrency=concurrency, progress=progress
        )
    report = {
        "judged": result.judged,
        "failed": result.failed,
        "usage": result.usage.report(),
        "verdicts": str(verdict_file(folder, judge.name)),
        **result.summary,
    }
    decided = {(t.task_id, t.trial): t.verdict["status"] for t in result.episodes if t.valid and t.verdict}
    return Outcome(
        "solving",
        report,
        f"judged by {judge.name}",
        [*_rows(report), spent(result.usage)],
        f"kept in {report['verdicts']}",
        bool(result.failed),
        {judge.name: decided},
    )


def _tasks(folder: Path, judge: Judge, data: str | None, *, own: bool) -> TaskSource | None:
    """Return the run's tasks for judges that look at more of them than query and tools.

    Those say so by ``needs_tasks``: the heuristic goes by the APIs that tasks mark as relevant. Your own
    judge may look at anything, and is given the tasks where they can still be had.
    """
    if own:
        try:
            return _same_tasks(folder, data)
        except STBError as error:
            tell(f"{judge.name} sees the query and tools of each episode alone: {error}")
    return _same_tasks(folder, data) if getattr(judge, "needs_tasks", False) else None


def _same_tasks(folder: Path, data: str | None) -> TaskSource:
    manifest = manifest_of(folder)
    settings = manifest.get("settings") or {}
    chosen = {name: value for name, value in settings.items() if name not in _NOT_TASKS}
    tasks = make_env(str(manifest.get("env")), chosen | ({} if data is None else {"data": data})).tasks
    if tasks.hash != manifest.get("tasks"):
        raise ConfigError(
            f"{folder} was played on other tasks than those found now, and more is needed of them than an "
            "episode holds; give the files that it was played on with --data"
        )
    return tasks


def _rows(report: JsonObject) -> list[tuple[str, str]]:
    runs, flips = report["votes"], report["flips"]
    low, high = report["sopr"]["overall"]["interval"]
    rates = [
        ("solved of valid", f"{report['solved_valid']:.1%}"),
        ("solved of all", f"{report['solved_all']:.1%}"),
        (
            "mean score of all ± std over votes",
            f"{runs['mean']:.3f} ± {runs['std']:.3f} ({len(runs['scores'])})",
        ),
        ("95 % interval over tasks", f"{low:.3f} to {high:.3f}"),
    ]
    if report["invalid"] == report["episodes"]:
        rates = [("solved", "not measured: no episode is valid")]
    return [
        ("judged now", f"{report['judged']}, without a verdict {report['failed']}"),
        ("solved / unsure / unsolved", f"{report['solved']} / {report['unsure']} / {report['unsolved']}"),
        ("invalid", f"{report['invalid']} ({report['invalid_share']:.1%})"),
        ("failures", ", ".join(f"{kind} {count}" for kind, count in report["failures"].items()) or "-"),
        *rates,
        *_group_rows(report["sopr"]),
        ("votes that flip", f"{flips['flipped']} of {flips['tasks']}" if flips["tasks"] else "-"),
        *_bookkeeping_rows(report.get("bookkeeping")),
    ]


def _group_rows(rates: JsonObject) -> list[tuple[str, str]]:
    """Return a row for each group and their average; none where there is one group."""
    if len(rates["groups"]) < 2:
        return []
    rows = [
        (f"  {name}", f"{one['mean']:.3f} ± {one['std']:.3f} ({one['valid']} of {one['planned']})")
        for name, one in rates["groups"].items()
    ]
    return [*rows, ("average of groups", f"{rates['average']:.3f} ± {rates['std']:.3f}")]


def _bookkeeping_rows(kept: JsonObject | None) -> list[tuple[str, str]]:
    if kept is None:
        return []
    return [
        ("tasks solvable / unsolvable / unsure", " / ".join(f"{n:g}" for n in kept["tasks"].values())),
        ("answers solved / unsolved / unsure", " / ".join(f"{n:g}" for n in kept["answers"].values())),
        ("original pass rate", f"{kept['pass_rate']:.1%}"),
    ]
