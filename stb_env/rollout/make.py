"""Making environments by id, with errors that a person can act on."""

from __future__ import annotations

import inspect
from typing import Any

import gymnasium as gym
from gymnasium.envs.registration import load_env_creator, registry

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
    _check_id(env_id)
    try:
        env = gym.make(env_id, **settings)
    except TypeError as error:
        raise ConfigError(f"{env_id} does not take these settings: {error}") from error
    inner = env.unwrapped
    if not isinstance(inner, ToolEnv):
        raise ConfigError(f"{env_id} is not played one agent at a time; its own commands play it")
    return inner


def env_settings(env_id: str) -> set[str]:
    """Return the names of the settings that an environment has of its own, besides those of `ToolEnv`.

    Raises:
        ConfigError: The id is unknown.

    Examples:
        >>> "mode" in env_settings("stb/I1Instruction-v0"), "mode" in env_settings("stb/Sandbox-v0")
        (True, False)
    """
    _check_id(env_id)
    # This package registers its environments under the name of what makes them.
    creator = load_env_creator(str(registry[env_id].entry_point))
    return set(inspect.signature(creator).parameters)


def _check_id(env_id: str) -> None:
    known = env_ids()
    if env_id not in known:
        raise ConfigError(
            f"unknown environment {env_id!r}; `stb-env list` shows all.{did_you_mean(env_id, known)}"
        )
