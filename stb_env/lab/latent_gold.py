"""An agent that knows what to do and takes its time: it stands for a model, or for a policy that computes."""

from __future__ import annotations

import asyncio
from typing import Any

import gymnasium as gym

from stb_env.baselines.gold import Gold
from stb_env.jsontypes import JsonMapping

# Some milliseconds of a core: more than an episode takes otherwise, and little enough for hundreds of them.
_WORK = 60_000


class LatentGold(Gold):
    """Waits before its first decision as for a model, or computes in the place of waiting.

    Args:
        seconds: How long it waits; None computes.

    Examples:
        >>> from stb_env import play
        >>> from stb_env.testing.notes import notes
        >>> play(notes(), LatentGold(0.0), task_id="day", seed=0).solved
        True
    """

    def __init__(self, seconds: float | None) -> None:
        self._seconds = seconds
        self._rested = False

    def reset(self, env: gym.Env[Any, Any], seed: int) -> None:
        """Begin an episode."""
        super().reset(env, seed)
        self._rested = False

    async def act(self, observation: JsonMapping, info: JsonMapping) -> Any:
        """Wait or compute once an episode, then do what is right."""
        if not self._rested:
            self._rested = True
            if self._seconds is None:
                sum(number * number for number in range(_WORK))
            elif self._seconds:
                await asyncio.sleep(self._seconds)
        return super().act(observation, info)
