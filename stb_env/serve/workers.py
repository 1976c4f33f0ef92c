"""Processes that share a listening socket, and each do the same work."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess

from prometheus_client.multiprocess import mark_process_dead

from stb_env.errors import RunStopped
from stb_env.serve.operations.metrics import SHARED
from stb_env.serve.settings import ServeSettings

_LOOK = 0.2
_YOUNG = 5.0
_LOG = logging.getLogger("stb_env.serve")

Work = Callable[[ServeSettings, socket.socket], None]


class Workers:
    """Starts processes, replaces those that die, and stops them all.

    Args:
        work: What each does; a function of a module.
        settings: Handed to it.
        listener: Handed to it.
    """

    def __init__(self, work: Work, settings: ServeSettings, listener: socket.socket) -> None:
        self._work, self._settings, self._listener = work, settings, listener
        self._context = multiprocessing.get_context("spawn")
        self._alive: dict[SpawnProcess, float] = {}
        self._stopping = False

    def run(self) -> None:
        """Keep as many processes as the settings say until told to stop.

        Raises:
            RunStopped: One died as soon as it was started: the next would too.
        """
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        with tempfile.TemporaryDirectory(prefix="stb-metrics-") as folder:
            os.environ.setdefault(SHARED, folder)
            try:
                for _ in range(self._settings.workers):
                    self._start()
                while not self._stopping:
                    wait([process.sentinel for process in self._alive], timeout=_LOOK)
                    self._replace()
            finally:
                self._end()

    def _start(self) -> None:
        process = self._context.Process(target=_watched, args=(self._work, self._settings, self._listener))
        process.start()
        self._alive[process] = time.monotonic()

    def _stop(self, *_: object) -> None:
        self._stopping = True

    def _replace(self) -> None:
        for process in [process for process in self._alive if not process.is_alive()]:
            age = time.monotonic() - self._alive.pop(process)
            self._forget(process)
            if self._stopping:
                return
            if age < _YOUNG:
                raise RunStopped(
                    f"a worker ended with {process.exitcode} as soon as it began; its log says why"
                )
            _LOG.warning("worker died", extra={"fields": {"exit": process.exitcode}})
            self._start()

    def _end(self) -> None:
        for process in self._alive:
            process.terminate()
        until = time.monotonic() + self._settings.limits.drain + _YOUNG
        for process in self._alive:
            process.join(max(0.0, until - time.monotonic()))
            if process.is_alive():
                process.kill()
                process.join()
            self._forget(process)

    def _forget(self, process: SpawnProcess) -> None:
        mark_process_dead(process.pid)  # type: ignore[no-untyped-call] # as published


def _watched(work: Work, settings: ServeSettings, listener: socket.socket) -> None:
    """Work until told to stop, or until the process that would tell is gone."""
    threading.Thread(target=_outlived, daemon=True).start()
    work(settings, listener)


def _outlived() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
