"""The server under load: hits of ``/virtual`` beside a bare ASGI application, in one run."""

from __future__ import annotations

import asyncio
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple

from stb_env import ResponseCache
from stb_env.backend.cache import CacheEntry, call_key
from stb_env.core import jsontext
from stb_env.core.background import new_loop
from stb_env.errors import RunStopped
from stb_env.experiments.bench.http_load import Load, load
from stb_env.experiments.bench.measurement import Measurement, cycle
from stb_env.experiments.bench.processes import cpu_seconds, resident
from stb_env.tools import ToolId

CLIENTS = (1, 16, 64)
_RESPONSE = {"results": [{"id": i, "title": f"entry {i}", "score": i / 7} for i in range(8)], "total": 8}
_APIS = 5_000
_PATIENCE = 60.0
_TURNS = 7
_BARE = ("uvicorn", "stb_env.experiments.bench.bare_asgi:app", "--no-access-log", "--log-level", "warning")


def serve_measurements(
    seconds: float = 4.0, entries: int = 165_000, clients: Sequence[int] = CLIENTS
) -> Iterator[Measurement]:
    """Measure hits of the server beside a bare application that answers a fixed body.

    Every entry is asked for once before, so that the process has it in memory. The two are asked in turns,
    since what else runs on the machine changes; their time on a processor does so least.

    Args:
        seconds: How long each figure is measured.
        entries: Recorded answers; the published cache has 165 thousand.
        clients: Connections at once.

    Raises:
        RunStopped: A server did not start, or answered otherwise.
    """
    with tempfile.TemporaryDirectory(prefix="stb-serve-") as folder:
        cache = _filled(Path(folder), entries)
        requests = [_request(index) for index in range(entries)]
        # Figures must not follow the order of recording.
        random.Random(0).shuffle(requests)
        ours = ("stb_env", "serve", "--cache", str(cache), "--mode", "replay")
        with _running(_BARE, requests) as bare, _running(ours, requests) as served:
            cold = served.asked(16, seconds)
            yield Measurement("first time, 16 clients", cold.load.rate, "/s", _times([cold]))
            left = entries - cold.load.answers
            while left > 0:
                left -= served.asked(16, min(seconds, 1.0)).load.answers
            for count in clients:
                yield from _beside(bare, served, count, seconds / _TURNS)
            yield Measurement(
                "memory of the server", resident(served.pid) / 1e6, "MB", f"{entries:,} answers"
            )


def _beside(bare: _Server, served: _Server, clients: int, seconds: float) -> Iterator[Measurement]:
    turns = [(bare.asked(clients, seconds), served.asked(clients, seconds)) for _ in range(_TURNS)]
    fixed, hits = ([turn[side] for turn in turns] for side in (0, 1))
    yield Measurement(f"bare ASGI, {clients} clients", _rate(fixed), "/s", _times(fixed))
    ratios = sorted(ours.load.rate / theirs.load.rate for theirs, ours in turns)
    note = f"{median(ratios):.2f}x bare ASGI ({ratios[0]:.2f} to {ratios[-1]:.2f}), "
    if all(asked.cpu for asked in (*fixed, *hits)):
        by_cpu = median(theirs.cpu / ours.cpu for theirs, ours in turns)
        note += f"{by_cpu:.2f}x by time on a processor, "
    yield Measurement(f"/virtual hits, {clients} clients", _rate(hits), "/s", note + _times(hits))


def _rate(loads: Sequence[_Asked]) -> float:
    return median(asked.load.rate for asked in loads)


def _times(loads: Sequence[_Asked]) -> str:
    p50 = 1e3 * median(asked.load.p50 for asked in loads)
    p99 = 1e3 * median(asked.load.p99 for asked in loads)
    return f"p50 {p50:.2f} ms, p99 {p99:.2f} ms"


def _filled(folder: Path, entries: int) -> Path:
    with closing(ResponseCache(folder / "fill")) as cache:
        cache.put_many(_items(entries))
        cache.snapshot(folder / "cache")
    return folder / "cache"


def _items(entries: int) -> Iterator[tuple[str, CacheEntry]]:
    for index in range(entries):
        identity, arguments = ToolId("Tools", f"tool_{index % _APIS}", "find"), _arguments(index)
        entry = CacheEntry.of(identity, arguments, _RESPONSE, source="real")
        yield call_key(identity, arguments), entry


def _arguments(index: int) -> dict[str, object]:
    return {"query": f"value {index}", "limit": 5}


def _request(index: int) -> bytes:
    body = jsontext.dumps(
        {
            "category": "Tools",
            "tool_name": f"tool_{index % _APIS}",
            "api_name": "find",
            "tool_input": jsontext.dumps(_arguments(index)),
            "strip": "truncate",
            "toolbench_key": "",
        }
    ).encode()
    head = "POST /virtual HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: "
    return f"{head}{len(body)}\r\n\r\n".encode() + body


class _Asked(NamedTuple):
    """Figures of a server under load, and its CPU seconds for each answer; 0 where the system has none."""

    load: Load
    cpu: float


class _Server:
    """A server that runs, and what it is asked, over and over."""

    def __init__(self, pid: int, port: int, requests: Sequence[bytes]) -> None:
        self.pid, self._port, self._requests = pid, port, cycle(requests)

    def asked(self, clients: int, seconds: float) -> _Asked:
        before = cpu_seconds(self.pid)
        with asyncio.Runner(loop_factory=new_loop) as runner:
            found = runner.run(load(self._port, self._requests, clients, seconds))
        if found.failed:
            raise RunStopped(f"{found.failed} requests were not answered with 200")
        return _Asked(found, (cpu_seconds(self.pid) - before) / found.answers)


@contextmanager
def _running(words: Sequence[str], requests: Sequence[bytes]) -> Iterator[_Server]:
    """Run a module as a server."""
    with closing(socket.create_server(("127.0.0.1", 0))) as found:
        port: int = found.getsockname()[1]
    process = subprocess.Popen(  # noqa: S603 (our own module)
        [sys.executable, "-m", *words, "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait(process, port)
        yield _Server(process.pid, port, requests)
    finally:
        process.terminate()
        process.wait()


def _wait(process: subprocess.Popen[bytes], port: int) -> None:
    until = time.monotonic() + _PATIENCE
    while process.poll() is None and time.monotonic() < until:
        try:
            # A port may be open before anybody answers on it.
            with socket.create_connection(("127.0.0.1", port), timeout=_PATIENCE) as asking:
                asking.sendall(_request(0))
                if asking.recv(16):
                    return
        except OSError:
            time.sleep(0.05)
    raise RunStopped(f"{process.args!r:.200} did not start; the server needs pip install 'stb-env[serve]'")
