"""The published leaderboard, recomputed by our own functions, and every number in it that does not agree."""

from __future__ import annotations

import pytest

from stb_env.runs.metrics.sowr import win_rate
from stb_env.suites.stabletoolbench.leaderboard import check_published, published, recomputed

PAPER = [row for row in published() if row.table.startswith("paper")]


@pytest.mark.parametrize("row", PAPER, ids=lambda row: f"{row.table}, {row.method}")
def test_the_averages_of_the_paper_are_unweighted_means_over_groups(row):
    mean, std = recomputed(row)
    assert mean == pytest.approx(row.average, abs=0.05 + 1e-9)
    if row.average_std is not None:
        assert std == pytest.approx(row.average_std, abs=0.1)


@pytest.mark.heavy
def test_every_published_win_rate_is_a_number_of_queries_over_all_of_them():
    queries = {
        "I1-Instruction": 163,
        "I1-Category": 153,
        "I1-Tool": 158,
        "I2-Instruction": 106,
        "I2-Category": 124,
        "I3-Instruction": 61,
    }
    for row in (row for row in published() if row.metric == "SoWR"):
        for group, printed in row.means.items():
            wins = round(printed * queries[group] / 100)
            rate = win_rate(["win"] * wins + ["lose"] * (queries[group] - wins))
            assert round(100 * rate.win, 1) == printed


def found(*kinds, rounding=False):
    return {
        problem.where
        for problem in check_published()
        if problem.kind in kinds and problem.rounding is rounding
    }


def test_the_averages_that_no_rounding_explains_are_these():
    page = "project page, MirrorAPI-Cache, SoPR"
    assert found("average") == {
        "project page, June 2024, SoWR, ToolLLaMA v2 DFS",
        f"{page}, ToolLLaMA v2 CoT",
        f"{page}, ToolLLaMA v2 DFS",
        f"{page}, GPT-4o mini CoT",
        f"{page}, GPT-4o mini DFS",
        f"{page}, GPT-4o DFS",
    }


def test_two_figures_are_off_by_no_more_than_rounding_can_do():
    assert found("average", "average_std", rounding=True) == {
        "paper, Table 3, GPT-3.5-Turbo-0613 CoT",
        "project page, June 2024, SoWR, GPT-4-Turbo-Preview DFS",
    }


def test_two_rates_of_the_paper_are_no_score_of_three_votes_on_the_full_list():
    assert found("fraction") == {
        "paper, Table 3, GPT-4-0613 DFS, I1-Tool",
        "paper, Table 3, GPT-4-Turbo-Preview CoT, I2-Instruction",
    }


def test_a_sum_and_a_change_are_misprinted():
    assert found("total", "change") == {
        "paper, Table 2, before filtering",
        "paper, Table 9, GPT-3.5-Turbo-0613 CoT",
    }


def test_an_inconsistency_says_what_was_printed_and_what_the_other_numbers_give():
    (sowr,) = [problem for problem in check_published() if problem.printed == 54.0]
    assert sowr.recomputed == pytest.approx(46.067)
    assert sowr.to_dict()["kind"] == "average"


@pytest.mark.parametrize(
    ("metric", "rate", "possible"),
    [("SoPR", 62.5, True), ("SoPR", 60.0, False), ("SoWR", 75.0, True), ("SoWR", 62.5, False)],
)
def test_votes_on_answers_average_and_comparisons_of_a_query_are_one_result(
    monkeypatch, metric, rate, possible
):
    """Four queries: each is a quarter, which two votes of a half each divide by four."""
    row = {"means": [rate], "average": rate}
    table = {"name": "T", "metric": metric, "evaluator": "", "votes": 2, "groups": ["G"], "rows": {"A": row}}
    data = {"tables": [table], "queries": {"G": 4}, "totals": [], "changes": []}
    monkeypatch.setattr("stb_env.suites.stabletoolbench.leaderboard._data", lambda: data)
    assert [problem.kind for problem in check_published()] == ([] if possible else ["fraction"])
