"""``stb-env data check`` of API-Bank's dialogues: the paper's table 2 of them, or what written ones give."""

from __future__ import annotations

from pathlib import Path

from rich.table import Table

from stb_env.console.inspection import Inspection
from stb_env.jsontypes import JsonObject
from stb_env.suites.api_bank.api_set import LEVEL_3, LEVEL_12
from stb_env.suites.api_bank.formats.statistics import (
    ABILITIES,
    PAPER,
    Statistics,
    find_dialogues,
    statistics,
)
from stb_env.suites.api_bank.formats.written import is_written, read_written
from stb_env.suites.api_bank.recorded_corpus import RecordedApis


def inspect(source: Path, strict: bool) -> Inspection | None:
    """Count the dialogues at a path; None where there are none.

    Raises:
        DataError: A file is broken.
    """
    del strict
    if is_written(source):
        return _written(source)
    dialogues = find_dialogues(source)
    if not dialogues:
        return None
    found = statistics(dialogues)
    return Inspection(_report(found), _table(found), passed=True)


def _written(source: Path) -> Inspection:
    """Count the written dialogues that can be played, level by level, and say why others cannot."""
    written = read_written(source)
    report: JsonObject = {}
    table = Table(
        title="written dialogues", caption="left out: what contradicts earlier ones or lacks an API"
    )
    for column in ("level", "there", "playable"):
        table.add_column(column, justify="left" if column == "level" else "right")
    for level, name in ABILITIES.items():
        there = [one for one in written if one.dialogue.level == level]
        recorded = RecordedApis(there)
        report[name] = {
            "there": len(there),
            "playable": len(recorded.dialogues),
            "left_out": recorded.left_out,
        }
        table.add_row(name, str(len(there)), str(len(recorded.dialogues)))
    return Inspection(report, table, passed=True)


def _table(found: Statistics) -> Table:
    """Return table 2 of the paper for some dialogues, beside the paper's own figures."""
    names = ", ".join(found.without_calls)
    table = Table(title="API-Bank dialogues", caption=f"without a gold call: {names}" if names else None)
    for column in ("", "here", "paper"):
        table.add_column(column, justify="right" if column else "left")
    for name, number in api_counts().items():
        table.add_row(name, str(number), str(number))
    for name, count in found.counts.items():
        table.add_row(name, str(count), str(PAPER[name]))
    table.add_row("turns a dialogue", f"{found.turns_per_dialogue:.2f}", "2.91")
    return table


def _report(found: Statistics) -> JsonObject:
    """Return the same as plain data."""
    return {
        **api_counts(),
        **found.counts,
        "turns a dialogue": round(found.turns_per_dialogue, 4),
        "without_calls": list(found.without_calls),
    }


def api_counts() -> dict[str, int]:
    """Return the paper's counts of domains and APIs: the search counts once, the internal check not at all.

    Examples:
        >>> api_counts()
        {'domains': 8, 'APIs': 73}
    """
    sets = (LEVEL_12.apis, LEVEL_3.apis)
    domains = {api.domain for apis in sets for api in apis.values() if api.name != "ToolSearcher"}
    return {"domains": len(domains), "APIs": sum(map(len, sets)) - 2}
