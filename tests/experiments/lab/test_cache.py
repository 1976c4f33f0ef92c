"""Hit rates by snapshot, and what the filter keeps."""

from __future__ import annotations

from typing import Any

import pytest

from stb_env.experiments.lab.cache import AGENTS, SNAPSHOTS, run
from stb_env.experiments.lab.experiment import LabSettings


@pytest.fixture(scope="module")
def result() -> dict[str, Any]:
    return run(LabSettings(seed=1, episodes=50)).to_dict()


@pytest.mark.heavy
def test_hit_rates_rise_with_every_snapshot_for_every_agent(result: dict[str, Any]):
    assert [row["agent"] for row in result["rows"]] == list(AGENTS)
    for row in result["rows"]:
        assert 0 < row["start"] < row["mid"] < row["final"] <= 1


@pytest.mark.heavy
def test_an_agent_that_makes_no_mistakes_replays_from_the_final_snapshot_alone(result: dict[str, Any]):
    rates, completed = result["rows"][0], result["further"][0]["rows"][0]
    assert rates["final"] == completed["final"] == 1


@pytest.mark.heavy
def test_an_agent_that_errs_more_finds_less_in_the_cache(result: dict[str, Any]):
    final = [row["final"] for row in result["rows"]]
    assert final == sorted(final, reverse=True)
    assert final[-1] < final[0]


@pytest.mark.heavy
def test_snapshots_grow_and_differ(result: dict[str, Any]):
    snapshots = result["details"]["snapshots"]
    sizes = [snapshots[name]["entries"] for name in SNAPSHOTS]
    assert sizes == sorted(set(sizes))
    assert len({snapshots[name]["hash"] for name in SNAPSHOTS}) == len(SNAPSHOTS)


@pytest.mark.heavy
def test_the_filter_drops_some_of_every_large_origin_and_the_total_adds_up(result: dict[str, Any]):
    *origins, total = result["further"][1]["rows"]
    assert [row["origin"] for row in origins] == ["train", "test", "experiment"]
    assert all(row["after"] <= row["before"] for row in origins)
    assert 0 < total["after"] < total["before"] == sum(row["before"] for row in origins)
    assert total["after"] == sum(row["after"] for row in origins)


@pytest.mark.heavy
def test_without_broken_apis_the_filter_drops_next_to_nothing():
    *_, total = run(LabSettings(episodes=20, options={"faulty": 0})).to_dict()["further"][1]["rows"]
    assert total["kept"] > 0.9


@pytest.mark.heavy
def test_equal_seeds_give_equal_results_and_others_do_not():
    first, again, other = (run(LabSettings(seed=seed, episodes=10)).to_dict() for seed in (1, 1, 2))
    assert first == again != other
