"""Compare an answer with the expected one, exactly except for its spelling."""

from __future__ import annotations

import re
from decimal import Decimal

_NUMBER = re.compile(r"[+-]?(?:\d{1,250}(?:\.\d{0,250})?|\.\d{1,250})(?:e[+-]?\d{1,3})?")


def same_answer(got: str, expected: str | float) -> bool:
    """Return whether two answers are the same.

    Case, blanks at the ends and how many blanks stand between words do not matter, and a number counts by its
    value. Nothing else is forgiven: a sentence around the answer makes it another.

    Args:
        got: What the agent answered.
        expected: The right answer.

    Examples:
        >>> same_answer(" New  York ", "new york"), same_answer("3.0", 3), same_answer("+1e2", "100")
        (True, True, True)
        >>> same_answer("3 or 4", 3), same_answer("It is 3.", 3), same_answer("03:00", "3:00")
        (False, False, False)
    """
    return _normal(got) == _normal(str(expected))


def _normal(text: str) -> str | Decimal:
    words = " ".join(text.split()).casefold()
    # Casefolding leaves foreign digits alone, and they are numbers too.
    return Decimal(words) if _NUMBER.fullmatch(words) else words
