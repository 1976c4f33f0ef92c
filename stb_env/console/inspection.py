"""Contents and errors of official files, as `stb-env data check` prints them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from stb_env.core.jsontypes import JsonObject


@dataclass(frozen=True, slots=True)
class Inspection:
    """A report on files of one suite.

    Attributes:
        report: What was found, JSON values.
        table: The same for people.
        passed: Whether nothing is wrong with the files.
    """

    report: JsonObject
    table: Table
    passed: bool


Inspect = Callable[[Path, bool], Inspection | None]
"""Reports on the files at a path, strictly or not; None where they are of no form that a suite reads."""
