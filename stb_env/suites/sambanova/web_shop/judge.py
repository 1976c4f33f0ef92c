"""Verdicts on shopping: the reward of the purchase."""

from __future__ import annotations

from typing import cast

from stb_env.core.request import Slow
from stb_env.judges.judge import Case
from stb_env.suites.sambanova.common.verdicts import is_executable, made_calls, verdict_of
from stb_env.suites.sambanova.web_shop.goals import Goal
from stb_env.suites.sambanova.web_shop.reward import Reward
from stb_env.suites.sambanova.web_shop.session import Session
from stb_env.verdict import Verdict


class PurchaseJudge:
    """Scores an episode with the reward of its purchase; solved means a reward of 1.

    Success is a purchase with a positive reward, as the paper has it. Its code counts every purchase, and so
    does ``original``, where nothing but a failing model makes an episode not executable. The parts of a
    verdict are the purchase of a product of the kind, and its attributes, options and price.

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
        calls = made_calls(case)
        return verdict_of(
            self.name,
            success=reward is not None and (self._original or reward.total > 0),
            executable=self._original or is_executable(calls),
            reason="" if reward else "nothing was bought",
            parts={} if self._original else _parts(cast(Goal, case.task.goal), reward),
            metrics=reward.metrics if reward else {"reward": 0.0},
            score=reward.total if reward else 0.0,
        )


def _parts(goal: Goal, reward: Reward | None) -> dict[str, bool]:
    """Return what is wanted, and whether it was bought; a product of another kind has nothing of it."""
    wanted = {"state:attributes": goal["attributes"], "state:options": goal["goal_options"]}
    names = ["act:1 purchase", *(name for name, values in wanted.items() if values), "state:price"]
    if reward is None or reward.type < 1.0:
        return dict.fromkeys(names, False)
    met = {
        "act:1 purchase": True,
        "state:attributes": reward.attributes == reward.wanted_attributes,
        "state:options": reward.options == reward.wanted_options,
        "state:price": reward.price,
    }
    return {name: met[name] for name in names}
