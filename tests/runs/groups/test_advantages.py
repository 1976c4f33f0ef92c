"""Advantages of a group, against figures worked out by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from stb_env.runs.groups.advantages import ESTIMATORS, Rewards, dr_grpo, grpo, rloo, varied

# Mean 0.4; squared deviations 3 x 0.16 + 2 x 0.36 = 1.2, over 4 is 0.3.
FIVE = [0.0, 1.0, 0.0, 1.0, 0.0]


@pytest.mark.parametrize(
    ("estimator", "high", "low"),
    [(grpo, 0.6 / 0.3**0.5, -0.4 / 0.3**0.5), (dr_grpo, 0.6, -0.4), (rloo, 0.75, -0.5)],
)
def test_figures_worked_out_by_hand(estimator: Callable[[Rewards], list[float]], high: float, low: float):
    assert estimator(FIVE) == pytest.approx([low, high, low, high, low])


@pytest.mark.parametrize("name", ESTIMATORS)
def test_an_invalid_episode_is_masked_and_counts_for_no_other(name: str):
    with_gap = [0.0, None, 1.0, 0.0, None, 1.0, 0.0]
    found = ESTIMATORS[name](with_gap)
    assert [found[1], found[4]] == [None, None]
    assert [one for one in found if one is not None] == ESTIMATORS[name](FIVE)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_advantages_of_a_group_add_up_to_nothing(name: str):
    assert sum(ESTIMATORS[name]([0.3, 0.9, 0.5, 0.1])) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_lone_episode_has_nothing_to_be_better_than(name: str):
    assert ESTIMATORS[name]([None, 1.0, None]) == [None, 0.0, None]
    assert ESTIMATORS[name]([None]) == [None]


def test_rounding_in_shaped_rewards_is_no_variance_to_be_blown_up():
    rewards = [0.1 + 0.2, 0.3, 0.3]
    assert not varied(rewards)
    assert grpo(rewards) == [0.0, 0.0, 0.0]
