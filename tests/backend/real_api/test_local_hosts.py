"""Real APIs on this machine are asked directly, whatever proxy the environment names."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from stb_env.show.cli import app
from tests.fakes.api_server import APIServer, answered

RUN = ("run", "stb/I1Instruction-v0", "--agent", "gold", "--judge", "heuristic", "--episodes", "1")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_run_reaches_a_local_host_in_spite_of_a_proxy(
    server: APIServer, host: str, monkeypatch: pytest.MonkeyPatch
):
    server.default = answered({"crossings": []})
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    real = f"real={server.url('/virtual').replace('127.0.0.1', host)}"
    done = CliRunner().invoke(app, [*RUN, "--mode", "live", "--set", real, "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert (found["invalid"], set(found["sources"])) == (0, {"real"})


def test_another_host_is_still_asked_by_the_proxy(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    done = CliRunner().invoke(app, [*RUN, "--mode", "live", "--set", "real=http://apis.invalid/virtual"])
    assert done.exit_code == 1
    # The proxy refuses the connection; no name was looked up.
    assert "Connection refused" in done.output
