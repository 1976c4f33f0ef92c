"""Traits of products, and phrases that name them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_IS, _MASS = "=", "~"
_PLURAL = re.compile(r"[^s]s$(?<!lens)")
_AN = re.compile(r"[aeio]|u(?!s|v|k)")


class Trait(NamedTuple):
    """Something that is true of a product.

    Attributes:
        text: Its name: ``usb port``, ``easy to clean``.
        is_adjective: Whether the product is that, rather than has it.
        is_mass: Whether it is had without an article.
    """

    text: str
    is_adjective: bool = False
    is_mass: bool = False

    @classmethod
    def of(cls, mark: str) -> Trait:
        """Read a trait as the lists write it: ``=`` before what a product is, ``~`` before a mass.

        Examples:
            >>> [Trait.of(mark).predicate for mark in ("=quiet", "~solid wood", "usb port", "ear hooks")]
            ['is quiet', 'has solid wood', 'has a usb port', 'has ear hooks']
        """
        text = mark.lstrip(_IS + _MASS)
        return cls(text, mark.startswith(_IS), mark.startswith(_MASS))

    @property
    def predicate(self) -> str:
        """The predicate of a product that has it."""
        return f"is {self.text}" if self.is_adjective else f"has {self.thing}"

    @property
    def thing(self) -> str:
        """It, with its article."""
        return self.text if self.is_mass else with_article(self.text)


def asked_for(style: str, noun: str, wanted: Sequence[Trait]) -> str:
    """Return how one asks for a product.

    Examples:
        >>> asked_for("banker", "desk lamp", [Trait.of("usb port"), Trait.of("=dimmable")])
        'a banker desk lamp with a usb port that is dimmable'
    """
    had = " and ".join(trait.thing for trait in wanted if not trait.is_adjective)
    been = " and ".join(trait.text for trait in wanted if trait.is_adjective)
    asked = with_article(f"{style} {noun}")
    return f"{asked}{f' with {had}' if had else ''}{f' that is {been}' if been else ''}"


def with_article(words: str) -> str:
    """Return words with the article that goes before them, which plurals do not have.

    Examples:
        >>> [with_article(words) for words in ("usb port", "wide angle lens", "open shelf", "ear hooks")]
        ['a usb port', 'a wide angle lens', 'an open shelf', 'ear hooks']
    """
    if _PLURAL.search(words):
        return words
    return f"{'an' if _AN.match(words) else 'a'} {words}"
