"""A cluster of Ray as a place where workers play."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, fields
from typing import Any

from stb_env import __version__
from stb_env.core.jsontypes import JsonObject
from stb_env.errors import ConfigError
from stb_env.runs.cluster.players import ClusterPlayers, Ticket, WorkerLost
from stb_env.runs.cluster.worker import ClusterWorker
from stb_env.runs.cluster.worker_setup import JobT, PlayedT, WorkerSetup

LOCAL, AUTO = "local", "auto"
_STORE_BYTES = 100_000_000
"""Shared memory of a Ray that is started here: what travels is a line of text an episode."""

_KNOCKING = 5
"""Seconds in which a machine must take a connection."""

_PARTING = 2
"""Seconds that workers have to put their things away."""


@dataclass(frozen=True, slots=True)
class RayCluster:
    """Machines that play a run together, joined by Ray; needs the extra ``stb-env[ray]``.

    Each worker is a process that plays ``concurrency`` episodes at the same time, as many as `run_batch` is
    told. Workers make environments and agents themselves, from what `run_batch` is given; keys of models come
    from their own environment variables.

    Attributes:
        address: Address of a cluster (``HOST:PORT``, or ``auto`` on a machine of it); ``local`` starts one
            here for as long as the run takes. Where this process is connected already, that is used.
        workers: How many workers.
        unit: Jobs that a worker is given at once.
        cpus: Cores that Ray sets aside for a worker.
        patience: Seconds in which the first worker must start.

    Raises:
        ConfigError: A number is out of range.

    Examples:
        >>> RayCluster(workers=0)
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: workers must be at least 1, got 0
    """

    address: str = LOCAL
    workers: int = 2
    unit: int = 8
    cpus: float = 1
    patience: float = 120

    def __post_init__(self) -> None:
        if not self.address:
            raise ConfigError("a cluster has an address, HOST:PORT, or is 'local'; got ''")
        if self.address.startswith("ray://"):
            raise ConfigError(
                f"{self.address} is an address of Ray's client, which is not used here; give the command on "
                "a machine of the cluster (or with `ray job submit`), with the cluster's HOST:PORT or auto"
            )
        for name in ("workers", "unit"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} must be at least 1, got {getattr(self, name)}")
        for name in ("cpus", "patience"):
            if not getattr(self, name) > 0:
                raise ConfigError(f"{name} must be above 0, got {getattr(self, name):g}")

    @contextmanager
    def joined(self) -> Iterator[None]:
        """Stay connected within the block, for several runs that would each connect anew.

        Raises:
            ConfigError: Ray is not installed, or no cluster is at the address.
        """
        with closing(RayMachines(self)):
            yield

    def players(
        self,
        setup: WorkerSetup[JobT, PlayedT],
        jobs: Iterable[JobT],
        remark: Callable[[str], None],
        *,
        ordered: bool = False,
    ) -> ClusterPlayers[JobT, PlayedT]:
        """Connect, and return what plays the jobs there.

        Args:
            setup: What each worker is given.
            jobs: The jobs.
            remark: Told of bugs of the agent's.
            ordered: Whether what ends before an earlier job waits for it.

        Raises:
            ConfigError: Ray is not installed, no cluster is at the address, or something cannot travel.
        """
        machines = RayMachines(self)
        try:
            return ClusterPlayers(
                machines,
                setup,
                jobs,
                workers=self.workers,
                unit=setup.unit or self.unit,
                patience=self.patience,
                remark=remark,
                ordered=ordered,
            )
        except BaseException:
            machines.close()
            raise


class RayMachines:
    """The workers of one run on a cluster of Ray; see `Machines`.

    Args:
        cluster: The cluster.

    Raises:
        ConfigError: Ray is not installed, or no cluster is at the address.
    """

    def __init__(self, cluster: RayCluster) -> None:
        self._cluster = cluster
        self._ray = _ray()
        self._connected = not self._ray.is_initialized()
        if self._connected:
            self._connect()
        self._actor = self._ray.remote(ClusterWorker).options(
            num_cpus=cluster.cpus, max_restarts=0, max_task_retries=0
        )
        self._hired: list[Any] = []

    def hire(self) -> object:
        """Start a worker."""
        self._hired.append(self._actor.remote())
        return self._hired[-1]

    def ask(self, worker: object, method: str, *args: object) -> Ticket:
        """Call a method of a worker."""
        ticket: Ticket = getattr(worker, method).remote(*args)
        return ticket

    def ready(self, tickets: Sequence[Ticket], seconds: float | None) -> Sequence[Ticket]:
        """Wait for an answer, and return the tickets of all that are there."""
        found, others = self._ray.wait(list(tickets), timeout=seconds)
        if not others or not found:
            return list(found)
        also, _ = self._ray.wait(others, num_returns=len(others), timeout=0)
        return [*found, *also]

    def answer(self, ticket: Ticket) -> JsonObject:
        """Return an answer.

        Raises:
            ConfigError: The worker has not got this package.
            WorkerLost: The worker is gone, or what it answered is.
        """
        try:
            told: JsonObject = self._ray.get(ticket)
        except self._ray.exceptions.RayError as error:
            if "ModuleNotFoundError: No module named 'stb_env" in str(error):
                raise ConfigError(
                    f"a worker cannot import this package, expected version {__version__}; install "
                    f"stb-env=={__version__} on every machine of the cluster"
                ) from None
            # Its text tells of Ray's own state in many lines; the class says what happened.
            raise WorkerLost(type(error).__name__) from error
        return told

    def pack(self, setup: WorkerSetup[object, object]) -> object:
        """Send to the cluster what every worker takes.

        Raises:
            ConfigError: Something of it cannot travel; the message says what.
        """
        for name in (field.name for field in fields(setup)):
            part = getattr(setup, name)
            try:
                self._ray.cloudpickle.dumps(part)
            except Exception as error:
                # Objects may raise anything when they are asked to travel.
                raise ConfigError(
                    f"{name} cannot travel to other machines: it is {part!r:.80}, and {error!s:.200}; give a "
                    "function of a module, or a functools.partial of one with plain arguments, that makes "
                    "what is needed there"
                ) from error
        return self._ray.put(setup)

    def shortage(self) -> str:
        """Say how many cores a worker asks for, and how many there are."""
        cores, free = (
            found.get("CPU", 0) for found in (self._ray.cluster_resources(), self._ray.available_resources())
        )
        return f"each asks for {self._cluster.cpus:g} cores, and the cluster has {free:g} of {cores:g} free"

    def close(self) -> None:
        """End the workers, and the connection where it was made here."""
        parting = [worker.close.remote() for worker in self._hired]
        if parting:
            self._ray.wait(parting, num_returns=len(parting), timeout=_PARTING)
        for worker in self._hired:
            self._ray.kill(worker)
        if self._connected:
            self._ray.shutdown()

    def _connect(self) -> None:
        # Nothing is reported to anybody unless the user says so.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        options: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}
        if self._cluster.address == LOCAL:
            cores = max(1, round(self._cluster.workers * self._cluster.cpus))
            options |= {
                "num_cpus": cores,
                "object_store_memory": _STORE_BYTES,
                "include_dashboard": False,
                # Ray's own is 15: beside anything else that computes, such workers hardly come to play.
                "_system_config": {"worker_niceness": 0},
            }
        if self._cluster.address == AUTO:
            _knock_where_auto_leads()
        else:
            _knock(self._cluster.address)
        try:
            self._ray.init(address=self._cluster.address, **options)
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise ConfigError(
                f"no cluster answers at {self._cluster.address!r} ({error!s:.200}); start one there with "
                "`ray start --head`, or give local; one that asks for a token wants RAY_AUTH_MODE=token here"
            ) from error
        except Exception as error:
            # Ray has no class for it; on a machine that is busy its processes may miss their time.
            if "timed out during startup" not in str(error):
                raise
            raise ConfigError(
                "Ray was not up in the half minute that it gives itself; this machine is busy or short of "
                "memory: give the same command again, or the address of a Ray that is up"
            ) from error


def _knock_where_auto_leads() -> None:
    """Say within seconds that the cluster is gone that the environment or Ray's own note names."""
    try:
        from ray._private.services import get_ray_address_from_environment
    except ImportError:
        # Not public: a Ray without it tries for itself.
        return
    try:
        found = get_ray_address_from_environment(AUTO, None)
    except ConnectionError as error:
        raise ConfigError(
            "auto finds no cluster on this machine; start one with `ray start --head`, set RAY_ADDRESS to "
            "HOST:PORT of one, or give local"
        ) from error
    try:
        _knock(found)
    except ConfigError as error:
        source = "RAY_ADDRESS" if os.environ.get("RAY_ADDRESS") else "Ray's file ray_current_cluster"
        raise ConfigError(f"auto goes where {source} says, and {error}") from error


def _knock(address: str) -> None:
    """Say within seconds that nobody is at an address; Ray itself tries for minutes."""
    host, colon, port = address.rpartition(":")
    if not colon:
        return
    if not (host and port.isascii() and port.isdigit() and int(port) < 65536):
        raise ConfigError(f"the address of a cluster is HOST:PORT, auto or local, got {address!r}")
    try:
        socket.create_connection((host, int(port)), timeout=_KNOCKING).close()
    except OSError as error:
        raise ConfigError(
            f"no cluster answers at {address!r} ({error.strerror or error}); start one there with "
            "`ray start --head`, or give local"
        ) from error


def _ray() -> Any:
    try:
        import ray
        import ray.cloudpickle
        import ray.exceptions
    except ImportError as error:
        raise ConfigError("a cluster needs Ray: pip install 'stb-env[ray]'") from error
    return ray
