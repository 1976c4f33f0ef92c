"""Processes that tests start, watch and kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder as somebody would who has activated this environment."""
    bin_folder = str(Path(sys.executable).parent)
    env = os.environ | {"PATH": bin_folder + os.pathsep + os.environ["PATH"], "PYTHONPATH": str(folder)}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=env, timeout=200)


def wait_until(process: subprocess.Popen[str] | subprocess.Popen[bytes], holds: Callable[[], bool]) -> None:
    """Wait until something holds, or the process has ended; leaves the processor to it meanwhile."""
    while process.poll() is None and not holds():
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.01)


def interruptible() -> None:
    """Let a new process be interrupted (a ``preexec_fn``): in the background, shells have Ctrl-C ignored."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def kill_at_line(process: subprocess.Popen[bytes], file: Path, count: int) -> None:
    """Kill a process once a file has so many lines."""
    wait_until(process, lambda: lines(file) >= count)
    process.send_signal(signal.SIGKILL)
    process.wait()


def lines(file: Path) -> int:
    """Return how many whole lines a file has; none where it does not exist yet."""
    return file.read_bytes().count(b"\n") if file.exists() else 0
