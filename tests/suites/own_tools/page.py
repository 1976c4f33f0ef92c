"""The blocks of the page about own tools."""

from __future__ import annotations

import re
from typing import NamedTuple

from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "own_tools.md").read_text(encoding="utf-8")
_BLOCK = re.compile(r"(?:<!-- (?P<mark>[\w -]+) -->\n)?```(?P<language>\w+)\n(?P<code>.*?)```", re.DOTALL)


class Block(NamedTuple):
    """A block of code, with the mark before it."""

    mark: str
    language: str
    code: str


BLOCKS = [Block(found["mark"] or "", found["language"], found["code"]) for found in _BLOCK.finditer(PAGE)]


def block(mark: str, language: str = "sh") -> str:
    (code,) = [one.code for one in BLOCKS if (one.mark, one.language) == (mark, language)]
    return code
