"""Jobs of a run: one job an episode, each with the seed that follows from task and trial."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stb_env.errors import ConfigError
from stb_env.seeding import derive
from stb_env.tasks import TaskSource


@dataclass(frozen=True, slots=True)
class Job:
    """One episode to play.

    Attributes:
        task_id: The task.
        trial: Which repetition of the task it is.
        seed: Seed of the episode and of the agent.

    Examples:
        >>> from stb_env import Job
        >>> Job("588", trial=0, seed=7).key
        ('588', 0, 7)
    """

    task_id: str
    trial: int
    seed: int

    @property
    def key(self) -> tuple[str, int, int]:
        """Its identity in a run."""
        return self.task_id, self.trial, self.seed


def plan(
    tasks: TaskSource,
    *,
    episodes: int | None,
    trials: int = 1,
    seed: int = 0,
    only: Sequence[str] | None = None,
) -> list[Job]:
    """List the episodes of a run in task order; an episode's seed follows from (seed, task, trial).

    Args:
        tasks: Where tasks come from.
        episodes: How many tasks; None for all of them.
        trials: How often each is played.
        seed: Seed of the run.
        only: Ids of the tasks to play, in their order, in place of the first ones.

    Raises:
        ConfigError: A number is out of range, or ``episodes`` and ``only`` are both given.
        DataError: There is no task of such an id.

    Examples:
        >>> from stb_env import plan
        >>> from stb_env.testing.notes import notes
        >>> [(job.task_id, job.trial) for job in plan(notes().tasks, episodes=2, trials=2)]
        [('day', 0), ('day', 1), ('write', 0), ('write', 1)]
    """
    if trials < 1 or (episodes is not None and episodes < 1):
        raise ConfigError(f"episodes and trials must be at least 1, got {episodes} and {trials}")
    if only is not None:
        if episodes is not None:
            raise ConfigError("name the tasks to play or say how many, not both: --task or --episodes")
        ids = [tasks.get(task_id).id for task_id in dict.fromkeys(only)]
        return [Job(one, trial, derive(seed, one, trial)) for one in ids for trial in range(trials)]
    if episodes is None and tasks.size is None:
        raise ConfigError(f"{tasks.name} generates tasks without end; say how many with --episodes N")
    count = tasks.size if episodes is None else episodes
    if tasks.size is not None:
        count = min(count or 0, tasks.size)
    return [
        Job(task_id, trial, derive(seed, task_id, trial))
        for task_id in (tasks.at(index).id for index in range(count or 0))
        for trial in range(trials)
    ]
