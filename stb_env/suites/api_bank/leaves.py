"""Values inside a value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from stb_env.jsontypes import Json


def leaves(value: Json, *kinds: type) -> Iterator[Any]:
    """Yield what is of some kinds in a value, itself included, whatever holds it.

    Examples:
        >>> list(leaves({"a": [1, "x"], "b": {"c": 2}}, int)), list(leaves([1, [2]], list))
        ([1, 2], [[1, [2]], [2]])
    """
    if isinstance(value, kinds):
        yield value
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    for each in inner:
        yield from leaves(each, *kinds)
