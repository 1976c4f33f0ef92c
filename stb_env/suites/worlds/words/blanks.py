"""Words for what a request leaves open, and what the user says of it when asked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

from stb_env.suites.worlds.schema.kit import Attribute, Category, Day, Entity, Life, Quantity
from stb_env.suites.worlds.schema.nouns import forms, is_plural

ASK: Sequence[str] = (
    "Ask me for what I have left open.",
    "What is missing here I can tell you; just ask.",
    "I have not put everything into this message, so please ask me.",
    "Some of this is in my notes: ask me about it.",
    "If you need a detail that I have not given, ask me.",
)
"""Sentences that say that the user can be asked."""
NEWS: Sequence[str] = (
    "Once you know all details, ask me whether there is anything new before you change a record or answer.",
    "I may still change my mind: when you have all details, ask me whether anything is new and then go on.",
    "Before you act or answer, and after asking for details, check with me whether there is anything new.",
    "Things may still change, so when I have told you the rest, ask me for news before you go ahead.",
)
"""Sentences that say that the user has to be asked for news."""
_AFTER_PREPOSITION = re.compile(r"\b(?:to|at|on|by|for|until) \{v\}")


def open_value(attribute: Attribute, pick: Random) -> str:
    """Return words that stand for a value that is left open."""
    if isinstance(attribute, Day):
        return pick.choice(
            [
                "the day that I will tell you",
                "the date that I have noted down",
                "the day that we agreed on",
                "the date in my calendar",
                "a date that you can get from me",
            ]
        )
    word = attribute.words[0]
    if isinstance(attribute, Quantity):
        thing = "amount" if attribute.type == "money" else "figure"
    else:
        thing = "one"
    return pick.choice(
        [
            f"the {word} that I have in mind",
            f"the {thing} that I have noted down",
            f"the {thing} that we agreed on",
            f"the {word} that I will tell you",
            f"the {thing} in my notes",
        ]
    )


def open_name(described: Entity, pick: Random) -> str:
    """Return words that stand for a row whose name is left open."""
    noun, word = forms(described)[0], described.attributes[described.label].words[0]
    return pick.choice(
        [
            f"the {noun} that I have in mind",
            f"the {noun} whose {word} is in my notes",
            f"the {noun} that we talked about",
            f"the {noun} that I have not named yet",
            f"the {noun} in my notes",
            f"the {noun} that I was asked about",
        ]
    )


def open_category(attribute: Category | Life, *, contrary: bool) -> list[str]:
    """Return phrases that stand for one of a few values that is left open, or for all others."""
    word = attribute.words[0]
    several = is_plural(word)
    start = f"whose {word} {'are' if several else 'is'}{' not' if contrary else ''} "
    start += "the ones" if several else "the one"
    ends = ("that I have in mind", "in my notes", "that we talked about", "that I will tell you")
    return [f"{start} {end}" for end in ends]


def ways_to_set(ways: Sequence[str], attribute: Attribute) -> Sequence[str]:
    """Return ways to ask for a value to be set that is left open.

    Args:
        ways: The kit's own: of these, some can do without the value's own words.
        attribute: What is set.
    """
    word = attribute.words[0]
    general = [f"set the {word} of {{np}} to {{v}}", f"change the {word} of {{np}} to {{v}}"]
    if isinstance(attribute, Day | Quantity):
        general += [way for way in ways if _AFTER_PREPOSITION.search(way)]
    return list(dict.fromkeys(general))


def told(value: str, pick: Random) -> str:
    """Return what the user says who tells a value."""
    return pick.choice([f"It is {value}.", f"That is {value}.", f"{value}, please.", f"I mean {value}."])


def pointed(where: str, pick: Random) -> str:
    """Return what the user says who knows only where a value is on record."""
    return pick.choice(
        [
            f"I do not remember. It is {where}.",
            f"I would have to look it up: it is {where}.",
            f"I cannot say offhand, but it is {where}; please look there.",
        ]
    )


def refused(pick: Random) -> str:
    """Return what the user says who does not want to tell yet."""
    return pick.choice(
        [
            "I would rather not say yet. Ask me again if you really need it.",
            "Do you need that? If so, ask me once more.",
            "Not now, please. Ask me again when you cannot go on without it.",
        ]
    )


def unsure(value: str, pick: Random) -> str:
    """Return what the user says who takes a wrong value for the right one."""
    return pick.choice(
        [
            f"I think it is {value}, but ask me again to be sure.",
            f"{value}, if I remember rightly. I am looking it up, so ask me again.",
            f"Probably {value}. Let me check, and ask me once more.",
        ]
    )


def corrected(value: str, pick: Random) -> str:
    """Return what the user says who was wrong before."""
    return pick.choice(
        [
            f"I was wrong, it is {value}.",
            f"I have checked: it is {value}.",
            f"Sorry, it is {value} after all.",
        ]
    )


def revised(about: str, value: str, pick: Random) -> str:
    """Return what the user says who has changed their mind."""
    return pick.choice(
        [
            f"Yes: I have changed my mind about the {about}. Take {value} instead.",
            f"There is: as to the {about}, forget what I said. It is {value} now.",
            f"Yes, the {about} is another now: {value}.",
        ]
    )
