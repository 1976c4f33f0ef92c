"""Vector environments by id, as Gymnasium's registry asks for them.

A specification keeps its vector entry point as text, so that it can be written as JSON, and the text is
called without the id. So the id stands in the text: ``stb_env.envs.vector_id:my/Todo-v0`` is an
attribute of this module, which makes that environment.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium as gym

from stb_env.envs.vector import Autoreset, ToolVectorEnv
from stb_env.suite import find_env


def make(
    env_id: str, *, num_envs: int = 1, autoreset_mode: Autoreset = "NextStep", **settings: Any
) -> ToolVectorEnv:
    """Make a vector environment by id.

    Args:
        env_id: An id of any suite.
        num_envs: How many episodes it plays at a time.
        autoreset_mode: When it resets an episode that is over, see `ToolVectorEnv`.
        **settings: Settings of the environment.

    Raises:
        ConfigError: There is no such id, or it is not played one agent at a time.

    Examples:
        >>> from stb_env.suite import register
        >>> from stb_env.testing.notes import SUITE
        >>> _ = register(SUITE)
        >>> gym.make_vec("test/Notes-v0", num_envs=2)
        ToolVectorEnv(test/Notes-v0, num_envs=2)
    """
    return ToolVectorEnv(gym.make(find_env(env_id), **settings), num_envs, autoreset_mode)


def __getattr__(name: str) -> Callable[..., ToolVectorEnv]:
    if "/" not in name:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return partial(make, name)
