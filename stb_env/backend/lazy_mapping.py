"""A mapping whose values are made when they are first read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

T = TypeVar("T")


class LazyMapping(Mapping[str, T]):
    """A mapping that makes each value once, when it is first read; like a state, it never changes.

    Args:
        names: Its keys, in order.
        make: Makes the value of a key, always an equal one.

    Examples:
        >>> sizes = LazyMapping(["milk", "tea"], len)
        >>> more = put(sizes, "tea", 7)
        >>> dict(sizes), dict(more)
        ({'milk': 4, 'tea': 3}, {'milk': 4, 'tea': 7})
    """

    __slots__ = ("_made", "_make", "_names", "_put")

    def __init__(self, names: Iterable[str], make: Callable[[str], T]) -> None:
        self._names = dict.fromkeys(names)
        self._make = make
        self._made: dict[str, T] = {}
        self._put: dict[str, T] = {}

    def __getitem__(self, name: str) -> T:
        if name in self._put:
            return self._put[name]
        if name not in self._made:
            if name not in self._names:
                raise KeyError(name)
            # Of two threads that make it at once, both get the first one's.
            self._made.setdefault(name, self._make(name))
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return repr(dict(self))

    def __reduce__(self) -> tuple[type[dict[str, T]], tuple[dict[str, T]]]:
        """Pickle as what it holds, so that whoever reads it needs nothing that made it."""
        return dict, (dict(self),)

    def put(self, name: str, value: T) -> LazyMapping[T]:
        """Return a mapping in which a key has this value; every other value is made once for both."""
        other = LazyMapping[T]((), self._make)
        other._names = self._names if name in self._names else {**self._names, name: None}
        other._made = self._made
        other._put = {**self._put, name: value}
        return other

    def apart(self, other: Mapping[str, T]) -> Iterable[str]:
        """Return the keys that alone can have other values than in another mapping."""
        if isinstance(other, LazyMapping) and other._made is self._made:
            return self._put.keys() | other._put.keys()
        return self


def put(mapping: Mapping[str, T], name: str, value: T) -> Mapping[str, T]:
    """Return a mapping in which a key has this value; no value of a lazy one is made for it."""
    return mapping.put(name, value) if isinstance(mapping, LazyMapping) else {**mapping, name: value}


def replaced(before: Mapping[str, T], after: Mapping[str, T]) -> list[str]:
    """Return the keys whose values are not the very objects that they were before, sorted.

    Examples:
        >>> sizes = LazyMapping(["milk", "tea"], len)
        >>> replaced(sizes, put(sizes, "tea", 7)), replaced({}, {"b": 1, "a": 2})
        (['tea'], ['a', 'b'])
    """
    names = after.apart(before) if isinstance(after, LazyMapping) else after
    return sorted(name for name in names if before.get(name) is not after[name])
