"""The task's tools: every method of worksheets and of the spreadsheet, and one that takes a whole program."""

from __future__ import annotations

from collections.abc import Mapping

from stb_env.suites.sambanova.common.interpreter.reader import PROGRAM
from stb_env.suites.sambanova.common.official import Document
from stb_env.suites.sambanova.google_sheets.methods import (
    formatting,
    layout,
    properties,
    read,
    spreadsheet,
    write,
)
from stb_env.suites.sambanova.google_sheets.methods.method import Method
from stb_env.tools import Tool, ToolId

SHEET_METHODS = read.METHODS | write.METHODS | layout.METHODS | formatting.METHODS | properties.METHODS
"""Methods of worksheets."""

BOOK_METHODS = spreadsheet.METHODS
"""Methods of the spreadsheet."""

BOOK_PREFIX = "sheet_"
"""Begins the names of the spreadsheet's tools: programs know it as ``sheet``."""

READERS = frozenset(
    [*read.METHODS, *(BOOK_PREFIX + name for name, method in BOOK_METHODS.items() if method.reads)]
)
"""Tools that change nothing."""

WORKSHEET = "worksheet"
NAMES = frozenset({"sheet", "worksheet", "get_as_dataframe", "set_with_dataframe", "pd"})
"""Names by which a text is known for a program."""

_WHICH = {
    "type": "string",
    "description": "Title of the worksheet; the task's own if left out.",
}


def method_of(tool: str) -> tuple[Method, bool]:
    """Return the method that a tool stands for, and whether it is the spreadsheet's."""
    if tool.startswith(BOOK_PREFIX) and tool.removeprefix(BOOK_PREFIX) in BOOK_METHODS:
        return BOOK_METHODS[tool.removeprefix(BOOK_PREFIX)], True
    return SHEET_METHODS[tool], False


def _tool(method: Method, prefix: str, more: Mapping[str, object]) -> Tool:
    parameters = {
        "type": "object",
        "properties": {**method.parameters, **more},
        "required": list(method.parameters)[: method.required],
    }
    name = prefix + method.name
    return Tool(name, method.summary, parameters, ToolId.of("Office", "google_sheets", name))


_PROGRAM = Tool(
    PROGRAM,
    "Runs a Python program on worksheet and sheet, which have the methods above, with get_as_dataframe, "
    "set_with_dataframe, pd and np: loops, functions, lists and arithmetic are read. If it fails, nothing "
    "changes.",
    {
        "type": "object",
        "properties": {"text": {"type": "string", "description": "The program."}},
        "required": ["text"],
    },
    ToolId.of("Office", "google_sheets", PROGRAM),
)
TOOLS: tuple[Tool, ...] = (
    *(_tool(method, "", {WORKSHEET: _WHICH}) for method in SHEET_METHODS.values()),
    *(_tool(method, BOOK_PREFIX, {}) for method in BOOK_METHODS.values()),
    _PROGRAM,
)
BY_NAME = {tool.name: tool for tool in TOOLS}

_FRAMES = (
    ("get_as_dataframe", "get_as_dataframe(worksheet)", "Reads a worksheet into a pandas data frame."),
    (
        "set_with_dataframe",
        "set_with_dataframe(worksheet, dataframe, [row], [col])",
        "Writes a data frame with its header into a worksheet; cells outside of it stay.",
    ),
    ("df_loc", "df.loc[rows, columns]", "Picks rows by label or condition, and columns by label."),
    ("df_drop", "df.drop(labels, [axis])", "Leaves out rows or columns."),
    ("df_dropna", "df.dropna([how], [axis])", "Leaves out rows or columns with missing values."),
    ("df_sort_values", "df.sort_values(by, [ascending])", "Sorts rows by columns."),
    ("df_groupby", "df.groupby(by)", "Groups rows by what stands in columns."),
    (
        "df_pivot_table",
        "df.pivot_table([values], [index], [columns], [aggfunc])",
        "Summarises values by what stands in other columns.",
    ),
)


def documents() -> list[Document]:
    """Return the API documents for prompts: one for each method, and eight for data frames.

    Examples:
        >>> print(documents()[0].text)
        # Reads a cell.
        worksheet.acell(label, [value_render_option])
    """
    made = [
        Document(method.name, f"# {method.summary}\nworksheet.{method.signature}")
        for method in SHEET_METHODS.values()
    ]
    made += [
        Document(BOOK_PREFIX + method.name, f"# {method.summary}\nsheet.{method.signature}")
        for method in BOOK_METHODS.values()
    ]
    return made + [Document(name, f"# {summary}\n{signature}") for name, signature, summary in _FRAMES]
