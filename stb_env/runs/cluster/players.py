"""Plays the jobs of a batch on the workers of a cluster."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, Literal, Protocol, TypeAlias

from stb_env import __version__
from stb_env.core.background import ended_in_thread
from stb_env.core.interrupts import passing, remind
from stb_env.core.jsontypes import JsonObject
from stb_env.core.request import Request, Slow, adrive, drive
from stb_env.errors import ConfigError, DataError, InfrastructureError, RunStopped, STBError, StorageError
from stb_env.runs.cluster.leases import DEATHS, Leases
from stb_env.runs.cluster.worker_setup import JobT, PlayedT, WorkerSetup

Ticket: TypeAlias = Hashable
"""What stands for an answer that is still to come."""

_ERRORS: dict[str, type[STBError]] = {
    error.__name__: error for error in (ConfigError, DataError, RunStopped, StorageError)
}
_STILLBORN = 3
"""Workers in a row that may be lost before they play, for each worker that there is to be."""

_LISTENING = 0.1
"""Seconds for which a thread waits for workers on behalf of an event loop, which may end it in between."""


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

    def pack(self, setup: WorkerSetup[Any, Any]) -> object:
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


class ClusterPlayers(Generic[JobT, PlayedT]):
    """Plays jobs on workers that may be lost: their jobs go to others, and none of them counts twice.

    Args:
        machines: Where workers run.
        setup: What each worker is given.
        jobs: The jobs; drawn as they are needed, so that there may be no end of them.
        workers: How many workers.
        unit: How many jobs a worker is given at once.
        patience: Seconds in which the first worker must start.
        remark: Told of bugs of the agent's, each as often as it happens.
        ordered: Whether what ends before an earlier job waits for it.
    """

    def __init__(
        self,
        machines: Machines,
        setup: WorkerSetup[JobT, PlayedT],
        jobs: Iterable[JobT],
        *,
        workers: int,
        unit: int,
        patience: float,
        remark: Callable[[str], None],
        ordered: bool = False,
    ) -> None:
        self._machines, self._setup, self._remark = machines, setup, remark
        self._packed = machines.pack(setup)
        self._patience, self._ordered = patience, ordered
        self._leases = Leases(0, unit=unit)
        # The most that a worker holds at a time.
        self._most = setup.at_once + unit
        # Twice what all hold: until the last jobs are drawn, each worker has its part before it.
        self._ahead = 2 * workers * self._most
        self._source, self._jobs = iter(jobs), list[JobT]()
        self._hands: dict[Ticket, _Hand] = {}
        self._waiting: list[_Hand] = []
        self._hired = self._stillborn = self._handed = 0
        self._ended: dict[int, PlayedT] = {}
        self._error: STBError | None = None
        self._open = 0
        self._draw()
        self._wanted = min(workers, self._open)

    def take(self) -> list[PlayedT]:
        """Wait for a job to end; see `Players`.

        Raises:
            ConfigError: A worker plays another version or other data, or cannot make what is to be played.
            RunStopped: No worker starts.
        """
        return drive(self._taking())

    async def atake(self) -> list[PlayedT]:
        """Wait for a job to end on the event loop that runs; see `take`."""
        return await adrive(self._taking())

    def stop(self) -> list[PlayedT]:
        """End the workers; see `Players`. What has arrived by now is among what is returned."""
        try:
            for ticket in self._machines.ready(list(self._hands), 0) if self._hands else ():
                hand = self._hands.pop(ticket)
                if hand.stage == "work":
                    self._receive_last(hand, ticket)
        finally:
            self._machines.close()
        self._ordered = False
        return self._taken()

    def _taking(self) -> Slow[list[PlayedT]]:
        while True:
            self._draw()
            if taken := self._taken():
                return taken
            if self._error is not None:
                raise self._error
            if not self._open:
                return []
            yield from self._turn()

    def _draw(self) -> None:
        """Draw so many jobs that no worker waits for them."""
        drawn = list(islice(self._source, max(0, self._ahead - self._open - len(self._ended))))
        self._jobs += drawn
        self._leases.add(len(drawn))
        self._open += len(drawn)

    def _taken(self) -> list[PlayedT]:
        """Hand out what has ended."""
        taken = []
        while self._ended:
            number = self._handed if self._ordered else next(iter(self._ended))
            if number not in self._ended:
                break
            taken.append(self._ended.pop(number))
            self._handed += 1
        return taken

    def _receive_last(self, hand: _Hand, ticket: Ticket) -> None:
        try:
            self._receive(hand, self._machines.answer(ticket))
        except WorkerLost:
            return

    def _turn(self) -> Slow[None]:
        """Hire who is missing, give jobs to who has room, and hear what one of them has to say."""
        while len(self._hands) + len(self._waiting) < self._wanted:
            self._hire()
        waiting, self._waiting = self._waiting, []
        for hand in waiting:
            self._go_on(hand)
        ready: Sequence[Ticket] = yield Request(run=self._listen, arun=self._alisten)
        if not ready:
            raise RunStopped(
                f"no worker has started within {self._patience:g} s; {self._machines.shortage()}; what is "
                "saved stays, and the same command goes on"
            )
        for ticket in ready:
            self._hear(self._hands.pop(ticket), ticket)

    def _listen(self) -> Sequence[Ticket]:
        """Wait for a worker; nothing comes where none has started in time."""
        begun, tickets = time.monotonic(), list(self._hands)
        with passing():
            while not (ready := self._machines.ready(tickets, _LISTENING)) and not self._waited(begun):
                remind()
            return ready

    async def _alisten(self) -> Sequence[Ticket]:
        begun, tickets = time.monotonic(), list(self._hands)
        ready: Sequence[Ticket] = ()
        while not ready and not self._waited(begun):
            ready = await ended_in_thread(lambda: self._machines.ready(tickets, _LISTENING))
        return ready

    def _waited(self, begun: float) -> bool:
        """Return whether no worker has started for as long as one is waited for."""
        return self._leases.idle and time.monotonic() - begun > self._patience

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
        numbers: list[int] = []
        # A unit at a time, and no more before most of the last one is played.
        while held + len(numbers) <= self._setup.at_once:
            room = self._most - held - len(numbers)
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
        for number, written in told["played"]:
            if self._leases.returned(hand.name, number):
                self._end(number, self._setup.read(written))
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
            self._end(number, self._setup.given_up(self._jobs[number], _deadly()))

    def _end(self, number: int, played: PlayedT) -> None:
        self._ended[number] = played
        self._open -= 1


def _check_version(told: Mapping[str, object]) -> None:
    if told["stb_env"] != __version__:
        raise ConfigError(
            f"a worker has stb_env {told['stb_env']}, expected {__version__} as here; install "
            f"stb-env=={__version__} on every machine of the cluster"
        )


def _error(kind: str, message: str) -> STBError:
    return _ERRORS.get(kind, RunStopped)(message)


def _deadly() -> InfrastructureError:
    """Return what is said of a job that nobody lives to play."""
    return InfrastructureError(
        f"{DEATHS} workers were lost while they played this episode, the last one while it played nothing "
        "else; look at what the agent or its tools do to the process",
        stage="agent",
    )
