"""Real APIs on this machine are asked directly, whatever proxy the environment names."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from typer.testing import CliRunner

from stb_env.cli import app


class _Virtual(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self._answer(json.dumps({"error": "", "response": {"crossings": []}}).encode())

    def do_HEAD(self) -> None:
        self._answer(b"")

    def _answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *told: Any) -> None:
        pass


@pytest.fixture
def port() -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Virtual)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_run_reaches_a_local_host_in_spite_of_a_proxy(
    port: int, host: str, monkeypatch: pytest.MonkeyPatch
):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    words = ("run", "stb/I1Instruction-v0", "--agent", "gold", "--judge", "heuristic", "--episodes", "1")
    real = f"real=http://{host}:{port}/virtual"
    done = CliRunner().invoke(app, [*words, "--mode", "live", "--set", real, "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert (found["invalid"], set(found["sources"])) == (0, {"real"})


def test_another_host_is_still_asked_by_the_proxy(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    words = ("run", "stb/I1Instruction-v0", "--agent", "gold", "--judge", "heuristic", "--episodes", "1")
    done = CliRunner().invoke(app, [*words, "--mode", "live", "--set", "real=http://apis.invalid/virtual"])
    assert done.exit_code == 1
    # The proxy refuses the connection; no name was looked up.
    assert "Connection refused" in done.output
