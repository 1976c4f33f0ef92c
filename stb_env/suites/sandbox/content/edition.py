"""Editions of the content: the same places and services with other facts and other ids.

What was learnt by heart in one edition is wrong in another. Which edition an episode plays in follows from
its task; every function of `content` answers for the edition that the running code is `within`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar, Token
from functools import lru_cache, wraps
from typing import ParamSpec, TypeVar, overload

from stb_env import seeding
from stb_env.backend.world import Table, Tables
from stb_env.core.jsontypes import JsonObject

P = ParamSpec("P")
T = TypeVar("T")

KEPT = 16
"""Number of editions, all of which are kept."""
_now: ContextVar[int] = ContextVar("edition of the sandbox", default=0)


def edition() -> int:
    """Return the edition that the running code is within; 0, which the documentation quotes, outside of any.

    Examples:
        >>> with within(3):
        ...     edition()
        3
        >>> edition()
        0
    """
    return _now.get()


def edition_of(state: Tables) -> int:
    """Return the edition in which a state's episode plays."""
    row = state.table("world").get("edition")
    return row["number"] if row else 0


def table(number: int) -> dict[str, Table]:
    """Return the table by which `edition_of` knows an edition."""
    return {"world": {"edition": {"number": number}}}


class within:  # noqa: N801
    """Context in which the content is that of an edition.

    Args:
        number: The edition, from 0.
    """

    __slots__ = ("_number", "_token")

    def __init__(self, number: int) -> None:
        self._number = number

    def __enter__(self) -> None:
        self._token: Token[int] = _now.set(self._number)

    def __exit__(self, *_: object) -> None:
        _now.reset(self._token)


def per_edition(maxsize: int = 1) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Return a decorator that keeps what a function returned, apart for every edition.

    Args:
        maxsize: How many results of one edition are kept.
    """

    def keep(make: Callable[P, T]) -> Callable[P, T]:
        # Typed as any callable: the cache asks for arguments that it can hash, which a signature cannot say.
        made: Callable[..., T] = lru_cache(maxsize=KEPT * maxsize)(
            lambda _, *args, **kwargs: make(*args, **kwargs)
        )

        @wraps(make)
        def now(*args: P.args, **kwargs: P.kwargs) -> T:
            return made(_now.get(), *args, **kwargs)

        return now

    return keep


Rows = Mapping[str, JsonObject]


def with_drawn_ids(make: Callable[[], Rows]) -> Callable[[], Rows]:
    """Return a function whose rows have ids that follow from the edition; edition 0 keeps them as made.

    Without it, rows that every edition has under the same name would have the same id in all of them.

    Examples:
        >>> @with_drawn_ids
        ... def towns():
        ...     return {key: {"id": key, "name": name} for key, name in zip("1234", "ABCD")}
        >>> [row["name"] for row in towns().values()]
        ['A', 'B', 'C', 'D']
        >>> with within(1):
        ...     [row["name"] for row in towns().values()]
        ['B', 'D', 'C', 'A']
    """

    @wraps(make)
    def drawn() -> Rows:
        return renumbered(make(), rng("ids", make.__name__)) if edition() else make()

    return drawn


def renumbered(rows: Rows, rng: random.Random) -> dict[str, dict[str, object]]:
    """Return rows, whose first field is their id, with the ids exchanged among them; in order of id.

    Args:
        rows: The rows by id.
        rng: Source of randomness.
    """
    drawn = zip(rng.sample(list(rows), len(rows)), rows.values(), strict=True)
    return {key: row | {next(iter(row)): key} for key, row in sorted(drawn)}


def grouped(rows: Iterable[JsonObject], column: str) -> dict[str, list[JsonObject]]:
    """Return rows by what a column says, each group in their order."""
    groups: dict[str, list[JsonObject]] = {}
    for row in rows:
        groups.setdefault(row[column], []).append(row)
    return groups


class Options(Sequence[T]):
    """Values that a template draws from, in the edition of the running code.

    Args:
        make: Returns the options of the edition that it is called within.

    Examples:
        >>> numbers = Options(lambda: [edition(), 7])
        >>> with within(2):
        ...     list(numbers)
        [2, 7]
    """

    def __init__(self, make: Callable[[], Iterable[T]]) -> None:
        self._made = per_edition()(lambda: tuple(make()))

    def __len__(self) -> int:
        return len(self._made())

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        return self._made()[index]

    def __iter__(self) -> Iterator[T]:
        return iter(self._made())

    def __contains__(self, value: object) -> bool:
        return value in self._made()


def rng(*parts: Hashable) -> random.Random:
    """Return a fresh generator that follows from the edition and from what it is for."""
    return seeding.rng("sandbox", *parts, *_salt())


def derive(*parts: Hashable) -> int:
    """Return a seed that follows from the edition and its parts, as `seeding.derive` does."""
    return seeding.derive(*_salt(), *parts)


def derive_each(parts: Iterable[Hashable], lasts: Iterable[Hashable]) -> Iterator[int]:
    """Yield ``derive(*parts, last)`` for every last part."""
    return seeding.derive_each((*_salt(), *parts), lasts)


def _salt() -> tuple[Hashable, ...]:
    number = _now.get()
    return (f"edition {number}",) if number else ()
