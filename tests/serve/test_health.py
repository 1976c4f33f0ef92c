"""Health tells the truth: what is gone is failing, and what came back is not."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from stb_env.backend.cache import CacheEntry, ResponseCache, call_key
from stb_env.serve.app import create_app
from stb_env.serve.settings import ServeSettings
from stb_env.tools import ToolId
from tests.fakes.api_server import APIServer
from tests.serve.asked import asked


def health(**env: Any) -> tuple[int, dict[str, str]]:
    answer = asked(create_app(ServeSettings(env=env)), "GET", "/health")
    return answer.status_code, answer.json()["checks"]


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    ping = ToolId("Net", "icmp", "ping")
    with closing(ResponseCache(tmp_path / "cache")) as opened:
        opened.put(call_key(ping, {}), CacheEntry.of(ping, {}, "pong", source="real"))
        opened.snapshot(tmp_path / "frozen")
    return tmp_path / "frozen"


def test_a_cache_that_opens_is_well(cache):
    assert health(cache=str(cache), mode="replay") == (200, {"cache": "ok"})


def test_a_cache_whose_file_went_away_is_not(cache):
    app = create_app(ServeSettings(env={"cache": str(cache), "mode": "replay"}))
    shutil.rmtree(cache)
    answer = asked(app, "GET", "/health")
    assert (answer.status_code, answer.json()) == (503, {"status": "failing", "checks": {"cache": "failing"}})


def test_a_real_api_is_well_where_it_answers_and_not_where_it_does_not(cache):
    live = {"cache": str(cache), "mode": "live", "simulator": "none"}
    with APIServer().running() as server:
        assert health(real=server.url(), **live) == (200, {"cache": "ok", "endpoint 1": "ok"})
    assert health(real="http://127.0.0.1:9/rapidapi", **live) == (
        503,
        {"cache": "ok", "endpoint 1": "failing"},
    )


def test_a_disk_that_takes_nothing_is_not_well(cache, monkeypatch):
    full = shutil.disk_usage("/")._replace(free=0)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: full)
    found = health(cache=str(cache), mode="record", simulator="none", real="http://127.0.0.1:9/rapidapi")
    assert found == (503, {"cache": "ok", "disk": "failing", "endpoint 1": "failing"})
