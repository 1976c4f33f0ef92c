"""Decides whether the home search is the one that was asked for.

Besides what is said of all forms, the default takes a home type that is named twice once, and refuses an
empty list of home types.
"""

from __future__ import annotations

from stb_env.judges.judge import Judge
from stb_env.suites.sambanova.common.form.judge import FormJudge, OriginalJudge
from stb_env.suites.sambanova.home_search.world import API


def judge_of(*, original: bool = False, mends: bool = True) -> Judge:
    """Return the judge of home searches.

    Args:
        original: Whether it is the original's judge.
        mends: Whether later calls can make up for one that failed; in the original they never can.

    Examples:
        >>> judge_of().name, judge_of(original=True).name
        ('exact', 'original')
    """
    return OriginalJudge(API) if original else FormJudge(API, mends=mends)
