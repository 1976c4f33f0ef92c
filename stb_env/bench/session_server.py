"""A server of sessions in a process of its own, for measurements.

``python -m stb_env.bench.session_server ID`` writes its port to standard output, and ends with its input.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

from stb_env.serve.server import listen, work
from stb_env.serve.settings import Limits, ServeSettings


@contextmanager
def session_server(env_id: str) -> Iterator[tuple[int, int]]:
    """Run a server; yield its port and the id of its process."""
    command = [sys.executable, "-m", __spec__.name, env_id]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # noqa: S603 (this package's own module)
    assert process.stdin is not None and process.stdout is not None  # noqa: PT018, S101 (narrows the types)
    with process:
        yield int(process.stdout.readline()), process.pid
        process.stdin.close()


def cpu_seconds(pid: int) -> float:
    """Return the CPU time that a process has taken so far; Linux alone has such a clock for every process."""
    return time.clock_gettime((~pid << 3) | 2)


def main() -> None:
    """Serve an id until the other end of standard input is closed."""
    with closing(listen("127.0.0.1", 0)) as listener:
        sys.stdout.write(f"{listener.getsockname()[1]}\n")
        sys.stdout.flush()
        threading.Thread(target=_end_with_input, daemon=True).start()
        limits = Limits(sessions=20_000, concurrency=4_096)
        work(ServeSettings(ids=(sys.argv[1],), limits=limits, log_level="error"), listener)


def _end_with_input() -> None:
    sys.stdin.read()
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main()
