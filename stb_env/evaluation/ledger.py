"""Cost of an evaluation over all its sittings, and the budget that ends it."""

from __future__ import annotations

import json
import threading
from concurrent.futures import Future
from pathlib import Path

from stb_env.core import checksums, jsontext
from stb_env.core.files import LineWriter, make_folder
from stb_env.core.jsontypes import JsonObject
from stb_env.errors import DataError, STBError
from stb_env.models import Meter
from stb_env.usage import NO_USAGE, Usage


class BudgetExceeded(STBError):
    """The budget is used up: the evaluation stops where it is.

    Not an `InfrastructureError` on purpose: that would end one episode as invalid after another. Nothing is
    saved of the episodes that were cut short, so whoever goes on with a higher budget plays them whole.
    """


class Ledger(Meter):
    """A meter that keeps every call's cost in a file and goes on from what stands there.

    A process that is killed between an answer and the line about it loses that one line. Each line has a
    checksum, and the file has one from closing to the next call (see `stb_env.core.checksums`). Models can be
    put on a ledger before it is open; until then it writes nothing.

    Args:
        file: The ledger, JSON lines.
        budget: Dollars; None only counts.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     for _ in range(2):
        ...         ledger = Ledger(Path(folder) / "spending.jsonl", budget=1.0)
        ...         ledger.add(Usage(calls=1, cost=0.25))
        ...         ledger.close()
        ...     ledger.total.calls, ledger.total.cost
        (2, 0.5)
    """

    cost_setting = "budget"

    def __init__(self, file: Path, budget: float | None = None) -> None:
        super().__init__(max_cost=budget)
        self._path = file
        self._file: LineWriter | None = None
        self._writing = threading.Lock()
        self._noted = True

    def open(self) -> LineWriter:
        """Open the file and go on from what stands in it; the first call does so where no one did.

        Raises:
            ConfigError: Another process has it open.
            DataError: A line is broken.
        """
        if self._file is None:
            with self._writing:
                self._file = self._file or self._opened()
        return self._file

    def _opened(self) -> LineWriter:
        make_folder(self._path.parent)
        # Before a torn last line is cut off: of a file that was closed, it is no mark of a kill.
        checksums.check(self._path)
        file = LineWriter(self._path)
        try:
            super().add(read_spending(self._path))
        except DataError:
            file.close()
            raise
        return file

    def reserve(self, stage: str = "model", most: Usage = NO_USAGE) -> Future[None]:
        """Ask for leave to make a call; see `Meter.reserve`. Its failure is a `BudgetExceeded`."""
        self.open()
        return super().reserve(stage, most)

    def refusal(self, message: str, stage: str) -> Exception:
        """Return what ends the evaluation where a call is not made."""
        return BudgetExceeded(
            f"the next call of the {stage} model was not made: {message}. Nothing of the episode in "
            "progress was kept; with a higher budget the same command goes on"
        )

    def add(self, usage: Usage) -> None:
        """Add what a call cost, on disk before this returns."""
        file = self.open()
        super().add(usage)
        with self._writing:
            if self._noted:
                checksums.forget(self._path.parent, self._path.name)
                self._noted = False
            file.write(checksums.sealed(jsontext.dumps(usage.to_dict())))

    def close(self) -> None:
        """Close the file, and note its checksum."""
        if self._file is not None:
            self._file.close()
            if not self._noted:
                checksums.note(self._path.parent, self._path.name)
                self._noted = True


def read_spending(file: Path) -> Usage:
    """Return what a ledger adds up to; nothing where there is none.

    Raises:
        DataError: A line is broken, or the file was changed since it was closed.
    """
    if not file.is_file():
        return Usage()
    total = Usage()
    for number, line in enumerate(file.read_bytes().decode("utf-8").split("\n")[:-1], 1):
        try:
            cost: JsonObject = json.loads(line)
            checksums.check_line(line, cost)
            cost.pop("sha256", None)
            total += Usage(**cost)
        except (ValueError, TypeError, AttributeError) as error:
            raise DataError(f"{file}, line {number}: not what a call cost ({error})") from error
        except DataError as error:
            raise DataError(f"{file}, line {number}: {error}") from error
    checksums.check(file)
    return total
