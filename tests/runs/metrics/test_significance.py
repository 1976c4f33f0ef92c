"""Paired tests: values worked out by hand, what chance gives, and nothing that depends on the hour."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.errors import DataError
from stb_env.runs.metrics.significance import compare_runs, mcnemar, paired_bootstrap, sign_flip
from tests.runs.metrics.episodes import episode

COUNTS = st.integers(0, 60)


@pytest.mark.parametrize(
    ("first", "second", "p"),
    [
        # Twice the tail of fair coins: 2 * sum of C(n, i) for i up to the smaller count, over 2 ** n.
        (0, 0, 1.0),
        (1, 0, 1.0),
        (0, 2, 0.5),
        (0, 5, 2 / 32),
        (0, 6, 2 / 64),
        (1, 8, 2 * (1 + 9) / 512),
        (2, 8, 2 * (1 + 10 + 45) / 1024),
        (3, 3, 1.0),
        (4, 5, 1.0),
        (5, 15, 2 * (1 + 20 + 190 + 1140 + 4845 + 15504) / 2**20),
    ],
)
def test_mcnemar_is_exact(first, second, p):
    assert mcnemar(first, second) == pytest.approx(p)
    assert mcnemar(second, first) == mcnemar(first, second)


@given(COUNTS, COUNTS)
def test_mcnemar_is_a_probability_and_falls_as_the_counts_part(one, other):
    assert 0 < mcnemar(one, other) <= 1
    assert mcnemar(min(one, other), max(one, other) + 1) <= mcnemar(one, other)


def test_negative_counts_are_refused():
    with pytest.raises(DataError, match=r"^counts of tasks must be 0 or more, got -1 and 2$"):
        mcnemar(-1, 2)


@pytest.mark.parametrize(("only_first", "only_second"), [(0, 5), (1, 8), (2, 8), (4, 5)])
def test_on_solved_and_unsolved_the_sign_flip_is_mcnemar(only_first, only_second):
    first = [1.0] * only_first + [0.0] * only_second + [1.0] * 7
    second = [0.0] * only_first + [1.0] * only_second + [1.0] * 7
    assert sign_flip(first, second) == pytest.approx(mcnemar(only_first, only_second))


def test_the_drawn_sign_flip_comes_near_the_exact_one_and_is_never_zero():
    rng = random.Random(5)
    first = [rng.random() + 0.15 for _ in range(13)]
    second = [rng.random() for _ in range(13)]
    assert sign_flip(first, second, resamples=8_000) == pytest.approx(sign_flip(first, second), abs=0.02)
    assert sign_flip([1.0] * 400, [0.0] * 400) == pytest.approx(1 / 10_001)


def test_equal_runs_differ_in_nothing():
    scores = [0.0, 1.0, 0.5]
    assert sign_flip(scores, scores) == 1.0
    low, high = paired_bootstrap(scores, scores)
    assert low == -high < -0.5, "three tasks without a difference say little of a fourth"
    low, high = paired_bootstrap([0.5] * 600, [0.5] * 600)
    assert (low, high) == (pytest.approx(-0.006, abs=1e-3), pytest.approx(0.006, abs=1e-3))
    assert (sign_flip([], []), paired_bootstrap([], [])) == (1.0, (-1.0, 1.0))


def test_the_paired_interval_is_seeded_and_holds_the_difference():
    rng = random.Random(1)
    second = [rng.random() for _ in range(200)]
    first = [score + 0.3 + rng.uniform(-0.1, 0.1) for score in second]
    low, high = paired_bootstrap(first, second)
    assert (low, high) == paired_bootstrap(first, second)
    assert 0.28 < low < 0.3 < high < 0.32


def test_runs_with_different_numbers_of_tasks_are_refused():
    with pytest.raises(DataError, match=r"^paired runs need a score of each task, got 1 and 2$"):
        sign_flip([1.0], [1.0, 0.0])


def test_two_runs_are_compared_on_the_tasks_that_both_have():
    first = [episode(str(n), "solved") for n in range(6)] + [episode("6", None), episode("7", "unsure")]
    second = [episode(str(n), "unsolved" if n else "solved") for n in range(8)]
    found = compare_runs(first, second)
    assert (found.tasks, found.left_out) == (7, 1)
    assert (found.only_first, found.only_second, found.mcnemar) == (5, 0, 0.0625)
    assert found.difference == pytest.approx(5.5 / 7)
    assert found.interval[0] <= found.difference <= found.interval[1]


def test_trials_of_a_task_count_as_one_score():
    first = [episode("1", "solved", trial=0), episode("1", "unsolved", trial=1)]
    assert compare_runs(first, [episode("1", "unsolved")]).first == 0.5


def test_what_the_environment_decided_itself_is_no_judges_verdict():
    gave_up = episode("1", "unsolved", judge="env")
    difference = compare_runs([gave_up, episode("2")], [episode("1"), episode("2")])
    assert (difference.tasks, difference.only_second) == (2, 1)
    assert compare_runs([gave_up], [episode("1")]).tasks == 1


@pytest.mark.parametrize(("solved", "only_first"), [(1, 0), (2, 1)])
def test_a_task_is_solved_by_a_run_that_solved_it_in_more_than_half_of_its_trials(solved, only_first):
    trials = [episode("1", "solved" if trial < solved else "unsolved", trial=trial) for trial in range(2)]
    assert compare_runs(trials, [episode("1", "unsolved")]).only_first == only_first


def test_runs_of_different_judges_or_different_tasks_are_not_compared():
    with pytest.raises(DataError, match=r"^the two runs were judged by heuristic and pass:m:v3; judge both"):
        compare_runs([episode(judge="heuristic")], [episode()])
    with pytest.raises(DataError, match=r"^the two runs share no task"):
        compare_runs([episode("1")], [episode("2")])
