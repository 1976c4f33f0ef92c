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

from stb_env import jsontext
from stb_env.backend.cache import CacheEntry, ResponseCache, call_key
from stb_env.bench.http_load import Load, load
from stb_env.bench.measurement import Measurement, cycle
from stb_env.errors import RunStopped
from stb_env.jsontypes import JsonObject
from stb_env.tools import ToolId

CLIENTS = (1, 16, 64)
_RESPONSE = {"results": [{"id": i, "title": f"entry {i}", "score": i / 7} for i in range(8)], "total": 8}
_APIS = 5_000
_PATIENCE = 60.0
_BARE = ("uvicorn", "stb_env.bench.bare_asgi:app", "--no-access-log", "--log-level", "warning")


def serve_measurements(
    seconds: float = 4.0, entries: int = 165_000, clients: Sequence[int] = CLIENTS, workers: int = 1
) -> Iterator[Measurement]:
    """Measure hits of the server beside a bare application that answers a fixed body.

    Every entry is asked for once before, so that the process has it in memory.

    Args:
        seconds: How long each figure is measured.
        entries: Recorded answers; the published cache has 165 thousand.
        clients: Connections at once.
        workers: Processes of either server.

    Raises:
        RunStopped: A server did not start, or answered otherwise.
    """
    with tempfile.TemporaryDirectory(prefix="stb-serve-") as folder:
        cache = _filled(Path(folder), entries)
        requests = [_request(index) for index in range(entries)]
        # Figures must not follow the order of recording.
        random.Random(0).shuffle(requests)
        ours = ("stb_env", "serve", "--cache", str(cache), "--mode", "replay")
        with _running(_BARE, workers) as bare, _running(ours, workers) as served:
            cold = _load(served, requests, 16, seconds)
            yield Measurement("first time, 16 clients", cold.rate, "/s", _times(cold))
            _load(served, requests, 16, min(_PATIENCE, entries / cold.rate))
            for count in clients:
                fixed = _load(bare, requests, count, seconds)
                hits = _load(served, requests, count, seconds)
                yield Measurement(f"bare ASGI, {count} clients", fixed.rate, "/s", _times(fixed))
                ratio = f"{hits.rate / fixed.rate:.2f}x bare ASGI, "
                yield Measurement(f"/virtual hits, {count} clients", hits.rate, "/s", ratio + _times(hits))


def _load(port: int, requests: Sequence[bytes], clients: int, seconds: float) -> Load:
    found = asyncio.run(load(port, cycle(requests), clients, seconds))
    if found.failed:
        raise RunStopped(f"{found.failed} requests were not answered with 200")
    return found


def _times(found: Load) -> str:
    return f"p50 {found.p50 * 1000:.2f} ms, p99 {found.p99 * 1000:.2f} ms"


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


def _arguments(index: int) -> JsonObject:
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


@contextmanager
def _running(words: Sequence[str], workers: int) -> Iterator[int]:
    """Run a module as a server, and yield its port."""
    with closing(socket.create_server(("127.0.0.1", 0))) as found:
        port: int = found.getsockname()[1]
    process = subprocess.Popen(  # noqa: S603 (our own module)
        [sys.executable, "-m", *words, "--port", str(port), "--workers", str(workers)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait(process, port)
        yield port
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
