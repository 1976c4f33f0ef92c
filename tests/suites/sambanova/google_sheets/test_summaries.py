"""A summary is right by its groups and figures, whatever its layout; wrong ones are not."""

from __future__ import annotations

from typing import Any

import pytest

from stb_env.suites.sambanova.google_sheets.outcomes import same_summary

WANTED = [["Team", "Rows", "Goals"], ["blue", 2, 7], ["red", 1, 7], ["green", 3, 2.5]]


def cells(rows: list[list[Any]], top: int = 1, left: int = 1) -> dict[tuple[int, int], Any]:
    return {
        (y, x): cell
        for y, row in enumerate(rows, top)
        for x, cell in enumerate(row, left)
        if cell is not None
    }


BODY = WANTED[1:]


@pytest.mark.parametrize(
    "rows",
    [
        WANTED,
        BODY,
        [["", "n", "sum"], *BODY[::-1]],
        [[None, "Goals", "Goals"], [None, "count", "sum"], ["Team"], *BODY],
        [*WANTED, ["Grand Total", 6, 16.5]],
        [*WANTED, ["All", 6.0, 16.5000000000001]],
        [*WANTED, [None, 6, 16.5]],
    ],
)
@pytest.mark.parametrize("at", [(1, 1), (3, 2)])
def test_titles_totals_order_and_place_are_free(rows: list[list[Any]], at: tuple[int, int]):
    assert same_summary(cells(rows, *at), cells(WANTED))


@pytest.mark.parametrize(
    "rows",
    [
        [],
        WANTED[:1],
        WANTED[:-1],
        [*WANTED, BODY[0]],
        [*WANTED, ["pink", 1, 1]],
        [*WANTED, ["Grand Total", 6, 17]],
        [*WANTED, ["Grand Total", 6, 16.5], ["Grand Total", 6, 16.5]],
        [["Team", "Rows", "Goals"], ["blue", 2, 7], ["red", 1, 7], ["green", 3, 2.6]],
        [["Team", "Rows", "Goals"], ["blue", 2, 7], ["red", 1, 7], ["green", 2.5, 3]],
        [["Team", "Rows", "Goals"], ["blue", 2, 7], ["red", 1, 7], ["green", "3", "2.5"]],
        [["Team", "Goals"], *([row[0], row[2]] for row in BODY)],
        [[1, 2, 3], *BODY],
        [["a"], ["b"], ["c"], ["d"], *BODY],
        [WANTED[0], BODY[0], ["between"], *BODY[1:]],
    ],
)
def test_other_groups_or_figures_are_wrong(rows: list[list[Any]]):
    assert not same_summary(cells(rows), cells(WANTED))


def test_a_label_with_totals_asks_for_no_more_than_one_without():
    with_totals = [*WANTED, ["Grand Total", 6, 16.5]]
    assert same_summary(cells(WANTED), cells(with_totals))
    assert same_summary(cells(with_totals), cells(with_totals))
    assert not same_summary(cells(with_totals[:-2]), cells(with_totals))


def test_groups_of_two_fields_and_of_numbers_are_told_apart():
    pairs = [["Team", "Year", "Goals"], ["red", "old", 1], ["red", "new", 2]]
    assert same_summary(cells([pairs[0], pairs[2], pairs[1]]), cells(pairs))
    assert not same_summary(cells([pairs[0], ["red", "old", 2], ["red", "new", 1]]), cells(pairs))
    years = [["Year", "Goals"], [2020, 5], [2021, 6]]
    assert same_summary(cells(years[::-1][:2]), cells(years))
    assert not same_summary(cells([years[0], [2020, 6], [2021, 5]]), cells(years))


@pytest.mark.parametrize("wanted", [[], [["Team"]]])
def test_where_a_label_has_no_groups_every_cell_counts(wanted: list[list[Any]]):
    assert same_summary(cells(wanted), cells(wanted))
    assert not same_summary(cells([["other"]]), cells(wanted))
