"""A process beside a server that ends it where it hangs, so that whoever supervises it starts it again."""

from __future__ import annotations

import os
import select
import signal
import threading
import time

SILENCE_S = 60.0
_BEAT_S = 1.0


def watch(silence: float = SILENCE_S) -> None:
    """Have another process kill this one where none of its threads runs for so many seconds.

    Whatever an agent or an API writes is read within bounds. Where one of them has a gap, a single call of C
    code can hold Python's global lock for hours: nothing answers then, and no signal is handled. The other
    process ends with this one. Where processes cannot be forked, nothing is watched.

    Args:
        silence: How long nothing may run, in seconds.
    """
    if not hasattr(os, "fork"):
        return
    reading, writing = os.pipe()
    if os.fork() == 0:
        _end_when_silent(os.getppid(), reading, silence)
    os.close(reading)
    threading.Thread(target=_beat, args=(writing,), name="stb-env-beat", daemon=True).start()


def _beat(writing: int) -> None:
    while True:
        os.write(writing, b".")
        time.sleep(_BEAT_S)


def _end_when_silent(server: int, reading: int, silence: float) -> None:
    """Watch a server until it has ended; the work of the other process, which never returns."""
    # Ctrl-C goes to both, and the server is watched to its end.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    # Sockets and pipes of the server end with the server.
    os.dup2(reading, 3)
    os.closerange(4, os.sysconf("SC_OPEN_MAX"))
    while select.select([3], [], [], silence)[0]:
        if not os.read(3, 1 << 16):
            os._exit(0)
    said = f"the server was stuck for {silence:g} s and answered nothing; it is ended: start it again\n"
    os.write(2, said.encode())
    os.kill(server, signal.SIGKILL)
    os._exit(1)
