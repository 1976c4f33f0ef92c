"""Words of a world: slots for texts that name entities and attributes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import Formatter

from stb_env.suites.worlds.schema.actions import Action
from stb_env.suites.worlds.schema.kit import Entity, Ref

_ARTICLE = re.compile(r"(?:(?:^|(?<=[.:;] ))A|\ba)n? $")
"""An article at the end of a text."""
_VOWEL = re.compile(r"[aeiou]|8|1[18](?!\d)|hour|hono|honest|heir", re.IGNORECASE)
_NO_VOWEL = re.compile(
    r"one\b|one-|once|eu|ewe|u\W|ur[aei]n|us[aeu]|ut[aeio]|ub[ie]|uku|uni(?!n|m[ap]|d)", re.IGNORECASE
)
_SPELLED = re.compile(r"[A-Z]{1,3}s?(?![A-Za-z])")
"""Letters that are read out one by one: ``MRI``, ``X-ray``."""
_VOWEL_LETTERS = "AEFHILMNORSX"
_DESCRIBED = re.compile(
    r" (?:of|in|on|a|at|so|to|for|per|under|with|without|due|left|spent|lost|given|shown|\w+ed)\b"
)
"""The beginning of words that follow a noun and describe it."""


def with_article(words: str) -> str:
    """Return words with the indefinite article that they take.

    Examples:
        >>> with_article("owner"), with_article("unit"), with_article("visit")
        ('an owner', 'a unit', 'a visit')
        >>> with_article("unpaid bill"), with_article("hour"), with_article("MRI"), with_article("8 kg cat")
        ('an unpaid bill', 'an hour', 'an MRI', 'an 8 kg cat')
    """
    if _SPELLED.match(words):
        vowel = words[0] in _VOWEL_LETTERS and not words.startswith("EU")
    else:
        vowel = bool(_VOWEL.match(words)) and not _NO_VOWEL.match(words)
    return f"{'an' if vowel else 'a'} {words}"


def fill(template: str, slots: Mapping[str, object]) -> str:
    """Return a template with its slots filled; an article in front of a slot suits what stands there.

    Examples:
        >>> fill("A {thing} for a {who}", {"thing": "order", "who": "hospital"})
        'An order for a hospital'
    """
    said = ""
    for literal, name, _, _ in Formatter().parse(template):
        said += literal
        if name is None:
            continue
        value = str(Formatter().get_field(name, (), slots)[0])
        found = _ARTICLE.search(said) if value else None
        if found is None:
            said += value
        else:
            # The article keeps its capital.
            said = said[: found.start()] + found[0][0] + with_article(value)[1:]
    return said


class Noun:
    """An entity in a text.

    ``{claim}`` is one, ``{claim.plural}`` several, ``{claim.amount}`` an attribute, ``{claim.deny}`` a
    participle.

    Examples:
        >>> noun = Noun(("box", "boxes"), {"width": "breadth"})
        >>> "{box.plural} by {box.width}: no {box}".format(box=noun)
        'boxes by breadth: no box'
    """

    def __init__(self, forms: tuple[str, str], words: Mapping[str, str]) -> None:
        self._singular, self.plural = forms
        self._words = words

    def __str__(self) -> str:
        return self._singular

    def __getattr__(self, attribute: str) -> str:
        try:
            return self._words[attribute]
        except KeyError:
            raise AttributeError(f"{self._singular!r} has no attribute {attribute!r}") from None


def forms(entity: Entity) -> tuple[str, str]:
    """Return what a world calls one row of an entity, and several."""
    singular, _, plural = entity.nouns[0].partition("/")
    return singular, plural


def reference_word(entities: Mapping[str, Entity], entity: str, name: str) -> str:
    """Return what a reference is called: as the entity that it leads to, if its words are nouns of that."""
    reference = entities[entity].attributes[name]
    if isinstance(reference, Ref):
        target = entities[reference.to]
        if any(noun.partition("/")[0] in reference.words for noun in target.nouns):
            return forms(target)[0]
    return reference.words[0]


def is_plural(words: str) -> bool:
    """Return whether the name of an attribute is a plural: its head, in front of what describes it.

    Examples:
        >>> is_plural("hours left"), is_plural("number of hours"), is_plural("status"), is_plural("fee")
        (True, False, False, False)
    """
    head = _DESCRIBED.split(words)[0]
    return head.endswith("s") and not head.endswith(("ss", "us", "is"))


def participle(action: Action) -> str:
    """Return the word for what was done by an action: ``denied``."""
    return action.verbs[0].partition("/")[2]


def slots(
    entities: Mapping[str, Entity], currency: str, actions: Mapping[str, Mapping[str, Action]]
) -> dict[str, Noun | str]:
    """Return what the slots of rules stand for, beside their numbers.

    Args:
        entities: The entities of a world.
        currency: Its currency.
        actions: The actions of each entity, by name.
    """
    filled: dict[str, Noun | str] = {"currency": currency}
    for name, entity in entities.items():
        words = {key: attribute.words[0] for key, attribute in entity.attributes.items()}
        done = {key: participle(action) for key, action in actions[name].items()}
        filled[name] = Noun(forms(entity), {**done, **words})
    return filled
