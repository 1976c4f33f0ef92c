"""pass@k and pass^k: hand-worked values, bounds, and the order of the conventions."""

from __future__ import annotations

from itertools import combinations
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.errors import ConfigError
from stb_env.runs.metrics.pass_at_k import (
    any_of_first,
    pass_at_k,
    pass_hat_k,
    pass_power_k,
    passes,
    solved_trials,
)
from tests.runs.metrics.episodes import episode

RESULTS = st.lists(st.booleans(), min_size=1, max_size=8)


@st.composite
def drawn(draw):
    results = draw(RESULTS)
    return results, draw(st.integers(1, len(results)))


@given(drawn())
def test_both_estimators_are_the_mean_over_every_choice_of_k_trials(case):
    results, k = case
    choices = list(combinations(results, k))
    n, c = len(results), sum(results)
    assert pass_at_k(n, c, k) == pytest.approx(fmean(any(choice) for choice in choices))
    assert pass_hat_k(n, c, k) == pytest.approx(fmean(all(choice) for choice in choices))


@given(drawn())
def test_the_conventions_stay_within_bounds_and_in_order(case):
    results, k = case
    n, c = len(results), sum(results)
    hat, power, at = pass_hat_k(n, c, k), pass_power_k(n, c, k), pass_at_k(n, c, k)
    assert 0 <= hat <= power + 1e-12
    assert power <= c / n + 1e-12
    assert c / n <= at + 1e-12
    assert at <= 1
    assert any_of_first(results, k) in (0.0, 1.0)


@given(drawn())
def test_more_trials_never_lower_pass_at_k_nor_raise_pass_hat_k(case):
    results, k = case
    n, c = len(results), sum(results)
    assert pass_at_k(n, c, k) >= pass_at_k(n, c, 1) - 1e-12
    assert pass_hat_k(n, c, k) <= pass_hat_k(n, c, 1) + 1e-12


@pytest.mark.parametrize(
    ("call", "got"),
    [
        (lambda: pass_at_k(2, 1, 3), "got k 3, 1 solved of 2 trials"),
        (lambda: pass_hat_k(2, 3, 1), "got k 1, 3 solved of 2 trials"),
        (lambda: pass_power_k(0, 0, 1), "got k 1, 0 solved of 0 trials"),
        (lambda: any_of_first([True], 0), "got k 0, 1 solved of 1 trials"),
    ],
)
def test_numbers_that_do_not_fit_together_are_refused(call, got):
    with pytest.raises(ConfigError, match=rf"^k must be from 1 to the number of trials .*, {got}$"):
        call()


def test_k_below_one_is_refused():
    with pytest.raises(ConfigError, match=r"^k must be at least 1, got 0$"):
        passes({}, 0)


def test_invalid_trials_are_left_out_and_so_are_tasks_with_too_few_left():
    statuses = [("1", "solved", 1), ("1", "unsolved", 0), ("2", "solved", 0), ("2", None, 1), ("3", None, 0)]
    trials = solved_trials(episode(task, status, trial=trial) for task, status, trial in statuses)
    assert trials == {"1": [False, True], "2": [True], "3": []}
    figures = passes(trials, 2)
    assert (figures.tasks, figures.left_out, figures.pass_at_k, figures.any_of_first) == (1, 2, 1.0, 1.0)


def test_unsure_is_not_solved():
    assert solved_trials([episode("1", "unsure")]) == {"1": [False]}


def test_the_conventions_differ_where_they_should():
    figures = passes({"a": [False, True, True, False]}, 2)
    assert figures.pass_at_k == pytest.approx(5 / 6)
    assert figures.any_of_first == 1.0
    assert figures.pass_hat_k == pytest.approx(1 / 6)
    assert figures.pass_power_k == 0.25
