"""One session: an episode after another in one environment, for one client."""

from __future__ import annotations

import asyncio
import time
from typing import cast

from gymnasium.error import ResetNeeded

from stb_env.envs.tool_env import ToolEnv
from stb_env.runs.driven import DrivenEpisode

SHELL, STEP = 12_000, 1_500
"""Bytes that a session and a step take besides their texts, as measured with `stb-env bench sessions`."""


class Session:
    """An environment of its own behind a key.

    Whoever uses the episode holds the lock meanwhile, so that two requests with one key take turns.

    Args:
        key: Names it; who knows it may use it.
        env_id: Id of the environment.
        env: The environment, which nobody else uses.

    Attributes:
        episode: Plays the environment for loops that make one call at a time.
        lock: Held while the environment is in use.
        last_used: When it was asked for last, by the monotonic clock.
        steps: Number of the last step that was played through `stb_env.serve`, since its last reset.
        last_reply: What that step was answered with, so that the same request again plays nothing.
        shown: The tools as the client was shown them last, so that they need not be sent at every step.
        frozen: Whether it is kept as a snapshot, which nobody plays on.
    """

    __slots__ = (
        "_measured",
        "_size",
        "env_id",
        "episode",
        "frozen",
        "key",
        "last_reply",
        "last_used",
        "lock",
        "shown",
        "steps",
    )

    def __init__(self, key: str, env_id: str, env: ToolEnv) -> None:
        self.key, self.env_id = key, env_id
        self.episode = DrivenEpisode(env)
        self.lock = asyncio.Lock()
        self.last_used = time.monotonic()
        self.steps = 0
        self.last_reply = b""
        self.shown = ""
        self.frozen = False
        self._measured, self._size = 0, SHELL

    @property
    def env(self) -> ToolEnv:
        """The environment."""
        return cast(ToolEnv, self.episode.env)

    @property
    def idle(self) -> bool:
        """True if no request uses it now."""
        return not self.lock.locked()

    def measure(self) -> int:
        """Return how many bytes it takes, about: texts of its steps, which make it grow."""
        try:
            steps = self.env.snapshot().steps
        except ResetNeeded:
            return self._size
        if len(steps) < self._measured:
            self._measured, self._size = 0, SHELL
        for step in steps[self._measured :]:
            self._size += STEP + 2 * (len(step.result) + len(step.text))
        self._measured = len(steps)
        return self._size
