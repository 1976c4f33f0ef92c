"""What programs may use of pandas, by name; everything else is refused.

Nothing here reaches a file, runs a text as code, draws at random or repeats texts.
"""

from __future__ import annotations

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
"""What can make a table as large as the product of its parts."""

PATTERNED = words("contains count fullmatch match replace split")
"""Methods of texts that take a pattern."""
