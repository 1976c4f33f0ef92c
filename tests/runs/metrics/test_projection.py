"""What further episodes will cost: figures worked out by hand, and intervals that cover."""

from __future__ import annotations

import math
import random

import pytest

from stb_env.runs.metrics.projection import project


def test_figures_worked_out_by_hand():
    # Mean 2, deviation sqrt(2), t of one degree 12.71, sqrt(4 + 16 / 2) = sqrt(12).
    found = project([1.0, 3.0], 4)
    assert found.mean == 8.0
    assert found.high == pytest.approx(8.0 + 12.71 * math.sqrt(2) * math.sqrt(12))
    assert found.low == 0.0


@pytest.mark.parametrize(("played", "open_"), [(2, 1.0), (4, 0.75), (30, 0.1)])
def test_episodes_of_equal_cost_leave_open_what_the_rule_of_three_says(played: int, open_: float):
    found = project([7.0] * played, 10)
    assert (found.mean, found.low, found.high) == pytest.approx((70.0, 70 * (1 - open_), 70 * (1 + open_)))


def test_nothing_to_play_costs_nothing():
    assert project([5.0], 0).high == 0.0


def test_nothing_played_says_nothing():
    found = project([], 3)
    assert math.isnan(found.mean)
    assert (found.low, found.high) == (0.0, math.inf)


@pytest.mark.parametrize("played", [2, 5, 30])
def test_the_interval_covers_what_came_in_about_95_of_100_runs(played: int):
    draw = random.Random(0)
    covered = 0
    for _ in range(1_000):
        costs = [draw.gauss(100, 20) for _ in range(played + 40)]
        found = project(costs[:played], 40)
        covered += found.low <= sum(costs[played:]) <= found.high
    assert 930 <= covered <= 975
