"""Words of a world: slots for texts that name entities and attributes."""

from __future__ import annotations

from collections.abc import Mapping

from stb_env.suites.worlds.schema.actions import Action
from stb_env.suites.worlds.schema.kit import Entity, Ref


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
