"""``stb-env data check`` of API-Bank dialogues: the counts of table 2 of the paper (Li et al., 2023)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from stb_env.console.inspection import Inspection
from stb_env.core.jsontypes import JsonObject
from stb_env.suites.api_bank.api_set import LEVEL_3, LEVEL_12
from stb_env.suites.api_bank.apis.tool_search import SEARCHER
from stb_env.suites.api_bank.formats.dialogues import (
    LEVEL_NAMES,
    Dialogue,
    find_dialogues,
)
from stb_env.suites.api_bank.formats.written_dialogues import is_written, read_written
from stb_env.suites.api_bank.recorded_apis import RecordedApis

PAPER = {
    "dialogues": 314,
    "turns": 914,
    "single-call turns": 363,
    "multi-call turns": 122,
    "calls": 753,
    "Call": 214,
    "Retrieve+Call": 50,
    "Plan+Retrieve+Call": 50,
}
"""The evaluation column, and the number of calls that the text names."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts of a set of dialogues.

    Attributes:
        counts: The rows of the table, by name.
        turns_per_dialogue: Mean.
        without_calls: Names of the dialogues that record no call.
    """

    counts: dict[str, int]
    turns_per_dialogue: float
    without_calls: tuple[str, ...]


def statistics(dialogues: Sequence[Dialogue]) -> Statistics:
    """Count dialogues, turns and calls; what a user says opens a turn, to which the calls after it belong.

    Examples:
        >>> from stb_env.suites.api_bank.formats.dialogues import GoldCall, Utterance
        >>> call = GoldCall("GetToday", {}, {})
        >>> items = (Utterance("User", "Hi."), Utterance("User", "Which day?"), call, call)
        >>> counts = statistics([Dialogue("d", 1, items)]).counts
        >>> counts["turns"], counts["single-call turns"], counts["multi-call turns"]
        (2, 0, 1)
    """
    turns = [calls for dialogue in dialogues for calls in dialogue.calls_by_turn]
    levels = Counter(dialogue.level for dialogue in dialogues)
    counts = {
        "dialogues": len(dialogues),
        "turns": len(turns),
        "single-call turns": sum(calls == 1 for calls in turns),
        "multi-call turns": sum(calls > 1 for calls in turns),
        "calls": sum(len(dialogue.calls) for dialogue in dialogues),
        **{name: levels[level] for level, name in LEVEL_NAMES.items()},
    }
    return Statistics(
        counts,
        len(turns) / len(dialogues) if dialogues else 0.0,
        tuple(dialogue.name for dialogue in dialogues if not dialogue.calls),
    )


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
    report: JsonObject = {
        **api_counts(),
        **found.counts,
        "turns a dialogue": round(found.turns_per_dialogue, 4),
        "without_calls": list(found.without_calls),
    }
    return Inspection(report, _table(found), passed=True)


def _written(source: Path) -> Inspection:
    """Count the written dialogues that can be played, level by level, and say why others cannot."""
    written = read_written(source)
    report: JsonObject = {}
    table = Table(
        title="written dialogues", caption="left out: what contradicts earlier ones or lacks an API"
    )
    for column in ("level", "there", "playable"):
        table.add_column(column, justify="left" if column == "level" else "right")
    for level, name in LEVEL_NAMES.items():
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


def api_counts() -> dict[str, int]:
    """Return the paper's counts of domains and APIs: the search counts once, the internal check not at all.

    Examples:
        >>> api_counts()
        {'domains': 8, 'APIs': 73}
    """
    sets = (LEVEL_12.apis, LEVEL_3.apis)
    domains = {api.domain for apis in sets for api in apis.values() if api.name != SEARCHER}
    return {"domains": len(domains), "APIs": sum(map(len, sets)) - 2}
