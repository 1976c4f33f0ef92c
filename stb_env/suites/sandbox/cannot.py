"""Requests that cannot be met: the reasons, and what may be lacking for each of them.

No two words mean the same, and for each there is a tool somewhere in the world that could do it, takes it or
finds it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TypedDict

from stb_env.suites.sandbox.registry import Api

REASONS: Mapping[str, tuple[str, ...]] = {
    "missing_detail": (
        "account",
        "age",
        "amount",
        "currency",
        "date",
        "guests",
        "language",
        "length",
        "person",
        "place",
        "time",
    ),
    "not_found": (
        "city",
        "company",
        "event",
        "file",
        "film",
        "flight",
        "hotel",
        "invoice",
        "person",
        "recipe",
        "word",
    ),
    "no_tool": ("book", "convert", "move", "pay", "refund", "remove", "send", "share", "translate"),
}
"""``missing_detail``: the query leaves it out; ``not_found``: it is nowhere; ``no_tool``: no tool does it."""
_SAID: Mapping[str, str] = {
    "missing_detail": "you did not tell me the",
    "not_found": "there is no such",
    "no_tool": "I have no tool to",
}


class Refusal(TypedDict):
    """Value of Finish's ``cannot``."""

    reason: str
    what: list[str]


@dataclass(frozen=True, slots=True)
class Gap:
    """The reason why a request cannot be met; an empty one, which is false, where it can.

    Attributes:
        reason: One of `REASONS`.
        what: What is lacking, of the list that the reason has.
        hidden: Whether only a look shows it, so that it counts only after one.
        withheld: APIs that would do what is asked, and that the task does not offer.

    Examples:
        >>> Gap("missing_detail", ("date",)).to_dict()
        {'reason': 'missing_detail', 'what': ['date']}
        >>> Gap("missing_detail", ("word",))
        Traceback (most recent call last):
        ...
        ValueError: 'word' is not listed for the reason 'missing_detail'
    """

    reason: str = ""
    what: tuple[str, ...] = ()
    hidden: bool = False
    withheld: tuple[Api, ...] = ()

    def __post_init__(self) -> None:
        for each in self.what:
            if each not in REASONS.get(self.reason, ()):
                raise ValueError(f"{each!r} is not listed for the reason {self.reason!r}")

    def __bool__(self) -> bool:
        return bool(self.what)

    def __str__(self) -> str:
        """Return it as a sentence for the user."""
        if not self:
            return "This cannot be done any more."
        return f"I cannot do this: {_SAID[self.reason]} {' and '.join(self.what)}."

    def to_dict(self) -> Refusal:
        """Return it as Finish takes it."""
        return Refusal(reason=self.reason, what=list(self.what))

    def unless(self, detail: str, text: str) -> str:
        """Return a part of a query, or nothing where the query leaves out the detail that it tells.

        Examples:
            >>> Gap("missing_detail", ("date",)).unless("date", " today"), Gap().unless("date", " today")
            ('', ' today')
        """
        return "" if self.reason == "missing_detail" and detail in self.what else text


NO_GAP = Gap()


def left_out(*details: str) -> list[Gap]:
    """Return what queries lack that leave out one or two of some details.

    Examples:
        >>> [gap.what for gap in left_out("date", "age")]
        [('date',), ('age',), ('date', 'age')]
    """
    return [Gap("missing_detail", what) for count in (1, 2) for what in combinations(details, count)]


def one_of_several(detail: str) -> Gap:
    """Return what a query lacks whose words fit several things, as a look shows."""
    return Gap("missing_detail", (detail,), hidden=True)


def not_found(thing: str) -> Gap:
    """Return what a query lacks that asks for a thing that is nowhere."""
    return Gap("not_found", (thing,), hidden=True)


def no_tool(act: str, *withheld: Api) -> Gap:
    """Return what a query lacks whose task offers none of the APIs that would do it."""
    return Gap("no_tool", (act,), withheld=withheld)
