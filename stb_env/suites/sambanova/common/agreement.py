"""Agreement of a dictionary with the wanted one: precision, recall and F1 over their items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeVar

K = TypeVar("K")


class Agreement(NamedTuple):
    """Shares in [0, 1]; see `agreement`."""

    precision: float = 0.0
    recall: float = 0.0
    f1: float = 0.0

    @property
    def complete(self) -> bool:
        """True if the dictionaries are equal, which the original calls success."""
        return self.f1 == 1


def agreement(got: Mapping[K, object], wanted: Mapping[K, object]) -> Agreement:
    """Compare two dictionaries as the original evaluator does: an item counts where key and value are equal.

    Args:
        got: What came.
        wanted: What should have come; not empty.

    Examples:
        >>> agreement({"a": 1, "b": 2}, {"a": 1, "b": 3, "c": 4, "d": 5})
        Agreement(precision=0.5, recall=0.25, f1=0.3333333333333333)
        >>> agreement({}, {"a": 1}).complete
        False
    """
    overlap = sum(1 for key, value in got.items() if key in wanted and wanted[key] == value)
    if not overlap:
        return Agreement()
    precision, recall = overlap / len(got), overlap / len(wanted)
    return Agreement(precision, recall, 2 * precision * recall / (precision + recall))


def best_agreement(got: Mapping[K, object], labels: Iterable[Mapping[K, object]]) -> tuple[Agreement, int]:
    """Return the agreement with the label that it is highest with, the first of equals, and its index.

    Examples:
        >>> best_agreement({"a": 1}, [{"b": 1}, {"a": 1}, {"a": 1}])
        (Agreement(precision=1.0, recall=1.0, f1=1.0), 1)
    """
    found = [agreement(got, label) for label in labels]
    index = max(range(len(found)), key=lambda index: found[index].f1)
    return found[index], index
