"""Options of a reset, and the task that they choose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import ConfigError, did_you_mean

ResetOptions: TypeAlias = Mapping[str, object]
"""Options of a reset, by name."""

_OPTIONS = ("task_id", "order", "shard", "seed")


def read_options(options: ResetOptions | None, also: Sequence[str] = ()) -> JsonMapping:
    """Return the options of a reset; none where there are none.

    Args:
        options: What was given.
        also: Further options that are known.

    Raises:
        ConfigError: One is unknown.
    """
    for name in options or {}:
        if name not in _OPTIONS and name not in also:
            known = (*_OPTIONS, *also)
            raise ConfigError(f"unknown reset option {name!r}; known: {known}.{did_you_mean(name, known)}")
    return options or {}


def read_order(order: str) -> Literal["random", "sequential"]:
    """Return an order of tasks.

    Raises:
        ConfigError: It is none.
    """
    match order:
        case "random" | "sequential":
            return order
    raise ConfigError(f"order must be 'random' or 'sequential', got {order!r}")


def read_shard(shard: Any) -> tuple[int, int]:
    """Return which tasks a sequential order visits, the first and the stride.

    Raises:
        ConfigError: There is no such part.

    Examples:
        >>> read_shard([1, 4])
        (1, 4)
    """
    first, stride = (int(part) for part in shard)
    if not 0 <= first < stride:
        raise ConfigError(f"shard must be (i, n) with 0 <= i < n, got {tuple(shard)}")
    return first, stride
