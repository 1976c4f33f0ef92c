"""Names that no row of a world has, and that look like those of its rows."""

from __future__ import annotations

from random import Random

from stb_env.suites.worlds.data.blueprint import Blueprint, names
from stb_env.suites.worlds.schema.kit import Code, Person, Title

_TRIES = 30


def unknown_name(blueprint: Blueprint, entity: str, label: str, pick: Random) -> str:
    """Return a name that no row has and that looks like others as a label does; empty for none."""
    described = blueprint.entities[entity]
    texts = blueprint.data.texts[entity, described.label]
    known = {text.casefold() for text in texts}
    attribute = described.attributes[described.label]
    base = next((text for text in texts if label.startswith(f"{text} ")), "")
    for _ in range(_TRIES):
        match attribute:
            case Code():
                place = pick.choice([at for at, char in enumerate(label) if char.isdigit()])
                text = label[:place] + pick.choice("0123456789") + label[place + 1 :]
            case _ if base:
                # As the label is another's and a part more, so is this one.
                text = pick.choice(texts) + label.removeprefix(base)
            case Person() | Title():
                first = names()["given"] if isinstance(attribute, Person) else attribute.first
                start = next(part for part in first if label.startswith(f"{part} "))
                text = pick.choice(first) + label.removeprefix(start)
            case _:
                return ""
        if text.casefold() not in known:
            return text
    return ""
