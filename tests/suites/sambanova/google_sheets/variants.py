"""Programs that a careful player writes for each kind of goal.

Each is made from what the goal's text says, for whatever table; the players differ in library, in order and
in whether they write formulas or values.
"""

from __future__ import annotations

from tests.suites.sambanova.google_sheets.chain_variants import (
    CLEAN_TOTAL,
    COMPUTED_SORT,
    EXTREMES,
    FILTER_TOTAL,
    FLAGS,
    HEADER_TOTAL,
    HEADING,
    INSERT_ORDERED,
    MOVE_COLUMN,
    RAISE_TOTAL,
    REPORT,
    RESTOCK,
    SUBTOTALS,
    TIDY,
    TOP_ROWS,
    TRANSFER,
)
from tests.suites.sambanova.google_sheets.change_variants import (
    ADD_ROW,
    DELETE_ROWS,
    KEEP_ROWS,
    MERGE,
    RAISE_VALUES,
    REPLACE_TEXT,
    SORT,
    TOTAL,
    UPDATE_VALUE,
)
from tests.suites.sambanova.google_sheets.extract_variants import PIVOT, SPLIT, SUMMARY
from tests.suites.sambanova.google_sheets.snippets import Write

GOOD: dict[str, list[Write]] = {
    "update_value": UPDATE_VALUE,
    "replace_text": REPLACE_TEXT,
    "add_row": ADD_ROW,
    "delete_rows": DELETE_ROWS,
    "sort": SORT,
    "total": TOTAL,
    "merge": MERGE,
    "keep_rows": KEEP_ROWS,
    "raise_values": RAISE_VALUES,
    "filter_total": FILTER_TOTAL,
    "computed_sort": COMPUTED_SORT,
    "clean_total": CLEAN_TOTAL,
    "subtotals": SUBTOTALS,
    "extremes": EXTREMES,
    "move_column": MOVE_COLUMN,
    "tidy": TIDY,
    "top_rows": TOP_ROWS,
    "transfer": TRANSFER,
    "restock": RESTOCK,
    "report": REPORT,
    "flags": FLAGS,
    "heading": HEADING,
    "insert_ordered": INSERT_ORDERED,
    "raise_total": RAISE_TOTAL,
    "header_total": HEADER_TOTAL,
    "pivot": PIVOT,
    "summary": SUMMARY,
    "split": SPLIT,
}
"""Programs that are right, by the kind of goal."""
