"""The blocks of a page of documentation."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from tests.conftest import ROOT

DOCS = ROOT / "docs"
PAGES = (ROOT / "README.md", *sorted(DOCS.rglob("*.md")))

NOT_RUN = "not run"
"""How the mark of a block begins that no test can run; what follows is the reason."""

_NAMED = re.compile(r"# ([\w/]+\.py)\n")
_FENCE = re.compile(
    r"^(?:<!-- (?P<mark>[^\n]+?) -->\n)?```(?P<language>[^\n]*)\n(?P<code>.*?)^```$", re.DOTALL | re.MULTILINE
)


class Block(NamedTuple):
    """A fenced block, with the comment on the line before it."""

    mark: str
    language: str
    code: str

    @property
    def file(self) -> str:
        """Name under which a reader saves it: the first line of the block; empty where it has none."""
        named = _NAMED.match(self.code) if self.language == "python" else None
        return named[1] if named else ""

    @property
    def reason(self) -> str:
        """Why no test runs it; empty where one does."""
        return self.mark.partition(":")[2].strip() if self.mark.startswith(NOT_RUN) else ""


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [Block(found["mark"] or "", found["language"], found["code"]) for found in _FENCE.finditer(text)]


def name(page: Path) -> str:
    """Return a page's name, as links from the root have it."""
    return page.relative_to(ROOT).as_posix()
