"""Text without case and accents."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

_LONGEST = 20_000


@lru_cache(maxsize=1024)
def fold(text: str) -> str:
    """Return the text without case and accents; of a text too long to be an answer only a part."""
    text = text[:_LONGEST]
    if not text.isascii():
        decomposed = unicodedata.normalize("NFKD", text)
        text = "".join(char for char in decomposed if not unicodedata.combining(char))
    return text.casefold()
