"""Making environments for commands, with errors that a person can act on."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
from gymnasium.envs.registration import registry

from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError, did_you_mean


def env_ids() -> list[str]:
    """Return the ids that this package registers, in order."""
    return [env_id for env_id in registry if env_id.startswith("stb/")]


def make_env(env_id: str, settings: dict[str, Any]) -> ToolEnv:
    """Make an environment by id.

    Raises:
        ConfigError: The id is unknown, or a setting is none of the environment's.
    """
    known = env_ids()
    if env_id not in known:
        raise ConfigError(
            f"unknown environment {env_id!r}; `stb-env list` shows all.{did_you_mean(env_id, known)}"
        )
    try:
        env = gym.make(env_id, **settings)
    except TypeError as error:
        raise ConfigError(f"{env_id} does not take these settings: {error}") from error
    inner = env.unwrapped
    if not isinstance(inner, ToolEnv):
        raise ConfigError(f"{env_id} is not played one agent at a time; its own commands play it")
    return inner
