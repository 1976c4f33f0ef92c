"""Making environments by id, with errors that a person can act on."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from inspect import Parameter
from typing import Any

import gymnasium as gym
from gymnasium.envs.registration import load_env_creator, registry

from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError
from stb_env.jsontypes import JsonObject
from stb_env.settings import check_settings
from stb_env.suite import find_env, suites


def env_ids() -> list[str]:
    """Return the ids of every suite that is registered or installed, in order."""
    return [env_id for suite in suites() for env_id in suite.environments]


def make_env(env_id: str, settings: JsonObject) -> ToolEnv:
    """Make an environment by id.

    Args:
        env_id: An id of any suite, see `stb_env.suite.find_env`.
        settings: Its settings.

    Raises:
        ConfigError: The id is unknown, or a setting is none of the environment's or no value of it.

    Examples:
        >>> from stb_env.suite import register
        >>> from stb_env.testing.notes import SUITE
        >>> _ = register(SUITE)
        >>> make_env("test/Notes-v0", {"max_turns": 3}).rules.max_turns
        3
    """
    found = find_env(env_id)
    check_settings(_maker(found), {**registry[found].kwargs, **settings}, env_id)
    inner = gym.make(found, **settings).unwrapped
    if not isinstance(inner, ToolEnv):
        raise ConfigError(f"{env_id} is not played one agent at a time; its own commands play it")
    return inner


def env_settings(env_id: str) -> set[str]:
    """Return the names of the settings that an environment has of its own, besides those of `ToolEnv`.

    Raises:
        ConfigError: The id is unknown.

    Examples:
        >>> from stb_env.suite import register
        >>> from stb_env.testing.notes import SUITE
        >>> _ = register(SUITE)
        >>> env_settings("test/Notes-v0")
        set()
    """
    parameters = inspect.signature(_maker(find_env(env_id))).parameters.values()
    return {parameter.name for parameter in parameters if parameter.kind is not Parameter.VAR_KEYWORD}


def _maker(found: str) -> Callable[..., Any]:
    entry = registry[found].entry_point
    maker: Callable[..., Any] = entry if callable(entry) else load_env_creator(str(entry))
    return maker
