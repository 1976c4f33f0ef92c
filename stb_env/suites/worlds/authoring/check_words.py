"""Checks the words of a kit: slots, phrases and names that make whole sentences wherever they stand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from string import Formatter

from stb_env.suites.worlds.schema.kit import Attribute, Day, Kit, Quantity
from stb_env.suites.worlds.schema.nouns import fill, slots

_FEWEST_PHRASES = 3
"""Phrases of a clause: each can follow the noun or make a sentence of its own, which makes six ways."""
_AGREES = re.compile(r"\b(?:that|who|which) (?:are|is|have|has|were|was|do|does)\b")
_NO_ENGLISH = (
    (re.compile(r"\buntil (?:before|after)\b"), "name an end: ending before {v}"),
    (re.compile(r"\bsince after\b"), "say since some time after {v}"),
    (
        re.compile(
            r"\b(?:over|under|above|below) (?:an? \w+ (?:over|under|above|below)|above|below|fewer)\b"
        ),
        "keep one of them: for an amount below {v}",
    ),
    (re.compile(r"\bgive \{np\} \{v\} of\b"), "a reader may add it: set the credit of {np} to {v}"),
)
"""Words that nobody says or that can be misread, and what to say instead."""
_SUPERLATIVE = re.compile(
    r"(?:highest|lowest|largest|smallest|greatest|biggest|least|most|earliest|latest|total|combined)\b"
)
"""Words that requests put in front of a figure: ``lowest highest temperature``."""
_NUMBER_FIRST = re.compile(r"\s*\d")


def phrase_faults(at: str, phrases: Sequence[str], wanted: list[str]) -> Iterator[str]:
    """Yield what is wrong with the phrases of a clause, which follow a noun in singular and plural alike."""
    if len(set(phrases)) < _FEWEST_PHRASES:
        yield f"{at}: must have {_FEWEST_PHRASES} different phrases or more, got {len(set(phrases))}"
    yield from slot_faults(at, phrases, wanted)
    for phrase in phrases:
        if found := _AGREES.search(phrase):
            yield f"{at}: {phrase!r} fits one number alone; say {found[0]!r} without a verb in the present"
    if "np" in wanted and not any(phrase.endswith("{np}") for phrase in phrases):
        yield f"{at}: one phrase or more must end in {{np}}, for rows that take many words"


def slot_faults(at: str, phrases: Iterable[str], wanted: list[str]) -> Iterator[str]:
    """Yield the phrases that have other slots than those that they must have, and words that nobody says."""
    for phrase in phrases:
        got = sorted(_names(phrase))
        if got != wanted:
            yield f"{at}: {phrase!r} must have the slots {wanted}, got {got}"
        for wrong, instead in _NO_ENGLISH:
            if found := wrong.search(phrase):
                yield f"{at}: nobody says {found[0]!r} as in {phrase!r}; {instead}"


def _names(text: str) -> list[str]:
    return [name for _, name, _, _ in Formatter().parse(text) if name is not None]


def text_faults(kit: Kit, at: str, text: str, numbers: Mapping[str, object]) -> Iterator[str]:
    """Yield which slots of a rule's text stand for nothing, and which numbers it leaves out."""
    known = slots(kit.entities, "EUR", {name: entity.actions for name, entity in kit.entities.items()})
    try:
        said = fill(text, {**known, **dict.fromkeys(numbers, 0)})
        if _NUMBER_FIRST.match(said):
            yield f"{at}.text: {text!r} begins with a number, as its place in the list; begin with a word"
    except (KeyError, AttributeError, ValueError, IndexError) as error:
        yield f"{at}.text: a slot stands for nothing: {error}"
    for name in numbers:
        if name not in _names(text):
            yield f"{at}.text: leaves out the number {name!r}"


def word_faults(at: str, attribute: Attribute) -> Iterator[str]:
    """Yield the names of a figure that cannot follow the words for the greatest or the total of them."""
    for word in attribute.words if isinstance(attribute, Day | Quantity) else ():
        if found := _SUPERLATIVE.match(word):
            yield f"{at}.words: {word!r} begins with {found[0]!r}: nobody asks for the lowest {word}"
