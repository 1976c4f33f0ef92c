"""Lines of the files that judges write beside a run: their version and checksum, and verdicts on episodes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

from stb_env.core import jsontext
from stb_env.core.checksums import is_unchanged, sealed
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.errors import DataError

Key: TypeAlias = tuple[str, int, int]
"""What makes an episode unique in a run: task, trial and seed."""


VERSION = 2
# Since 2 lines carry a checksum, and verdicts the digest of what was judged.
_READ = (1, VERSION)


def judge_line(record: JsonMapping) -> str:
    """Return a record of a judge as a line of JSON that ends with its checksum."""
    return sealed(jsontext.dumps({"version": VERSION} | dict(record)))


def read_judge_line(line: str, names: Iterable[str], what: str) -> JsonObject:
    """Read the fields of a line that `judge_line` wrote; its votes become a tuple.

    Args:
        line: The line.
        names: The fields.
        what: What the line should be, for errors.

    Raises:
        DataError: It is no such line, one of another version, or was changed since it was written.

    Examples:
        >>> read_judge_line(judge_line({"votes": []}), ["votes"], "vote")
        {'votes': ()}
        >>> read_judge_line('{"version": 3, "votes": []}', ["votes"], "vote")
        Traceback (most recent call last):
        ...
        stb_env.errors.DataError: vote of version 3; this package reads 1 and 2
    """
    try:
        data = json.loads(line)
        _check(line, data, what)
        if data["version"] < VERSION:
            data.setdefault("answer", "")
        fields = {name: data[name] for name in names}
        return fields | {"votes": tuple(fields["votes"])}
    except (ValueError, TypeError, KeyError) as error:
        raise DataError(f"not a {what} ({error!r}): {line[:80]!r}") from error


def _check(line: str, data: JsonMapping, what: str) -> None:
    version = data["version"]
    if version not in _READ:
        raise DataError(f"{what} of version {version!r}; this package reads {' and '.join(map(str, _READ))}")
    if (version == VERSION or "sha256" in data) and not is_unchanged(line):
        raise DataError(f"{what} was changed since it was written (its sha256 differs): {line[:80]!r}")


class VerdictLine(NamedTuple):
    """A line of a file of verdicts that were given on saved episodes.

    Attributes:
        begin: Where it begins in its file, in bytes.
        length: Its bytes, without its end.
        key: Task, trial and seed of the episode.
        verdict: The verdict as plain data; None where there is none.
        usage: What it cost.
        answer: Digest of what was judged (see `Trajectory.answer_digest`); empty in lines of version 1.
    """

    begin: int
    length: int
    key: Key
    verdict: JsonMapping | None
    usage: Mapping[str, float]
    answer: str = ""


def verdict_lines(file: Path) -> Iterator[VerdictLine]:
    """Yield the whole lines of a file of verdicts; none where there is no such file.

    Raises:
        DataError: A line is broken, or was changed since it was written.

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
                _check(line.decode("utf-8"), said, "verdict line")
                key = (said["task_id"], said["trial"], said["seed"])
                answer = said.get("answer", "")
                yield VerdictLine(begin, len(line) - 1, key, said["verdict"], said["usage"], answer)
            except DataError as error:
                raise DataError(f"{file}, line {number}: {error}") from error
            except (ValueError, TypeError, KeyError) as error:
                wrong = f"{file}, line {number}: not a verdict line ({error!r}): {line[:80]!r}"
                raise DataError(wrong) from error
            begin += len(line)
