"""Currencies in a text: in which one an amount is given, and in which one it is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from stb_env.jsontypes import JsonMapping
from stb_env.suites.sandbox.answers import fold
from stb_env.suites.sandbox.content.currencies import currencies

_AUREL = {"aurel": "aur"}
_CURRENCY = re.compile(r"[\s*_]{0,4}([a-z]{3,5})\b")
_INTO = re.compile(r"\b(?:in|into|to) ([a-z]{3,6})\b")
_WORD = re.compile(r"[a-z]{3,6}")
CENT = frozenset({"cent", "cents"})
"""Words for a hundredth of a currency."""
_CENTS = re.compile(r"\s?cents?\b")


def code_at(folded: str, place: int) -> str:
    """Return the code of the currency that stands behind an amount, or an empty string.

    Examples:
        >>> code_at("12 aurel", 2), code_at("12 nights", 2)
        ('aur', '')
    """
    found = _CURRENCY.match(folded, place)
    return _AUREL.get(found[1], found[1]) if found and found[1] in _currencies() else ""


def is_currency(word: str) -> bool:
    """Return whether a word in small letters is a currency or its code."""
    return word in _currencies() or word in CENT


def in_cents(folded: str, place: int) -> bool:
    """Return whether an amount is in cents."""
    return _CENTS.match(folded, place) is not None


def restates(folded: str, place: int, said: float, value: float, query: str) -> bool:
    """Return whether an amount is another one in cents, or that one in aurel where cents are asked for.

    Examples:
        >>> restates("35680 cents, or 356.80 aur", 5, 35680, 356.8, "")
        True
    """
    if in_cents(folded, place):
        return abs(said - 100 * value) < 0.5
    return "cent" in query and code_at(folded, place) == "aur" and abs(100 * said - value) < 0.5


def told(facts: Iterable[JsonMapping]) -> str:
    """Return the currency that one of some facts is, or an empty string."""
    return next((str(fact["value"][0]).casefold() for fact in facts if fact["label"] == "currency"), "")


@lru_cache(maxsize=512)
def asked(query: str, code: str = "") -> frozenset[str]:
    """Return the currencies in which an amount may be given: none where the query names none.

    Args:
        query: The query; where it asks for one "in" a currency or "to" it, no other that it names will do.
        code: The currency, where that is a fact itself.

    Examples:
        >>> sorted(asked("What are 12 CIC in GYO?")), sorted(asked("What does it cost?"))
        (['gyo'], [])
    """
    folded = fold(query)
    into = {_AUREL.get(word, word) for word in _INTO.findall(folded)} & _currencies()
    words = {code} if code else into or {_AUREL.get(word, word) for word in _WORD.findall(folded)}
    return frozenset(words & _currencies())


@lru_cache(maxsize=1)
def _currencies() -> frozenset[str]:
    return frozenset([*map(str.casefold, currencies()), *_AUREL])
