"""Names for JSON in annotations: what a model, a file or the network wrote, and is read member by member.

The type checker looks at none of these. Whatever is only passed on, stored or written is an ``object`` or a
``Mapping[str, object]`` instead, and records with known fields have a type of their own.
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
