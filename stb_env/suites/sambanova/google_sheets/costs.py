"""What the calls on a spreadsheet and on data frames cost; see `interpreter.costs`.

A method of a worksheet has its rule here for what it is given; what it reads and writes of the worksheet is
charged where that is done, by the `Session`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stb_env.suites.sambanova.common.interpreter.budget import SHARE, weigh
from stb_env.suites.sambanova.common.interpreter.costs import (
    FLAT,
    Args,
    Cost,
    Options,
    at_least,
    flat,
    keys,
    read,
    words,
)
from stb_env.suites.sambanova.google_sheets.frame_names import EARLIER, FUNCTIONS, METHODS


def _given(args: Args, options: Options) -> int:
    # Each value that is written is read as what a user types.
    return 4 * read(args, options)


_CALL = at_least(5, _given)
_LINES = at_least(20, _given)
SHEET: Mapping[str, Cost] = {
    **words("acell cell range get batch_get get_values get_all_values get_all_records get_all_cells", _CALL),
    **words("row_values col_values find findall get_note", _CALL),
    **words("update update_cell update_acell update_cells batch_update append_row append_rows clear", _CALL),
    **words("batch_clear insert_row insert_rows insert_cols delete_row delete_rows delete_columns", _CALL),
    **words("delete_dimension add_rows add_cols resize sort copy_range cut_range merge_cells", _CALL),
    **words("unmerge_cells format batch_format freeze set_basic_filter clear_basic_filter", _CALL),
    **words("columns_auto_resize rows_auto_resize update_tab_color", _CALL),
    **words("hide_columns hide_rows unhide_columns unhide_rows hide show", _LINES),
    **words("add_dimension_group_columns add_dimension_group_rows", _LINES),
    **words("delete_dimension_group_columns delete_dimension_group_rows", _LINES),
    **words("list_dimension_group_columns list_dimension_group_rows", _LINES),
    **words("update_title update_index duplicate define_named_range delete_named_range", _CALL),
    **words("add_protected_range delete_protected_range insert_note update_note", _CALL),
    **words("clear_note", _CALL),
}
"""Methods of a worksheet."""

BOOK: Mapping[str, Cost] = {
    **words("batch_update values_get values_batch_get values_update values_append", _CALL),
    **words("values_batch_update values_clear values_batch_clear fetch_sheet_metadata", _CALL),
    **words("get_worksheet get_worksheet_by_id worksheets worksheet add_worksheet duplicate_sheet", _CALL),
    **words("del_worksheet del_worksheet_by_id reorder_worksheets named_range list_named_ranges", _CALL),
    **words("update_title list_protected_ranges", _CALL),
}
"""Methods of a spreadsheet."""

PATTERNS: Mapping[str, Cost] = {
    "compile": flat(20),
    **words("search match fullmatch sub", at_least(20, lambda args, options: _length(args, options) // 20)),
}
"""Regular expressions: each character is looked at once, for each part of a short pattern."""


def _length(args: Args, options: Options) -> int:
    return sum(len(value) for value in (*args, *options.values()) if isinstance(value, str))


LIBRARIES: Mapping[str, Cost] = {
    **words("Cell rowcol_to_a1 a1_to_rowcol", flat(1)),
    "Counter": keys,
    "defaultdict": FLAT,
    "where": at_least(10, read),
    "get_as_dataframe": flat(100),
    "set_with_dataframe": at_least(50, lambda args, options: 8 * read(args, options)),
}
"""Functions of the smaller libraries."""


def _frames(steps: int, *, a_row: int = 0, a_group: int = 0, pairs: int = 20_000) -> Cost:
    """Return the rule of a call of pandas.

    Args:
        steps: What it takes with a table of a few rows.
        a_row: Steps for each row, where rows are gone through one by one.
        a_group: Steps for each row of groups, each of which may be one.
        pairs: Pairs of rows that take one step: all rows may meet in one place of a table.
    """

    def cost(args: Args, options: Options) -> int:
        tables: list[Any] = [getattr(value, "obj", value) for value in (*args, *options.values())]
        rows = max((len(table) for table in tables if hasattr(table, "__len__")), default=0)
        cells = sum(map(weigh, tables))
        each = a_group if args and hasattr(args[0], "obj") else a_row
        return steps + cells * 2 // SHARE + each * rows + rows * rows // pairs

    return cost


_QUICK, _SLOW, _SLOWEST = _frames(30), _frames(100), _frames(250)
_SLOW_NAMES = (
    "DataFrame Series assign cat concat drop_duplicates duplicated fillna groupby infer_objects isin "
    "mode nlargest nsmallest pct_change quantile rank replace reindex set_index sort_index sort_values stack "
    "to_datetime truncate unstack update value_counts select_dtypes count first last head tail "
    "get_group insert"
)
_SLOWEST_NAMES = "join melt merge pivot"
_BY_ROW_NAMES = (
    "agg aggregate all any apply applymap cumcount cumsum filter idxmax idxmin iterrows items itertuples map "
    "max mean median min nunique prod size shift std sum to_dict transform var append"
)
_RULES: Mapping[str, Cost] = {
    **words(_SLOW_NAMES, _SLOW),
    **words(_SLOWEST_NAMES, _SLOWEST),
    **words(_BY_ROW_NAMES, _frames(50, a_row=2, a_group=6)),
    **words("crosstab pivot_table", _frames(400, pairs=200)),
    "describe": _frames(200, a_group=40),
}
PANDAS: Mapping[str, Cost] = {
    name: _RULES.get(name, _QUICK) for name in sorted(FUNCTIONS.union(*METHODS.values(), *EARLIER.values()))
}
"""pandas' functions, and the methods of its objects, which come first among the arguments."""
