"""Options of playing a run: how many episodes at the same time, for how long, and on which machines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from typing_extensions import Doc

from stb_env.core.kinds import AtLeast
from stb_env.core.options import Concurrency
from stb_env.errors import ConfigError
from stb_env.runs.cluster import RayCluster
from stb_env.runs.deadlines import Deadlines
from stb_env.runs.failure_limit import STOP_AFTER


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeOptions:
    """Time limits in seconds; see `Deadlines`.

    Raises:
        ConfigError: One is not above 0.

    Examples:
        >>> TimeOptions(step_timeout=30.0).deadlines
        Deadlines(call=None, step=30.0, episode=None)
    """

    call_timeout: Annotated[
        float | None, Doc("Seconds for one question to a model, backend, judge or user.")
    ] = None
    step_timeout: Annotated[float | None, Doc("Seconds for a decision with all that follows from it.")] = None
    episode_timeout: Annotated[
        float | None, Doc("Seconds for an episode; one that is cut off can be played again.")
    ] = None

    def __post_init__(self) -> None:
        # Refused before anything is played.
        _ = self.deadlines

    @property
    def deadlines(self) -> Deadlines:
        """The times as deadlines."""
        return Deadlines(call=self.call_timeout, step=self.step_timeout, episode=self.episode_timeout)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayOptions(TimeOptions):
    """Settings of playing a run, on each machine."""

    concurrency: Concurrency = 1
    stop_after: Annotated[
        int, Doc("End the run after so many equal failures in a row; 0 never."), AtLeast(0)
    ] = STOP_AFTER


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterOptions:
    """On which machines episodes are played.

    Examples:
        >>> ClusterOptions().cluster() is None
        True
        >>> ClusterOptions(workers=4).cluster()
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: --workers says how many processes of a cluster play; add --ray local
    """

    ray: Annotated[
        str | None,
        Doc("Play on a cluster of Ray: HOST:PORT, or auto on a machine of it; local starts one here."),
    ] = None
    workers: Annotated[
        int | None,
        Doc("With --ray: processes that play, --concurrency episodes each; 2 where not given."),
        AtLeast(1),
    ] = None

    def cluster(self) -> RayCluster | None:
        """Return the cluster, or None where this process plays.

        Raises:
            ConfigError: A number of workers was given without a cluster.
        """
        if self.ray is not None:
            return RayCluster(self.ray, workers=self.workers or 2)
        if self.workers is not None:
            raise ConfigError("--workers says how many processes of a cluster play; add --ray local")
        return None
