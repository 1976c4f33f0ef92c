"""Names for JSON in annotations: what a model, a file or the network wrote, of which nothing is known yet.

A recursive type would make every reader of plain data narrow each step of the way by hand. Whoever relies on
a shape checks it where the value comes in, and passes on a type of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

Json: TypeAlias = Any
"""None, a bool, a number, a text, or a `JsonArray` or `JsonObject` of such values."""

JsonObject: TypeAlias = dict[str, Any]
"""An object whose owner may change it."""

JsonMapping: TypeAlias = Mapping[str, Any]
"""An object that is only read."""

JsonArray: TypeAlias = list[Any]
"""An array."""
