"""Intervals of means: never of width 0, and as narrow as the number of tasks allows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from stb_env.runs.metrics.intervals import bootstrap_interval, constant_interval
from stb_env.runs.metrics.significance import paired_bootstrap
from stb_env.show.cli import app

SCORES = st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=30)


@given(SCORES)
def test_no_interval_has_width_0_and_each_holds_its_mean(scores):
    low, high = bootstrap_interval(scores)
    assert low < high
    assert low - 1e-6 <= sum(scores) / len(scores) <= high + 1e-6
    assert low >= 0.0
    assert high <= 1.0


@given(SCORES, SCORES)
def test_no_paired_interval_has_width_0(first, second):
    size = min(len(first), len(second))
    low, high = paired_bootstrap(first[:size], second[:size], resamples=200)
    assert low < high


@pytest.mark.parametrize(("tasks", "low"), [(1, 0.025), (12, 0.735352), (600, 0.993871)])
def test_all_solved_is_bounded_as_clopper_and_pearson_bound_it(tasks: int, low: float):
    assert bootstrap_interval([1.0] * tasks) == (pytest.approx(low, abs=1e-6), 1.0)
    assert bootstrap_interval([0.0] * tasks) == (0.0, pytest.approx(1 - low, abs=1e-6))


def test_without_a_task_everything_is_possible():
    assert bootstrap_interval([]) == (0.0, 1.0)
    assert paired_bootstrap([], []) == (-1.0, 1.0)


def test_a_score_beyond_the_usual_bounds_moves_them():
    import numpy as np

    low, high = constant_interval(np.array([3.0, 3.0]), 0.0, 1.0)
    assert (low < 3.0, high) == (True, 3.0)


def test_a_run_that_solves_all_says_so_with_a_width(tmp_path: Path):
    out = str(tmp_path / "run")
    words = ["run", "stb/Sandbox-v1", "--agent", "gold", "--episodes", "6", "--out", out, "--json"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    low, high = json.loads(result.stdout)["interval"]
    assert (low < 0.7, high) == (True, 1.0)
