"""Clients that send half of something and wait keep nobody from an answer, and lose their place."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from urllib.parse import urlsplit

import httpx2
import pytest

from stb_env.serve.app import create_app
from stb_env.serve.operations import gate, one_write
from stb_env.serve.settings import Limits, ServeSettings
from tests.serve.served import serving_app

PLACES, SOON = 4, 1.0


@pytest.fixture
def url(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(gate, "_ARRIVAL_S", SOON)
    monkeypatch.setattr(one_write, "_HEAD_S", SOON)
    settings = ServeSettings(ids=("stb/Sandbox-v1",), limits=Limits(concurrency=PLACES))
    with serving_app(create_app(settings)) as url:
        yield url


def sent(url: str, data: bytes, stack: ExitStack) -> socket.socket:
    parts = urlsplit(url)
    line = stack.enter_context(socket.create_connection((parts.hostname or "", parts.port or 0), timeout=20))
    line.sendall(data)
    return line


def test_half_a_body_is_refused_in_time_and_health_answers_meanwhile(url: str) -> None:
    half = b"POST /sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"
    with ExitStack() as stack:
        lines = [sent(url, half, stack) for _ in range(PLACES)]
        figures = httpx2.get(f"{url}/metrics")
        assert figures.status_code == 200
        assert httpx2.get(f"{url}/health").status_code == 200
        assert all(b" 408 " in line.recv(1000) for line in lines)
    assert httpx2.get(f"{url}/environments").status_code == 200


@pytest.mark.parametrize(
    "head", [b"", b"GET /health HT", b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-Slow: 1"]
)
def test_half_a_head_loses_its_connection(url: str, head: bytes) -> None:
    with ExitStack() as stack:
        assert sent(url, head, stack).recv(1000) == b""


def test_half_a_second_head_loses_its_connection_after_a_whole_first_one(url: str) -> None:
    with ExitStack() as stack:
        line = sent(url, b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n", stack)
        assert b" 200 " in line.recv(65_536)
        line.sendall(b"GET /health HTTP/1.1\r\nHo")
        rest = line.recv(65_536)
        while rest:
            rest = line.recv(65_536)


MALFORMED = (b"[::1", b"x:99999999", b"evil.com@127.0.0.1", b"127.0.0.1:abc", b"localhost:99999/x")


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        *((host, 400) for host in MALFORMED),
        (b"\xff", 403),
        (b"a b", 403),
        (b"evil.com", 403),
        (b"127.0.0.1:80", 0),
        (b"", 0),
    ],
)
def test_a_host_that_is_none_is_refused_and_no_fault_of_the_server(
    url: str, host: bytes, expected: int
) -> None:
    with ExitStack() as stack:
        for path in (b"/health", b"/sessions", b"/environments", b"/mcp", b"/nothing"):
            line = sent(url, b"GET " + path + b" HTTP/1.1\r\nHost: " + host + b"\r\n\r\n", stack)
            status = int(line.recv(65_536).split()[1])
            assert status == expected if expected else status not in (400, 403), (path, status)


@pytest.mark.parametrize(("version", "status"), [(b"1.1", 400), (b"1.0", 200)])
def test_a_request_without_a_host_is_refused_where_its_version_asks_for_one(
    url: str, version: bytes, status: int
) -> None:
    with ExitStack() as stack:
        told = sent(url, b"GET /health HTTP/" + version + b"\r\n\r\n", stack).recv(65_536)
        assert told.startswith(f"HTTP/1.1 {status} ".encode())
        assert (b"has the header Host; send it" in told) == (status == 400)


START = b"GET /health HTTP/1.1\r\nHost: localhost\r\n"


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (START + b"a: b\r\n" * 101 + b"\r\n", 431),
        (START + b"a: b\r\n" * 3000, 431),
        (START + b"X: " + b"y" * 70_000 + b"\r\n\r\n", 431),
        (START + b"X: " + b"y" * 70_000, 431),
        (START.replace(b"/health", b"/" + b"y" * 70_000) + b"\r\n", 431),
        (START + b"\r\n" + START + b"a: b\r\n" * 101 + b"\r\n", 431),
        (START + b"a: b\r\n" * 90 + b"X: " + b"y" * 60_000 + b"\r\n\r\n", 200),
        (
            b"POST /sessions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
            + b"a: b\r\n" * 3000,
            431,
        ),
    ],
    ids=["lines", "open", "long", "long and open", "path", "second", "largest", "trailers"],
)
def test_a_head_has_bounds(url: str, head: bytes, status: int) -> None:
    with ExitStack() as stack:
        line = sent(url, head, stack)
        told = line.recv(65_536)
        while status == 431 and (more := line.recv(65_536)):
            told += more
        assert f"HTTP/1.1 {status} ".encode() in told
        assert httpx2.post(f"{url}/sessions", content=b" " * 200_000).status_code != 431
