"""Counts of a set of dialogues, as table 2 of the paper has them (Li et al., 2023)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from stb_env.suites.api_bank.formats.dialogues import (
    Dialogue,
    GoldCall,
    Utterance,
    read_dialogues,
    read_level3,
)

ABILITIES = {1: "Call", 2: "Retrieve+Call", 3: "Plan+Retrieve+Call"}

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
    """What a set of dialogues holds.

    Attributes:
        counts: The rows of the table, by name.
        turns_per_dialogue: Mean.
        without_calls: Names of the dialogues that record no call.
    """

    counts: dict[str, int]
    turns_per_dialogue: float
    without_calls: tuple[str, ...]


def find_dialogues(path: str | Path) -> list[Dialogue]:
    """Return the dialogues of all levels under a folder or in a file; none where it holds no such thing."""
    root = Path(path)
    plans = [root] if root.is_file() else sorted(root.rglob("level-3*.json"))
    dialogues = [dialogue for file in plans if file.suffix == ".json" for dialogue in _plans(file)]
    if root.is_dir() and any(file.parent.name.startswith("level-") for file in root.rglob("*.jsonl")):
        return [*read_dialogues(root), *dialogues]
    return dialogues


def statistics(dialogues: Sequence[Dialogue]) -> Statistics:
    """Count dialogues, turns and calls; what a user says opens a turn, to which the calls after it belong.

    Examples:
        >>> call = GoldCall("GetToday", {}, {})
        >>> items = (Utterance("User", "Hi."), Utterance("User", "Which day?"), call, call)
        >>> counts = statistics([Dialogue("d", 1, items)]).counts
        >>> counts["turns"], counts["single-call turns"], counts["multi-call turns"]
        (2, 0, 1)
    """
    turns = [calls for dialogue in dialogues for calls in _calls_by_turn(dialogue.items)]
    levels = Counter(dialogue.level for dialogue in dialogues)
    counts = {
        "dialogues": len(dialogues),
        "turns": len(turns),
        "single-call turns": sum(calls == 1 for calls in turns),
        "multi-call turns": sum(calls > 1 for calls in turns),
        "calls": sum(len(dialogue.calls) for dialogue in dialogues),
        **{name: levels[level] for level, name in ABILITIES.items()},
    }
    return Statistics(
        counts,
        len(turns) / len(dialogues) if dialogues else 0.0,
        tuple(dialogue.name for dialogue in dialogues if not dialogue.calls),
    )


def _plans(file: Path) -> list[Dialogue]:
    return read_level3(file) if file.name.startswith("level-3") else []


def _calls_by_turn(items: Iterable[Utterance | GoldCall]) -> Iterator[int]:
    calls: int | None = None
    for item in items:
        if isinstance(item, GoldCall):
            calls = (calls or 0) + 1
        elif item.speaker == "User":
            if calls is not None:
                yield calls
            calls = 0
    if calls is not None:
        yield calls
