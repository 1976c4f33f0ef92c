"""Plays the jobs of a batch on the workers of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

from stb_env import __version__
from stb_env.core.interrupts import passing
from stb_env.core.jsontypes import JsonObject
from stb_env.errors import ConfigError, DataError, InfrastructureError, RunStopped, STBError, StorageError
from stb_env.runs.cluster.leases import DEATHS, Leases
from stb_env.runs.cluster.worker_setup import WorkerSetup
from stb_env.runs.episode import unplayed
from stb_env.runs.job import Job
from stb_env.runs.players import Timed
from stb_env.runs.timing import Timing
from stb_env.trajectory import Trajectory

Ticket: TypeAlias = Hashable
"""What stands for an answer that is still to come."""

_ERRORS: dict[str, type[STBError]] = {
    error.__name__: error for error in (ConfigError, DataError, RunStopped, StorageError)
}
_STILLBORN = 3
"""Workers in a row that may be lost before they play, for each worker that there is to be."""


class WorkerLost(Exception):
    """A worker ended before it answered."""


class Machines(Protocol):
    """Workers of a cluster: each is a `ClusterWorker`, asked through tickets."""

    def hire(self) -> object:
        """Start a worker; it may take a while until it answers."""
        ...

    def ask(self, worker: object, method: str, *args: object) -> Ticket:
        """Call an asynchronous method of a worker."""
        ...

    def ready(self, tickets: Sequence[Ticket], seconds: float | None) -> Sequence[Ticket]:
        """Wait until something has come for at least one ticket, and return the tickets with an answer."""
        ...

    def answer(self, ticket: Ticket) -> JsonObject:
        """Return the answer of a ticket that is ready.

        Raises:
            WorkerLost: The worker is gone.
        """
        ...

    def pack(self, setup: WorkerSetup) -> object:
        """Return what `ask` takes for the setup of all workers."""
        ...

    def shortage(self) -> str:
        """Say what is missing where no worker starts."""
        ...

    def close(self) -> None:
        """End all workers."""
        ...


@dataclass(slots=True)
class _Hand:
    """A worker as its employer sees it."""

    name: str
    worker: Any
    stage: Literal["about", "begin", "work"]
    ticket: Ticket


class ClusterPlayers:
    """Plays jobs on workers that may be lost: their jobs go to others, and no episode counts twice.

    Args:
        machines: Where workers run.
        setup: What each worker is given.
        jobs: The jobs.
        workers: How many workers.
        unit: How many jobs a worker is given at once.
        patience: Seconds in which the first worker must start.
        remark: Told of bugs of the agent's, each as often as it happens.
    """

    def __init__(
        self,
        machines: Machines,
        setup: WorkerSetup,
        jobs: list[Job],
        *,
        workers: int,
        unit: int,
        patience: float,
        remark: Callable[[str], None],
    ) -> None:
        self._machines, self._setup, self._jobs, self._remark = machines, setup, jobs, remark
        self._packed = machines.pack(setup)
        self._wanted = min(workers, len(jobs))
        self._patience = patience
        self._leases = Leases(len(jobs), unit=unit)
        self._hands: dict[Ticket, _Hand] = {}
        self._waiting: list[_Hand] = []
        self._hired = self._stillborn = 0
        self._ended: list[Timed] = []
        self._error: STBError | None = None
        self._open = len(jobs)

    def take(self) -> list[Timed]:
        """Wait for an episode to end; see `Players`.

        Raises:
            ConfigError: A worker plays another version or other data, or cannot make what is to be played.
            RunStopped: No worker starts.
        """
        while self._open and not (self._ended or self._error):
            self._turn()
        if not self._ended and self._error is not None:
            raise self._error
        return self._taken()

    def stop(self) -> list[Timed]:
        """End the workers; see `Players`. Episodes that have arrived by now are among what is returned."""
        try:
            for ticket in self._machines.ready(list(self._hands), 0) if self._hands else ():
                hand = self._hands.pop(ticket)
                if hand.stage == "work":
                    self._receive_last(hand, ticket)
        finally:
            self._machines.close()
        return self._taken()

    def _taken(self) -> list[Timed]:
        ended, self._ended = self._ended, []
        return ended

    def _receive_last(self, hand: _Hand, ticket: Ticket) -> None:
        try:
            self._receive(hand, self._machines.answer(ticket))
        except WorkerLost:
            return

    def _turn(self) -> None:
        """Hire who is missing, give jobs to who has room, and hear what one of them has to say."""
        while len(self._hands) + len(self._waiting) < self._wanted:
            self._hire()
        waiting, self._waiting = self._waiting, []
        for hand in waiting:
            self._go_on(hand)
        with passing():
            ready = self._machines.ready(list(self._hands), self._patience if self._leases.idle else None)
        if not ready:
            raise RunStopped(
                f"no worker has started within {self._patience:g} s; {self._machines.shortage()}; what is "
                "saved stays, and the same command goes on"
            )
        for ticket in ready:
            self._hear(self._hands.pop(ticket), ticket)

    def _hire(self) -> None:
        self._hired += 1
        worker = self._machines.hire()
        ticket = self._machines.ask(worker, "about")
        self._hands[ticket] = _Hand(f"worker {self._hired}", worker, "about", ticket)

    def _hear(self, hand: _Hand, ticket: Ticket) -> None:
        try:
            told = self._machines.answer(ticket)
        except WorkerLost as error:
            self._lose(hand, error)
            return
        if hand.stage == "about":
            _check_version(told)
            self._ask(hand, "begin", self._packed)
            return
        if hand.stage == "begin":
            if "error" in told:
                raise _error(*told["error"])
            self._stillborn = 0
        else:
            self._receive(hand, told)
        self._go_on(hand)

    def _go_on(self, hand: _Hand) -> None:
        held = self._leases.held(hand.name)
        most = self._setup.concurrency + self._leases.unit
        numbers: list[int] = []
        # A unit at a time, and no more before most of the last one is played.
        while held + len(numbers) <= self._setup.concurrency:
            room = most - held - len(numbers)
            more = self._leases.lease(hand.name, room, workers=self._wanted)
            if not more:
                break
            numbers += more
        if held or numbers:
            self._ask(hand, "work", [(number, self._jobs[number]) for number in numbers])
        else:
            self._waiting.append(hand)

    def _ask(self, hand: _Hand, stage: Literal["begin", "work"], *args: object) -> None:
        hand.stage, hand.ticket = stage, self._machines.ask(hand.worker, stage, *args)
        self._hands[hand.ticket] = hand

    def _receive(self, hand: _Hand, told: JsonObject) -> None:
        for number, line, timing in told["episodes"]:
            if self._leases.returned(hand.name, number):
                self._ended.append((Trajectory.from_json(line), timing))
                self._open -= 1
        for number, kind, message in told["errors"]:
            if self._leases.returned(hand.name, number):
                self._error = self._error or _error(kind, message)
                self._open -= 1
        for text in told["remarks"]:
            self._remark(text)
        if self._setup.link is not None and told.get("news"):
            self._setup.link.deliver(told["news"])

    def _lose(self, hand: _Hand, error: WorkerLost) -> None:
        if hand.stage != "work":
            self._stillborn += 1
            if self._stillborn >= _STILLBORN * self._wanted:
                raise RunStopped(f"{self._stillborn} workers in a row ended before they played: {error}")
        for number in self._leases.lost(hand.name):
            self._ended.append((_given_up(self._jobs[number]), Timing(0.0)))
            self._open -= 1


def _check_version(told: Mapping[str, object]) -> None:
    if told["stb_env"] != __version__:
        raise ConfigError(
            f"a worker has stb_env {told['stb_env']}, expected {__version__} as here; install "
            f"stb-env=={__version__} on every machine of the cluster"
        )


def _error(kind: str, message: str) -> STBError:
    return _ERRORS.get(kind, RunStopped)(message)


def _given_up(job: Job) -> Trajectory:
    """Return the episode of a job that nobody lives to play."""
    failure = InfrastructureError(
        f"{DEATHS} workers were lost while they played this episode, the last one while it played nothing "
        "else; look at what the agent or its tools do to the process",
        stage="agent",
    )
    return unplayed(job.task_id, job.seed, job.trial, failure)
