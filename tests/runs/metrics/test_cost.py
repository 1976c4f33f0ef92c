"""The cost of a solved task: everything that was spent over what was solved, unknown where a price is."""

from __future__ import annotations

from stb_env.runs.metrics.cost import cost
from tests.runs.metrics.episodes import episode


def spending(dollars, **changes):
    usage = {
        "prompt_tokens": 8,
        "completion_tokens": 2,
        "total_tokens": 10,
        "calls": 2,
        "cost": dollars,
        "unpriced": 0,
    }
    return usage | changes


def test_what_failed_and_was_invalid_is_paid_for_by_what_was_solved():
    statuses = ["solved", "solved", "unsolved", None]
    figures = cost([episode(str(n), status, usage=spending(0.5)) for n, status in enumerate(statuses)])
    assert (figures.episodes, figures.invalid, figures.solved) == (3, 1, 2)
    assert (figures.dollars_per_solved, figures.tokens_per_solved, figures.calls_per_solved) == (1.0, 20, 4)


def test_where_nothing_was_solved_there_is_no_cost_of_a_solved_task():
    figures = cost([episode(status="unsolved", usage=spending(0.5))])
    assert figures.dollars_per_solved is figures.tokens_per_solved is figures.calls_per_solved is None
    assert figures.usage.cost == 0.5


def test_calls_without_a_price_leave_the_dollars_unknown_and_the_tokens_known():
    figures = cost([episode(usage=spending(0.0, unpriced=1))])
    assert figures.dollars_per_solved is None
    assert figures.tokens_per_solved == 10


def test_usage_of_other_programs_may_know_less_or_more():
    assert cost([episode(usage={"calls": 3, "wall": 1.5})]).calls_per_solved == 3
