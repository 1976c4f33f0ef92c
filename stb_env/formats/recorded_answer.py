"""Recorded calls with their answers, from any format; damaged answers are repaired where they can be."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping
from stb_env.tools import ToolId

MAX_LISTED = 100

_BOTH_TEXTS = re.compile(r'\s*\{\s*"error":\s*"([^"\\]*)",\s*"response":\s*"', re.DOTALL)
_CLOSING = re.compile(r'"\s*\}\s*\Z')


@dataclass(frozen=True, slots=True)
class Answer:
    """An API's answer; ``cut`` where the recording had lost or damaged a part of it."""

    error: str
    response: Any
    cut: bool = False


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """One recorded call.

    Attributes:
        id: The API.
        arguments: An object, or the raw text where they are none.
        answer: What came back.
        source: Who answered.
        origin: What it was recorded for; None where the recording does not say.
        model: The model that simulated it.
        prompt: Version of that model's prompt.
        recorded: When it was answered, as ``2026-03-02T10:00:00Z``; empty where nobody noted it.
    """

    id: ToolId
    arguments: JsonMapping | str
    answer: Answer
    source: Literal["real", "simulator", "unknown"]
    origin: str | None = None
    model: str = ""
    prompt: str = ""
    recorded: str = ""


@dataclass(slots=True)
class Notes:
    """Remarks made while a source was read.

    Attributes:
        cut_dropped: Answers of which a cut had left nothing usable.
        unresolved: Calls whose API no query file names, by name.
        unreadable: The first `MAX_LISTED` files and records that could not be read, each with a reason.
        unreadable_total: Number of all of them.
    """

    cut_dropped: int = 0
    unresolved: Counter[str] = field(default_factory=Counter)
    unreadable: list[dict[str, str]] = field(default_factory=list)
    unreadable_total: int = 0

    def refuse(self, file: Path, reason: str) -> None:
        """Note a file or record that could not be read."""
        self.unreadable_total += 1
        if len(self.unreadable) < MAX_LISTED:
            self.unreadable.append({"file": str(file), "reason": reason})


def as_answer(value: object, *, cut: bool = False) -> Answer | None:
    """Read an answer from a decoded value, or return None where it is none; other fields are left out.

    Examples:
        >>> as_answer({"error": None, "response": [1], "time": 3})
        Answer(error='', response=[1], cut=False)
        >>> as_answer([1]) is None
        True
    """
    if not isinstance(value, Mapping) or not ("response" in value or value.get("error")):
        return None
    error = value.get("error")
    text = error if isinstance(error, str) else "" if error is None else jsontext.dumps(error)
    return Answer(text, value.get("response", ""), cut)


def read_answer(text: str) -> Answer | None:
    r"""Read an answer from its text, also where the text was cut or its quotes were not escaped.

    Args:
        text: JSON text of ``{"error", "response"}``; ``...`` at the end marks a cut.

    Returns:
        The answer, or None where nothing usable is left.

    Examples:
        >>> read_answer('{"error": "", "response": {"a": 1}}\n')
        Answer(error='', response={'a': 1}, cut=False)
        >>> read_answer('{"error": "", "response": "one \\"two\\" th...')
        Answer(error='', response='one "two" th', cut=True)
        >>> read_answer("<html>") is None
        True
    """
    try:
        return as_answer(jsontext.loads(text.strip()))
    except ValueError:
        pass
    if not text.lstrip().startswith("{"):
        return None
    text = text.rstrip().removesuffix("...")
    both = _BOTH_TEXTS.match(text)
    if both:
        return Answer(both[1], _unescaped(_CLOSING.sub("", text[both.end() :])), cut=True)
    return as_answer(_repaired(text), cut=True)


def _unescaped(text: str) -> str:
    """Undo JSON's escapes, as far as the text is a JSON string; an escape that was cut off goes."""
    for whole in (text, text[: text.rfind("\\")]):
        try:
            return str(json.loads(f'"{whole}"', strict=False))
        except ValueError:
            continue
    return text


def _repaired(text: str) -> object:
    import json_repair  # heavy, and needed for damaged recordings only

    try:
        return jsontext.loads(json_repair.repair_json(text))
    except (ValueError, RecursionError):
        return None
