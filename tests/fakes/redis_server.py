"""A real Redis server of a test's own."""

from __future__ import annotations

import shutil
import socket
import subprocess
from pathlib import Path

SERVER = shutil.which("redis-server")


def start(folder: Path, *more: str) -> tuple[subprocess.Popen[str], str]:
    """Start a server that keeps nothing, and return it with its URL once it answers."""
    assert SERVER is not None
    port = _free_port()
    command = [SERVER, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder), *more]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    for line in server.stdout:
        if "Ready to accept connections" in line:
            return server, f"redis://127.0.0.1:{port}/0"
    raise AssertionError("the server did not start")


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port
