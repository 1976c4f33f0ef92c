"""Several trials at one task from one state: what learning from relative rewards takes."""

from __future__ import annotations

from dataclasses import dataclass, field

from stb_env.runs.groups.advantages import ESTIMATORS, Estimator, varied
from stb_env.runs.groups.staleness import Staleness, staleness
from stb_env.runs.timing import Timing
from stb_env.trajectory import Trajectory


@dataclass(frozen=True, slots=True)
class Group:
    """The trials at one task that began in the same state.

    Attributes:
        task_id: The task.
        seed: Seed of the episode that all trials are.
        episodes: The trials that were played, in order, whole: the steps that they share carry ``prefix``.
        planned: How many trials there were to be.
        branch: How many first steps all share; a trainer leaves them out.
        version: Version of the model when the group was complete; None where nobody told.
        estimator: What `advantages` is computed by.
        timings: How long each trial took, from where it began; no part of what the group is.

    Examples:
        >>> from stb_env import load_agent
        >>> from stb_env.runs.groups import groups
        >>> from stb_env.testing.notes import notes
        >>> group = next(groups(notes(), ["day"], 2, agent=load_agent("gold")))
        >>> group.rewards, group.advantages, group.varied
        ([1.0, 1.0], [0.0, 0.0], False)
    """

    task_id: str
    seed: int
    episodes: tuple[Trajectory, ...]
    planned: int
    branch: int = 0
    version: int | None = None
    estimator: Estimator = "grpo"
    timings: tuple[Timing, ...] = field(default=(), compare=False)

    @property
    def rewards(self) -> list[float | None]:
        """The reward of each trial; None where the episode is not valid, which is never a 0."""
        return [episode.reward if episode.valid else None for episode in self.episodes]

    @property
    def advantages(self) -> list[float | None]:
        """The advantage of each trial over the others; None where the episode is not valid."""
        return ESTIMATORS[self.estimator](self.rewards)

    @property
    def varied(self) -> bool:
        """True if the rewards differ, so that there is something to learn."""
        return varied(self.rewards)

    @property
    def valid(self) -> int:
        """Number of trials with a reward."""
        return sum(episode.valid for episode in self.episodes)

    @property
    def success_rate(self) -> float | None:
        """Share of solved among valid trials; None where none is valid."""
        solved = sum(episode.solved for episode in self.episodes if episode.valid)
        return solved / self.valid if self.valid else None

    @property
    def stopped(self) -> bool:
        """True if trials were left out, because the first ones were alike or the first one failed."""
        return len(self.episodes) < self.planned

    def staleness(self, current: int | None = None) -> Staleness:
        """Measure how far the model has moved on since it played this.

        Args:
            current: The version of now; where not given, the one when the group was complete.
        """
        return staleness(self.episodes, self.version if current is None else current)

    def to_dict(self) -> dict[str, object]:
        """Return what ``groups.jsonl`` says of it; the episodes stand in ``trajectories.jsonl``."""
        stale = self.staleness()
        return {
            "task_id": self.task_id,
            "seed": self.seed,
            "trials": [episode.trial for episode in self.episodes],
            "planned": self.planned,
            "branch": self.branch,
            "rewards": self.rewards,
            "estimator": self.estimator,
            "advantages": self.advantages,
            "varied": self.varied,
            "success_rate": self.success_rate,
            "version": self.version,
            "staleness": {"steps": stale.steps, "mean": stale.mean, "most": stale.most},
        }
