"""Compares a run with a reference run, task by task (SoWR), and keeps every comparison beside the run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from shlex import quote

from stb_env.core import jsontext
from stb_env.core.checksums import write_noted
from stb_env.core.jsontypes import JsonMapping
from stb_env.core.request import drive
from stb_env.errors import ConfigError, DataError, InfrastructureError
from stb_env.formats.branches import played_branch
from stb_env.judges.majority import MissingVotes
from stb_env.judges.preference import Contender, Preferring
from stb_env.models.chat import digest
from stb_env.runs.judging.case import case_of, is_answered
from stb_env.runs.judging.ordered_work import Progress, check_concurrency, read_lines, work_in_order
from stb_env.runs.metrics.sowr import Result, Sowr, sowr
from stb_env.runs.saved_player import player_of
from stb_env.runs.verdict_file import manifest_of, read_judged, slug
from stb_env.trajectory import Trajectory
from stb_env.usage import Usage
from stb_env.verdict import VerdictStatus
from stb_env.verdict_line import judge_line, read_judge_line

_RESULTS: Mapping[str, Result] = {"first": "lose", "second": "win", "tie": "tie"}

RoundKey = tuple[str, int, str]
"""Task, number of the comparison, and digest of the judge's settings and the two episodes."""


@dataclass(frozen=True, slots=True)
class Round:
    """One comparison, or the failure to make it: a line of a file of comparisons.

    Attributes:
        task_id: The task.
        turn: Number of the comparison, from 0.
        pair: Digest of everything that decides it: the judge's settings, both episodes, both verdicts.
        judge: Name of the judge.
        result: What the candidate got, or None.
        how: What decided; see `stb_env.judges.preference.Preference`.
        votes: What the model said of the reference as ``first`` and the candidate as ``second``.
        usage: What it cost.
        failure: Why there is no result, as plain data, or None.
    """

    task_id: str
    turn: int
    pair: str
    judge: str
    result: Result | None = None
    how: str = ""
    votes: tuple[JsonMapping, ...] = ()
    usage: JsonMapping = field(default_factory=dict)
    failure: JsonMapping | None = None

    @property
    def key(self) -> RoundKey:
        """Its identity."""
        return self.task_id, self.turn, self.pair

    def to_json(self) -> str:
        """Return the comparison as one line of JSON."""
        return judge_line(asdict(self))

    @classmethod
    def from_json(cls, line: str) -> Round:
        """Read a line that `to_json` wrote.

        Raises:
            DataError: It is no line of a version that this package reads, or was changed.
        """
        return cls(**read_judge_line(line, cls.__dataclass_fields__, "comparison"))


@dataclass(frozen=True, slots=True)
class Preferred:
    """Result of comparing two runs.

    Attributes:
        compared: Comparisons that were made this time.
        failed: How many of these brought no result.
        usage: What they cost; answers from a cache count what they cost when they were given.
        results: The results of each task's comparisons so far, invalid tasks left out.
        rates: The figures.
        summary: The figures and what they are made of, as ``summary-...-against-...json`` has them.
    """

    compared: int
    failed: int
    usage: Usage
    results: Mapping[str, Sequence[Result]]
    rates: Sowr
    summary: JsonMapping


@dataclass(frozen=True, slots=True)
class Duel:
    """One comparison to make.

    Attributes:
        task_id: The task.
        turn: Number of the comparison, from 0.
        pair: Digest of everything that decides it; see `Round`.
        reference: The episode of the run that is compared with; None where it has none.
        candidate: The episode of the run that is rated; None where it has none.
    """

    task_id: str
    turn: int
    pair: str
    reference: Trajectory | None
    candidate: Trajectory | None

    @property
    def key(self) -> RoundKey:
        """Identity of its `Round`."""
        return self.task_id, self.turn, self.pair


def prefer(
    folder: str | Path,
    reference: str | Path,
    judge: Preferring,
    verdicts: str,
    *,
    comparisons: int = 3,
    concurrency: int = 1,
    progress: Progress | None = None,
) -> Preferred:
    """Compare a run with a reference run on every task that is planned.

    A task that only one of the two answered is won by that one, as by the paper's rules. A task that neither
    answered, and one of which an answer has no verdict, is undecided: it counts among the planned tasks, and
    as no win, loss or tie. Where tasks were played several times, comparisons take the trials in turn. What
    the same judge compared before, on the same episodes and verdicts, is not compared again.

    Args:
        folder: The run that is rated; the comparisons are appended to a file in it.
        reference: The run that it is compared with.
        judge: Prefers one of two episodes.
        verdicts: Name of the judge whose verdicts go before any comparison; both runs need them.
        comparisons: How often each task's episodes are compared.
        concurrency: Comparisons made at the same time.
        progress: Told after each comparison how many of how many are done.

    Raises:
        ConfigError: A number is out of range, or a run has no verdicts of that judge.
        DataError: A run or its comparisons cannot be read, or the runs are of other tasks.
    """
    folder, reference = Path(folder), Path(reference)
    _check_numbers(comparisons, concurrency)
    mine, theirs = by_task(folder, verdicts), by_task(reference, verdicts)
    _check_queries(mine, theirs)
    duels = list(duels_of(mine, theirs, judge.fingerprint, comparisons))
    file = rounds_file(folder, judge.name)
    known = {made.key: made for made in read_lines(file, Round.from_json)}
    todo = [duel for duel in duels if duel.key not in known or known[duel.key].result is None]
    fresh = work_in_order(todo, partial(_fight, judge), file, concurrency, progress)
    known |= {made.key: made for made in fresh}
    rounds = [known[duel.key] for duel in duels]
    results: dict[str, list[Result]] = {duel.task_id: [] for duel in duels}
    for made in rounds:
        results[made.task_id] += [made.result] if made.result is not None else []
    groups = {
        task: episodes[0].group or episodes[0].suite
        for run in (mine, theirs)
        for task, episodes in run.items()
    }
    sizes = _planned(folder, groups)
    total = sum(sizes.values())
    rates = sowr(results, groups, comparisons=comparisons, invalid=total - len(results), planned=sizes)
    against = player_of(reference).name
    summary = {
        "judge": judge.name,
        "verdicts": verdicts,
        "settings": judge.fingerprint,
        "reference": against,
        "comparisons": comparisons,
        "tasks": total,
        "without_answer": len({duel.task_id for duel in duels if duel.candidate is None}),
        "reference_without_answer": len({duel.task_id for duel in duels if duel.reference is None}),
        "not_in_reference": len(mine.keys() - theirs.keys()),
        "decided_by": dict(sorted(Counter(made.how for made in rounds if made.how).items())),
        **rates.to_dict(),
    }
    write_noted(folder / f"summary-{slug(judge.name)}-against-{slug(against)}.json", summary)
    usage = sum((Usage(**made.usage) for made in fresh), Usage())
    return Preferred(len(fresh), sum(made.result is None for made in fresh), usage, results, rates, summary)


def _check_numbers(comparisons: int, concurrency: int) -> None:
    check_concurrency(concurrency)
    if comparisons < 1:
        raise ConfigError(f"comparisons must be at least 1, got {comparisons}")


def _planned(folder: Path, groups: Mapping[str, str]) -> Mapping[str, int]:
    """Return how many tasks each group should have, by what is saved and by the plan of the rated run."""
    sizes = Counter(groups.values())
    # What was never played has no group, unless there is only one.
    if len(sizes) == 1:
        trials = int(manifest_of(folder).get("trials") or 1)
        planned = (player_of(folder).planned or 0) // trials
        sizes = Counter({group: max(size, planned) for group, size in sizes.items()})
    return sizes


def rounds_file(folder: Path, judge: str) -> Path:
    """Return where a run keeps the comparisons of a judge."""
    return folder / f"preferences-{slug(judge)}.jsonl"


def by_task(folder: Path, verdicts: str) -> dict[str, list[Trajectory]]:
    """Return a run's episodes by task, in order of their trials.

    Raises:
        ConfigError: It has no verdicts of that judge.
        DataError: It cannot be read.
    """
    episodes = read_judged(folder, verdicts)
    answered = [episode for episode in episodes if is_answered(episode)]
    if answered and not any(episode.valid for episode in answered):
        raise ConfigError(
            f"{folder} has no verdicts of {verdicts}, and comparing begins with those of one judge on both "
            f"runs; give them with `stb-env judge {quote(str(folder))}`"
        )
    tasks: dict[str, list[Trajectory]] = {}
    for episode in sorted(episodes, key=lambda episode: episode.trial):
        tasks.setdefault(episode.task_id, []).append(episode)
    return tasks


def _check_queries(mine: Mapping[str, list[Trajectory]], theirs: Mapping[str, list[Trajectory]]) -> None:
    shared = [task for task in theirs if task in mine]
    if not shared:
        raise DataError("the two runs share no task; compare runs that were played on the same tasks")
    for task in shared:
        if mine[task][0].query != theirs[task][0].query:
            raise DataError(
                f"task {task!r} has another query in the reference run; compare runs of the same tasks"
            )


def duels_of(
    mine: Mapping[str, list[Trajectory]],
    theirs: Mapping[str, list[Trajectory]],
    settings: Mapping[str, object],
    comparisons: int,
) -> Iterator[Duel]:
    """Yield the comparisons of two runs; a side without an answer has None.

    There is none of a task that neither answered, nor where both did and an answer has no verdict.

    Args:
        mine: Episodes of the run that is rated, by task.
        theirs: Those of the run that it is compared with.
        settings: Fingerprint of the judge that prefers.
        comparisons: How often each task's episodes are compared.
    """
    for task in dict.fromkeys([*theirs, *mine]):
        ended = [
            [one for one in run.get(task, []) if one.valid or is_answered(one)] for run in (theirs, mine)
        ]
        if all(ended):
            ended = [[one for one in episodes if one.valid] for episodes in ended]
            if not all(ended):
                continue
        if not any(ended):
            continue
        for turn in range(comparisons):
            reference, candidate = (kept[turn % len(kept)] if kept else None for kept in ended)
            yield Duel(
                task, turn, digest([settings, _shown(reference), _shown(candidate)]), reference, candidate
            )


def _contender(episode: Trajectory | None) -> Contender | None:
    return None if episode is None else Contender(case_of(episode, unanswered=True), _status(episode))


def _status(episode: Trajectory) -> VerdictStatus:
    """Return an episode's verdict; where it has none it is the only answer, and no verdict is looked at."""
    return "na" if episode.verdict is None else episode.verdict["status"]


def _shown(episode: Trajectory | None) -> list[object] | None:
    """Return what of an episode can decide a comparison."""
    if episode is None:
        return None
    calls = [step["calls"] for step in played_branch(episode).steps]
    return [episode.query, jsontext.dumps(calls), _status(episode)]


def _fight(judge: Preferring, duel: Duel) -> Round:
    who = (duel.task_id, duel.turn, duel.pair, judge.name)
    try:
        found = drive(judge.compare(_contender(duel.reference), _contender(duel.candidate), duel.turn))
    except InfrastructureError as error:
        usage = error.usage if isinstance(error, MissingVotes) else Usage()
        return Round(*who, usage=usage.to_dict(), failure=error.failure())
    votes = tuple(asdict(vote) for vote in found.votes)
    return Round(*who, _RESULTS[found.outcome], found.how, votes, found.usage.to_dict())
