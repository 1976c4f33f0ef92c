"""Patterns of schemas, matched in linear time by the engine that compiles the schemas."""

from __future__ import annotations

from functools import lru_cache

import jsonschema_rs


@lru_cache(maxsize=1_024)
def _matcher(pattern: str) -> jsonschema_rs.Draft202012Validator:
    options = jsonschema_rs.RegexOptions()
    return jsonschema_rs.Draft202012Validator({"pattern": pattern}, pattern_options=options)


def matches(pattern: str, text: str) -> bool:
    """Return whether a pattern matches anywhere in a text; a text that is no Unicode has no match.

    Examples:
        >>> matches("b+$", "abb"), matches("^(a|aa)+$", "a" * 5_000 + "b")
        (True, False)
    """
    try:
        return _matcher(pattern).is_valid(text)
    except ValueError:
        # A lone surrogate cannot enter the engine.
        return False
