"""Every environment of a server is, byte for byte, the one that is made here."""

from __future__ import annotations

import json
import os

import pytest
from typer.testing import CliRunner

from stb_env import load_agent, play
from stb_env.runs import plan
from stb_env.runs.make import env_ids, make_env
from stb_env.show.cli.main import app
from stb_env.testing import check

URL = os.environ.get("STB_TEST_SERVER", "")

pytestmark = pytest.mark.skipif(
    not URL, reason="no server; run `stb-env serve --answers` and set STB_TEST_SERVER to its URL"
)
OWN = [env_id for env_id in env_ids() if env_id.startswith("stb/")]


@pytest.mark.parametrize("agent", ["gold", "random"])
@pytest.mark.parametrize("env_id", OWN)
def test_trajectories_are_the_bytes_of_local_ones(env_id: str, agent: str):
    local, there = make_env(env_id, {}), make_env("stb/Remote-v0", {"url": URL, "id": env_id})
    jobs = plan(local.tasks, episodes=3, seed=0)
    assert plan(there.tasks, episodes=3, seed=0) == jobs
    for job in jobs:
        played = [
            play(env, load_agent(agent)(), task_id=job.task_id, seed=job.seed).to_json()
            for env in (local, there)
        ]
        assert played[1] == played[0]


@pytest.mark.parametrize("env_id", OWN)
def test_spaces_and_hashes_are_those_of_the_local_one(env_id: str):
    local, there = make_env(env_id, {}), make_env("stb/Remote-v0", {"url": URL, "id": env_id})
    assert there.tasks.hash == local.tasks.hash
    assert there.observation_space == local.observation_space
    assert there.rules.backend.fingerprint == local.rules.backend.fingerprint


@pytest.mark.parametrize("env_id", OWN)
def test_it_passes_the_conformance_kit(env_id: str):
    assert check("stb/Remote-v0", settings={"url": URL, "id": env_id}, seeds=2, red_team=1).passed


def test_sessions_are_measured_over_websocket_and_http():
    result = CliRunner().invoke(app, ["bench", "sessions", "--sessions", "20", "--json"])
    assert result.exit_code == 0, result.output
    figures = {figure["name"]: figure["value"] for figure in json.loads(result.stdout)["figures"]}
    for way in ("WebSocket", "HTTP"):
        assert figures[f"{way}: steps"] > 0
        assert 0 < figures[f"{way}: p50 of a step"] <= figures[f"{way}: p99 of a step"]


def test_the_list_shows_a_remote_environment_with_what_it_needs():
    result = CliRunner().invoke(app, ["list", "--json"])
    rows = {row["id"]: row for row in json.loads(result.stdout)["environments"]}
    assert rows["stb/Remote-v0"]["needs"] == "a server: --set url=http://HOST:PORT --set id=ID"
    assert rows["stb/Remote-v0"]["judge"] == ""
    assert rows["stb/Sandbox-v1"]["judge"] == "exact"
