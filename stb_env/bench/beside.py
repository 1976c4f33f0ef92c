"""A process of its own beside the one that measures, which ends with it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager


@contextmanager
def beside(module: str, argument: str) -> Iterator[tuple[int, int]]:
    """Run a module that writes its port and then serves; yield its port and the id of its process."""
    command = [sys.executable, "-m", module, argument]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # noqa: S603 (this package's own module)
    assert process.stdin is not None and process.stdout is not None  # noqa: PT018, S101 (narrows the types)
    with process:
        yield int(process.stdout.readline()), process.pid
        process.stdin.close()


def session_server(env_id: str) -> AbstractContextManager[tuple[int, int]]:
    """Run a server of an environment's sessions; see `beside`."""
    # By its name, since it needs the extra serve where it is imported.
    return beside("stb_env.bench.session_server", env_id)


def ends_with_input() -> None:
    """End this process when the other end of its standard input is closed, so that it outlives nobody."""
    threading.Thread(target=_end, daemon=True).start()


def _end() -> None:
    sys.stdin.read()
    os.kill(os.getpid(), signal.SIGTERM)
