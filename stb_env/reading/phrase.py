"""Phrases: patterns that are looked for only in texts that have a word they cannot do without."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from functools import cached_property, lru_cache
from itertools import product
from re import _constants as kind  # type: ignore[attr-defined] # what `re` makes of a pattern, in no stub
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple, TypeAlias

_WORD = re.compile(r"\w+")
_MOST = 400
"""Forms of a part of a pattern that are told apart; of one that has more, only single words are."""
_FEW = 4
"""Characters of a class that are told apart."""

# In a form: where a word may go on with characters that the pattern leaves open, and where none does.
_OPEN, _APART = "\N{BULLET}", " "
_LETTER = re.compile(rf"[\w{_OPEN}]")
_TELLING = re.compile(rf"(?<![\w{_OPEN}])\w+{_OPEN}?")

Forms: TypeAlias = frozenset[str]
"""All that a part of a pattern can match, with marks for what it leaves open."""


class Phrase:
    r"""A pattern with the words of which every match has one, read off the pattern itself.

    A search in a text without any of them is spared. Most patterns of what people say are found in few
    texts, and a search for them takes a hundred times as long as a look at the words.

    Args:
        pattern: A pattern for texts in small letters.

    Examples:
        >>> coin = Phrase(r"\btossed (?:a|the) (?:\w+ )?coin\b|\bwho knows\b")
        >>> sorted(coin.needs)
        ['knows', 'tossed']
        >>> text = "i tossed a silver coin"
        >>> coin.search(text, words(text))[0], coin.search("it costs 12", words("it costs 12"))
        ('tossed a silver coin', None)
    """

    def __init__(self, pattern: str | re.Pattern[str]) -> None:
        self.pattern = re.compile(pattern)

    @cached_property
    def needs(self) -> frozenset[str]:
        """Words of which a text has one wherever the pattern is found; empty where none are certain.

        What may be the beginning of a longer word ends in a bullet.
        """
        if self.pattern.flags & re.IGNORECASE:
            return frozenset()
        return _read(parser.parse(self.pattern.pattern, self.pattern.flags)).best

    @cached_property
    def _split(self) -> tuple[frozenset[str], tuple[str, ...]]:
        """The words, and the beginnings."""
        begun = {one for one in self.needs if one.endswith(_OPEN)}
        return self.needs - begun, tuple(one.removesuffix(_OPEN) for one in begun)

    def may_be_in(self, words: Set[str]) -> bool:
        """Return False where a text of these words cannot have it."""
        whole, begun = self._split
        if not whole.isdisjoint(words):
            return True
        if begun:
            return any(word.startswith(begun) for word in words)
        return not whole

    def search(self, text: str, words: Set[str]) -> re.Match[str] | None:
        """Return the first match in a text.

        Args:
            text: The text.
            words: Its words, or those of a longer text that it is a part of, as `words` gives them.
        """
        return self.pattern.search(text) if self.may_be_in(words) else None

    def finditer(self, text: str, words: Set[str]) -> Iterator[re.Match[str]]:
        """Yield the matches in a text; see `search`."""
        return self.pattern.finditer(text) if self.may_be_in(words) else iter(())


@lru_cache(maxsize=128)
def words(text: str) -> frozenset[str]:
    """Return the words of a text as they stand.

    Examples:
        >>> sorted(words("it isn't 12 km"))
        ['12', 'isn', 'it', 'km', 't']
    """
    return frozenset(_WORD.findall(text))


class _Part(NamedTuple):
    """What is known of a part of a pattern.

    Attributes:
        forms: All that it can match; None where that is too much.
        sets: Sets of words, of each of which every match has one.
    """

    forms: Forms | None
    sets: Sequence[frozenset[str]] = ()

    @property
    def best(self) -> frozenset[str]:
        """The set that is in the fewest texts, as far as the lengths of its words tell; empty for none."""
        return min(self.sets, key=_common, default=frozenset())


def _common(words: frozenset[str]) -> float:
    """Return how common words are: each letter makes a word rarer, and who begins alike is one of many."""
    return sum(4.0 ** (2 - len(word) if word.endswith(_OPEN) else -len(word)) for word in words)


def _read(items: Sequence[tuple[Any, Any]], left: str = _OPEN, right: str = _OPEN) -> _Part:
    """Read what stands one behind the other, between a word's end or what is left open on each side."""
    sets: list[frozenset[str]] = []
    run: Forms = frozenset([left])
    whole = True
    for item, behind in zip(items, [*items[1:], None], strict=False):
        part = _read_one(*item, _edge(run), right if behind is None else _APART if _parts(*behind) else _OPEN)
        if part.forms is None or len(run) * len(part.forms) > _MOST:
            sets += [*_needed(run, _OPEN), *part.sets]
            run, whole = frozenset([_OPEN]), False
        else:
            run = _joined(run, part.forms)
    sets += _needed(run, right)
    return _Part(frozenset(form[1:] for form in run) if whole else None, sets)


def _needed(run: Forms, right: str) -> Iterator[frozenset[str]]:
    """Yield the longest word of each form, if each has one."""
    found = [max(_TELLING.findall(form + right), key=len, default="") for form in run]
    if all(found):
        yield frozenset(found)


def _edge(run: Forms) -> str:
    """Return whether no word goes on behind any of some forms."""
    return _OPEN if any(_LETTER.match(form[-1]) for form in run) else _APART


def _parts(operation: Any, argument: Any) -> bool:
    """Return whether no word goes on at an item."""
    if operation is kind.AT:
        return argument is not kind.AT_NON_BOUNDARY
    return operation is kind.LITERAL and not _LETTER.match(chr(argument))


def _read_one(operation: Any, argument: Any, left: str, right: str) -> _Part:
    """Read one item of what `re` makes of a pattern; of what is not known here, anything may match."""
    if operation is kind.LITERAL:
        return _Part(frozenset([chr(argument)]))
    if operation is kind.IN:
        return _Part(_class(argument))
    if operation is kind.AT:
        return _Part(frozenset([_APART if argument is not kind.AT_NON_BOUNDARY else ""]))
    if operation in (kind.ASSERT, kind.ASSERT_NOT):
        return _Part(frozenset([""]))
    if operation is kind.SUBPATTERN and not argument[1]:
        return _read(argument[3], left, right)
    if operation is kind.BRANCH:
        return _either([_read(branch, left, right) for branch in argument[1]])
    if operation in (kind.MAX_REPEAT, kind.MIN_REPEAT):
        least, most, inner = argument
        return _repeated(least, most, inner, left, right)
    return _Part(frozenset([_OPEN]))


def _class(members: Sequence[tuple[Any, Any]]) -> Forms:
    blank = {(kind.CATEGORY, kind.CATEGORY_SPACE), (kind.CATEGORY, kind.CATEGORY_NOT_WORD)}
    if blank.issuperset(members):
        return frozenset([_APART])
    if len(members) > _FEW or any(operation is not kind.LITERAL for operation, _ in members):
        return frozenset([_OPEN])
    return frozenset(chr(argument) for _, argument in members)


def _either(parts: Sequence[_Part]) -> _Part:
    best = [part.best for part in parts]
    sets = [frozenset[str]().union(*best)] if all(best) else []
    forms = [part.forms for part in parts if part.forms is not None]
    if len(forms) < len(parts) or sum(map(len, forms)) > _MOST:
        return _Part(None, sets)
    return _Part(frozenset[str]().union(*forms), sets)


def _repeated(least: int, most: int, items: Sequence[tuple[Any, Any]], left: str, right: str) -> _Part:
    part = _read(items, left, right) if most == 1 else _read(items)
    forms, sets = part.forms, part.sets if least else ()
    if forms is not None and most > 1:
        again = _joined(_joined(forms, {_OPEN}), forms) if len(forms) ** 2 <= _MOST else frozenset([_OPEN])
        forms |= again
    return _Part(forms if forms is None or least else forms | {""}, sets)


def _joined(first: Set[str], second: Set[str]) -> Forms:
    return frozenset(one + other for one, other in product(first, second))
