"""Judges of somebody else's, each in another form."""

from stb_env.judges.judge import Case


async def brief(case: Case) -> tuple[bool, str]:
    """Pass whoever needs at most three calls."""
    return len(case.calls) <= 3, f"{len(case.calls)} calls"


class Graded:
    """Half a point for an answer, and all for one call.

    Args:
        worth: Score of an answer.
    """

    name = "graded"

    def __init__(self, worth: float = 0.5) -> None:
        self.worth = worth

    def judge(self, case: Case) -> float:
        """Return the score."""
        return 1.0 if len(case.calls) == 2 else self.worth
