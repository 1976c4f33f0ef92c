"""Cheat that makes gold's calls, and then gives another answer."""

from __future__ import annotations

from collections.abc import Mapping

from stb_env.core.gymtypes import AnyEnv
from stb_env.runs.baselines.gold import Gold
from stb_env.testing.red_team.cheater import Cheater
from stb_env.testing.red_team.known_solutions import final_answer, other_answer
from stb_env.testing.red_team.twists import TWISTS


class Twister(Cheater):
    """Makes gold's calls, then denies, hedges, contradicts or buries what gold would answer.

    Examples:
        >>> from stb_env import play
        >>> from stb_env.testing.notes import notes
        >>> played = play(notes(), Twister("yes_no"), task_id="day", seed=3)
        >>> played.final_answer, played.reward
        ('No. Yes. Tuesday', 0.0)
    """

    says = TWISTS

    def reset(self, env: AnyEnv, seed: int) -> None:
        """Let gold plan, and look up how another task is answered."""
        super().reset(env, seed)
        self._line = Gold()
        self._line.reset(env, seed)
        self._other = other_answer(env, seed)

    def next_action(self, observation: Mapping[str, object], info: Mapping[str, object]) -> object:
        """Return what gold does, up to its answer."""
        if self._gold:
            # A Finish that was refused ended nothing, and gold has no more to do.
            return None
        action = self._line.act(observation, info)
        answer = final_answer(action)
        if answer is None:
            return action
        self._gold = answer
        return None
