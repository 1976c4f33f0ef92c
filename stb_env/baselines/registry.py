"""Agents by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from stb_env.baselines.chat import Chat
from stb_env.baselines.gold import Gold
from stb_env.baselines.null import Echo, GiveUp, Inject, Noop, Random
from stb_env.baselines.replay import Replay
from stb_env.baselines.settings import check_settings, read_settings, takes
from stb_env.errors import ConfigError, did_you_mean
from stb_env.jsontypes import JsonObject
from stb_env.reference import load_object
from stb_env.rollout import Agent, AgentFactory, as_agent
from stb_env.suite import Reference, resolved, suites

BASELINES: dict[str, Callable[..., Agent]] = {
    agent.name: agent for agent in (Random, Noop, GiveUp, Echo, Inject, Gold, Replay, Chat)
}


def load_agent(spec: str, models: Path | str | None = None) -> AgentFactory:
    """Return a factory for the agent that a text names.

    Args:
        spec: A baseline's name (``gold``), a name with its argument (``replay:RUN_FOLDER``),
            ``path/to/file.py:Name`` or ``package.module:Name``. A name may stand for an `Agent` class, a
            factory, or a plain ``policy(observation, info)`` function; a class can be given settings, as in
            ``agents/dfs.py:DFSAgent(width=3)``. A file may import its neighbours (``from .common import``).
        models: Models file, for classes that take a ``model`` and were not given one.

    Raises:
        ConfigError: Nothing of that name exists, or it has no such setting.

    Examples:
        >>> load_agent("echo")().name
        'echo'
        >>> load_agent("ecko")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: no agent 'ecko'; give a name (chat, ...), path.py:Name...
    """
    baseline, _, argument = spec.partition(":")
    if argument and baseline in BASELINES:
        return partial(BASELINES[baseline], argument)
    name, settings = read_settings(spec)
    found = BASELINES[name] if name in BASELINES else _found(name)
    return _factory(found, name, settings, models)


def suite_agents() -> dict[str, Reference]:
    """Return the agents that suites bring, by name."""
    return {name: agent for suite in suites() for name, agent in suite.agents.items()}


def _found(name: str) -> Any:
    if ":" in name:
        return load_object(name)
    offered = suite_agents()
    if name in offered:
        return resolved(offered[name])
    known = sorted([*BASELINES, *offered])
    hint = did_you_mean(name, known)
    raise ConfigError(
        f"no agent {name!r}; give a name ({', '.join(known)}), path.py:Name or module:Name.{hint}"
    )


def _factory(found: Any, name: str, settings: JsonObject, models: Path | str | None) -> AgentFactory:
    if isinstance(found, type):
        if models is not None and "model" not in settings and takes(found, "model"):
            settings = {**settings, "model": models}
        check_settings(found, settings, name)
        return lambda: as_agent(found(**settings))
    if settings:
        raise ConfigError(f"only classes take settings, and {name} is a {type(found).__name__}")
    if callable(found):
        return lambda: as_agent(found)
    raise ConfigError(f"{name} is a {type(found).__name__}; expected an Agent class or a policy function")
