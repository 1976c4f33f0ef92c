"""The spreadsheet as a backend; its state is the spreadsheet."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import partial

from stb_env.backend.world import World
from stb_env.core.jsontypes import JsonObject
from stb_env.core.request import Request, Slow, drive
from stb_env.errors import DataError, did_you_mean
from stb_env.suites.sambanova.common.interpreter.child import watched_world
from stb_env.suites.sambanova.common.interpreter.costs import RULES
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.common.interpreter.reader import PROGRAM
from stb_env.suites.sambanova.google_sheets.dataframes.library import is_installed
from stb_env.suites.sambanova.google_sheets.execution import plain, run_call, run_program
from stb_env.suites.sambanova.google_sheets.session import Session
from stb_env.suites.sambanova.google_sheets.sheet import Book, book_of
from stb_env.suites.sambanova.google_sheets.tools import BY_NAME, TOOLS
from stb_env.tasks import Task
from stb_env.tools import Tool, ToolCall, ToolResult

VERSION = 2


class SheetsWorld(World[Book]):
    """Carries out calls on a spreadsheet; one world serves any number of episodes.

    Examples:
        >>> world = SheetsWorld()
        >>> result, book = world.call(
        ...     book_of([["a", 1]]), BY_NAME["update"], {"range_name": "B1", "values": 5}
        ... )
        >>> book.sheets[-1].cells[1, 2], world.call(book, BY_NAME["acell"], {"label": "B1"})[0].response
        (5, {'row': 1, 'col': 2, 'value': '5'})
    """

    @property
    def fingerprint(self) -> dict[str, object]:
        """Version of the world and a hash over its documentation; whether data frames are missing."""
        digest = hashlib.sha256("\n".join(tool.spec for tool in TOOLS).encode())
        made = {"world": "google_sheets", "version": VERSION, "tools": digest.hexdigest(), "costs": RULES}
        # An agent that works on data frames scores less without them: such runs must be told apart.
        return made if is_installed() else {**made, "frames": "missing"}

    def start(self, task: Task, seed: int) -> Book:  # noqa: ARG002
        """Return the spreadsheet as the task finds it."""
        return book_of(task.goal["grid"])

    def call(self, state: Book, tool: Tool, arguments: Mapping[str, object]) -> tuple[ToolResult, Book]:
        """Make one call, or run a program; what fails leaves the spreadsheet as it is.

        Raises:
            DataError: The tool is not one of this world's.
        """
        if tool.name not in BY_NAME:
            near = did_you_mean(tool.name, BY_NAME)
            raise DataError(f"{tool.name!r} is no tool of the sheets; take tools from its tasks.{near}")
        try:
            if tool.name == PROGRAM:
                return _played(state, str(arguments.get("text", "")))
            session = Session(state)
            response = plain(run_call(session, tool.name, arguments))
        except CrashError as error:
            return ToolResult.of("", error=str(error), source="world"), state
        return ToolResult.of({"done": True} if response is None else response, source="world"), session.book

    def answer(self, state: Book, tool: Tool, call: ToolCall) -> Slow[tuple[ToolResult, Book]]:
        """Answer one call, whose formulas may take a while; a program runs in a child process."""
        if tool.name == PROGRAM and not isinstance(call.arguments, str):
            return (yield from watched_world(_played, state, str(call.arguments.get("text", ""))))
        answer = partial(drive, super().answer(state, tool, call))
        answered: tuple[ToolResult, Book] = yield Request(run=answer)
        return answered


def _played(state: Book, text: str) -> tuple[ToolResult, Book]:
    """Run a program.

    Raises:
        CrashError: It does not run through.
    """
    session = Session(state)
    outcome = run_program(session, text)
    response: JsonObject = {"value": plain(outcome.value)} if outcome.value is not None else {}
    if outcome.printed:
        response["printed"] = list(outcome.printed)
    return ToolResult.of(response, source="world"), session.book
