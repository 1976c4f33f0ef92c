"""Word lists of the shop: colours, and words of product names that are no nouns.

The original asks a tagger for nouns, so that its rewards move with the tagger's model; here a list decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from stb_env.suites.sambanova.common.content import content

COLORS: tuple[str, ...] = tuple(content("web_shop", "colors"))
"""Known colors. The order decides: the first that a text has stands for it."""
Nouns = Callable[[str], list[str]]
"""Gives the nouns of a name in lower case, repeats included."""

_NAMES = set(COLORS)
_WORD = re.compile(r"[^\W_]+")
_LETTERS = re.compile(r"[^\W\d_]+")


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


def nouns_of(name: str) -> list[str]:
    """Return the words of a name that are letters only and no common function word, adjective or unit.

    Examples:
        >>> nouns_of("Brightwell LED Desk Lamp with 2 Large Shades")
        ['brightwell', 'led', 'desk', 'lamp', 'shades']
    """
    others = _no_nouns()
    return [word for word in _LETTERS.findall(name.lower()) if word not in others]


@cache
def _no_nouns() -> frozenset[str]:
    kinds: dict[str, list[str]] = content("web_shop", "no_nouns")
    return frozenset(word for words in kinds.values() for word in words)
