"""Judges the saved episodes of a run again, or those alone that a failing judge left without a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from stb_env.core.checksums import write_noted
from stb_env.core.jsontypes import JsonMapping
from stb_env.core.request import drive
from stb_env.errors import ConfigError, InfrastructureError
from stb_env.judges.judge import Judge
from stb_env.judges.majority import MissingVotes
from stb_env.judges.original_pass import OriginalPassJudge
from stb_env.judges.own_judge import JudgeLike, as_judge
from stb_env.models import ModelError
from stb_env.models.chat import digest
from stb_env.runs.judging.case import case_of, is_answered
from stb_env.runs.judging.ordered_work import Progress, check_concurrency, work_in_order
from stb_env.runs.metrics.cost import cost
from stb_env.runs.metrics.flips import vote_flips
from stb_env.runs.metrics.original_rates import bookkeeping
from stb_env.runs.metrics.rates import summarize
from stb_env.runs.metrics.sopr import sopr
from stb_env.runs.saved_player import planned_episodes
from stb_env.runs.verdict_file import (
    Judgement,
    manifest_of,
    overlay,
    read_judgements,
    slug,
    verdict_file,
)
from stb_env.saved_episodes import read_trajectories
from stb_env.tasks import TaskSource
from stb_env.trajectory import Trajectory
from stb_env.usage import Usage
from stb_env.verdict import SCORES


@dataclass(frozen=True, slots=True)
class Rejudged:
    """Result of judging a run again.

    Attributes:
        judged: Episodes that were judged this time.
        failed: How many of these are still without a verdict.
        usage: What the judge cost this time; votes from a cache count what they cost when they were cast.
        episodes: Every episode with its newest verdict of this judge.
        summary: The figures, as ``summary-<judge>.json`` has them.
    """

    judged: int
    failed: int
    usage: Usage
    episodes: Sequence[Trajectory]
    summary: JsonMapping


def rejudge(
    folder: str | Path,
    judge: JudgeLike,
    *,
    only_failed: bool = False,
    tasks: TaskSource | None = None,
    concurrency: int = 1,
    progress: Progress | None = None,
) -> Rejudged:
    """Judge the saved episodes of a run that ended with an answer.

    Appends to the judge's file of verdicts in the folder (see `stb_env.runs.verdict_file`), each line
    on disk before the next, so a stopped command goes on where it was: what this judge with these settings
    has decided since is not judged again. ``trajectories.jsonl`` stays as it is. Episodes that ended without
    an answer keep their verdict, and those whose tools or agent failed stay invalid.

    Args:
        folder: The run.
        judge: Decides; a function of a `Case` will do.
        only_failed: Judge only the episodes whose judge failed, in the run or since.
        tasks: Where the tasks came from; for judges that need more than query and tools (``needs_tasks``).
        concurrency: Episodes judged at the same time.
        progress: Told after each episode how many of how many are done.

    Raises:
        ConfigError: ``only_failed`` was asked of a judge that has not judged this run, or a number is out
            of range.
        DataError: The run cannot be read.
    """
    folder, judge = Path(folder), as_judge(judge)
    _check_settings(judge, tasks, concurrency)
    saved, file = read_trajectories(folder), verdict_file(folder, judge.name)
    settings, given = digest(getattr(judge, "fingerprint", judge.name)), read_judgements(file)
    # Verdicts on answers that are no more count for nothing.
    known = {one.key: given[one.key] for one in saved if one.key in given and given[one.key].fits(one)}
    todo = [episode for episode in saved if _judgeable(judge, episode)]
    if only_failed:
        _check_same(folder, judge, overlay(saved, known.values(), judge.name), known=bool(known))
        todo = [episode for episode in todo if _judge_failed(episode, known.get(episode.key))]
    else:
        todo = [episode for episode in todo if not _decided(known.get(episode.key), settings)]
    fresh = work_in_order(todo, partial(_judge, judge, settings, tasks), file, concurrency, progress)
    known |= {judgement.key: judgement for judgement in fresh}
    episodes = overlay(saved, known.values(), judge.name)
    summary = _summary(folder, judge, episodes)
    write_noted(folder / f"summary-{slug(judge.name)}.json", summary)
    usage = sum((Usage(**judgement.usage) for judgement in fresh), Usage())
    failed = sum(judgement.verdict is None for judgement in fresh)
    return Rejudged(len(fresh), failed, usage, episodes, summary)


def _check_settings(judge: Judge, tasks: TaskSource | None, concurrency: int) -> None:
    check_concurrency(concurrency)
    if getattr(judge, "needs_tasks", False) and tasks is None:
        raise ConfigError(
            f"judge {judge.name} goes by what tasks alone have, and no episode holds; give tasks"
        )


def _check_same(folder: Path, judge: Judge, episodes: Sequence[Trajectory], known: bool) -> None:
    """Refuse to mend a run with another judge, or with another number of votes."""
    own = manifest_of(folder).get("judge")
    if own != judge.name and not known:
        raise ConfigError(
            f"{folder} was judged by {own or 'an unknown judge'}, and mending it with {judge.name} would mix "
            "their verdicts; choose the same judge, or leave out --only-failed to judge every episode"
        )
    theirs = {len(t.verdict["votes"]) for t in episodes if t.verdict and t.verdict["judge"] == judge.name}
    votes = getattr(judge, "votes", 1)
    if theirs and votes not in theirs:
        raise ConfigError(
            f"the verdicts in {folder} have {max(theirs)} votes each, and this judge casts {votes}; "
            f"mend them with --votes {max(theirs)}"
        )


def _judgeable(judge: Judge, episode: Trajectory) -> bool:
    """Say whether there is something to judge; a few judges have a say on episodes without an answer."""
    if is_answered(episode):
        return True
    return episode.failure is None and getattr(judge, "judges_unanswered", False)


def _judge_failed(episode: Trajectory, judgement: Judgement | None) -> bool:
    # An episode that has an answer went wrong after it, and only its judge comes after that.
    return episode.failure is not None if judgement is None else judgement.verdict is None


def _decided(judgement: Judgement | None, settings: str) -> bool:
    return judgement is not None and judgement.verdict is not None and judgement.settings == settings


def _judge(judge: Judge, settings: str, tasks: TaskSource | None, episode: Trajectory) -> Judgement:
    task = None if tasks is None else tasks.get(episode.task_id)
    who = (*episode.key, judge.name, settings)
    try:
        verdict = drive(judge.judge(case_of(episode, task, unanswered=True)))
    except InfrastructureError as error:
        votes = error.votes if isinstance(error, MissingVotes) else ()
        usage = error.usage if isinstance(error, MissingVotes | ModelError) else Usage()
        told = tuple(vote.to_dict() for vote in votes)
        failure = error.failure()
        return Judgement(
            *who, failure=failure, votes=told, usage=usage.to_dict(), answer=episode.answer_digest
        )
    usage = verdict.usage or Usage()
    return Judgement(*who, verdict=verdict.to_dict(), usage=usage.to_dict(), answer=episode.answer_digest)


def _summary(folder: Path, judge: Judge, episodes: Sequence[Trajectory]) -> dict[str, object]:
    planned = planned_episodes(folder)
    rates = sopr(episodes, getattr(judge, "scores", SCORES), planned)
    runs = rates.overall
    summary = {
        "judge": judge.name,
        **summarize(episodes, planned),
        "votes": {"scores": list(runs.scores), "mean": runs.mean, "std": runs.std},
        "sopr": rates.to_dict(),
        "flips": vote_flips(episodes).to_dict(),
        "cost": cost(episodes).to_dict(),
    }
    if isinstance(judge, OriginalPassJudge):
        summary["bookkeeping"] = bookkeeping(episodes).to_dict()
    return summary
