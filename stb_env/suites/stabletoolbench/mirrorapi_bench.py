"""MirrorAPI-Bench: JSON lines of a request, what the real API answered and what the MirrorAPI model did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from stb_env.core import jsontext
from stb_env.formats.recorded_answer import Answer, Notes, RecordedCall, as_answer, read_answer
from stb_env.tools import ToolId

_KEY_ARGUMENTS = frozenset({"toolbench_key", "toolbench_rapidapi_key"})


def is_record(value: object) -> bool:
    """Say whether a decoded line is a record of this format."""
    return isinstance(value, dict) and isinstance(value.get("request"), dict) and "real_response" in value


def read_file(file: Path, notes: Notes, *, simulated: bool = False) -> Iterator[RecordedCall]:
    """Yield the recorded calls of a file: the real answers, and on request the simulated ones before them.

    Args:
        file: The JSON lines.
        notes: Takes what could not be read.
        simulated: Whether the MirrorAPI model's answers are wanted too.
    """
    try:
        # Not splitlines: JSON texts may hold line separators of Unicode.
        lines = file.read_text(encoding="utf-8").split("\n")
    except (OSError, ValueError) as error:
        notes.refuse(file, str(error))
        return
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield from _record(file, number, line, notes, simulated)


def _record(file: Path, number: int, line: str, notes: Notes, simulated: bool) -> Iterator[RecordedCall]:
    try:
        record = jsontext.loads(line)
    except ValueError as error:
        notes.refuse(file, f"line {number}: {error}")
        return
    if not is_record(record):
        notes.refuse(file, f"line {number}: no object with request and real_response")
        return
    request = record["request"]
    names = [request.get(name) for name in ("category", "tool_name", "api_name")]
    if not all(isinstance(name, str) for name in names):
        notes.refuse(file, f"line {number}: request lacks one of category, tool_name, api_name")
        return
    identity = ToolId.of(*names)
    arguments = _arguments(request.get("tool_input", ""))
    if simulated and "simulated_response" in record:
        answer = _answer(record["simulated_response"])
        if answer is not None:
            yield RecordedCall(identity, arguments, answer, "simulator")
    answer = _answer(record["real_response"])
    if answer is None:
        notes.refuse(file, f"line {number}: real_response is no object of error and response")
        return
    yield RecordedCall(identity, arguments, answer, "real")


def _answer(value: object) -> Answer | None:
    return read_answer(value) if isinstance(value, str) else as_answer(value)


def _arguments(value: object) -> Mapping[str, object] | str:
    """Return the arguments without the key of the API service, which is no argument of the API."""
    if isinstance(value, str):
        try:
            value = jsontext.loads(value) if value.strip() else {}
        except ValueError:
            return str(value)
    if isinstance(value, dict):
        return {name: item for name, item in value.items() if name.lower() not in _KEY_ARGUMENTS}
    return jsontext.dumps(value)
