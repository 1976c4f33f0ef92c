"""Recently used values, bounded by number and by size."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, Self, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """Least recently used, in two generations: a value that is not used for a generation is dropped.

    It always holds the last half and never more than all of its bounds. There is no order to keep
    consistent, so threads need no lock and a hit costs one look-up.

    Args:
        limit: Number of values; 0 keeps none.
        size: Bound on the sum of their sizes.
        measure: Returns the size of a value.

    Examples:
        >>> recent = Recent(4, 100, len)
        >>> for key in "abc":
        ...     recent.put(key, key.upper())
        >>> recent.get("a"), recent.get("c"), recent.get("z"), len(recent)
        ('A', 'C', None, 3)
        >>> recent.put("a", "A" * 51)
        >>> recent.get("a") is None
        True
    """

    def __init__(self, limit: int, size: int, measure: Callable[[V], int]) -> None:
        self.limit, self.size, self.measure = limit, size, measure
        self.clear()

    def __reduce__(self) -> tuple[type[Self], tuple[int, int, Callable[[V], int]]]:
        return type(self), (self.limit, self.size, self.measure)

    def __len__(self) -> int:
        return len(self.young.keys() | self._old.keys())

    def clear(self) -> None:
        """Forget everything."""
        self.young: dict[K, V] = {}
        self._old: dict[K, V] = {}
        self._used = 0

    def get(self, key: K) -> V | None:
        """Return a value, or None, and count it as used; ``young.get`` is the short way, tried first."""
        value = self.young.get(key)
        if value is None:
            value = self._old.get(key)
            if value is not None:
                self.put(key, value)
        return value

    def put(self, key: K, value: V) -> None:
        """Keep a value; one that fills more than a generation is not kept."""
        size = self.measure(value)
        if self.limit < 2 or size * 2 > self.size:
            self.young.pop(key, None)
            self._old.pop(key, None)
            return
        if (len(self.young) + 1) * 2 > self.limit or (self._used + size) * 2 > self.size:
            self._old, self.young, self._used = self.young, {}, 0
        self.young[key] = value
        self._used += size
