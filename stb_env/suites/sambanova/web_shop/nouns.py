"""Finds the nouns of a product's name.

The original asks a tagger, so that its rewards move with the tagger's model; here a list decides.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from importlib.resources import files

Nouns = Callable[[str], list[str]]
"""Gives the nouns of a name in lower case, repeats included."""

_WORD = re.compile(r"[^\W\d_]+")


def nouns_of(name: str) -> list[str]:
    """Return the words of a name that are letters only and no common function word, adjective or unit.

    Examples:
        >>> nouns_of("Brightwell LED Desk Lamp with 2 Large Shades")
        ['brightwell', 'led', 'desk', 'lamp', 'shades']
    """
    others = _no_nouns()
    return [word for word in _WORD.findall(name.lower()) if word not in others]


@cache
def _no_nouns() -> frozenset[str]:
    file = files("stb_env.suites.sambanova.web_shop") / "content" / "no_nouns.json"
    kinds: dict[str, list[str]] = json.loads(file.read_text(encoding="utf-8"))
    return frozenset(word for words in kinds.values() for word in words)
