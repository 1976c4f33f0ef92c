"""Real queries recorded with models, and replayed from the cache with every endpoint switched off."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

import stb_env  # noqa: F401 (registers the ids)
from stb_env.trajectory import Trajectory, read_trajectories
from tests.models.services import Services, diligent, serving, simulating, varied

QUERIES = 100
GROUPS = {"G1": "I1", "G2": "I2", "G3": "I3"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("recorded")


@pytest.fixture
def real(shared_data: Path) -> tuple[str, Path]:
    """The environment of some group of real queries, and their folder."""
    data = shared_data / "stabletoolbench" / "solvable_queries"
    for file in sorted((data / "test_instruction").glob("*.json")):
        if len(json.loads(file.read_text(encoding="utf-8"))) >= QUERIES:
            kind, _, name = file.stem.partition("_")
            return f"stb/{GROUPS[kind]}{name.capitalize()}-v0", data
    pytest.skip(f"no group in {data} has {QUERIES} queries")


@pytest.fixture
def switched_off(monkeypatch: pytest.MonkeyPatch) -> Services:
    """Services that are gone, although a models file names them."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with serving() as gone:
        for service in gone:
            monkeypatch.setenv(service.variable, service.key)
    return gone


def record(services: Services, real: tuple[str, Path], folder: Path, stb: Any) -> dict[str, Any]:
    services.agent.always(diligent(2))
    services.simulator.always(simulating)
    services.judge.always(varied)
    env_id, data = real
    models = services.models(folder / "models.toml")
    who = ("--agent", f"chat:{models}", "--set", f"models={models}")
    places = ("--cache", folder / "cache", "--set", f"votes_cache={folder / 'votes'}", "--out", folder / "run")
    play = ("--mode", "record", "--episodes", QUERIES, "--concurrency", 4, "--json")
    done = stb("run", env_id, "--data", data, *who, *places, *play)
    assert (done.exit_code, done.stderr) == (0, "")
    return done.report


def observed(episodes: list[Trajectory]) -> list[list[str]]:
    """Return what came back from tools, as text, episode by episode."""
    return [[m["content"] for m in t.messages if m["role"] == "tool"] for t in episodes]


def test_what_was_recorded_is_replayed_byte_for_byte_without_any_endpoint(
    services, switched_off, real, tmp_path, stb
):
    recorded = record(services, real, tmp_path, stb)
    asked = services.count()
    first = read_trajectories(tmp_path / "run")
    assert (recorded["episodes"], recorded["failures"]) == (QUERIES, {})
    assert set(recorded["sources"]) <= {"simulator", "cache"}
    assert recorded["sources"]["simulator"] >= QUERIES
    assert len({t.verdict["status"] for t in first}) == 3

    env_id, data = real
    models = switched_off.models(tmp_path / "gone.toml")
    places = ("--cache", tmp_path / "cache", "--out", tmp_path / "again", "--json")
    play = ("--agent", f"replay:{tmp_path / 'run'}", "--mode", "replay", "--episodes", QUERIES)
    done = stb("run", env_id, "--data", data, *play, *places, "--set", "judge=heuristic")
    replayed, second = done.report, read_trajectories(tmp_path / "again")

    assert (replayed["episodes"], replayed["failures"], replayed["invalid_share"]) == (QUERIES, {}, 0.0)
    assert set(replayed["sources"]) == {"cache"}
    assert observed(second) == observed(first)
    assert services.count() == asked
    assert models.is_file()
    del env_id
