"""Runs functions in child processes, which the system stops where nothing else does.

Whoever runs foreign programs bounds them at the same step everywhere. What those bounds have forgotten ends
here: the system stops a child that computes or takes memory far beyond them.
"""

from __future__ import annotations

import atexit
import gc
import logging
import os
import pickle
import queue
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing import parent_process
from multiprocessing.connection import Connection
from typing import Any, Concatenate, NoReturn, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
Ask = Callable[[Any], object]
"""Asks the parent something, and returns its answer."""

_WALL_S = 120.0
"""Seconds that may pass while a child works and asks nothing."""
_MOST_CHILDREN = 8
# Replies of a child, and two words that are no pickles: of the template, and to a child.
_RETURNED, _TOLD, _FAILED, _ASKED = range(4)
_STOPPED, _ABANDONED = b"stopped", b"abandoned"
_LOG = logging.getLogger("stb_env.programs")


class StoppedError(Exception):
    """The system stopped the work: it took too long, or too much memory."""


class ChildEndedError(Exception):
    """The child ended in the middle of its work."""


class ChildFailedError(Exception):
    """The function raised something: a bug of ours.

    Args:
        text: Its traceback in the child.
    """


class _AbandonedError(BaseException):
    """Nobody waits for the work any longer."""


class Children:
    """Child processes of this one, each of which does one work after another.

    A template process without threads, started at the first work, forks a child for each core. A child that
    was stopped is forked anew. Work is done in this process where none can be forked (Windows), and where
    ``STB_PROGRAMS=inside`` says so. A process that is forked from this one starts children of its own.

    Args:
        seconds: Processor time that one work may take.
        memory: Bytes that a child may take besides those that it begins with.
        told: An exception that functions may raise, and that is raised here in turn.
    """

    def __init__(self, *, seconds: float, memory: int = 2**30, told: type[Exception] = StoppedError) -> None:
        self.seconds = seconds
        self._memory = memory
        self._told = told
        self._lock = threading.Lock()
        self._started: _Processes | None = None
        self._cannot = "" if hasattr(os, "fork") else "this system cannot fork"
        atexit.register(self.end)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forget)

    @property
    def template(self) -> int | None:
        """The process that forks them, once there is one; it leads their process group."""
        return self._started.template if self._started is not None else None

    def run(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function of a module in a child, with what can be pickled, and return what it returns.

        The template imports the module of the first one, so that children need not.

        Raises:
            StoppedError: It took too long, or too much memory.
            ChildEndedError: The child ended.
            ChildFailedError: The function raised something but ``told``.

        Examples:
            >>> Children(seconds=10).run(sum, [1, 2])
            3
        """
        processes = self._processes(function.__module__)
        if processes is None:
            return function(*args, **kwargs)
        done: T = self._done(processes, (function, args, kwargs, False, self._told), None)
        return done

    def converse(
        self, answer: Ask, function: Callable[Concatenate[Ask, P], T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Call a function in a child that asks this process for something in between; see `run`.

        Args:
            answer: Called here with each question. What it raises is raised from here, and ends the work.
            function: Called there, with a function that asks as its first argument.
            *args: Its further arguments.
            **kwargs: More of them.
        """
        processes = self._processes(function.__module__)
        if processes is None:
            return function(answer, *args, **kwargs)
        done: T = self._done(processes, (function, args, kwargs, True, self._told), answer)
        return done

    def _done(self, processes: _Processes, work: tuple[object, ...], answer: Ask | None) -> Any:
        connection = processes.free.get()
        # Whether nothing more comes from the child until it is asked to.
        idle = False
        try:
            connection.send_bytes(pickle.dumps(work))
            while True:
                reply = connection.recv_bytes()
                if reply == _STOPPED:
                    idle = True
                    raise StoppedError
                # Of our own child, which runs our own code.
                kind, value = pickle.loads(reply)  # noqa: S301
                if kind == _ASKED and answer is not None:
                    try:
                        answered = pickle.dumps(answer(value))
                    except BaseException:
                        connection.send_bytes(_ABANDONED)
                        idle = True
                        raise
                    connection.send_bytes(answered)
                    continue
                idle = True
                if kind == _FAILED:
                    raise ChildFailedError(value)
                if kind == _TOLD:
                    raise value
                return value
        except (EOFError, OSError) as error:
            if idle:
                raise
            raise ChildEndedError from error
        finally:
            if not idle:
                # Half an answer may be on its way: none of their connections is of more use.
                self.end(processes)
            # Whoever waits for one finds out that it is closed.
            processes.free.put(connection)

    def _processes(self, module: str) -> _Processes | None:
        if os.environ.get("STB_PROGRAMS") == "inside":
            return None
        if self._started is not None:
            return self._started
        with self._lock:
            if self._started is None and not self._cannot:
                try:
                    self._started = _Processes(module, self.seconds, self._memory)
                except (EOFError, OSError) as error:
                    self._cannot = str(error)
                    _LOG.warning(
                        "programs run in this process, without a second line behind their bounds: %s", error
                    )
            return self._started

    def end(self, processes: _Processes | None = None) -> None:
        """End them; the next work starts others.

        Args:
            processes: Those alone, where they have not ended since.
        """
        with self._lock:
            if self._started is not None and processes in (None, self._started):
                self._started.close()
                self._started = None

    def _forget(self) -> None:
        """Leave them to the process that this one was forked from, a thread of which may hold the lock."""
        self._lock = threading.Lock()
        if self._started is not None:
            # What is open here keeps them from ending.
            self._started.let_go()
            self._started = None


class _Processes:
    """A template process and the children that it keeps.

    Args:
        module: Imported before any is forked.
        seconds: Processor time that one work may take.
        memory: Bytes that a child may take besides.

    Raises:
        OSError: No process can be started.
        EOFError: The template ended before it had begun.
    """

    def __init__(self, module: str, seconds: float, memory: int) -> None:
        # A process among several needs no more than one.
        count = min(os.cpu_count() or 1, _MOST_CHILDREN) if parent_process() is None else 1
        pairs = [socket.socketpair() for _ in range(count)]
        theirs = [there.fileno() for _, there in pairs]
        # Nothing is ever sent here: that it closes is how they all know that this process has ended.
        self._alive, alive = socket.socketpair()
        code = (
            f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import keep; "
            f"keep({theirs}, {alive.fileno()}, {module!r}, {seconds}, {memory})"
        )
        self._process = subprocess.Popen(  # noqa: S603 (this interpreter, and code of ours)
            [sys.executable, "-c", code],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[*theirs, alive.fileno()],
            # What stops this process with Ctrl-C may go on with it for a moment.
            start_new_session=True,
            # A process with threads cannot be forked safely, and arrays of programs are small.
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        )
        self.template = self._process.pid
        # The last one to become free is the next, since it is the warmest.
        self.free: queue.LifoQueue[Connection] = queue.LifoQueue()
        self._all = [Connection(here.detach()) for here, _ in pairs]
        for there in (alive, *(there for _, there in pairs)):
            there.close()
        for connection in self._all:
            unbounded = connection.recv_bytes().decode()
            self.free.put(connection)
        if unbounded:
            _LOG.warning("nothing bounds the memory of programs besides their own bounds: %s", unbounded)

    def let_go(self) -> None:
        """Close this process's ends of the connections."""
        self._alive.close()
        for connection in self._all:
            connection.close()

    def close(self) -> None:
        """End them all, those at work too."""
        self.let_go()
        self._process.terminate()
        self._process.wait()


def keep(ends: Sequence[int], alive: int, module: str, seconds: float, memory: int) -> None:
    """Keep a child at each end of a connection until the other end is closed; the work of the template.

    Args:
        ends: File descriptors of the ends.
        alive: One whose other end is closed when the process that asks has ended.
        module: Imported before any child is forked.
        seconds: Processor time that one work may take.
        memory: Bytes that a child may take besides.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with(alive)
    connections = [Connection(end) for end in ends]
    __import__(module)
    gc.collect()
    gc.freeze()
    unbounded = _limit(memory)
    for connection in connections:
        connection.send_bytes(unbounded.encode())

    def forked(connection: Connection) -> int:
        pid = os.fork()
        if not pid:
            _begin(connection, connections, seconds)
        return pid

    kept = {forked(connection): connection for connection in connections}
    while kept:
        pid, status = os.wait()
        connection = kept.pop(pid)
        if not os.WIFSIGNALED(status):
            # It has no more to do, or has ended itself: whoever waits for it reads that it is gone.
            connection.close()
            continue
        if os.WTERMSIG(status) not in (signal.SIGPROF, signal.SIGALRM):
            # Half an answer may be on its way: the connection is of no more use.
            for other in kept:
                os.kill(other, signal.SIGKILL)
            return
        connection.send_bytes(_STOPPED)
        kept[forked(connection)] = connection


def _begin(mine: Connection, connections: Sequence[Connection], seconds: float) -> NoReturn:
    """Begin as a child, and end as one."""
    try:
        for other in connections:
            if other is not mine:
                other.close()
        # What fails is told to whoever waits; an interpreter would write of each program it stops.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        _work(mine, seconds)
    finally:
        os._exit(0)


def _end_with(alive: int) -> None:
    """End this process and its children, whatever they are at, when the other end of a connection closes.

    The system sends the signal SIGIO then, to all of this process group; where it cannot, a child ends with
    the work that it does.
    """
    import fcntl  # not on every system

    with suppress(AttributeError, OSError):
        fcntl.fcntl(alive, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(alive, fcntl.F_SETFL, fcntl.fcntl(alive, fcntl.F_GETFL) | os.O_ASYNC)


def _limit(memory: int) -> str:
    """Bound the memory of this process and its children, a lower bound of the system's kept.

    Returns:
        Why nothing bounds it; empty where something does.
    """
    import resource  # not on every system

    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            begun = int(file.read().split()[0]) * resource.getpagesize()
        set_before = resource.getrlimit(resource.RLIMIT_AS)
        most = min([begun + memory, *(each for each in set_before if each != resource.RLIM_INFINITY)])
        resource.setrlimit(resource.RLIMIT_AS, (most, set_before[1]))
    except (OSError, ValueError) as error:
        # Another system than Linux.
        return str(error) or type(error).__name__
    return ""


def _work(connection: Connection, seconds: float) -> NoReturn:
    """Do work until there is no more; what takes too long is ended by the system, whatever it is at."""

    def ask(question: object) -> object:
        signal.setitimer(signal.ITIMER_REAL, 0)
        connection.send_bytes(pickle.dumps((_ASKED, question)))
        answer = connection.recv_bytes()
        signal.setitimer(signal.ITIMER_REAL, _WALL_S)
        if answer == _ABANDONED:
            raise _AbandonedError
        said: object = pickle.loads(answer)  # noqa: S301 (of the process that started this one)
        return said

    while True:
        work = connection.recv_bytes()
        signal.setitimer(signal.ITIMER_PROF, seconds)
        signal.setitimer(signal.ITIMER_REAL, _WALL_S)
        try:
            reply = _reply(work, ask)
        except _AbandonedError:
            reply = b""
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        if reply:
            connection.send_bytes(reply)


def _reply(work: bytes, ask: Ask) -> bytes:
    told: type[Exception] = StoppedError
    try:
        # Of the process that started this one.
        function, args, kwargs, asks, told = pickle.loads(work)  # noqa: S301
        return pickle.dumps((_RETURNED, function(*([ask] if asks else []), *args, **kwargs)))
    except MemoryError:
        return _STOPPED
    except Exception as error:  # noqa: BLE001 (it is told where the work was asked for)
        if isinstance(error, told):
            return pickle.dumps((_TOLD, error))
        return pickle.dumps((_FAILED, traceback.format_exc()))
