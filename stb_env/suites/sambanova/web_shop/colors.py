"""Color names, and the color that stands for a shade."""

from __future__ import annotations

import json
import re
from importlib.resources import files

_CONTENT = files("stb_env.suites.sambanova.web_shop") / "content"

COLORS: tuple[str, ...] = tuple(json.loads((_CONTENT / "colors.json").read_text(encoding="utf-8")))
"""Known colors. The order decides: the first that a text has stands for it."""

_NAMES = set(COLORS)
_WORD = re.compile(r"[^\W_]+")


def plain_color(text: str) -> str:
    """Return the color that a text has anywhere, inside of words too; the text itself where it has none.

    Examples:
        >>> plain_color("matte black finish"), plain_color("standard"), plain_color("large")
        ('black', 'tan', 'large')
    """
    return next((color for color in COLORS if color in text), text)


def color_words(text: str) -> set[str]:
    """Return the words of a text that name colors.

    Examples:
        >>> sorted(color_words("navy blue")), color_words("standard")
        (['blue', 'navy'], set())
    """
    return _NAMES.intersection(_WORD.findall(text))
