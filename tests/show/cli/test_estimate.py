"""`stb-env run --estimate N`: what the rest will cost, measured on episodes that count."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stb_env.saved_episodes import read_trajectories
from tests.command import error_of, stb
from tests.show.cli.test_run import RUN


def test_it_plays_the_first_episodes_and_stops(tmp_path: Path):
    done = stb(*RUN, "--episodes", 6, "--estimate", 2, "--out", tmp_path / "run", "--json")
    told = json.loads(done.stdout)["estimate"]
    assert (told["measured"], told["left"], told["tokens"]["mean"]) == (2, 4, 0.0)
    assert len(read_trajectories(tmp_path / "run")) == 2


def test_it_says_how_long_the_rest_takes_where_several_are_played_at_once(tmp_path: Path):
    run = (*RUN, "--episodes", 6, "--estimate", 2, "--concurrency", 2, "--out", tmp_path / "run", "--json")
    told = json.loads(stb(*run).stdout)["estimate"]
    took = [json.loads(line)["seconds"] for line in (tmp_path / "run" / "timings.jsonl").open()]
    assert told["seconds"]["mean"] == pytest.approx(sum(took) / 2 * 4 / 2)
    assert told["seconds"]["low"] <= told["seconds"]["mean"] <= told["seconds"]["high"]


def test_with_yes_it_goes_on_to_the_same_bytes(tmp_path: Path):
    assert stb(*RUN, "--episodes", 4, "--estimate", 2, "--yes", "--out", tmp_path / "run").exit_code == 0
    assert stb(*RUN, "--episodes", 4, "--out", tmp_path / "whole").exit_code == 0
    runs = [(tmp_path / name / "trajectories.jsonl").read_bytes() for name in ("run", "whole")]
    assert runs[0] == runs[1]


def test_an_estimate_on_one_episode_is_json_that_every_reader_takes(tmp_path: Path):
    done = stb(*RUN, "--episodes", 6, "--estimate", 1, "--out", tmp_path / "run", "--json")
    told = json.loads(done.stdout, parse_constant=pytest.fail)["estimate"]
    assert (told["measured"], told["calls"]["high"]) == (1, None)


def test_an_estimate_on_invalid_episodes_says_so_and_is_no_success(tmp_path: Path):
    (tmp_path / "silent.py").write_text("def act(observation, info):\n    return None\n")
    run = (
        "run",
        "stb/Sandbox-v1",
        "--agent",
        f"{tmp_path / 'silent.py'}:act",
        "--episodes",
        6,
        "--estimate",
        2,
    )
    told = stb(*run, "--out", tmp_path / "run", "--json")
    assert told.exit_code == 1
    assert json.loads(told.stdout)["estimate"]["invalid"] == 2
    table = stb(*run, "--out", tmp_path / "run")
    assert "measured on the first 2, of which 2 invalid" in " ".join(table.stdout.split())


def test_episodes_that_would_be_played_twice_are_refused():
    refused = stb(*RUN, "--episodes", 4, "--estimate", 2)
    assert refused.exit_code == 2
    assert (
        error_of(refused) == "--estimate plays episodes that are to count; say where to keep them with --out"
    )
