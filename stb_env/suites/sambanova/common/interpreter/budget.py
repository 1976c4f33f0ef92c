"""Bounds on what a program may use: steps, and the size of whatever it makes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.common.interpreter.ordered import OrderedSet

T = TypeVar("T")

MAX_STEPS = 50_000
"""Steps of one program; a step is one node of the syntax tree or one item that is gone through."""

SHARE = 20
"""Members that are read or made for one step."""

MAX_ITEMS = 30_000
"""Members of a collection, nested ones counted."""

MAX_TEXT = 20_000
"""Characters of a text."""

MAX_BITS = 1_024
"""Bits of an integer."""

_CONTAINERS = (list, tuple, OrderedSet)
_COLLECTIONS = (*_CONTAINERS, dict)
_ATOMS = (int, float, type(None))
# Whether something is an ordered set takes long to find out, and most values are numbers.
_NUMBERS = frozenset((bool, int, float))
LINE = 100
"""Characters of a text that weigh as much as one member."""

_TABLE, _ARRAY = 400, 20
"""Weight of a data frame and an array besides their members: anything with one is slow to begin."""

_FEW_COLUMNS, _COLUMN = 10, 5
"""Columns that a data frame has at no price, and the weight of each that it has besides."""


class Budget:
    """Counts the steps of one program.

    Args:
        steps: How many it may take.

    Examples:
        >>> budget = Budget(3)
        >>> budget.spend(2)
        >>> budget.spend(2)
        Traceback (most recent call last):
        ...
        stb_env.suites.sambanova.common.interpreter.crash.CrashError: the program takes more than 3 steps
    """

    __slots__ = ("_steps", "left")

    def __init__(self, steps: int = MAX_STEPS) -> None:
        self._steps = self.left = steps

    def go_through(self, members: int) -> None:
        """Take steps off for members that are read or made.

        Raises:
            CrashError: There are not that many left.
        """
        self.spend(members // SHARE)

    def spend(self, steps: int = 1) -> None:
        """Take steps off.

        Raises:
            CrashError: There are not that many left.
        """
        self.left -= steps
        if self.left < 0:
            raise self.exceeded

    @property
    def exceeded(self) -> CrashError:
        """The error of a program that takes more steps."""
        return CrashError(f"the program takes more than {self._steps} steps")


def weigh(value: object) -> int:
    """Return how many members a value has in all, shared ones counted as often as they are reached.

    A long text counts as several: a list of few texts can spell out a text that has no end.

    Whatever goes through a whole structure (comparing, hashing, writing it out) is asked here first, since
    a few shared lists can spell out a structure that has no end.

    Raises:
        CrashError: There are more than `MAX_ITEMS`.

    Examples:
        >>> weigh([1, {"a": (2, 3)}]), weigh("text")
        (7, 1)
        >>> loop = []; loop.append(loop); weigh(loop)
        Traceback (most recent call last):
        ...
        stb_env.suites.sambanova.common.interpreter.crash.CrashError: a value has more than 30000 members
    """
    if isinstance(value, str):
        return 1 + len(value) // LINE
    waiting, count = [value], 0
    while waiting:
        count += 1
        item = waiting.pop()
        if type(item) in _NUMBERS:
            continue
        if isinstance(item, _CONTAINERS):
            waiting.extend(item)
        elif isinstance(item, dict):
            waiting.extend(item)
            waiting.extend(item.values())
        elif isinstance(item, str):
            count += len(item) // LINE
        elif isinstance(item, range):
            count += len(item)
        elif not isinstance(item, _ATOMS):
            count += extent(item) - 1
            count += (
                _TABLE + _COLUMN * width(item)
                if hasattr(item, "to_string")
                else _ARRAY
                if hasattr(item, "dtype")
                else 0
            )
        if count + len(waiting) > MAX_ITEMS:
            raise CrashError(f"a value has more than {MAX_ITEMS} members")
    return count


def bounded(value: T) -> T:
    """Return the value that an operation made.

    Raises:
        CrashError: It is larger than programs may make.

    Examples:
        >>> bounded(2**2_000)
        Traceback (most recent call last):
        ...
        stb_env.suites.sambanova.common.interpreter.crash.CrashError: a number has more than 1024 bits
    """
    if isinstance(value, str):
        if len(value) > MAX_TEXT:
            raise CrashError(f"a text has more than {MAX_TEXT} characters")
    elif type(value) is float:
        return value
    elif isinstance(value, int):
        if value.bit_length() > MAX_BITS:
            raise CrashError(f"a number has more than {MAX_BITS} bits")
    elif isinstance(value, _COLLECTIONS) and len(value) > MAX_ITEMS:
        raise CrashError(f"a collection has more than {MAX_ITEMS} members")
    return value


def joined(parts: Iterable[str], separator: str = "") -> str:
    """Return texts as one, its length known before it is made.

    Raises:
        CrashError: It would be too long.

    Examples:
        >>> joined(["a", "b"], "-")
        'a-b'
        >>> joined(["a" * 9_000] * 3)
        Traceback (most recent call last):
        ...
        stb_env.suites.sambanova.common.interpreter.crash.CrashError: a text has more than 20000 characters
    """
    texts = list(parts)
    if sum(map(len, texts)) + len(separator) * (len(texts) - 1) > MAX_TEXT:
        raise CrashError(f"a text has more than {MAX_TEXT} characters")
    return separator.join(texts)


def width(item: object) -> int:
    """Return how many columns a data frame has beyond a few; 0 for anything else."""
    columns = getattr(item, "columns", None)
    return 0 if columns is None else max(0, len(columns) - _FEW_COLUMNS)


def extent(item: object) -> int:
    """Return the size of an array or a frame; 1 for anything else."""
    size = getattr(item, "size", 1)
    return size if isinstance(size, int) and size > 0 else 1
