"""The simulation of a run on many machines: what bounds it, and that it says so each time alike."""

from __future__ import annotations

import re

import pytest

from stb_env.errors import ConfigError
from stb_env.experiments.lab.cluster_model import ClusterModel
from stb_env.experiments.lab.experiment import LabSettings
from stb_env.experiments.lab.registry import load_experiment

SLOW = {"concurrency": 4, "cpu": 0.001, "waiting": 1.0, "write": 0.0001}


def test_one_place_plays_one_episode_after_the_other():
    model = ClusterModel(1, cpu=0.5, waiting=1.5, write=0.25)
    assert model.seconds(10) == pytest.approx(10 * 2 + 0.25)


def test_episodes_that_wait_share_a_core_and_those_that_compute_do_not():
    assert ClusterModel(1, concurrency=4, waiting=1.0).seconds(4) == pytest.approx(1)
    assert ClusterModel(1, concurrency=4, cpu=1.0).seconds(4) == pytest.approx(4)


@pytest.mark.parametrize("workers", [1, 2, 4, 100])
def test_throughput_grows_with_workers_while_models_bound_it(workers: int):
    model = ClusterModel(workers, **SLOW)
    assert model.limited_by == "models"
    assert 0.9 * model.bound < model.rate(workers * 4 * 20) <= model.bound


def test_a_driver_that_writes_slowly_bounds_any_number_of_workers():
    rates = [ClusterModel(workers, waiting=1.0, write=0.1).rate(2_000) for workers in (100, 200)]
    assert ClusterModel(100, waiting=1.0, write=0.1).limited_by == "driver"
    assert rates == pytest.approx([10, 10], rel=0.05)


def test_workers_that_compute_on_shared_cores_gain_as_many_times_as_there_are_cores():
    rates = [ClusterModel(workers, cpu=0.1, cores=2).rate(400) for workers in (1, 2, 4)]
    assert rates == pytest.approx([10, 20, 20], rel=0.05)


def test_cores_that_others_use_too_do_as_much_less():
    rates = [ClusterModel(4, cpu=0.1, cores=cores).lasting(400) for cores in (2, 1.5, 0.5)]
    assert rates == pytest.approx([20, 15, 5], rel=0.02)


def test_a_worker_uses_one_core_at_a_time_however_many_there_are():
    assert ClusterModel(1, concurrency=8, cpu=0.1, cores=4).lasting(200) == pytest.approx(10, rel=0.02)


def test_what_lasts_leaves_out_the_beginning_and_the_end():
    model = ClusterModel(2, concurrency=4, waiting=1.0, trip=0.5)
    assert model.rate(8) < 0.7 * model.bound
    assert model.lasting(400) == pytest.approx(model.bound, rel=0.05)


def test_long_trips_cost_less_where_a_worker_holds_spare_jobs():
    near, far, scarce = (
        ClusterModel(4, concurrency=4, waiting=0.1, trip=trip, unit=unit).rate(2_000)
        for trip, unit in ((0.0, 8), (0.04, 8), (0.04, 1))
    )
    assert near > far > scarce


@pytest.mark.parametrize("episodes", [1, 7, 1_000])
def test_no_order_of_things_beats_the_bound(episodes: int):
    for workers in (1, 3, 50):
        model = ClusterModel(workers, **SLOW, reply=0.001, trip=0.01)
        assert model.rate(episodes) <= model.bound


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"workers": 0}, "workers must be at least 1, got 0"),
        ({"workers": 1, "cpu": -1}, "cpu must not be negative, got -1"),
        ({"workers": 1, "cpu": 1, "cores": 0}, "cores must be above 0, got 0"),
        ({"workers": 1}, "an episode that takes no time at all has no rate; give cpu, waiting or write"),
    ],
)
def test_a_cluster_that_cannot_be_is_refused(given: dict[str, float], said: str):
    with pytest.raises(ConfigError, match=f"^{re.escape(said)}$"):
        ClusterModel(**given)


def test_the_experiment_says_the_same_each_time_and_what_is_the_bound():
    settings = LabSettings(episodes=500, options={"workers": [1, 1_000], "latency": [0, 1]})
    first, second = (load_experiment("scale")(settings) for _ in range(2))
    assert first.to_dict() == second.to_dict()
    assert [row[5] for row in first.rows] == ["cores", "driver", "models", "driver"]
