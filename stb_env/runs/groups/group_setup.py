"""Groups on a cluster: each job is one, and all its trials are played at one worker."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from stb_env.core.request import adrive
from stb_env.errors import InfrastructureError
from stb_env.runs.cluster.worker_setup import WorkerSetup
from stb_env.runs.episode import unplayed
from stb_env.runs.groups.group import Group
from stb_env.runs.groups.trials import GroupJob, Trials, group
from stb_env.runs.groups.workers import Workers, forkable
from stb_env.runs.timing import Timing
from stb_env.trajectory import Trajectory


@dataclass(frozen=True)
class GroupSetup(WorkerSetup[GroupJob, Group]):
    """A worker that plays groups, ``concurrency`` trials at the same time.

    Attributes:
        trials: How each group is played.
        version: Tells, there, the version of the model of now; None keeps none.
    """

    trials: Trials = field(kw_only=True)
    version: Callable[[], int] | None = None

    @property
    def at_once(self) -> int:
        """Enough groups that trials of later ones fill the places of one whose last trial is slow."""
        return self.trials.ahead(self.concurrency)

    @property
    def unit(self) -> int:
        """One group: it is many episodes."""
        return 1

    def player(self, tell: Callable[[str], None]) -> Callable[[GroupJob], Awaitable[Group]]:
        """Return what plays a group; see `WorkerSetup`."""
        workers = Workers(
            forkable(self.make_env()),
            self.make_agent,
            concurrency=self.concurrency,
            version=self.version,
            remark=tell,
            deadlines=self.deadlines,
        )
        with workers.worker():
            pass  # what cannot be made is said now
        return lambda job: adrive(group(workers, self.trials, job))

    def written(self, played: Group) -> tuple[Group, list[str]]:
        """Return a group without its episodes, and those as lines."""
        return replace(played, episodes=()), [episode.to_json() for episode in played.episodes]

    def read(self, written: tuple[Group, list[str]]) -> Group:
        """Return a group with its episodes."""
        empty, lines = written
        return replace(empty, episodes=tuple(map(Trajectory.from_json, lines)))

    def given_up(self, job: GroupJob, failure: InfrastructureError) -> Group:
        """Return a group whose first trial failed before it was begun, so that the others were left out."""
        episode = unplayed(job.task_id, job.seed, job.before, failure)
        return Group(job.task_id, job.seed, (episode,), self.trials.k, timings=(Timing(0.0),))
