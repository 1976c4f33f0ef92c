"""SoWR: one result a query, ties told apart from wins and counted as halves, the undecided left out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.runs.metrics.sowr import most_frequent, sowr, win_rate

RESULTS = st.lists(st.sampled_from(["win", "lose", "tie"]), max_size=9)
MIRROR = {"win": "lose", "lose": "win", "tie": "tie"}


@pytest.mark.parametrize(
    ("seen", "result"),
    [
        (["win", "win", "lose"], "win"),
        (["lose", "tie", "lose"], "lose"),
        (["win", "tie", "tie"], "tie"),
        (["win", "lose"], "tie"),
        (["win", "lose", "tie"], "tie"),
        ([], "tie"),
    ],
)
def test_a_query_has_its_most_frequent_result(seen, result):
    assert most_frequent(seen) == result


@pytest.mark.heavy
@given(RESULTS)
def test_the_other_run_has_the_mirrored_rate(results):
    mine, theirs = win_rate(results), win_rate([MIRROR[result] for result in results])
    assert (mine.win, mine.tie) == (theirs.lose, theirs.tie)
    assert mine.ties_half == pytest.approx(1 - theirs.ties_half if results else 0.0)


@pytest.mark.heavy
@given(st.integers(1, 500), st.integers(0, 500))
def test_as_many_wins_as_losses_are_exactly_a_half(wins, ties):
    assert win_rate(["win"] * wins + ["lose"] * wins + ["tie"] * ties).ties_half == 0.5


def test_groups_weigh_alike_and_queries_that_lack_a_comparison_are_left_out():
    rounds = {"1": ["win"] * 3, "2": ["lose"] * 3, "3": ["tie"] * 3, "4": ["win"] * 2}
    found = sowr(rounds, dict(zip("1234", "ABBA", strict=True)), comparisons=3, invalid=2)
    assert (found.overall.queries, found.undecided, found.invalid) == (3, 1, 2)
    assert (found.groups["A"].win, found.groups["B"].win, found.average) == (1.0, 0.0, 0.5)
    assert found.average_ties_half == pytest.approx((1.0 + 0.25) / 2)
