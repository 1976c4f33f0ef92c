"""The lines of a file of verdicts, as far as readers of episodes need them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import DataError

Key: TypeAlias = tuple[str, int, int]
"""What makes an episode unique in a run: task, trial and seed."""


class VerdictLine(NamedTuple):
    """A line of a file of verdicts that were given on saved episodes.

    Attributes:
        begin: Where it begins in its file, in bytes.
        length: Its bytes, without its end.
        key: Task, trial and seed of the episode.
        verdict: The verdict as plain data; None where there is none.
        usage: What it cost.
    """

    begin: int
    length: int
    key: Key
    verdict: JsonMapping | None
    usage: Mapping[str, float]


def verdict_lines(file: Path) -> Iterator[VerdictLine]:
    """Yield the whole lines of a file of verdicts; none where there is no such file.

    Raises:
        DataError: A line is broken.

    Examples:
        >>> list(verdict_lines(Path("runs/nothing/verdicts.jsonl")))
        []
    """
    if not file.is_file():
        return
    begin = 0
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.endswith(b"\n"):
                return
            try:
                said = json.loads(line)
                key = (said["task_id"], said["trial"], said["seed"])
                yield VerdictLine(begin, len(line) - 1, key, said["verdict"], said["usage"])
            except (ValueError, TypeError, KeyError) as error:
                wrong = f"{file}, line {number}: not a verdict line ({error!r}): {line[:80]!r}"
                raise DataError(wrong) from error
            begin += len(line)
