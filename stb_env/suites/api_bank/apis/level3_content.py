"""What the level 3 APIs know: the same in every episode and with any databases."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.resources import files
from typing import Any

from stb_env.jsontypes import JsonMapping
from stb_env.suites.api_bank.api_error import ApiError


@lru_cache(maxsize=1)
def content() -> JsonMapping:
    """Return the fixed content, by kind."""
    text = (files("stb_env.suites.api_bank") / "level3.json").read_text(encoding="utf-8")
    return dict(json.loads(text))


def found(table: JsonMapping, key: Any) -> Any:
    """Return a value by key.

    Raises:
        ApiError: There is none; the text is the key in quotes, as Python words a missing key.

    Examples:
        >>> found({"Tokyo": 1}, "Berlin")
        Traceback (most recent call last):
        ...
        stb_env.suites.api_bank.api_error.ApiError: 'Berlin'
    """
    if not isinstance(key, str) or key not in table:
        raise ApiError(repr(key))
    return table[key]
