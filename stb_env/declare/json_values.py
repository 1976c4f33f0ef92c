"""Convert return values of functions to JSON values."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping

from pydantic_core import PydanticSerializationError, to_jsonable_python


def plain(value: object) -> object:
    """Return a value as JSON: dataclasses as objects, dates as text, tuples as lists, sets in order.

    Raises:
        TypeError: It cannot be written as JSON.

    Examples:
        >>> import datetime
        >>> plain({"due": datetime.date(2024, 5, 1), "tags": {"b", "a"}, "at": (1, 2)})
        {'due': '2024-05-01', 'tags': ['a', 'b'], 'at': [1, 2]}
    """
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, Mapping):
        return {_key(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, set | frozenset):
        # A set of texts iterates in another order in each process.
        return sorted(map(plain, value), key=json.dumps)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {part.name: plain(getattr(value, part.name)) for part in dataclasses.fields(value)}
    try:
        return to_jsonable_python(value)
    except PydanticSerializationError as error:
        raise TypeError(f"a {type(value).__name__} cannot be written as JSON") from error


def _key(key: object) -> str:
    if isinstance(key, str):
        return key
    written = plain(key)
    return written if isinstance(written, str) else json.dumps(written)
