"""The same tasks on a real spreadsheet, through gspread and the user's own account.

The spreadsheet is a scratch one: all worksheets but its first are deleted at the start of every episode.
Since it lives elsewhere, episodes on it cannot be forked or taken back, and programs that are given as text
are refused: calls reach the account by name, and only the names of the tools.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from stb_env.backend.world import World
from stb_env.core.jsontypes import JsonArray, JsonMapping, JsonObject
from stb_env.errors import BackendError, ConfigError
from stb_env.suites.sambanova.common.interpreter.reader import PROGRAM
from stb_env.suites.sambanova.google_sheets.a1 import label
from stb_env.suites.sambanova.google_sheets.sheet import Book, Sheet, book_of
from stb_env.suites.sambanova.google_sheets.tools import WORKSHEET, method_of
from stb_env.suites.sambanova.google_sheets.values import Content, raw
from stb_env.tasks import Task
from stb_env.tools import Tool, ToolResult

if TYPE_CHECKING:
    import gspread

TITLE = "sheet_1"


class LiveWorld(World[Book]):
    """Carries out calls on a spreadsheet of gspread's.

    Args:
        spreadsheet: A spreadsheet that may be emptied.

    Examples:
        With credentials, ``make(world=LiveWorld(open_spreadsheet("https://docs.google.com/...")))``.
    """

    def __init__(self, spreadsheet: gspread.Spreadsheet) -> None:
        self._spreadsheet = spreadsheet

    @property
    def fingerprint(self) -> dict[str, object]:
        """Says that answers came from the service, which no version pins."""
        return {"world": "google_sheets", "live": True}

    def start(self, task: Task, seed: int) -> Book:  # noqa: ARG002
        """Empty the spreadsheet, write the task's table, and return what it holds.

        Raises:
            BackendError: The service failed.
        """
        grid = task.goal["grid"]
        try:
            for worksheet in self._spreadsheet.worksheets()[1:]:
                self._spreadsheet.del_worksheet(worksheet)
            worksheet = self._spreadsheet.add_worksheet(TITLE, 1000, 26)
            if grid:
                last = label(len(grid), max(len(row) for row in grid))
                rows = [["" if value is None else value for value in row] for row in grid]
                worksheet.update(f"A1:{last}", rows, raw=True)
        except OSError as error:
            raise _failed(error) from error
        return book_of(grid)

    def call(self, state: Book, tool: Tool, arguments: JsonMapping) -> tuple[ToolResult, Book]:
        """Make one call, and read what the spreadsheet holds then.

        Raises:
            BackendError: The service could not be reached.
        """
        if tool.name == PROGRAM:
            error = "programs are not run on a real spreadsheet; call its tools one by one"
            return ToolResult.of("", error=error, source="world"), state
        refused: tuple[type[Exception], ...] = (AttributeError, LookupError, TypeError, ValueError)
        refused += _refusals()
        try:
            found = self._called(tool.name, dict(arguments))
            return ToolResult.of(found, source="world"), self._read(state)
        except OSError as error:
            raise _failed(error) from error
        except refused as error:
            # What the service refuses is an answer.
            return ToolResult.of("", error=f"{type(error).__name__}: {error}", source="world"), state

    def _called(self, name: str, given: JsonObject) -> object:
        method, is_book = method_of(name)
        if is_book:
            return _plain(getattr(self._spreadsheet, method.name)(**given))
        worksheet = self._spreadsheet.worksheet(given.pop(WORKSHEET, TITLE))
        if method.several:
            positional: JsonArray = [tuple(each) for each in given.pop(next(iter(method.parameters)), ())]
        else:
            # gspread renamed parameters over time; their order stayed.
            names = list(method.parameters)[: method.required]
            positional = [given.pop(each) for each in names if each in given]
        return _plain(getattr(worksheet, method.name)(*positional, **given))

    def _read(self, state: Book) -> Book:
        """Return the values of all worksheets; how they look is not read."""
        sheets: list[Sheet] = [state.sheets[0]]
        for number, worksheet in enumerate(self._spreadsheet.worksheets()[1:], 1):
            rows = worksheet.get_values(value_render_option="UNFORMATTED_VALUE")
            cells: dict[tuple[int, int], Content] = {
                (row, column): content
                for row, line in enumerate(rows, 1)
                for column, value in enumerate(line, 1)
                if (content := raw(value)) is not None
            }
            sheet_id = 1 if worksheet.title == TITLE else 100 + number
            sheets.append(Sheet(sheet_id, worksheet.title, cells=cells))
        return Book(tuple(sheets))


def open_spreadsheet(url: str, credentials: str | None = None) -> gspread.Spreadsheet:
    """Open a spreadsheet with a service account.

    Args:
        url: Address of the spreadsheet.
        credentials: File of the service account; gspread's own default place by default.

    Raises:
        ConfigError: gspread is not installed.
    """
    try:
        import gspread
    except ImportError as error:
        raise ConfigError(
            "a real spreadsheet needs gspread; pip install 'stb-env[gspread]', or leave out world"
        ) from error
    client = gspread.service_account(filename=credentials) if credentials else gspread.service_account()
    spreadsheet: gspread.Spreadsheet = client.open_by_url(url)
    return spreadsheet


@cache
def _refusals() -> tuple[type[Exception], ...]:
    """Return gspread's own errors, where it is installed."""
    try:
        from gspread.exceptions import GSpreadException
    except ImportError:
        return ()
    return (GSpreadException,)


def _failed(error: Exception) -> BackendError:
    return BackendError(f"the sheet service failed: {error}", kind="transport", stage="world", retryable=True)


def _plain(value: Any) -> object:
    if isinstance(value, bool | int | float | str | None):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "title"):
        return {"id": value.id, "title": value.title}
    if hasattr(value, "row") and hasattr(value, "value"):
        return {"row": value.row, "col": value.col, "value": _plain(value.value)}
    return repr(value)
