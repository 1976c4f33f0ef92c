"""Writing a text file so that readers see the old one or the new one, never half of it."""

from __future__ import annotations

import os
from pathlib import Path


def write_text(file: Path, text: str) -> None:
    """Replace a file; its folder must exist."""
    draft = file.with_name(f".{file.name}.{os.getpid()}")
    draft.write_text(text, encoding="utf-8", newline="\n")
    draft.replace(file)
