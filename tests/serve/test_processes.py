"""Real servers: what was accepted is answered, and what was recorded is on disk."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import httpx2
import pytest

from stb_env.backend.cache import CacheEntry, CallKey, ResponseCache
from stb_env.tools import ToolId
from tests.fakes.api_server import APIServer
from tests.serve.asked import fields, serving

pytestmark = [
    pytest.mark.serial,
    pytest.mark.skipif("STB_REAL_SERVERS" not in os.environ, reason="run by .ci/serve: STB_REAL_SERVERS"),
]


PING = ToolId("Net", "icmp", "ping")


def call(number: int) -> CallKey:
    return CallKey(PING, {"n": number})


def test_a_stop_under_load_loses_no_answer_and_no_entry(tmp_path: Path):
    cache = tmp_path / "cache"
    answered: set[int] = set()
    cut: list[int] = []
    enough = threading.Event()

    def ask(url: str, worker: int) -> None:
        with httpx2.Client() as client:
            for number in range(worker * 100_000, worker * 100_000 + 5_000):
                try:
                    reply = client.post(f"{url}/virtual", json=fields(tool_input=json.dumps({"n": number})))
                except httpx2.ConnectError:
                    return
                except httpx2.TransportError:
                    cut.append(number)
                    return
                assert reply.status_code == 200
                answered.add(number)
                if len(answered) > 60:
                    enough.set()

    with (
        APIServer().running() as real,
        serving(
            tmp_path,
            "--cache",
            cache,
            "--mode",
            "record",
            "--set",
            f"real={real.url()}",
            "--simulator",
            "none",
        ) as server,
    ):
        with ThreadPoolExecutor(8) as pool:
            asking = [pool.submit(ask, server.url, worker) for worker in range(8)]
            assert enough.wait(60)
            server.process.send_signal(signal.SIGTERM)
            for each in asking:
                each.result()
        assert server.process.wait(30) == 0
    assert not cut
    with closing(ResponseCache(cache, read_only=True)) as opened:
        assert all(opened.get(call(number)) is not None for number in answered)


def test_a_client_that_dies_in_its_request_leaves_nothing_behind(tmp_path: Path):
    with serving(tmp_path) as server:
        host, port = server.url.removeprefix("http://").split(":")
        for part in (b"", b"POST /virtual HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 500\r\n\r\n{"):
            with closing(socket.create_connection((host, int(port)))) as dying:
                dying.sendall(part)
        assert httpx2.post(f"{server.url}/virtual", json=fields()).status_code == 200
        figures = httpx2.get(f"{server.url}/metrics").text
    assert "stb_requests_in_flight 1.0" in figures


def test_eight_workers_record_four_hundred_answers_each_for_one_api_and_lose_none(tmp_path: Path):
    cache = tmp_path / "cache"
    words = (
        "--cache",
        cache,
        "--mode",
        "record",
        "--simulator",
        "none",
        "--workers",
        8,
        "--log-level",
        "info",
    )

    def ask(url: str, client: int) -> set[int]:
        # As many connections as workers: the system deals them out among those that listen.
        with httpx2.Client() as opened:
            numbers = range(client * 400, client * 400 + 400)
            bodies = (fields(tool_input=json.dumps({"n": number})) for number in numbers)
            return {opened.post(f"{url}/virtual", json=body, timeout=60).status_code for body in bodies}

    with (
        APIServer().running() as real,
        serving(tmp_path, *words, "--set", f"real={real.url()}") as server,
        ThreadPoolExecutor(8) as pool,
    ):
        assert set().union(*pool.map(ask, [server.url] * 8, range(8))) == {200}
    with closing(ResponseCache(cache, read_only=True)) as opened:
        assert len(opened) == 8 * 400
        assert all(opened.get(call(number)) is not None for number in range(8 * 400))


def test_workers_end_when_the_process_that_started_them_is_killed(tmp_path: Path):
    with serving(tmp_path, "--workers", 2) as server:
        assert httpx2.get(f"{server.url}/health").status_code == 200
        server.process.kill()
        server.process.wait()
        with pytest.raises(httpx2.TransportError):
            ask_for(30, f"{server.url}/health")


def ask_for(seconds: float, url: str) -> None:
    last = time.monotonic() + seconds
    while time.monotonic() < last:
        httpx2.get(url)


def record(folder: Path, process: int) -> None:
    with closing(ResponseCache(folder)) as cache:
        for number in range(process * 400, process * 400 + 400):
            entry = CacheEntry.of(PING, {"n": number}, {"answered by": process}, source="real")
            assert cache.add(entry.key, entry) is None


def test_eight_processes_with_one_cache_folder_record_four_hundred_answers_each_and_lose_none(tmp_path: Path):
    started = multiprocessing.get_context("spawn")
    processes = [started.Process(target=record, args=(tmp_path, process)) for process in range(8)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert {process.exitcode for process in processes} == {0}
    with closing(ResponseCache(tmp_path, read_only=True)) as opened:
        assert len(opened) == 8 * 400
        for number in range(8 * 400):
            entry = opened.entry(call(number))
            assert entry is not None
            assert entry.response == {"answered by": number // 400}
