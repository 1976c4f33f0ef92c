"""API-Bank's tables, computed from scores of samples."""

from __future__ import annotations

import pytest

from stb_env.suites.api_bank.metrics import (
    Attempt,
    ErrorType,
    Score,
    by_level,
    error_counts,
    error_type,
    report,
    total,
)


def calls(level, right, of, dialogue="d"):
    return [Score(level, f"{dialogue}{number}", right=number < right) for number in range(of)]


@pytest.mark.parametrize(
    ("model", "counts", "printed"),
    [
        ("GPT-4", {1: 254, 2: 50, 3: 35}, 60.24),
        ("GPT-3.5", {1: 237, 2: 52, 3: 11}, 47.16),
        ("Lynx", {1: 199, 2: 41, 3: 10}, 39.58),
        ("Alpaca", {1: 96, 2: 7, 3: 0}, 15.19),
    ],
)
def test_the_total_is_what_table_3_prints(model, counts, printed):
    sizes = {1: 399, 2: 135, 3: 50}
    scores = [score for level, right in counts.items() for score in calls(level, right, sizes[level])]
    assert round(100 * total(by_level(scores), "accuracy"), 2) == pytest.approx(printed, abs=0.011)


def test_a_plan_is_right_where_all_its_calls_are():
    scores = [Score(3, "a", right=True), Score(3, "a", right=False), Score(3, "b", right=True)]
    figures = by_level(scores)[3]
    assert (figures.accuracy, figures.right_calls, figures.calls) == (0.5, 2, 3)


def test_a_sample_without_a_prediction_counts_in_the_denominator_alone():
    scores = [Score(1, "a", right=True), Score(1, "b", right=False, given=False)]
    figures = by_level(scores)[1]
    assert (figures.accuracy, figures.missing) == (0.5, 1)
    assert sum(error_counts(scores).values()) == 0


def test_replies_are_averaged_over_their_samples():
    assert by_level([Score(2, "a", rouge=0.25), Score(2, "a", rouge=0.75)])[2].rouge == 0.5


def test_a_level_without_calls_has_no_accuracy_and_no_weight():
    figures = by_level([Score(1, "a", right=True), Score(2, "a", rouge=0.5)])
    assert figures[2].accuracy is None
    assert total(figures, "accuracy") == 1.0
    assert total({}, "rouge") == 0.0


def test_the_report_names_every_type_of_error():
    figures = report([Score(1, "a", right=False, error=ErrorType.MISSING)])
    assert figures["errors"]["Missing Input Parameters"] == 1
    assert list(figures["errors"]) == [str(kind) for kind in ErrorType]
    assert figures["errors_by_level"]["1"] == figures["errors"]


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"calls": 0}, ErrorType.NO_CALL),
        ({"name": "B", "calls": 2}, ErrorType.FORMAT),
        ({"name": "A", "readable": False, "misfit": True}, ErrorType.FORMAT),
        ({"name": "B", "was_found": False}, ErrorType.HALLUCINATION),
        ({"level": 2, "name": "B", "was_found": False}, ErrorType.RETRIEVAL),
        ({"level": 2, "name": "B"}, ErrorType.HALLUCINATION),
        ({"level": 2, "name": "A", "was_found": False, "raised": True}, ErrorType.EXCEPTION),
        ({"level": 2, "name": "B", "is_search": True}, ErrorType.RETRIEVAL),
        ({"level": 2, "name": "A", "is_search": True}, ErrorType.RETRIEVAL),
        ({"level": 2, "name": "A", "is_search": True, "missing": True}, ErrorType.MISSING),
        ({"name": "A", "misfit": True, "missing": True}, ErrorType.INPUT),
        ({"name": "A", "missing": True}, ErrorType.MISSING),
        ({"name": "A", "raised": True}, ErrorType.EXCEPTION),
        ({"name": "A"}, ErrorType.INPUT),
    ],
)
def test_the_first_type_that_holds_is_the_type(facts, expected):
    assert error_type(Attempt(**{"level": 1, "gold": "A", **facts})) is expected
