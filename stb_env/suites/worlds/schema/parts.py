"""Words and ranges that all parts of a kit are made of."""

from __future__ import annotations

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
