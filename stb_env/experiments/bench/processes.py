"""Other processes beside the one that measures: starting them, and the memory and time that they take."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

_PAGE = 4_096


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
    return beside("stb_env.experiments.bench.session_server", env_id)


def ends_with_input() -> None:
    """End this process when the other end of its standard input is closed."""

    def end() -> None:
        sys.stdin.read()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=end, daemon=True).start()


def resident(pid: int) -> float:
    """Return the bytes of memory that a process holds, or 0 where the system does not say."""
    file = Path(f"/proc/{pid}/statm")
    if not file.is_file():
        return 0.0
    page = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else _PAGE
    return float(file.read_text(encoding="ascii").split()[1]) * page


def cpu_seconds(pid: int) -> float:
    """Return the seconds for which a process has had a processor, or 0 where the system does not say."""
    # Linux alone has a clock for every process, under this number.
    return time.clock_gettime((~pid << 3) | 2) if sys.platform == "linux" else 0.0
