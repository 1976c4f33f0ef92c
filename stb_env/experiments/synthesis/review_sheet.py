"""Review sheets: people label a sample of dialogues as usable or not."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from stb_env import seeding
from stb_env.core import jsontext
from stb_env.core.files import write_text
from stb_env.errors import DataError
from stb_env.experiments.synthesis.dialogue import Dialogue
from stb_env.suites.api_bank.formats.training import call_text

SIZE = 100
"""Number of dialogues that API-Bank's authors reviewed."""

COLUMNS = ("index", "ability", "domain", "apis", "dialogue", "usable", "remark")
LABELS = {"yes": True, "no": False}
_MOST_CELL = 30_000
_Z = 1.959964


@dataclass(frozen=True, slots=True)
class Usable:
    """Labels of people, counted.

    Attributes:
        labelled: Dialogues with a label.
        usable: Those that they can use.
        unlabelled: Dialogues without one, left out of the share.
        share: Share of usable ones, or None where nothing is labelled.
        interval: 95 % interval of it (Wilson's, which holds for shares near 1 as well).
    """

    labelled: int
    usable: int
    unlabelled: int
    share: float | None
    interval: tuple[float, float]

    def to_dict(self) -> dict[str, object]:
        """Return the figures as plain data."""
        return asdict(self)


def sheet(dialogues: Sequence[Dialogue], seed: int, size: int = SIZE) -> str:
    """Return a sheet (CSV) with a seeded sample of dialogues and empty columns for the labels.

    Args:
        dialogues: What to sample from.
        seed: Which sample.
        size: How many; all where there are no more.
    """
    chosen = seeding.rng("synthesis", seed, "review").sample(list(dialogues), min(size, len(dialogues)))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for one in chosen:
        apis = "\n".join(api.line for api in one.apis)
        writer.writerow([one.index, *map(_cell, (one.ability.label, one.domain, apis, _shown(one))), "", ""])
    return out.getvalue()


def write_sheet(file: Path, dialogues: Sequence[Dialogue], seed: int) -> bool:
    """Write the sheet, unless one with labels is there; return whether it was written."""
    if file.is_file() and read_sheet(file).labelled:
        return False
    write_text(file, sheet(dialogues, seed))
    return True


def read_sheet(file: str | Path) -> Usable:
    """Read the labels of a sheet.

    Raises:
        DataError: It is no sheet, or a label is neither ``yes`` nor ``no``.
    """
    try:
        with Path(file).open(encoding="utf-8-sig", newline="") as lines:
            rows = list(csv.DictReader(lines))
    except (OSError, ValueError, csv.Error) as error:
        raise DataError(f"cannot read the review sheet {file}: {error}") from error
    labels = [_label(f"{file}, row {number}", row) for number, row in enumerate(rows, 1)]
    given = [label for label in labels if label is not None]
    share = sum(given) / len(given) if given else None
    return Usable(len(given), sum(given), len(labels) - len(given), share, wilson(sum(given), len(given)))


def wilson(hits: int, count: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share.

    Examples:
        >>> wilson(94, 100), wilson(0, 0)
        ((0.875232, 0.972214), (0.0, 1.0))
    """
    if not count:
        return 0.0, 1.0
    share, square = hits / count, _Z * _Z
    middle = (share + square / (2 * count)) / (1 + square / count)
    reach = _Z * math.sqrt(share * (1 - share) / count + square / (4 * count**2)) / (1 + square / count)
    return round(max(0.0, middle - reach), 6), round(min(1.0, middle + reach), 6)


def _label(where: str, row: dict[str, str | None]) -> bool | None:
    if "usable" not in row:
        raise DataError(f"{where}: a review sheet has the columns {', '.join(COLUMNS)}, got {', '.join(row)}")
    text = (row["usable"] or "").strip().lower()
    if not text:
        return None
    if text not in LABELS:
        raise DataError(f"{where}: usable must be yes, no or empty, got {text[:40]!r}")
    return LABELS[text]


def _shown(dialogue: Dialogue) -> str:
    lines = [f"TIME: {dialogue.time}"] if dialogue.time else []
    for turn in dialogue.turns:
        lines.append(f"User: {turn.user}")
        lines += [
            f"{call_text(call.name, call.arguments)} -> {jsontext.dumps(call.result)}" for call in turn.calls
        ]
        lines.append(f"AI: {turn.reply}")
    return "\n".join(lines)


def _cell(text: str) -> str:
    # A spreadsheet would take a text that begins so for a formula, and models wrote this one.
    text = f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
    return text if len(text) <= _MOST_CELL else text[:_MOST_CELL] + jsontext.CUT_MARK
