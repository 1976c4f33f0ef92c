"""Sets that keep the order of insertion: Python's own differ from process to process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableSet


class OrderedSet(MutableSet[object]):
    """A set whose members stay in the order in which they came.

    Args:
        items: Hashable members.

    Examples:
        >>> OrderedSet("banana") | OrderedSet("c"), OrderedSet("ab") == OrderedSet("ba")
        ({'b', 'a', 'n', 'c'}, True)
    """

    def __init__(self, items: Iterable[object] = ()) -> None:
        self._items = dict.fromkeys(items)

    def __contains__(self, item: object) -> bool:
        return item in self._items

    def __iter__(self) -> Iterator[object]:
        return iter(list(self._items))

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return "{" + ", ".join(map(repr, self._items)) + "}" if self._items else "set()"

    def add(self, value: object) -> None:
        """Add a member."""
        self._items[value] = None

    def discard(self, value: object) -> None:
        """Take a member out, if it is in."""
        self._items.pop(value, None)

    def pop(self) -> object:
        """Take the first member out and return it."""
        for value in self._items:
            del self._items[value]
            return value
        raise KeyError("an empty set has no member to take out")

    def clear(self) -> None:
        """Take all members out."""
        self._items.clear()

    def copy(self) -> OrderedSet:
        """Return a set of the same members."""
        return OrderedSet(self)

    def update(self, items: Iterable[object]) -> None:
        """Add members."""
        self._items.update(dict.fromkeys(items))

    def union(self, items: Iterable[object]) -> OrderedSet:
        """Return the members of both."""
        return OrderedSet([*self, *items])

    def intersection(self, items: Iterable[object]) -> OrderedSet:
        """Return the members that are in both."""
        others = set(items)
        return OrderedSet(item for item in self if item in others)

    def difference(self, items: Iterable[object]) -> OrderedSet:
        """Return the members that are not in the other."""
        others = set(items)
        return OrderedSet(item for item in self if item not in others)

    def issubset(self, items: Iterable[object]) -> bool:
        """Return whether all members are in the other."""
        return not self.difference(items)

    def issuperset(self, items: Iterable[object]) -> bool:
        """Return whether all members of the other are in this."""
        return all(item in self for item in items)
