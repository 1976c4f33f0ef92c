"""Words and ranges that all parts of a kit are made of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from string import Formatter
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Word = Annotated[str, Field(pattern=r"^[a-z][a-z0-9 '-]*$")]
"""A noun, verb or name of an attribute, in lower case."""
Nouns = Annotated[str, Field(pattern=r"^[a-z][a-z '-]*/[a-z][a-z '-]*$")]
"""Singular and plural: ``box/boxes``."""
Verb = Annotated[str, Field(pattern=r"^[a-z][a-z '-]*/[a-z][a-z '-]*$")]
"""Imperative and past participle: ``deny/denied``."""
Phrase = Annotated[str, Field(min_length=3)]
"""Words that follow a noun, singular or plural: ``costing over {v}``; ``{np}`` stands for a noun phrase."""
Phrases = Annotated[tuple[Phrase, ...], Field(min_length=1)]
Range = tuple[int, int]


class Part(BaseModel):
    """A part of a kit: read-only, and without keys that nobody knows."""

    model_config = ConfigDict(frozen=True, extra="forbid")


_SLOT = re.compile(r"[A-Za-z]\w*(?:\.[A-Za-z]\w*)?")


def odd_slots(data: object, place: str = "") -> Iterator[str]:
    """Yield where a text of a kit has a slot that is no name, nor two with a point.

    Formatting such a slot could reach into the program, or take all memory for its padding.

    Examples:
        >>> list(odd_slots({"say": ["on the {v} plan", "by {v.__class__}", "{", "{n:9999}"]}))
        ["say.1: no slot: '{v.__class__}'", "say.2: '{' ...", "say.3: no slot: '{n:9999}'"]
    """
    match data:
        case str():
            try:
                parts = list(Formatter().parse(data)) if "{" in data or "}" in data else []
            except ValueError as error:
                yield f"{place}: {data!r:.60} {error}"
                return
            for _, name, form, conversion in parts:
                if name is not None and (form or conversion or not _SLOT.fullmatch(name)):
                    written = name + (f"!{conversion}" if conversion else "") + (f":{form}" if form else "")
                    yield f"{place}: no slot: '{{{written:.40}}}'"
        case Mapping():
            for key, value in data.items():
                yield from odd_slots(value, f"{place}.{key}" if place else str(key))
        case list() | tuple():
            for number, value in enumerate(data):
                yield from odd_slots(value, f"{place}.{number}")
