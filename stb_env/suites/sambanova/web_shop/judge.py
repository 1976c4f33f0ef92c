"""Verdicts on shopping: the reward of the purchase."""

from __future__ import annotations

from stb_env.judges.judge import Case
from stb_env.request import Slow
from stb_env.suites.sambanova.web_shop.session import Session
from stb_env.tools import FINISH, Status
from stb_env.verdict import Verdict, VerdictStatus, Vote


class PurchaseJudge:
    """Scores an episode with the reward of its purchase; solved means a reward of 1.

    Success is a purchase with a positive reward, as the paper has it. Its code counts every purchase, and so
    does ``original``, where nothing but a failing model makes an episode not executable.

    Args:
        original: Whether to judge as the original's code does.
    """

    def __init__(self, *, original: bool = False) -> None:
        self.name = "original" if original else "exact"
        self._original = original

    def judge(self, case: Case) -> Slow[Verdict]:
        """Return the verdict; yields nothing."""
        yield from ()
        reward = case.state.reward if isinstance(case.state, Session) else None
        total = reward.total if reward else 0.0
        calls = [call for call in case.calls if call.name != FINISH]
        made = bool(calls) and all(call.result.status is Status.OK for call in calls)
        status: VerdictStatus = "solved" if total == 1.0 else "unsolved"
        return Verdict(
            status,
            total,
            self.name,
            votes=() if reward else (Vote(status, "nothing was bought"),),
            parts={
                "executable": self._original or made,
                "success": reward is not None and (self._original or total > 0),
            },
            metrics=reward.metrics if reward else {"reward": 0.0},
        )
