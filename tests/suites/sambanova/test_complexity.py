"""Complexity score, r-F1 and Spearman's rank correlation."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from stb_env.errors import DataError
from stb_env.show.cli import app
from stb_env.suites.sambanova.complexity import average_ranks, complexity, distance, rf1_distance, spearman
from tests.shared import task_cases, task_files

CALLS = st.lists(st.sampled_from("abcde"), max_size=8)
VALUES = st.lists(st.integers(-3, 3).map(float), min_size=2, max_size=12)


@pytest.fixture(scope="module")
def cases(shared_data):
    return task_cases(shared_data, "complexity score")


def test_every_distance_of_the_recorded_cases_is_reproduced_golden(cases):
    for case in cases:
        expected, size = case["expected"], case["size_of_D"]
        found = [[distance(t, e, size) for e in case["examples"]] for t in case["tests"]]
        rf1 = [[rf1_distance(t, e) for e in case["examples"]] for t in case["tests"]]
        assert np.allclose(found, expected["distance"], rtol=0, atol=1e-12), case["id"]
        assert np.allclose(rf1, expected["rf1_distance"], rtol=0, atol=1e-12), case["id"]


def test_every_score_of_the_recorded_cases_is_reproduced_golden(cases):
    for case in cases:
        expected = case["expected"]
        found = complexity(case["tests"], case["examples"], case["size_of_D"])
        assert found.nearest == pytest.approx(expected["min_distance"], abs=1e-12), case["id"]
        assert found.nearest_rf1 == pytest.approx(expected["min_rf1"], abs=1e-12), case["id"]
        assert (found.score, found.rf1) == pytest.approx(
            (expected["score"], expected["rf1_score"]), abs=1e-12
        )


def test_the_recorded_rank_correlations_are_reproduced_golden(shared_data):
    for file in task_files(shared_data, "complexity score", "spearman"):
        study = file["spearman"]
        for model in study["models"]:
            assert round(spearman(study["complexity"], model["error"]), 6) == model["computed"], model["name"]


@given(CALLS, CALLS)
def test_distances_ignore_the_order_of_calls(test, example):
    assert distance(test, example, 7) == distance(test[::-1], example[::-1], 7)
    assert rf1_distance(test, example) == rf1_distance(test[::-1], example[::-1])


@given(CALLS, CALLS)
def test_the_f1_distance_is_zero_for_equal_calls_alone(test, example):
    assert (rf1_distance(test, example) == 0.0) == (Counter(test) == Counter(example))


@given(CALLS, CALLS)
def test_an_example_with_a_call_that_the_test_lacks_is_farther_away(test, example):
    assert distance(test, [*example, "z"], 7) > distance(test, example, 7)


def test_several_calls_of_one_function_count_as_several():
    assert distance(["a", "a"], ["a"], 10) > distance(["a"], ["a"], 10)


@given(st.lists(CALLS, min_size=1, max_size=4), st.lists(CALLS, min_size=1, max_size=4))
def test_repeated_examples_change_nothing(tests, examples):
    assert complexity(tests, examples * 3, 7) == complexity(tests, examples, 7)


@given(VALUES)
def test_ranks_are_those_of_scipy(values):
    rankdata = pytest.importorskip("scipy.stats", reason="compares with SciPy where it is").rankdata
    assert average_ranks(values).tolist() == rankdata(values).tolist()


@given(VALUES, st.randoms(use_true_random=False))
def test_the_correlation_is_that_of_scipy(values, random):
    spearmanr = pytest.importorskip(
        "scipy.stats", reason="compares with SciPy where it is installed"
    ).spearmanr
    other = random.sample(values, len(values))
    if len(set(values)) > 1:
        assert spearman(values, other) == pytest.approx(spearmanr(values, other).statistic, abs=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: complexity([], [["a"]], 3),
            "a complexity needs tests, examples and functions, got 0, 1 and 3",
        ),
        (
            lambda: complexity([["a"]], [], 3),
            "a complexity needs tests, examples and functions, got 1, 0 and 3",
        ),
        (lambda: complexity([["a"]], [["a"]], 0), "needs tests, examples and functions, got 1, 1 and 0"),
        (lambda: distance(["a"], ["a"], 0), "an API has at least 1 function, got 0"),
        (lambda: spearman([1.0], [2.0]), "needs two lists of equal length from 2, got 1 and 1"),
        (lambda: spearman([1.0, 2.0], [2.0]), "needs two lists of equal length from 2, got 2 and 1"),
        (lambda: spearman([1.0, 1.0], [1.0, 2.0]), "needs values that differ, and one list is constant"),
    ],
)
def test_what_cannot_be_measured_is_refused(call, message):
    with pytest.raises(DataError, match=message):
        call()


# -- the command -----------------------------------------------------------------------------------------


@pytest.mark.heavy
def test_the_command_shows_our_complexities_beside_the_papers():
    done = CliRunner().invoke(app, ["sambanova", "complexity", "cat_api,virtual_home,web_shop", "--json"])
    cat, home, shop = json.loads(done.stdout)["tasks"]
    for row in (cat, home):
        assert row["training"]["score"] == pytest.approx(row["published"], rel=0.25)
        assert row["demonstrations"]["score"] >= row["training"]["score"] > 0
    assert (shop["published"], shop["training"]) == (0.0, None)
