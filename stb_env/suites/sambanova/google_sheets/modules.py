"""Modules that programs can import besides pandas and NumPy: parts of gspread and the standard library."""

from __future__ import annotations

import string
from collections import Counter, defaultdict

from stb_env.suites.sambanova.common.interpreter.builtins import take
from stb_env.suites.sambanova.common.interpreter.costs import at_least, keys, read
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.common.interpreter.kinds import Apply, Module, Native, TypeName
from stb_env.suites.sambanova.google_sheets.a1 import label, read_cell
from stb_env.suites.sambanova.google_sheets.dataframes.worksheets import FRAME_FUNCTIONS
from stb_env.suites.sambanova.google_sheets.objects import CellHost


def _cell(row: int, col: int, value: object = "") -> CellHost:
    return CellHost((row, col), value)


def _default_dict(apply: Apply, factory: object = None) -> dict[object, object]:
    if factory is not None and not callable(factory) and not isinstance(factory, Native | TypeName):
        raise CrashError("defaultdict takes a function that makes what is missing")
    return defaultdict(None if factory is None else apply(factory))


def _counter(items: object = ()) -> dict[object, int]:
    return Counter(take(items))


_CHARACTERS = ("ascii_letters", "ascii_lowercase", "ascii_uppercase", "digits")
_CELL = Native("Cell", _cell, at_least(1, read))
_UTILS = Module(
    "gspread.utils",
    {
        "rowcol_to_a1": Native("rowcol_to_a1", label, at_least(1, read)),
        "a1_to_rowcol": Native("a1_to_rowcol", read_cell, at_least(1, read)),
    },
)

MODULES: dict[str, Module] = {
    "gspread_dataframe": Module("gspread_dataframe", FRAME_FUNCTIONS),
    "gspread": Module("gspread", {"Cell": _CELL, "utils": _UTILS}),
    "gspread.utils": _UTILS,
    "gspread.cell": Module("gspread.cell", {"Cell": _CELL}),
    "collections": Module(
        "collections",
        {
            "defaultdict": Native("defaultdict", _default_dict, read, calls=True),
            "Counter": Native("Counter", _counter, keys),
        },
    ),
    "string": Module("string", {name: getattr(string, name) for name in _CHARACTERS}),
}
"""The libraries by the names under which they are imported."""
