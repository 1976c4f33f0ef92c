"""Read docstrings in Google's style: the description of a function and of its parameters."""

from __future__ import annotations

import inspect
import re
import textwrap
from itertools import takewhile
from typing import NamedTuple

_SECTION = re.compile(r"(Args|Arguments|Parameters|Returns?|Yields?|Raises|Examples?|Notes?|Warnings?):")
_PARAMETERS = ("Args", "Arguments", "Parameters")
_ENTRY = re.compile(r"(?P<name>\w+)\s*(?:\([^)]*\))?\s*:\s*(?P<text>.*)")


class Docstring(NamedTuple):
    """A docstring in parts.

    Attributes:
        text: What stands before the first section.
        parameters: What the section of the arguments says of each.
    """

    text: str
    parameters: dict[str, str]


def read_docstring(doc: str) -> Docstring:
    r"""Split a docstring into its text and what it says of each parameter.

    Examples:
        >>> read_docstring("Add an item.\n\nArgs:\n    title: What is to\n        be done.\n    due: When.\n")
        Docstring(text='Add an item.', parameters={'title': 'What is to be done.', 'due': 'When.'})
    """
    lines = inspect.cleandoc(doc).splitlines()
    text = list(takewhile(lambda line: not _SECTION.fullmatch(line), lines))
    sections: dict[str, list[str]] = {}
    for line in lines[len(text) :]:
        heading = _SECTION.fullmatch(line)
        if heading:
            named = sections.setdefault("Args" if heading[1] in _PARAMETERS else heading[1], [])
        else:
            named.append(line)
    return Docstring("\n".join(text).strip(), _entries(sections.get("Args", [])))


def _entries(lines: list[str]) -> dict[str, str]:
    entries: dict[str, str] = {}
    for line in textwrap.dedent("\n".join(lines)).splitlines():
        entry = _ENTRY.fullmatch(line)
        if entry is not None:
            entries[entry["name"]] = entry["text"].strip()
        elif entries:
            # A line that is indented further goes on with the last entry.
            last = next(reversed(entries))
            entries[last] = f"{entries[last]} {line.strip()}".strip()
    return entries
