"""Judges: compare the final worksheets with those that the label makes.

Where the default differs from the original evaluator, the evaluator has a defect:

- Texts are read as numbers and truth values as 1 and 0 there, `NA` as nothing, blank columns vanish, and a
  header without rows is nothing at all. Here every cell is compared where it stands: 4 is not "4".
- A sum that differs in its last bit is another one there. Here numbers are the same up to rounding.
- Formats are compared in all rows but the last there, and only where the task says so. Here the whole table
  counts, and with it merged cells, frozen rows, filters, hidden lines and notes, wherever the label changes
  any of these.
- The last worksheet alone is judged there. Here every worksheet but the untouched first one is.
- A pivot table has to stand there as the label's does. Here its groups and figures count, and neither
  titles, grand totals and the order of groups, nor where it stands.
- A program that is equal to a label counts there without being run. Here it is run.
- An empty generation counts as executable there. Here something has to be done.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

from stb_env.core import jsontext
from stb_env.core.request import Slow
from stb_env.errors import ConfigError, DataError, JudgeError
from stb_env.judges.judge import Case
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.common.interpreter.reader import PROGRAM
from stb_env.suites.sambanova.common.verdicts import (
    first_error,
    is_executable,
    made_calls,
    verdict_of,
    verdict_on_parts,
)
from stb_env.suites.sambanova.google_sheets.dataframes.library import NoFramesError
from stb_env.suites.sambanova.google_sheets.execution import run_program
from stb_env.suites.sambanova.google_sheets.formula.results import Results
from stb_env.suites.sambanova.google_sheets.original_frame import Frame
from stb_env.suites.sambanova.google_sheets.outcomes import (
    Look,
    Outcome,
    formats_of,
    frame_of,
    looks_of,
    outcome_of,
    restyled,
    rows_of,
    same_cells,
    same_summary,
)
from stb_env.suites.sambanova.google_sheets.session import Session
from stb_env.suites.sambanova.google_sheets.sheet import Book, book_of
from stb_env.suites.sambanova.google_sheets.tools import READERS
from stb_env.tasks import Task
from stb_env.verdict import Verdict

_LABELS = 2_048


class SheetsJudge:
    """Compares every cell, and how it looks where that was asked for.

    The parts of a verdict are the rows that the label changes, the worksheets that it adds, and looks where
    it is about looks; all else has to stay as it was. No call may fail after the last one that writes.
    """

    name = "exact"

    def judge(self, case: Case) -> Slow[Verdict]:
        """Return the verdict; yields nothing.

        Raises:
            ConfigError: A label of the task uses data frames, and pandas is not installed.
            DataError: A label of the task does not run.
            JudgeError: The case does not carry the spreadsheet.
        """
        yield from ()
        book, calls = _book_of(case), made_calls(case)
        results = Results(book)
        got = outcome_of(book, results)
        found = [_parts(book, results, got, label, case.task) for label in labelled(case.task)]
        parts = max(found, key=lambda each: (all(each.values()), sum(each.values())))
        return verdict_on_parts(self.name, calls, parts, lambda call: call.name not in READERS)


class OriginalJudge:
    """Judges as the original does, its defects included."""

    name = "original"

    def judge(self, case: Case) -> Slow[Verdict]:
        """Return the verdict; yields nothing.

        Raises:
            ConfigError: A label of the task uses data frames, and pandas is not installed.
            DataError: A label of the task does not run.
            JudgeError: The case does not carry the spreadsheet.
        """
        yield from ()
        book, calls = _book_of(case), made_calls(case)
        texts = [
            str(call.arguments.get("text", ""))
            for call in calls
            if call.name == PROGRAM and not isinstance(call.arguments, str)
        ]
        if len(calls) == len(texts) == 1 and texts[0].strip("\r\n") in case.task.goal["labels"]:
            return verdict_of(self.name, success=True, executable=True)
        if calls and not is_executable(calls):
            return verdict_of(self.name, success=False, executable=False, reason=first_error(calls))
        check_format = bool(case.task.goal.get("check_format"))
        labels = labelled(case.task)
        success = any(label.is_read_like(book, check_format=check_format) for label in labels)
        return verdict_of(self.name, success=success, executable=True)


def labelled(task: Task) -> list[Label]:
    """Run the labels of a task on its spreadsheet.

    Raises:
        ConfigError: A label uses data frames, and pandas is not installed.
        DataError: A label does not run.
    """
    grid = jsontext.dumps(task.goal["grid"])
    return [_labelled(grid, label) for label in task.goal["labels"]]


@dataclass(frozen=True)
class Label:
    """The outcome of a label, an accepted program; its parts are computed when they are asked for.

    Attributes:
        start: The spreadsheet before.
        book: The spreadsheet after.
    """

    start: Book
    book: Book

    @cached_property
    def outcome(self) -> Outcome:
        """Its cells."""
        return outcome_of(self.book)

    @cached_property
    def before(self) -> Outcome:
        """The cells before it."""
        return outcome_of(self.start)

    @cached_property
    def looks(self) -> tuple[Look, ...]:
        """Formats, merged areas, view and notes of each worksheet."""
        return looks_of(self.book)

    @cached_property
    def restyles(self) -> bool:
        """True if the label changes looks too."""
        return restyled(self.looks, looks_of(self.start))

    @cached_property
    def _frame(self) -> Frame:
        return frame_of(self.book)

    def is_read_like(self, book: Book, *, check_format: bool) -> bool:
        """Return whether the original takes a spreadsheet for equal to the label's.

        Args:
            book: The spreadsheet.
            check_format: Whether formats are compared too.
        """
        if not frame_of(book).equals(self._frame):
            return False
        return not check_format or formats_of(book) == formats_of(self.book)


@lru_cache(maxsize=_LABELS)
def _labelled(grid: str, label: str) -> Label:
    session = Session(book_of(jsontext.read_back(grid)))
    start = session.book
    try:
        run_program(session, label)
    except NoFramesError as error:
        raise ConfigError(f"the label {label[:200]!r} cannot be run: {error}") from error
    except CrashError as error:
        raise DataError(f"the label {label[:200]!r} does not run: {error}; correct it") from error
    return Label(start, session.book)


def _parts(book: Book, results: Results, got: Outcome, label: Label, task: Task) -> dict[str, bool]:
    """Return the parts of a verdict: each row and worksheet that the label changes, and what has to stay."""
    wanted, before, is_summary = label.outcome, label.before, bool(task.goal.get("is_summary"))
    rows = rows_of(wanted.own), rows_of(before.own), rows_of(got.own)
    same = {row: same_cells(rows[2].get(row, {}), rows[0].get(row, {})) for row in set().union(*rows)}
    changed = [row for row in same if not same_cells(rows[0].get(row, {}), rows[1].get(row, {}))]
    parts = {f"state:row {row}": same[row] for row in sorted(changed)}
    parts["kept:other rows"] = all(same[row] for row in same if row not in changed)
    parts[f"{'kept' if wanted.title == before.title else 'state'}:title"] = got.title == wanted.title
    alike = same_summary if is_summary else same_cells
    for at, cells in enumerate(wanted.added):
        parts[f"state:worksheet {at + 1}"] = at < len(got.added) and alike(got.added[at], cells)
    parts["kept:no other worksheet"] = len(got.added) <= len(wanted.added)
    if not is_summary and (task.goal.get("check_format") or label.restyles):
        parts[f"{'state' if label.restyles else 'kept'}:looks"] = looks_of(book, results) == label.looks
    return parts


def _book_of(case: Case) -> Book:
    if isinstance(case.state, Book):
        return case.state
    raise JudgeError(
        f"task {case.task.id} is judged by its spreadsheet, got {type(case.state).__name__}; pass the "
        "world's state in the case",
        kind="internal",
        retryable=False,
    )
