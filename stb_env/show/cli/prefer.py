"""``stb-env judge RUN --against REF``: the win rate of a run against a reference run (SoWR)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from stb_env.console.progress import bar
from stb_env.core.jsontypes import JsonObject
from stb_env.errors import ConfigError
from stb_env.judges.preference import Preferring
from stb_env.judges.registry import EXACT, load_judge, load_preference
from stb_env.models.preflight import checking
from stb_env.runs.judging import prefer
from stb_env.runs.metrics.sowr import most_frequent, without_answers
from stb_env.runs.saved_player import player_of
from stb_env.runs.verdict_file import manifest_of
from stb_env.show.cli.judge_outcome import Outcome, spent, tell
from stb_env.show.cli.judging_settings import JudgingSettings


@dataclass(frozen=True, slots=True)
class Comparing:
    """Settings of a comparison of two runs.

    Attributes:
        settings: The judge, the number of comparisons and the rules.
        models: Models file.
        cache: Folder of answers that are known.
        seed: Seed of a random order.
    """

    settings: JudgingSettings
    models: Path | None
    cache: Path
    seed: int = 0


def compare(folder: Path, reference: Path, how: Comparing, concurrency: int, quiet: bool) -> Outcome:
    """Compare two runs and report win, tie and lose shares.

    Raises:
        ConfigError: The two have no verdicts of one judge, or a setting is wrong.
        DataError: A run cannot be read.
    """
    verdicts = _verdicts(folder, reference, how)
    with checking(how.cache):
        judge = _preferring(verdicts, how)
    with bar(judge.name, quiet) as progress:
        found = prefer(
            folder,
            reference,
            judge,
            verdicts,
            comparisons=how.settings.comparisons,
            concurrency=concurrency,
            progress=progress,
        )
    report = {
        "compared": found.compared,
        "failed": found.failed,
        "usage": found.usage.report(),
        **found.summary,
    }
    decided = {
        (task, 0): most_frequent(seen)
        for task, seen in found.results.items()
        if len(seen) >= how.settings.comparisons
    }
    return Outcome(
        "comparison",
        report,
        f"{folder.resolve().name} against {report['reference']}, by {judge.name}",
        [*_rows(report, player_of(folder).name), spent(found.usage)],
        f"kept in {folder}; verdicts of {verdicts} first",
        bool(found.rates.undecided),
        {judge.name: decided},
    )


def _verdicts(folder: Path, reference: Path, how: Comparing) -> str:
    """Return the name of the judge whose verdicts go first."""
    if how.settings.judge == EXACT:
        return EXACT
    if how.settings.judge is not None or how.settings.evaluator is not None:
        judge = load_judge(
            how.settings.judge, models=how.models, evaluator=how.settings.evaluator, env=os.environ
        )
        return judge.name
    mine, theirs = (str(manifest_of(run).get("judge")) for run in (folder, reference))
    if mine != theirs:
        raise ConfigError(
            f"{folder} was judged by {mine} and {reference} by {theirs}; judge both with one judge "
            "(`stb-env judge DIR --judge NAME`) and name it here with --judge too"
        )
    return mine


def _preferring(verdicts: str, how: Comparing) -> Preferring:
    return load_preference(
        how.settings.judge,
        verdicts,
        order=how.settings.order,
        unsure=how.settings.unsure,
        models=how.models,
        cache=how.cache,
        evaluator=how.settings.evaluator,
        seed=how.seed,
        env=os.environ,
        remark=tell,
    )


def _rows(report: JsonObject, rated: str) -> list[tuple[str, str]]:
    overall, decided = report["overall"], report["decided_by"]
    low, high = overall["interval"]
    rows = [
        ("compared now", f"{report['compared']}, without a result {report['failed']}"),
        ("queries", str(overall["queries"])),
        ("no result: invalid / undecided", f"{report['invalid']} / {report['undecided']}"),
        *(
            (f"incomplete: {name}", text)
            for name, text in without_answers(
                (rated, report["without_answer"]),
                (report["reference"], report["reference_without_answer"]),
                report["tasks"],
            )
        ),
    ]
    if overall["undecided"] == overall["queries"]:
        return [*rows, ("win / tie / lose", "not measured: no query has a result")]
    rows += [
        ("win / tie / lose", " / ".join(f"{overall[name]:.1%}" for name in ("win", "tie", "lose"))),
        ("ties as halves", f"{overall['ties_half']:.1%}"),
        ("95 % interval of it over queries", f"{low:.1%} to {high:.1%}"),
    ]
    if len(report["groups"]) > 1:
        rows += [
            (
                f"  {name}",
                f"win {rate['win']:.1%}, ties as halves {rate['ties_half']:.1%} ({rate['queries']})",
            )
            for name, rate in report["groups"].items()
        ]
        shown = f"win {report['average']:.1%}, ties as halves {report['average_ties_half']:.1%}"
        rows.append(("average of groups", shown))
    shown = ", ".join(f"{name} {count}" for name, count in decided.items())
    return [*rows, ("comparisons decided by", shown or "-")]
