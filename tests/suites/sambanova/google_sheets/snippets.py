"""Pieces of the programs that players write, made from what a goal's text says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stb_env.suites.sambanova.google_sheets.tables import Table

Slots = dict[str, Any]
Write = Callable[[Table, Slots], str]

READ = (
    "df = get_as_dataframe(worksheet)\ndf = df.dropna(how='all', axis=0)\ndf = df.dropna(how='all', axis=1)\n"
)
BACK = "worksheet.clear()\nset_with_dataframe(worksheet, df)\n"
RECORDS = "rows = worksheet.get_all_values()\nheader, body = rows[0], rows[1:]\n"
REWRITE = "worksheet.clear()\nworksheet.update('A1', [header, *body], value_input_option='USER_ENTERED')\n"
HELPERS = "def number(text):\n    return float(text) if '.' in text else int(text)\n"
REDUCE = {"sum": "sum", "average": "mean", "maximum": "max", "minimum": "min"}
BUILTIN = {"sum": "sum({0})", "average": "sum({0}) / len({0})", "maximum": "max({0})", "minimum": "min({0})"}
SIGN = {"plus": "+", "minus": "-", "times": "*"}
HEX = {"yellow": "1, 1, 0", "green": "0, 1, 0", "red": "1, 0, 0"}


def down(order: str) -> bool:
    return order in ("descending", "highest")


def total(title: str, measure: str) -> str:
    """Write what a column comes to below it, as a value."""
    return (
        f"names = worksheet.row_values(1)\ncol = names.index({title!r}) + 1\n"
        "values = [float(text) for text in worksheet.col_values(col)[1:]]\n"
        f"worksheet.update_cell(len(values) + 2, col, {BUILTIN[measure].format('values')})\n"
    )


def formula_total(title: str, measure: str) -> str:
    """Write what a column comes to below it, as a formula."""
    name = {"sum": "SUM", "average": "AVERAGE", "maximum": "MAX", "minimum": "MIN"}[measure]
    return (
        f"found = worksheet.find({title!r}, in_row=1)\nlast = len(worksheet.col_values(found.col))\n"
        "letter = chr(64 + found.col)\nplace = f'{letter}{last + 1}'\n"
        f"worksheet.update(place, f'={name}({{letter}}2:{{letter}}{{last}})', raw=False)\n"
    )


def frame_total(title: str, measure: str) -> str:
    return (
        f"worksheet.update_cell(len(df) + 2, list(df.columns).index({title!r}) + 1, "
        f"float(df[{title!r}].{REDUCE[measure]}()))\n"
    )


def sorted_frame(title: str, order: str) -> str:
    return f"df = df.sort_values(by={title!r}, ascending={not down(order)})\n"


def sort_call(table: Table, slots: Slots, more: int = 0) -> str:
    """Sort the rows below the header, some more than the table starts with."""
    order = "des" if down(slots["order"]) else "asc"
    area = f"A2:{width(table)}{table.last_row + more}"
    return f"worksheet.sort(({table.column(slots['column'])}, {order!r}), range={area!r})"


def look(words: str) -> str:
    parts = {"textFormat": {key: True for key in ("bold", "italic") if key in words}}
    made: dict[str, Any] = dict(parts)
    if "centered" in words:
        made["horizontalAlignment"] = "CENTER"
    for color, shares in HEX.items():
        if f" {color} " in words:
            red, green, blue = (int(share) for share in shares.split(", "))
            # What is 0 may be left out.
            shown = {"red": red, "green": green, "blue": blue}
            made["backgroundColor"] = {name: share for name, share in shown.items() if share}
    return repr(made)


def test_of(slots: Slots) -> str:
    """Return the condition on a row of a frame."""
    column, words = slots["column"], str(slots["condition"]).split()
    if len(words) == 1:
        return f"df[{column!r}] == {words[0]!r}"
    return f"df[{column!r}] {'>' if words[0] == 'greater' else '<'} {words[2]}"


def row_test(slots: Slots) -> str:
    """Return the same condition on a row of texts."""
    column, words = slots["column"], str(slots["condition"]).split()
    at = f"row[header.index({column!r})]"
    if len(words) == 1:
        return f"{at} == {words[0]!r}"
    return f"float({at}) {'>' if words[0] == 'greater' else '<'} {words[2]}"


def key_of(table: Table) -> str:
    return table.header[0]


def width(table: Table) -> str:
    return chr(64 + len(table.header))


def pairs(cells: str) -> dict[str, Any]:
    """Return the cells that a goal names, by column."""
    found = (part.split(" ") for part in cells.split(", "))
    return {title: plain(value) for title, value in found}


def plain(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def names(slots: Slots) -> list[str]:
    return str(slots["names"]).replace(" and ", ", ").split(", ")


def number_word(word: str) -> int:
    return {"two": 2, "three": 3, "four": 4}[word]


def new_rows(slots: Slots) -> list[list[Any]]:
    return [[slots[who], *pairs(slots[f"{who}_cells"]).values()] for who in ("first", "second")]
