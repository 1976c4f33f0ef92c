"""Making environments by id, with errors that a person can act on."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from inspect import Parameter
from typing import Any

import gymnasium as gym
from gymnasium.envs.registration import load_env_creator, registry

from stb_env.core.jsontypes import JsonMapping
from stb_env.core.settings import accepts, check_settings
from stb_env.envs.connections import connect_judge
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError
from stb_env.judges.registry import EXACT
from stb_env.suite import find_env, suites


def env_ids() -> list[str]:
    """Return the ids of all suites that can be made as they are, registered or installed, in order."""
    return [env_id for suite in suites() if not suite.required for env_id in suite.environments]


def make(env_id: str, **settings: Any) -> ToolEnv:
    """Make an environment by an id of any suite, or by an id and the place that declares it.

    Args:
        env_id: An id of this package or of another that is installed, such as ``my/Todo-v0``;
            ``package.module:my/Todo-v0``; or ``path/to/todo.py:my/Todo-v0``.
        **settings: Settings of the environment.

    Raises:
        ConfigError: There is no such id, or a setting is none of the environment's.

    Examples:
        >>> import stb_env
        >>> env = stb_env.make("stb_env.testing.notes:test/Notes-v0", max_turns=3)
        >>> env.reset(seed=0)[0]["turn"]
        0
        >>> stb_env.make("test/Nots-v0")
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: unknown environment 'test/Nots-v0'; `stb-env list`... 'test/Notes-v0'?
    """
    return make_env(env_id, settings)


def make_env(env_id: str, settings: JsonMapping) -> ToolEnv:
    """Make an environment by id.

    Args:
        env_id: An id of any suite, see `stb_env.suite.find_env`.
        settings: Its settings. A ``judge`` takes the place of the environment's own, also where its maker
            knows no such setting. ``models`` names the models of all roles; an environment that asks none
            has no use for it.

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
    given = dict(settings)
    judge = given.pop("judge", None) if "judge" not in env_settings(found) else None
    models = given.get("models") if accepts(maker_of(found), "models") else given.pop("models", None)
    check_settings(maker_of(found), {**registry[found].kwargs, **given}, env_id)
    # Gymnasium has a word of its own for the id, which only a specification can carry as a setting.
    own = {"id": given.pop("id")} if "id" in given else {}
    spec = replace(registry[found], kwargs={**registry[found].kwargs, **own}) if own else found
    inner = gym.make(spec, **given).unwrapped
    if not isinstance(inner, ToolEnv):
        raise ConfigError(f"{env_id} is not played one agent at a time; its own commands play it")
    if judge not in (None, EXACT):
        inner.rules = replace(inner.rules, judge=connect_judge(judge, models=models))
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
    parameters = inspect.signature(maker_of(env_id)).parameters.values()
    return {parameter.name for parameter in parameters if parameter.kind is not Parameter.VAR_KEYWORD}


def maker_of(env_id: str) -> Callable[..., object]:
    """Return the function that makes an environment.

    Raises:
        ConfigError: The id is unknown.
    """
    entry = registry[find_env(env_id)].entry_point
    maker: Callable[..., Any] = entry if callable(entry) else load_env_creator(str(entry))
    return maker
