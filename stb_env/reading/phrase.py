"""Phrases: patterns that are looked for only in texts that have a word they cannot do without."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from functools import cached_property, lru_cache
from itertools import product
from re import _constants as kind  # type: ignore[attr-defined] # what `re` makes of a pattern, in no stub
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, TypeAlias

_WORD = re.compile(r"\w+")
_MOST = 1500
"""Forms of a part of a pattern that are told apart; of one that has more, only single words are."""
_FEW = 4
"""Characters of a class that are told apart."""

# In a form: where a word may go on with characters that the pattern leaves open, and where none does.
_OPEN, _APART = "\N{BULLET}", " "
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


class _Part:
    """What is known of a part of a pattern.

    Args:
        forms: All that it can match; None where that is too much.
        sets: Sets of words, of each of which every match has one.
    """

    def __init__(self, forms: Forms | None, sets: Sequence[frozenset[str]] = ()) -> None:
        self.forms = forms
        self.sets = [*sets, *_needed(forms)]

    @property
    def best(self) -> frozenset[str]:
        """The set that is in the fewest texts, as far as the lengths of its words tell; empty for none."""
        return min(self.sets, key=_common, default=frozenset())


def _common(words: frozenset[str]) -> float:
    """Return how common words are: each letter makes a word rarer, and who begins alike is one of many."""
    return sum(4.0 ** (2 - len(word) if word.endswith(_OPEN) else -len(word)) for word in words)


def _needed(forms: Forms | None) -> Iterator[frozenset[str]]:
    """Yield the longest word of each form, if each has one, whatever stands before and behind the form."""
    told = (_TELLING.findall(f"{_OPEN}{form}{_OPEN}") for form in forms or ("",))
    found = [max(some, key=len, default="") for some in told]
    if all(found):
        yield frozenset(found)


def _read(items: Sequence[tuple[Any, Any]]) -> _Part:
    """Read what stands one behind the other."""
    sets: list[frozenset[str]] = []
    run: Forms = frozenset([""])
    whole = True
    for item in items:
        part = _read_one(*item)
        longer = None if part.forms is None or len(run) * len(part.forms) > _MOST else part.forms
        if longer is None:
            sets += [*_needed(run), *part.sets]
            run, whole = frozenset([_OPEN]), False
        else:
            run = _joined(run, longer)
    sets += _needed(run)
    return _Part(run if whole else None, sets)


def _read_one(operation: Any, argument: Any) -> _Part:
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
        return _read(argument[3])
    if operation is kind.BRANCH:
        return _branches([_read(branch) for branch in argument[1]])
    if operation in (kind.MAX_REPEAT, kind.MIN_REPEAT):
        return _repeated(*argument)
    return _Part(frozenset([_OPEN]))


def _class(members: Sequence[tuple[Any, Any]]) -> Forms:
    if all(one == (kind.CATEGORY, kind.CATEGORY_SPACE) or one == (kind.CATEGORY, kind.CATEGORY_NOT_WORD)
           for one in members):  # fmt: skip
        return frozenset([_APART])
    if len(members) > _FEW or any(operation is not kind.LITERAL for operation, _ in members):
        return frozenset([_OPEN])
    return frozenset(chr(argument) for _, argument in members)


def _branches(parts: Sequence[_Part]) -> _Part:
    forms: set[str] = set()
    for part in parts:
        if part.forms is None or len(forms) > _MOST:
            best = [part.best for part in parts]
            return _Part(None, [frozenset[str]().union(*best)] if all(best) else ())
        forms |= part.forms
    return _Part(frozenset(forms))


def _repeated(least: int, most: int, items: Sequence[tuple[Any, Any]]) -> _Part:
    part = _read(items)
    forms = part.forms
    if forms is not None and most > 1:
        forms |= _joined(_joined(forms, {_OPEN}), forms)
    if least:
        return _Part(forms, part.sets)
    return _Part(None if forms is None else forms | {""})


def _joined(first: Set[str], second: Set[str]) -> Forms:
    return frozenset(one + other for one, other in product(first, second))
