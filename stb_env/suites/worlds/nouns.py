"""What a world calls things: slots for texts that name entities and attributes."""

from __future__ import annotations

from collections.abc import Mapping

from stb_env.suites.worlds.kit import Entity


class Noun:
    """An entity in a text: ``{claim}`` is one, ``{claim.plural}`` several, ``{claim.amount}`` an attribute.

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


def slots(entities: Mapping[str, Entity], currency: str) -> dict[str, Noun | str]:
    """Return what the slots of rules stand for, beside their numbers."""
    nouns: dict[str, Noun | str] = {
        name: Noun(forms(entity), {key: attribute.words[0] for key, attribute in entity.attributes.items()})
        for name, entity in entities.items()
    }
    return {**nouns, "currency": currency}
