"""Endpoints are asked whether they are there: at no cost, in one line where they are not."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from stb_env.errors import RunStopped
from stb_env.models import ModelConfig, connect
from stb_env.models.preflight import Preflight, check_all, noting


class Gate:
    """A server whose list of models answers with one status, and whose model answers with another."""

    def __init__(self, listing: int, asking: int) -> None:
        self.requests: list[str] = []
        gate = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.reply(listing)

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                self.reply(asking)

            def reply(self, status: int) -> None:
                gate.requests.append(f"{self.command} {self.path}")
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *args: Any) -> None:
                """Stay quiet."""

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        Thread(target=self.http.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.http.server_address[1]}/v1"


@pytest.fixture
def gate(request: pytest.FixtureRequest) -> Iterator[Gate]:
    listing, asking = request.param
    made = Gate(listing, asking)
    yield made
    made.http.shutdown()
    made.http.server_close()


def endpoint(url: str, **settings: Any) -> Preflight:
    return Preflight(ModelConfig("agent", "tiny", base_url=url, **settings), {})


@pytest.fixture
def closed() -> str:
    """The URL of a port on which nobody listens."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{one.getsockname()[1]}/v1"


@pytest.mark.parametrize("gate", [(200, 500), (404, 500), (405, 500), (501, 500), (429, 500)], indirect=True)
def test_whoever_answers_at_all_is_there_and_is_asked_nothing_that_costs(gate: Gate):
    endpoint(gate.url).check()
    assert gate.requests == ["GET /v1/models"]


@pytest.mark.parametrize("gate", [(502, 200), (503, 200), (504, 200)], indirect=True)
def test_a_gateway_with_nobody_behind_it_is_no_endpoint(gate: Gate):
    with pytest.raises(RunStopped, match=r"^agent model 'tiny' at http://.* cannot be reached: HTTP 50\d"):
        endpoint(gate.url).check()


@pytest.mark.parametrize("gate", [(401, 200), (403, 200), (401, 429), (403, 400)], indirect=True)
def test_a_key_that_may_not_list_models_may_still_ask_one(gate: Gate):
    endpoint(gate.url).check()
    assert gate.requests == ["GET /v1/models", "POST /v1/chat/completions"]


@pytest.mark.parametrize("gate", [(401, 401), (403, 403)], indirect=True)
def test_a_key_that_is_refused_is_said_before_the_first_episode(gate: Gate):
    with pytest.raises(RunStopped, match=r"^agent model 'tiny' at .*: HTTP 40[13]; the .*key"):
        endpoint(gate.url).check()
    assert len(gate.requests) == 2


def test_an_endpoint_where_nobody_listens_is_one_line(closed: str):
    with pytest.raises(
        RunStopped,
        match=rf"^agent model 'tiny' at {closed} cannot be reached: the connection failed: .*; start it",
    ) as caught:
        endpoint(closed).check()
    assert "\n" not in str(caught.value)


def test_an_endpoint_whose_answers_are_cached_may_be_gone(closed: str, tmp_path: Path):
    config = ModelConfig("agent", "tiny", base_url=closed)
    with pytest.raises(RunStopped, match=r"cannot be reached"):
        Preflight(config, {}, answers=str(tmp_path)).check()
    (tmp_path / "ab").mkdir()
    Preflight(config, {}, answers=str(tmp_path)).check()


@pytest.mark.parametrize("gate", [(200, 200)], indirect=True)
def test_an_endpoint_of_several_roles_is_asked_once(gate: Gate):
    with noting() as noted:
        for role in ("agent", "judge"):
            connect(ModelConfig(role, "tiny", base_url=gate.url), env={})
    check_all(noted)
    assert len(noted) == 2
    assert gate.requests == ["GET /v1/models"]


def test_an_endpoint_shows_no_key_of_its_environment():
    assert "sk-secret" not in repr(Preflight(ModelConfig("agent", "tiny"), {"OPENAI_API_KEY": "sk-secret"}))


def test_a_block_within_another_notes_for_both_and_what_is_connected_outside_is_not_noted(tmp_path: Path):
    config = ModelConfig("agent", "tiny", base_url="http://127.0.0.1:1/v1")
    connect(config)
    with noting() as outer:
        connect(config)
        with noting() as inner:
            connect(config)
    connect(config)
    assert inner is outer
    assert len(outer) == 2
