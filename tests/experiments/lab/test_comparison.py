"""Paired changes, and the sentences about them."""

from __future__ import annotations

import pytest

from stb_env.experiments.lab.comparison import MeanScore, PairedChange, holm


def scores(*values: float) -> dict[str, float]:
    return {f"task {n}": value for n, value in enumerate(values)}


def test_a_small_change_in_most_pairs_is_found_where_intervals_of_the_means_overlap():
    before = scores(*[0.0, 1.0] * 20)
    after = {task: score + 0.04 if n % 4 else score for n, (task, score) in enumerate(before.items())}
    change = PairedChange.of(before, after)
    assert change.found
    assert change.said(0.01).startswith("rises by 3.0 points [")


def test_a_mean_lies_within_its_interval():
    rate = MeanScore.of({"a": [1.0, 0.0], "b": [1.0], "c": [0.0]})
    low, high = rate.interval
    assert low < rate.mean == 0.5 < high


def test_it_is_the_change_on_shared_tasks_alone():
    change = PairedChange.of({"a": 1.0, "b": 0.0}, {"a": 0.0, "c": 1.0})
    assert (change.tasks, change.change, change.lost, change.won) == (1, -1.0, 1, 0)


def test_nothing_shared_is_no_evidence_that_a_score_stays():
    change = PairedChange.of({"a": 1.0}, {"b": 1.0})
    assert change.said(1.0) == "not measured: no task has a score under both"
    assert not change.stays(1.0)


def test_scores_that_are_all_nought_could_not_fall_and_so_do_not_stay():
    change = PairedChange.of(scores(0.0, 0.0), scores(0.0, 0.0))
    assert change.said(1.0) == "not measured: every score is 0 under both"
    assert not change.stays(1.0)


@pytest.mark.parametrize(
    ("interval", "words"),
    [
        ((-0.012, 0.005), "no change found: -0.4 [-1.2, +0.5]"),
        ((-0.03, 0.03), "no change found: -0.4 [-3.0, +3.0]"),
        ((-0.009, 0.009), "stays within 1.0 points: -0.4 [-0.9, +0.9]"),
        ((-0.009, -0.001), "falls by 0.4 points [0.1, 0.9], within the margin of 1.0"),
        ((-0.09, -0.001), "falls by 0.4 points [0.1, 9.0]"),
    ],
)
def test_no_score_stays_without_a_margin_that_holds_the_whole_interval(interval, words):
    assert PairedChange(99, -0.004, interval, 0.5, 1, 0, 1.0).said(0.01) == words


def test_a_change_that_many_tests_would_show_by_chance_says_so():
    many = [PairedChange(99, 0.1, (0.01, 0.2), p, 0, 9, p) for p in (0.04, 0.001, 0.03)]
    assert [one.adjusted for one in holm(many)] == [0.06, 0.003, 0.06]
    assert [one.said() for one in holm(many)] == [
        "rises by 10.0 points [1.0, 20.0] (p 0.06 among all)",
        "rises by 10.0 points [1.0, 20.0]",
        "rises by 10.0 points [1.0, 20.0] (p 0.06 among all)",
    ]
