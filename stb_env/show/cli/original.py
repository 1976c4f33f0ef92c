"""``stb-env judge DIR --compat original``: StableToolBench's own scoring programs and result files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, pstdev
from typing import Annotated

from typing_extensions import Doc

from stb_env.console.progress import bar
from stb_env.core.jsontypes import JsonObject
from stb_env.errors import ConfigError, DataError
from stb_env.models import CachedModel
from stb_env.models.preflight import checking
from stb_env.runs.metrics.sowr import without_answers
from stb_env.show.cli.judge_outcome import Outcome
from stb_env.suites.stabletoolbench.original_scores.answer_sets import (
    AnswerFile,
    AnswerSet,
    is_run,
    read_answers,
)
from stb_env.suites.stabletoolbench.original_scores.client import load_questions, original_client
from stb_env.suites.stabletoolbench.original_scores.passrate import STATUSES, SolveRate, rated
from stb_env.suites.stabletoolbench.original_scores.planned_scores import (
    PassScore,
    TrialRows,
    WinScore,
    pass_score,
    win_score,
)
from stb_env.suites.stabletoolbench.original_scores.preference import Side, row_result
from stb_env.suites.stabletoolbench.original_scores.result_files import read_statuses
from stb_env.suites.stabletoolbench.original_scores.scoring import Judged, Scoring

SCORES = "scores"
"""Folder of the result files inside a run, where no other is named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OriginalOptions:
    """Options of the original's programs.

    Attributes:
        test_ids: Folder with a file of query ids for each group; what was answered without one.
        overwrite: Whether pass rates that a result file holds are judged again.
        pass_results: Folder with the tables of both models' pass rates; they are not used without one.
    """

    test_ids: Annotated[Path | None, Doc("--compat original: folder with the query ids of each group.")] = (
        None
    )
    overwrite: Annotated[bool, Doc("--compat original: judge again what a result file holds.")] = False
    pass_results: Annotated[Path | None, Doc("--compat original: folder of both models' pass rates.")] = None


@dataclass(frozen=True, slots=True)
class OriginalJudging:
    """Settings of the original's programs.

    Attributes:
        evaluator: Evaluator folder; our own prompts stand in without one.
        evaluate_times: How often each answer, or pair, is judged.
        options: Options that the programs themselves have.
        models: Models file.
        cache: Folder of known answers of the judge.
        out: Folder of the result files; `SCORES` inside a run without one. Answers that are no run have their
            own owner, so nothing is written beside them and it must be named.
        seed: Seed of what a comparison leaves to chance.
        concurrency: Queries judged at the same time.
        protocol: Whether rates are of all planned queries, and only rows bound to these answers count, as a
            protocol has it; without one all is as the original's programs do it.
    """

    evaluator: Path | None
    evaluate_times: int
    options: OriginalOptions
    models: Path | None
    cache: Path | None
    out: Path | None
    seed: int
    concurrency: int
    protocol: bool = False

    def scoring(self, source: Path, metric: str) -> Scoring:
        """Connect the judge's model.

        Raises:
            ConfigError: A setting is wrong, or there is no place for the result files.
        """
        if self.out is None and not is_run(source):
            raise ConfigError(f"{source} is no run to keep results in; name a folder for them with --out")
        questions = load_questions(self.evaluator)
        out = self.out or source / SCORES
        # The original judges answers anew when it compares: pass rates and comparisons share no vote.
        votes = (self.cache or (source if is_run(source) else out) / "votes") / metric
        with checking(votes):
            model = CachedModel(original_client(questions, self.models, os.environ), votes)
        return Scoring(
            questions,
            model,
            out,
            self.evaluate_times,
            bound=self.protocol,
            overwrite=self.options.overwrite,
            seed=self.seed,
            concurrency=self.concurrency,
        )


def original_passes(source: Path, how: OriginalJudging, quiet: bool) -> Outcome:
    """Score answers group by group (SoPR) and report rates, files and what has no result.

    Under a protocol the rates are of all planned queries; otherwise they are those of the original's program,
    which divides by what its files hold.

    Raises:
        ConfigError: A setting is wrong.
        DataError: There are no answers, or a file cannot be read.
    """
    answers = read_answers(source, how.options.test_ids)
    scoring = how.scoring(source, "sopr")
    judged: dict[str, list[Judged]] = {}
    for file in answers.files:
        with bar(f"{_place(file)} by {scoring.model.name}", quiet) as progress:
            judged.setdefault(file.group, []).append(
                replace(scoring, progress=progress).passes(answers, file)
            )
    failed = _failures(judged)
    rates: dict[str, JsonObject]
    if how.protocol:
        scores = {
            group: pass_score(_trials(files, judged[group]), how.evaluate_times)
            for group, files in answers.groups.items()
        }
        rates = {group: score.to_dict() for group, score in scores.items()}
        rows = [row for group, score in scores.items() for row in _pass_rows(group, score)]
    else:
        rates = {
            _place(file): _rate(rated(one.results, how.evaluate_times))
            for group, files in answers.groups.items()
            for file, one in zip(files, judged[group], strict=True)
        }
        rows = [(place, rate["printed"]) for place, rate in rates.items()]
    report = {
        **_head(scoring, answers, failed),
        "groups": rates,
        "average": _mean(rates, "solve_rate"),
        "std": _mean(rates, "std"),
    }
    if len(rates) > 1 and report["average"] is not None:
        named = (
            f"average of {len(answers.groups)} groups" if how.protocol else f"average of {len(rates)} files"
        )
        rows.append((named, f"{report['average']:.1f}% ± {report['std']:.1f}%"))
    rows += _missing_rows(rates)
    decided = {scoring.model.name: _statuses(one for found in judged.values() for one in found)}
    measure = "SoPR of all planned queries" if how.protocol else "SoPR as the original computes it"
    return _outcome(f"{answers.player}: {measure}", "solving", report, rows, decided)


@dataclass(frozen=True, slots=True)
class Compared:
    """Result of comparing two players' answers.

    Attributes:
        sides: The answers of the reference, and of who is rated.
        scoring: Who compared.
        judged: The rows of each group, a result file each trial.
        scores: The score of each group.
    """

    sides: Sequence[AnswerSet]
    scoring: Scoring
    judged: Mapping[str, Sequence[Judged]]
    scores: Mapping[str, WinScore]

    @property
    def failed(self) -> dict[str, str]:
        """Reasons why queries have no result."""
        return _failures(self.judged)


def compare_answers(source: Path, reference: Path, how: OriginalJudging, quiet: bool) -> Compared:
    """Compare the answers of two players group by group (SoWR).

    Raises:
        ConfigError: A setting is wrong.
        DataError: There are no answers of a common group, or a file cannot be read.
    """
    sides = [read_answers(place, how.options.test_ids) for place in (reference, source)]
    theirs, mine = sides
    if theirs.name == mine.name:
        raise ConfigError(
            f"both answers are of {mine.name}, and result files tell players by their names; name agents "
            "apart, or folders of answers"
        )
    shared = [group for group in theirs.groups if group in mine.groups]
    if not shared:
        raise DataError(
            f"{source} and {reference} share no group: {', '.join(mine.groups)}; {', '.join(theirs.groups)}"
        )
    scoring = how.scoring(source, "sowr")
    judged: dict[str, list[Judged]] = {}
    for group in shared:
        # A trial that one of them lacks is planned for the other all the same.
        for files in zip(theirs.groups[group], mine.groups[group], strict=False):
            rivals = [
                Side(side.name, file.converted, _pass_results(how, side.name, group))
                for side, file in zip(sides, files, strict=True)
            ]
            with bar(f"{_place(files[1])} by {scoring.model.name}", quiet) as progress:
                told = replace(scoring, progress=progress)
                judged.setdefault(group, []).append(
                    told.preferences(sides, files, rivals, statuses=how.options.pass_results is not None)
                )
    scores = {
        group: win_score(_trials(mine.groups[group] if how.protocol else [], found), theirs.name, mine.name)
        for group, found in judged.items()
    }
    return Compared(sides, scoring, judged, scores)


def original_preferences(source: Path, reference: Path, how: OriginalJudging, quiet: bool) -> Outcome:
    """Compare the answers of two players and report rates, files and what is missing.

    Raises:
        ConfigError: A setting is wrong.
        DataError: There are no answers of a common group, or a file cannot be read.
    """
    found = compare_answers(source, reference, how, quiet)
    theirs, mine = found.sides
    rates = {group: score.to_dict() for group, score in found.scores.items()}
    report = {
        **_head(found.scoring, mine, found.failed),
        "reference": theirs.player,
        "groups": rates,
        "average": _mean(rates, "win"),
    }
    rows = [(group, _shares(one)) for group, one in rates.items()]
    if len(rates) > 1 and report["average"] is not None:
        rows.append((f"average win rate of {len(rates)} groups", f"{report['average']:.1f}%"))
    rows += _missing_rows(rates)
    rows += [
        (f"incomplete: {name}", text)
        for name, text in without_answers(
            (mine.player, _sum(rates, "without_answer")),
            (theirs.player, _sum(rates, "reference_without_answer")),
            _sum(rates, "planned"),
        )
    ]
    results = {
        (task, 0): row_result(row, theirs.name, mine.name)
        for judged in found.judged.values()
        for one in judged
        for task, row in one.results.items()
    }
    measure = "SoWR of all planned queries" if how.protocol else "SoWR as the original computes it"
    title = f"{mine.player} against {theirs.player}: {measure}"
    return _outcome(title, "comparison", report, rows, {found.scoring.model.name: results})


def _mean(rates: Mapping[str, JsonObject], name: str) -> float | None:
    """Return the mean over groups; one without a rate counts as 0, and where none has one there is none."""
    known = [rate[name] for rate in rates.values()]
    return None if all(one is None for one in known) else fmean(one or 0.0 for one in known)


def _failures(judged: Mapping[str, Sequence[Judged]]) -> dict[str, str]:
    return {task: why for found in judged.values() for one in found for task, why in one.failed.items()}


def _place(file: AnswerFile) -> str:
    return f"{file.folder}/{file.group}" if file.folder else file.group


def _trials(files: Sequence[AnswerFile], judged: Sequence[Judged]) -> list[TrialRows]:
    planned = [file.planned for file in files] or [len(one.results) for one in judged]
    return [
        TrialRows(one.results, size, one.unanswered, one.reference_unanswered)
        for one, size in zip(judged, planned, strict=False)
    ]


def _pass_rows(group: str, score: PassScore) -> Iterator[tuple[str, str]]:
    rate = score.rate
    if not rate.valid:
        yield group, f"no rate: none of {_size(score.to_dict())} has a result"
        return
    yield group, f"{100 * rate.mean:.1f}% ± {100 * rate.std:.1f}% of {_size(score.to_dict())}"
    if score.trials > 1:
        each = ", ".join(f"{100 * one:.1f}" for one in score.trial_rates)
        spread = f"{100 * fmean(score.trial_rates):.1f} ± {100 * pstdev(score.trial_rates):.1f}"
        yield f"  trials of {group}", f"{spread} ({each})"


def _shares(one: JsonObject) -> str:
    if one["win"] is None:
        return f"no rate: none of {_size(one)} has a result"
    return f"win {one['win']:.1f}%, tie {one['tie']:.1f}%, lose {one['lose']:.1f}% ({_size(one)})"


def _size(one: JsonObject) -> str:
    return f"{one['queries']} queries" + (f", {one['trials']} trials" if one["trials"] > 1 else "")


def _missing_rows(rates: Mapping[str, JsonObject]) -> Iterator[tuple[str, str]]:
    """Yield what is incomplete: planned queries that nothing was judged of."""
    if missing := _sum(rates, "without_result"):
        yield (
            "incomplete",
            f"{missing} of {_sum(rates, 'planned')} planned have no result, and are no success",
        )


def _sum(rates: Mapping[str, JsonObject], name: str) -> int:
    return sum(one.get(name, 0) for one in rates.values())


def _pass_results(how: OriginalJudging, model: str, group: str) -> Mapping[str, str]:
    tables = how.options.pass_results
    return {} if tables is None else read_statuses(tables, model, group)


def _head(scoring: Scoring, answers: AnswerSet, failed: Mapping[str, str]) -> dict[str, object]:
    return {
        "compat": "original",
        "model": answers.player,
        "judge": scoring.model.name,
        "questions": scoring.questions.label,
        "evaluate_times": scoring.evaluate_times,
        "out": str(scoring.out),
        "failed": len(failed),
        "failures": dict(failed),
    }


def _rate(rate: SolveRate) -> dict[str, object]:
    return {
        "queries": len(rate.results),
        "scores": list(rate.scores),
        "solve_rate": rate.solve_rate,
        "std": rate.std,
        "printed": rate.printed,
    }


def _statuses(judged: Iterable[Judged]) -> Mapping[tuple[str, int], str]:
    """Return the status that most runs gave each query, for accuracy against people."""
    decided = {}
    for one in judged:
        for task, entry in one.results.items():
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
        ("queries whose judge failed", str(report["failed"])),
    ]
    return Outcome(
        question, report, title, rows, f"files in {report['out']}", bool(report["failed"]), decided
    )
