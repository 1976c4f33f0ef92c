"""Runs programs in a child process that is watched: the second line behind the budget.

The budget ends whatever it has a charge for, at the same step everywhere. What it has forgotten to charge
ends here: the system stops a child that computes or takes memory far beyond what any budget allows, and the
program is told what the budget would have told it. A template process without threads, started at the first
program, forks a child for each core. A child runs one program after another, and is forked anew when it was
stopped.

Programs run in this process where none can be forked (Windows), and where ``STB_PROGRAMS=inside`` says so.
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
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from multiprocessing import parent_process
from multiprocessing.connection import Connection
from typing import Concatenate, NoReturn, ParamSpec, TypeVar

from stb_env.core.request import Request, Slow
from stb_env.errors import BackendError, bug_in
from stb_env.suites.sambanova.common.interpreter.budget import Budget
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.tools import ToolResult

P = ParamSpec("P")
S = TypeVar("S")
T = TypeVar("T")

CPU_S, WALL_S = 10.0, 120.0
"""Seconds that a program may take, far more than a budget lets it on a slow machine."""
MEMORY = 2**30
"""Bytes that a child may take beside those that it begins with."""

_MOST_CHILDREN = 8
_STOPPED = b"stopped"
_LOG = logging.getLogger("stb_env.programs")


def watched(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function of a module in a child, with what can be pickled, and return what it returns.

    Raises:
        CrashError: The function raised it, or the child was stopped.
        Exception: Whatever else the function raises.

    Examples:
        >>> watched(sum, [1, 2])
        3
    """
    request = pickle.dumps((function, args, kwargs))
    for _ in range(2):
        children = _children(function.__module__)
        if children is None:
            return function(*args, **kwargs)
        try:
            reply = children.asked(request)
        except (EOFError, OSError):
            # Something else may have ended it: the program's own fault happens again.
            _end(children)
            continue
        if reply == _STOPPED:
            raise Budget().exceeded
        # Of our own child, which runs our own code.
        value, crash, failed = pickle.loads(reply)  # noqa: S301
        if failed:
            # A bug of ours: here it has its traceback.
            return function(*args, **kwargs)
        if crash is not None:
            raise crash
        returned: T = value
        return returned
    raise CrashError("the program brought the interpreter down")


def watched_world(
    play: Callable[Concatenate[S, P], tuple[ToolResult, S]], state: S, /, *args: P.args, **kwargs: P.kwargs
) -> Slow[tuple[ToolResult, S]]:
    """Run a program on the state of a world in a child, while no event loop waits for it.

    Args:
        play: Runs it; a function of a module. A program that crashes leaves the state as it is.
        state: The state of the world.
        *args: The program, and what else it is run with.
        **kwargs: More of that.
    """
    try:
        answer: tuple[ToolResult, S] = yield Request(run=partial(watched, play, state, *args, **kwargs))
    except CrashError as error:
        return ToolResult.of("", error=str(error), source="world"), state
    except Exception as error:
        raise BackendError(bug_in("the program's world", error, play), stage="world") from error
    return answer


class _Children:
    """A template process and the children that it keeps.

    Args:
        module: Imported before any is forked.

    Raises:
        OSError: No process can be started.
        EOFError: The template ended before it had begun.
    """

    def __init__(self, module: str) -> None:
        # A process among several needs no more than one.
        count = min(os.cpu_count() or 1, _MOST_CHILDREN) if parent_process() is None else 1
        pairs = [socket.socketpair() for _ in range(count)]
        theirs = [there.fileno() for _, there in pairs]
        # Nothing is ever sent here: that it closes is how they all know that this process has ended.
        ours, alive = socket.socketpair()
        self._alive = ours
        code = (
            f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import keep; "
            f"keep({theirs}, {alive.fileno()}, {module!r}, {CPU_S}, {MEMORY})"
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
        # The last one to become free is the next, since it is the warmest.
        self._free: queue.LifoQueue[Connection] = queue.LifoQueue()
        self._all = [Connection(here.detach()) for here, _ in pairs]
        for there in (alive, *(there for _, there in pairs)):
            there.close()
        for connection in self._all:
            unbounded = connection.recv_bytes().decode()
            self._free.put(connection)
        if unbounded:
            _LOG.warning("nothing bounds the memory of programs besides their budget: %s", unbounded)

    def asked(self, request: bytes) -> bytes:
        """Return what a child answers.

        Raises:
            EOFError: It is gone.
            OSError: So it is.
        """
        connection = self._free.get()
        try:
            connection.send_bytes(request)
            return connection.recv_bytes()
        finally:
            self._free.put(connection)

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


_POOL: list[_Children] = []
_LOCK = threading.Lock()
_CANNOT: list[str] = [] if hasattr(os, "fork") else ["this system cannot fork"]
"""Why programs run in this process; empty where they do not."""


def _children(module: str) -> _Children | None:
    if os.environ.get("STB_PROGRAMS") == "inside":
        return None
    if _POOL:
        return _POOL[0]
    with _LOCK:
        if not _POOL and not _CANNOT:
            try:
                _POOL.append(_Children(module))
            except (EOFError, OSError) as error:
                _CANNOT.append(str(error))
                _LOG.warning(
                    "programs run in this process, without a second line behind their budget: %s", error
                )
        return _POOL[0] if _POOL else None


@atexit.register
def _end(children: _Children | None = None) -> None:
    """End the children, or those alone of which one is gone."""
    with _LOCK:
        if _POOL and children in (None, _POOL[0]):
            _POOL.pop().close()


def _forget() -> None:
    """Leave the children to the process that this one was forked from."""
    global _LOCK
    _LOCK = threading.Lock()
    while _POOL:
        # A thread of the other process may hold them, and what is open here keeps them from ending.
        _POOL.pop().let_go()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def keep(ends: Sequence[int], alive: int, module: str, seconds: float, memory: int) -> None:
    """Keep a child at each end of a connection until the other end is closed; the work of the template.

    Args:
        ends: File descriptors of the ends.
        alive: One whose other end is closed when the process that asks has ended.
        module: Imported before any child is forked.
        seconds: What a program may compute.
        memory: What a child may take besides.
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
        _work(mine, seconds)
    finally:
        os._exit(0)


def _end_with(alive: int) -> None:
    """End this process and its children, whatever they are at, when the other end of a connection closes.

    The system sends the signal SIGIO then, to all of this process group; where it cannot, a child ends with
    the program that it runs.
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
    """Answer requests until there are no more; too long a one is ended by the system, whatever it is at."""
    while True:
        request = connection.recv_bytes()
        signal.setitimer(signal.ITIMER_PROF, seconds)
        signal.setitimer(signal.ITIMER_REAL, WALL_S)
        reply = _reply(request)
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        connection.send_bytes(reply)


def _reply(request: bytes) -> bytes:
    try:
        function, args, kwargs = pickle.loads(request)  # noqa: S301 (of the process that started this one)
        return pickle.dumps((function(*args, **kwargs), None, False))
    except CrashError as crash:
        return pickle.dumps((None, crash, False))
    except MemoryError:
        return _STOPPED
    except Exception:  # noqa: BLE001 (it is raised where the function was asked for)
        return pickle.dumps((None, None, True))
