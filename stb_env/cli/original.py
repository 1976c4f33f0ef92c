"""``stb-env judge DIR --compat original``: StableToolBench's own scoring programs and result files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

from stb_env.cli.judge_outcome import Outcome
from stb_env.console.progress import bar
from stb_env.errors import ConfigError, DataError
from stb_env.formats.selection import Selection
from stb_env.jsontypes import JsonObject
from stb_env.llm import CachedModel
from stb_env.llm.preflight import checking
from stb_env.rollout.verdict_file import read_judged
from stb_env.suites.stabletoolbench.original_scores.client import load_questions, original_client
from stb_env.suites.stabletoolbench.original_scores.groups import Groups, groups_of, read_groups, test_ids
from stb_env.suites.stabletoolbench.original_scores.passrate import STATUSES, SolveRate
from stb_env.suites.stabletoolbench.original_scores.preference import Preferences, Side
from stb_env.suites.stabletoolbench.original_scores.result_files import read_statuses
from stb_env.suites.stabletoolbench.original_scores.scoring import Scoring

SCORES = "scores"
"""Folder of the result files inside a run, where no other is named."""


@dataclass(frozen=True, slots=True)
class OriginalJudging:
    """What the original's programs are told.

    Attributes:
        evaluator: Evaluator folder; our own prompts stand in without one.
        evaluate_times: How often each answer, or pair, is judged.
        test_ids: Folder with a file of query ids for each group; what was answered without one.
        overwrite: Whether pass rates that a result file holds are judged again.
        pass_results: Folder with the tables of both models' pass rates; they are not used without one.
        models: Models file.
        cache: Folder of known answers of the judge.
        out: Folder of the result files; `SCORES` inside a run without one. Answers that are no run have their
            own owner, so nothing is written beside them and it must be named.
        seed: Seed of what a comparison leaves to chance.
        concurrency: Queries judged at the same time.
    """

    evaluator: Path | None
    evaluate_times: int
    test_ids: Path | None
    overwrite: bool
    pass_results: Path | None
    models: Path | None
    cache: Path | None
    out: Path | None
    seed: int
    concurrency: int

    def scoring(self, source: Path, metric: str) -> Scoring:
        """Connect the judge's model.

        Raises:
            ConfigError: A setting is wrong, or there is no place for the result files.
        """
        if self.out is None and not _is_run(source):
            raise ConfigError(f"{source} is no run to keep results in; name a folder for them with --out")
        questions = load_questions(self.evaluator)
        out = self.out or source / SCORES
        # The original judges answers anew when it compares: pass rates and comparisons share no vote.
        votes = (self.cache or (source if _is_run(source) else out) / "votes") / metric
        with checking(votes):
            model = CachedModel(original_client(questions, self.models, os.environ), votes)
        return Scoring(
            questions,
            model,
            out,
            self.evaluate_times,
            overwrite=self.overwrite,
            seed=self.seed,
            concurrency=self.concurrency,
        )


def original_passes(source: Path, how: OriginalJudging, quiet: bool) -> Outcome:
    """Score answers group by group (SoPR) and report rates, files and what has no result.

    Raises:
        ConfigError: A setting is wrong.
        DataError: There are no answers, or a file cannot be read.
    """
    name, groups = _answers(source)
    scoring, rates = how.scoring(source, "sopr"), {}
    failed: dict[str, str] = {}
    for group, converted in groups.items():
        with bar(f"{group} by {scoring.model.name}", quiet) as progress:
            ids = test_ids(how.test_ids, group, converted)
            told = replace(scoring, progress=progress)
            rates[group], missing = told.passes(name, group, converted, ids)
            failed |= missing
    report = {
        **_head(scoring, name, failed),
        "groups": {group: _rate(rate) for group, rate in rates.items()},
        "average": fmean(rate.solve_rate for rate in rates.values()),
        "std": fmean(rate.std for rate in rates.values()),
    }
    rows = [(group, rate.printed) for group, rate in rates.items()]
    rows.append((f"average of {len(rates)} groups", f"{report['average']:.1f}% ± {report['std']:.1f}%"))
    decided = {scoring.model.name: _statuses(rates)}
    return _outcome(f"SoPR of {name} as the original computes it", "solving", report, rows, decided)


def original_preferences(source: Path, reference: Path, how: OriginalJudging, quiet: bool) -> Outcome:
    """Compare the answers of two models group by group (SoWR) and report rates, files and what is missing.

    Raises:
        ConfigError: A setting is wrong.
        DataError: There are no answers of a common group, or a file cannot be read.
    """
    (name, mine), (against, theirs) = _answers(source), _answers(reference)
    if name == against:
        raise ConfigError(f"both folders are named {name}, and result files tell models by their names")
    shared = [group for group in theirs if group in mine]
    if not shared:
        raise DataError(f"{source} and {reference} share no group: {', '.join(mine)}; {', '.join(theirs)}")
    scoring, found = how.scoring(source, "sowr"), {}
    failed: dict[str, str] = {}
    for group in shared:
        sides = (
            Side(against, theirs[group], _pass_results(how, against, group)),
            Side(name, mine[group], _pass_results(how, name, group)),
        )
        ids = test_ids(how.test_ids, group, dict.fromkeys([*theirs[group], *mine[group]]))
        with bar(f"{group} by {scoring.model.name}", quiet) as progress:
            told = replace(scoring, progress=progress)
            found[group], missing = told.preferences(
                group, sides[0], sides[1], ids, use_pass_rate=how.pass_results is not None
            )
            failed |= missing
    report = {
        **_head(scoring, name, failed),
        "reference": against,
        "groups": {group: _shares(preferred) for group, preferred in found.items()},
        "average": fmean(100 * preferred.rate.win for preferred in found.values()),
    }
    rows = [
        (group, f"win {one['win']:.1f}%, tie {one['tie']:.1f}%, lose {one['lose']:.1f}% ({one['queries']})")
        for group, one in report["groups"].items()
    ]
    rows.append((f"average win rate of {len(found)} groups", f"{report['average']:.1f}%"))
    results = {(task, 0): one.result(task) for one in found.values() for task in one.counts}
    title = f"SoWR of {name} against {against} as the original computes it"
    return _outcome(title, "comparison", report, rows, {scoring.model.name: results})


def _answers(source: Path) -> tuple[str, Groups]:
    """Return the name that files give to the model, and its converted answers."""
    if _is_run(source):
        # What was played to its end has an answer, whatever became of its verdict.
        ended = Selection("all")
        played = [episode for episode in read_judged(source) if not ended.reason(episode)]
        if not played:
            raise DataError(f"{source} has no episode that was played to its end; there is nothing to judge")
        return source.resolve().name, groups_of(played)
    groups = read_groups(source)
    return (source if source.is_dir() else source.parent).resolve().name, groups


def _is_run(source: Path) -> bool:
    return (source / "trajectories.jsonl").is_file()


def _pass_results(how: OriginalJudging, model: str, group: str) -> Mapping[str, str]:
    return {} if how.pass_results is None else read_statuses(how.pass_results, model, group)


def _head(scoring: Scoring, name: str, failed: Mapping[str, str]) -> JsonObject:
    return {
        "compat": "original",
        "model": name,
        "judge": scoring.model.name,
        "questions": scoring.questions.label,
        "evaluate_times": scoring.evaluate_times,
        "out": str(scoring.out),
        "failed": len(failed),
        "failures": dict(failed),
    }


def _rate(rate: SolveRate) -> JsonObject:
    return {
        "queries": len(rate.results),
        "scores": list(rate.scores),
        "solve_rate": rate.solve_rate,
        "std": rate.std,
        "printed": rate.printed,
    }


def _shares(preferred: Preferences) -> JsonObject:
    rate = preferred.rate
    shares = {"win": rate.win, "tie": rate.tie, "lose": rate.lose}
    return {"queries": rate.queries, **{name: 100 * share for name, share in shares.items()}}


def _statuses(rates: Mapping[str, SolveRate]) -> Mapping[tuple[str, int], str]:
    """Return the status that most runs gave each query, for accuracy against people."""
    decided = {}
    for rate in rates.values():
        for task, entry in rate.to_json().items():
            cast = [STATUSES[name] for name in entry["is_solved"].values() if name in STATUSES]
            if cast:
                decided[task, 0] = max(dict.fromkeys(cast), key=cast.count)
    return decided


def _outcome(
    title: str,
    question: str,
    report: JsonObject,
    rows: list[tuple[str, str]],
    decided: Mapping[str, Mapping[tuple[str, int], str]],
) -> Outcome:
    rows = [
        *rows,
        ("judge", f"{report['judge']}, asked {report['evaluate_times']} times"),
        ("words of the questions", report["questions"]),
        ("queries without a result", str(report["failed"])),
    ]
    return Outcome(
        question, report, title, rows, f"files in {report['out']}", bool(report["failed"]), decided
    )
