"""Real queries recorded with models, and replayed from the cache with every endpoint switched off."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

import stb_env  # noqa: F401 (registers the ids)
from stb_env.saved_episodes import read_trajectories
from stb_env.trajectory import Trajectory
from tests.models.end_to_end.services import ROLES, Services, diligent, serving, simulating, varied
from tests.shared import queries

QUERIES = 40
IDS = {"G1": "I1", "G2": "I2", "G3": "I3"}


@dataclass(frozen=True)
class Recorded:
    """A run in record mode whose services are gone by now."""

    env_id: str
    data: Path
    folder: Path
    models: Path
    services: Services
    report: dict[str, Any] = field(default_factory=dict)

    @property
    def episodes(self) -> list[Trajectory]:
        return read_trajectories(self.folder / "run")

    def run(self, stb: Callable[..., Any], mode: str, out: str, *words: object) -> Any:
        """Play the same queries in some mode."""
        places = ("--data", self.data, "--cache", self.folder / "cache", "--out", self.folder / out)
        votes = ("--set", f"votes_cache={self.folder / 'votes'}")
        plan = ("--mode", mode, "--episodes", QUERIES, "--json")
        return stb("run", self.env_id, *places, *votes, *plan, *words)


def group_of(data: Path) -> str:
    """Return the environment of a group that has queries enough."""
    for file in sorted((data / "test_instruction").glob("*.json")):
        if len(json.loads(file.read_text(encoding="utf-8"))) >= QUERIES:
            kind, _, name = file.stem.partition("_")
            return f"stb/{IDS[kind]}{name.capitalize()}-v0"
    pytest.skip(f"no group in {data} has {QUERIES} queries")


@pytest.fixture(scope="module")
def recorded(
    shared_data: Path, stb: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory
) -> Recorded:
    data, folder = queries(shared_data), tmp_path_factory.mktemp("recorded")
    with pytest.MonkeyPatch.context() as patch, serving() as services:
        # This comes before the fixture that keeps a developer's own models out of each test.
        for name in list(os.environ):
            if name.startswith(tuple(f"STB_{role.upper()}_" for role in ROLES)):
                patch.delenv(name)
        for service, model in zip(services, (diligent(2), simulating, varied), strict=True):
            patch.setenv(service.variable, service.key)
            service.always(model)
        models = services.models(folder / "models.toml", **{role: {"retries": 0} for role in ROLES})
        made = Recorded(group_of(data), data, folder, models, services)
        who = ("--agent", f"chat:{models}", "--set", f"models={models}", "--concurrency", 4)
        made.report.update(made.run(stb, "record", "run", *who).report)
    return made


@pytest.fixture
def keys(recorded: Recorded, monkeypatch: pytest.MonkeyPatch) -> None:
    """The keys are still there, the endpoints are not."""
    for service in recorded.services:
        monkeypatch.setenv(service.variable, service.key)


def observed(episodes: list[Trajectory]) -> list[list[str]]:
    """Return what came back from tools, as text, episode by episode."""
    return [[m["content"] for m in t.messages if m["role"] == "tool"] for t in episodes]


@pytest.mark.heavy
def test_real_queries_are_recorded_without_a_failure(recorded):
    report, episodes = recorded.report, recorded.episodes
    assert (report["episodes"], report["invalid"], report["failures"]) == (QUERIES, 0, {})
    assert report["sources"]["simulator"] > QUERIES
    assert {t.verdict["status"] for t in episodes} == {"solved", "unsure", "unsolved"}
    assert recorded.services.count()["agent"] == 3 * QUERIES


def test_a_replay_with_every_endpoint_off_observes_the_same_bytes_and_misses_nothing(recorded, keys, stb):
    asked = recorded.services.count()
    who = ("--agent", f"replay:{recorded.folder / 'run'}", "--set", f"models={recorded.models}")
    done = recorded.run(stb, "replay", "again", *who)
    first, second = recorded.episodes, read_trajectories(recorded.folder / "again")
    assert (done.report["failures"], done.report["invalid_share"]) == ({}, 0.0)
    assert set(done.report["sources"]) == {"cache (simulated)"}
    assert observed(second) == observed(first)
    assert sum(map(len, observed(first))) == 3 * QUERIES
    # The votes were kept as well, so even the verdicts need no model.
    assert [(t.verdict, t.reward) for t in second] == [(t.verdict, t.reward) for t in first]
    assert done.report["judges"] == ["pass:judge-model:v3"]
    assert recorded.services.count() == asked


def test_every_step_of_a_replay_returns_the_text_that_the_models_agent_was_shown(recorded):
    cache = str(recorded.folder / "cache")
    env = gym.make(recorded.env_id, data=recorded.data, cache=cache, mode="replay", judge="heuristic")
    for episode, results in zip(recorded.episodes, observed(recorded.episodes), strict=True):
        env.reset(seed=1, options={"task_id": episode.task_id})
        for step, result in zip(episode.steps, results, strict=True):
            (call,) = step["calls"]
            observation, *_, info = env.step({"name": call["name"], "arguments": call["arguments"]})
            assert (observation["result"], info["valid"]) == (result, True)
    env.close()


def test_an_agent_whose_endpoint_is_off_is_said_before_an_episode_is_spoiled(recorded, keys, stb):
    who = ("--agent", f"chat:{recorded.models}", "--set", "judge=heuristic", "--episodes", 1)
    done = recorded.run(stb, "replay", "off", *who)
    assert done.exit_code == 1
    assert done.stderr.startswith("error: agent model 'agent-model' at ")
    assert "cannot be reached: the connection failed" in done.stderr
    assert not (recorded.folder / "off").exists()
