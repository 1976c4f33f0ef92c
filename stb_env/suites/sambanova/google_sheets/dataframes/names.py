"""Names of pandas that programs may use, with the cost of each call; everything else is refused.

Nothing here reaches a file, runs a text as code, draws at random or repeats texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stb_env.suites.sambanova.common.interpreter import costs
from stb_env.suites.sambanova.common.interpreter.budget import SHARE, weigh, width
from stb_env.suites.sambanova.common.interpreter.costs import Args, Cost, Options
from stb_env.suites.sambanova.common.interpreter.kinds import words

REDUCTIONS = words("sum mean min max count size median std var prod nunique first last any all idxmin idxmax")
"""Functions that programs may call by their names, as in ``agg("sum")``."""

_ELEMENTWISE = words(
    "abs add clip cumsum diff div divide eq fillna floordiv ge gt isin isna isnull le lt map mask mod mul "
    "multiply ne notna notnull pct_change pow radd rank replace rdiv rmul round rsub shift sub subtract "
    "truediv where"
)
_REDUCED = words(
    "agg aggregate all any count describe idxmax idxmin max mean median min mode nunique prod quantile std "
    "sum value_counts var"
)
_SHAPED = words(
    "apply astype copy drop drop_duplicates dropna duplicated equals ffill bfill first_valid_index get "
    "groupby head infer_objects items keys last_valid_index nlargest nsmallest pop reindex rename "
    "rename_axis reset_index set_axis sort_index sort_values squeeze tail to_dict to_numpy transform "
    "transpose truncate unstack update"
)
_FRAME = words(
    "add_prefix add_suffix applymap assign filter insert iterrows itertuples join melt merge pivot "
    "pivot_table select_dtypes set_index stack"
)
_SERIES = words("argmax argmin between item to_frame to_list tolist unique")
_GROUPED = words(
    "apply cumcount cumsum filter first get_group head last ngroup rank shift size tail transform"
)
_TEXTS = words(
    "capitalize cat contains count endswith fullmatch get isalpha isdigit isnumeric join len lower lstrip "
    "match removeprefix removesuffix replace rsplit rstrip slice split startswith strip title upper zfill"
)

FIELDS = {
    "frame": words("T at columns dtypes empty iat iloc index loc ndim shape size values"),
    "series": words("at dt dtype empty iat iloc index loc name ndim shape size str values"),
    "grouped": words("groups ngroups"),
    "index": words("empty name names shape size str values"),
    "dates": words("day dayofweek month weekday year"),
}
"""Attributes that are no methods, by our name of the type."""

METHODS = {
    "frame": _ELEMENTWISE | _REDUCED | _SHAPED | _FRAME,
    "series": _ELEMENTWISE | _REDUCED | _SHAPED | _SERIES,
    "grouped": _REDUCED - {"mode"} | _GROUPED,
    "index": words("astype drop get_loc isin item map max min nunique sort_values to_list tolist unique"),
    "texts": _TEXTS,
}
"""Methods, by our name of the type."""

EARLIER = {"frame": words("append")}
"""Methods of pandas 1.5, which the original has, that are gone from later versions."""

FUNCTIONS = words(
    "DataFrame Series concat crosstab isna isnull melt merge notna notnull pivot_table to_datetime to_numeric"
)
"""Functions of the library itself."""

LABELS = ("columns", "index", "name")
"""Attributes that can be set, besides columns."""

APPLIED = words("agg aggregate apply applymap map transform")
"""Methods whose first argument is a function, or the name of one."""

PAIRED = words("crosstab join merge pivot pivot_table stack unstack")
"""Operations whose result can be as large as the product of their parts."""

PATTERNED = words("contains count fullmatch match replace split")
"""Methods of texts that take a pattern."""


def _frames(
    steps: int,
    *,
    a_row: int = 0,
    a_group: int = 0,
    a_column: int = 8,
    a_cell: int = 0,
    pairs: int = 20_000,
    applies: bool = False,
) -> Cost:
    """Return the rule of a call of pandas.

    Args:
        steps: What it takes with a table of a few rows.
        a_row: Steps for each row, where rows are gone through one by one.
        a_group: Steps for each row of groups, each of which may be one.
        a_column: Steps for each column beyond a few.
        a_cell: Steps for each column of each group.
        pairs: Pairs of rows that take one step: all rows may meet in one place of a table.
        applies: Whether each of a list of functions is applied to each column.
    """

    def cost(args: Args, options: Options) -> int:
        tables: list[Any] = [getattr(value, "obj", value) for value in (*args, *options.values())]
        rows = max((len(table) for table in tables if hasattr(table, "__len__")), default=0)
        cells = sum(map(weigh, tables))
        each = a_group if args and hasattr(args[0], "obj") else a_row
        columns = a_column * max(map(width, tables), default=0)
        if a_cell and args and (grouped := getattr(args[0], "ngroups", 0)):
            columns += a_cell * grouped * (*tables[0].shape, 1)[1]
        if applies:
            listed = (*args[1:2], options.get("func"), options.get("aggfunc"))
            columns *= max((len(value) for value in listed if isinstance(value, list)), default=1)
        return steps + cells * 2 // SHARE + each * rows + columns + rows * rows // pairs

    return cost


_QUICK = _frames(30)
_SLOW_NAMES = (
    "DataFrame Series assign cat concat drop_duplicates duplicated fillna groupby infer_objects isin "
    "mode nlargest nsmallest pct_change quantile rank replace reindex set_index sort_index sort_values stack "
    "to_datetime truncate unstack update value_counts select_dtypes count first last head tail "
    "get_group insert"
)
_BY_ROW_NAMES = (
    "all any applymap cumcount cumsum filter idxmax idxmin iterrows items itertuples map "
    "max mean median min nunique prod size shift std sum to_dict var append"
)
_RULES: Mapping[str, Cost] = {
    **costs.words(_SLOW_NAMES, _frames(100)),
    **costs.words("join melt merge pivot", _frames(250)),
    **costs.words(_BY_ROW_NAMES, _frames(50, a_row=2, a_group=6)),
    **costs.words("agg aggregate apply transform", _frames(50, a_row=2, a_group=6, applies=True)),
    **costs.words("crosstab pivot_table", _frames(400, pairs=200, applies=True)),
    "describe": _frames(200, a_column=50, a_cell=30),
}
PANDAS: Mapping[str, Cost] = {
    name: _RULES.get(name, _QUICK) for name in sorted(FUNCTIONS.union(*METHODS.values(), *EARLIER.values()))
}
"""pandas' functions, and the methods of its objects, which come first among the arguments."""
