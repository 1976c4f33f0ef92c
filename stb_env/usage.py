"""Tokens, calls and money that model answers cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias


class Served(NamedTuple):
    """Circumstances of an answer that change its price.

    Attributes:
        cached: Tokens of the prompt that came from the server's cache.
        stored: Tokens of the prompt that were written to it.
        tier: Service tier that the server names, such as ``flex``; empty for the usual one.
        for_an_hour: Those of ``stored`` that are kept for an hour, where usual ones are for five minutes.
    """

    cached: int = 0
    stored: int = 0
    tier: str = ""
    for_an_hour: int = 0


_PLAIN = Served()


@dataclass(frozen=True, slots=True)
class Price:
    """Price of a model, in dollars per million tokens.

    Attributes:
        prompt: Dollars per million prompt tokens.
        completion: Dollars per million completion tokens, thinking included.
        cached: Dollars per million of the prompt tokens that came from the server's cache; None for the
            price of any prompt token.

    Examples:
        >>> Price(prompt=1.0, completion=4.0).cost(500_000, 250_000)
        1.5
        >>> Price(prompt=1.0, completion=4.0, cached=0.1).cost(500_000, 250_000, Served(cached=500_000))
        1.05
    """

    prompt: float
    completion: float
    cached: float | None = None

    @property
    def free(self) -> bool:
        """True if nothing costs anything, so that no count matters."""
        return not (self.prompt or self.completion or self.cached)

    def cost(self, prompt_tokens: int, completion_tokens: int, served: Served = _PLAIN) -> float:
        """Return the cost of so many tokens, in dollars.

        Args:
            prompt_tokens: Tokens read, those of a cache included.
            completion_tokens: Tokens written, thinking included.
            served: How they were served.
        """
        rate = self.prompt if self.cached is None else self.cached
        read = (prompt_tokens - served.cached) * self.prompt + served.cached * rate
        return (read + completion_tokens * self.completion) / 1e6


@dataclass(frozen=True, slots=True)
class Usage:
    """Cost of one or more answers. Adds up.

    Attributes:
        prompt_tokens: Tokens read.
        completion_tokens: Tokens written.
        total_tokens: Tokens as the server counts them together.
        calls: Answers.
        cost: Dollars, for the calls whose price is known.
        unpriced: Calls that cost an unknown amount, because no price is known for their model or its server
            did not count their tokens.

    Examples:
        >>> total = Usage(3, 1, 4, calls=1) + Usage(2, 2, 4, calls=1, cost=0.5)
        >>> total.total_tokens, total.calls, total.cost
        (8, 2, 0.5)
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    total_tokens: int = 0
    calls: int = 0
    cost: float = 0.0
    unpriced: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.total_tokens + other.total_tokens,
            self.calls + other.calls,
            self.cost + other.cost,
            self.unpriced + other.unpriced,
        )

    def __sub__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens - other.prompt_tokens,
            self.completion_tokens - other.completion_tokens,
            self.total_tokens - other.total_tokens,
            self.calls - other.calls,
            self.cost - other.cost,
            self.unpriced - other.unpriced,
        )

    @property
    def price_tag(self) -> str:
        """The cost in words: dollars, as far as they are known.

        Examples:
            >>> Usage(calls=1, cost=0.5).price_tag, Usage(calls=1, unpriced=1).price_tag
            ('$0.5000', 'cost unknown')
            >>> Usage(calls=2, cost=0.5, unpriced=1).price_tag
            'more than $0.5000'
        """
        if not self.unpriced:
            return f"${self.cost:.4f}"
        return f"more than ${self.cost:.4f}" if self.cost else "cost unknown"

    def report(self) -> dict[str, float | None]:
        """Return the counts for a report, where a cost that is not wholly known is none.

        Examples:
            >>> Usage(calls=1, unpriced=1).report()["cost"] is None
            True
        """
        return {**self.to_dict(), "cost": None if self.unpriced else self.cost}

    def to_dict(self) -> dict[str, float]:
        """Return the counts as plain data; every number has one fixed type."""
        # dataclasses.asdict would copy each number with care: ten times the cost, on every step.
        return {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "total_tokens": self.total_tokens,
            "calls": self.calls,
            "cost": self.cost,
            "unpriced": self.unpriced,
        }


NO_USAGE = Usage()

ByRole: TypeAlias = tuple[tuple[str, Usage], ...]
"""The usage of each role that used any, in the order in which they came: immutable and picklable."""


def spent_by(by_role: ByRole, role: str, usage: Usage) -> ByRole:
    """Return usages to which that of a role is added.

    Examples:
        >>> spent_by((("judge", Usage(calls=1)),), "judge", Usage(calls=2))[0][1].calls
        3
    """
    known = dict(by_role)
    return tuple({**known, role: known.get(role, NO_USAGE) + usage}.items())
