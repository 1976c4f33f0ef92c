"""Results of one task in a run, over its trials."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean

from stb_env.trajectory import Trajectory

_WORDS = ("solved", "unsure", "unsolved", "invalid")


@dataclass(frozen=True, slots=True)
class PlayedTask:
    """The trials of one task in one run.

    Attributes:
        task: Its id.
        group: Its group.
        query: What the user asked.
        trials: Episodes that are saved.
        solved: Those that solved it.
        outcomes: How each trial ended: solved, unsure, unsolved or invalid.
        reward: Mean reward over valid trials; None without one.
        turns: Mean turns of a trial.
        calls: Mean calls of a trial, the one that ends it included.
        tokens: Mean tokens of a trial.
        reason: Why the first trial that did not solve it was judged so, or how it failed; empty where all
            solved it.
        failed: Parts of its verdict that did not pass in that trial, where its judge checks parts.
    """

    task: str
    group: str
    query: str
    trials: int
    solved: int
    outcomes: Sequence[str]
    reward: float | None
    turns: float
    calls: float
    tokens: float
    reason: str
    failed: Sequence[str] = ()

    @property
    def outcome(self) -> str:
        """The outcome in words.

        Examples:
            >>> PlayedTask("a", "", "", 2, 1, ["solved", "invalid"], 1.0, 1, 1, 0, "").outcome
            '1 solved, 1 invalid'
        """
        counts = Counter(self.outcomes)
        if len(counts) == 1:
            (only,) = counts
            return only if self.trials == 1 else f"{self.trials} of {self.trials} {only}"
        return ", ".join(f"{counts[word]} {word}" for word in _WORDS if counts[word])

    def to_dict(self) -> dict[str, object]:
        """Return the figures as plain data."""
        return asdict(self)


def outcome_of(episode: Trajectory) -> str:
    """Return how an episode ended: without a verdict it is invalid, whatever it did."""
    return str(episode.verdict["status"]) if episode.valid and episode.verdict else "invalid"


def played_tasks(episodes: Iterable[Trajectory]) -> list[PlayedTask]:
    """Return what became of each task, in the order in which tasks were saved.

    Examples:
        >>> played_tasks([])
        []
    """
    by_task: dict[str, list[Trajectory]] = {}
    for episode in episodes:
        by_task.setdefault(episode.task_id, []).append(episode)
    return [_played(task, trials) for task, trials in by_task.items()]


def _played(task: str, trials: Sequence[Trajectory]) -> PlayedTask:
    valid = [episode.reward for episode in trials if episode.valid]
    return PlayedTask(
        task,
        trials[0].group,
        trials[0].query,
        len(trials),
        sum(episode.valid and episode.solved for episode in trials),
        [outcome_of(episode) for episode in trials],
        fmean(valid) if valid else None,
        fmean(len(episode.steps) for episode in trials),
        fmean(sum(len(step["calls"]) for step in episode.steps) for episode in trials),
        fmean(episode.usage.get("total_tokens", 0) for episode in trials),
        next((reason for episode in trials if (reason := _reason(episode))), ""),
        next((failed for episode in trials if (failed := _failed_parts(episode))), ()),
    )


def _failed_parts(episode: Trajectory) -> Sequence[str]:
    if outcome_of(episode) in ("solved", "invalid"):
        return ()
    parts = (episode.verdict or {}).get("parts") or {}
    return [name for name, passed in parts.items() if not passed]


def _reason(episode: Trajectory) -> str:
    outcome = outcome_of(episode)
    if outcome == "solved":
        return ""
    if outcome == "invalid":
        failure = episode.failure or {}
        return f"{failure.get('kind', 'na')}: {failure.get('message', 'nothing could be judged')}"
    votes = (episode.verdict or {}).get("votes") or ()
    # Where votes differ, the one that says what counted.
    return next((str(vote["reason"]) for vote in votes if vote["status"] == outcome), "")
