"""Whether a number in an answer is only a bound: "more than 12", "under 21"."""

from __future__ import annotations

import re

from stb_env.reading.statement import statement_at
from stb_env.suites.sandbox.mentions import Mention, Text

_BOUND = re.compile(
    r"\b(?:(?:more|less|fewer|greater|other|different|higher|lower) than|over|under|above|below|"
    r"(?<!adds )(?<!add )(?<!sums )(?<!amounts )(?<!comes )up to|at least|"
    r"at most|upwards of|no (?:more|less) than|between|not)\s(?:[\w*$€£]{0,4}\s?)?$"
)
_LIMIT = re.compile(
    r"(?i)\b(?:least|minimum|most|maximum|limit|lowest|highest|high|low|how (?:old|young)|age)\b"
)
_LOWER = re.compile(r"(?i)\b(?:least|minimum|lowest|how (?:old|young))\b")
_UPPER = re.compile(r"(?i)\b(?:most|maximum|highest)\b")
_AT_MOST = re.compile(r"\b(?:less|fewer|lower|under|below|up to|at most|no more)\b")
_AT_LEAST = re.compile(r"\b(?:(?<!no )more|greater|higher|over|above|at least|upwards)\b")
_NEGATED = re.compile(r"\b(?:no|not|nobody|none|never|nothing|cannot)\b|n['’]t\b")


def is_one(text: Text, one: Mention, query: str) -> bool:
    """Return whether a number is only a bound, or one to the wrong side where a limit is asked for.

    Args:
        text: The answer.
        one: The number in it.
        query: The query; one that asks for a limit is answered by a bound.
    """
    bound = _BOUND.search(text.folded, max(0, one.start - 24), one.start)
    if bound is None or not _LIMIT.search(query):
        return bound is not None
    clause = statement_at(text.said, one.start)
    if _NEGATED.search(text.folded, clause.start, bound.start()):
        return False
    lower, upper = _LOWER.search(query), _UPPER.search(query)
    wrong = _AT_MOST if lower and not upper else _AT_LEAST if upper and not lower else None
    return wrong is not None and wrong.search(bound[0]) is not None
