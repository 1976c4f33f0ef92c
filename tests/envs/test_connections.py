"""What plain settings are made into, behind an environment."""

from __future__ import annotations

import pytest

from stb_env.backend.cache import CacheEntry, ResponseCache
from stb_env.envs.connections import connect_backend
from stb_env.errors import ConfigError
from stb_env.tools import ToolId


@pytest.fixture
def folder(tmp_path):
    made = CacheEntry.of(ToolId("Net", "icmp", "ping"), {}, "pong")
    cache = ResponseCache(tmp_path / "cache")
    cache.put(made.key, made)
    cache.close()
    return tmp_path / "cache"


@pytest.mark.parametrize(
    ("mode", "read_only"), [("replay", True), ("offline", True), ("live", True), ("record", False)]
)
def test_only_a_recording_run_opens_its_cache_for_writing(folder, mode, read_only):
    real = "http://127.0.0.1:1/rapidapi" if mode in ("live", "record") else None
    backend = connect_backend(mode, cache=folder, real=real)
    assert backend.cache.read_only is read_only
    backend.close()


def test_a_key_is_sent_under_its_name_and_kept_from_the_simulator(monkeypatch):
    monkeypatch.setenv("STB_SIMULATOR_BASE_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("STB_SIMULATOR_MODEL", "tiny")
    backend = connect_backend("live", real="http://127.0.0.1:1/rapidapi", key_name="server_key")
    assert backend.real.key_name == "server_key"
    assert backend.live_simulator.fingerprint["hidden"] == ["server_key"]
    backend.close()


@pytest.mark.parametrize("mode", ["replay", "offline"])
def test_a_cache_that_is_not_there_is_no_empty_one(tmp_path, mode):
    with pytest.raises(ConfigError, match=r"^no folder .*nowhere; make one with `stb-env cache import"):
        connect_backend(mode, cache=tmp_path / "nowhere")


@pytest.mark.parametrize("asked", [{"real": "http://127.0.0.1:1/rapidapi"}, {"simulator": "none"}])
@pytest.mark.parametrize("mode", ["replay", "offline"])
def test_no_one_is_asked_outside_of_the_live_modes(folder, mode, asked):
    with pytest.raises(ConfigError, match=rf"^real and simulator are asked in .* and mode is '{mode}'$"):
        connect_backend(mode, cache=folder, **asked)
