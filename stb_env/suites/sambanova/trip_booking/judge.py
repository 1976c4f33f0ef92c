"""Decides whether the trip booking is the one that was asked for.

Besides what is said of all forms, the default refuses days that no calendar has, a way back before the
departure, a stay without a night, types of rooms that are not documented, and criteria before the booking
type. To say that there are no children is to leave them out.
"""

from __future__ import annotations

from stb_env.judges.judge import Judge
from stb_env.suites.sambanova.common.form.judge import FormJudge, OriginalJudge
from stb_env.suites.sambanova.trip_booking.world import API


def judge_of(*, original: bool = False, mends: bool = True) -> Judge:
    """Return the judge of trip bookings.

    Args:
        original: Whether it is the original's judge.
        mends: Whether later calls can make up for one that failed; in the original they never can.

    Examples:
        >>> judge_of().name, judge_of(original=True).name
        ('exact', 'original')
    """
    return OriginalJudge(API) if original else FormJudge(API, mends=mends)
