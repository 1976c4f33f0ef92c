"""Two invented languages: a word for each one of the vocabulary, and numerals built from parts."""

from __future__ import annotations

from collections.abc import Mapping

from stb_env.suites.sandbox.content import edition
from stb_env.suites.sandbox.content.edition import per_edition
from stb_env.suites.sandbox.content.vocabulary import words

ENGLISH = "English"
# Beginnings and ends of syllables, endings of words, and what joins tens and ones.
_SOUNDS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], str]] = {
    "Velish": (("v", "l", "m", "s", "f", "r"), ("ae", "i", "o", "ea"), ("n", "l", "sh"), "-u-"),
    "Ostric": (("k", "dr", "t", "g", "br", "st"), ("a", "u", "oo", "e"), ("k", "rd", "x"), "mat"),
}
LANGUAGES = tuple(_SOUNDS)
GREATEST_NUMERAL = 99


@per_edition(maxsize=2)
def lexicon(language: str) -> Mapping[str, str]:
    """Return the words of a language by their English ones; no two are spelled alike in any language.

    Args:
        language: One of `LANGUAGES`.
    """
    spelled = _spellings(language, "words", len(words()), syllables=3)
    return dict(zip(words(), spelled, strict=True))


@per_edition(maxsize=2)
def reverse_lexicon(language: str) -> Mapping[str, str]:
    """Return the English words by those of a language."""
    return {foreign: english for english, foreign in lexicon(language).items()}


def numeral(language: str, value: int) -> str:
    """Return the word for a number.

    Args:
        language: One of `LANGUAGES`.
        value: From 0 to `GREATEST_NUMERAL`.

    Examples:
        >>> numeral("Velish", 47).split("-u-") == [numeral("Velish", 40), numeral("Velish", 7)]
        True
    """
    digits = _spellings(language, "digits", 10, syllables=1)
    tens = _spellings(language, "tens", 10, syllables=2)
    if value < 10:
        return digits[value]
    joint = _SOUNDS[language][3]
    return tens[value // 10] + (f"{joint}{digits[value % 10]}" if value % 10 else "")


@per_edition(maxsize=8)
def _spellings(language: str, what: str, count: int, syllables: int) -> tuple[str, ...]:
    rng = edition.rng("language", language, what)
    starts, middles, ends, _ = _SOUNDS[language]
    made: dict[str, None] = {}
    while len(made) < count:
        stem = "".join(rng.choice(starts) + rng.choice(middles) for _ in range(syllables))
        made[stem + rng.choice(ends)] = None
    return tuple(made)
