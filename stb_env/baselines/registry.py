"""Agents by name."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from stb_env.baselines.chat import Chat
from stb_env.baselines.gold import Gold
from stb_env.baselines.null import Echo, GiveUp, Inject, Noop, Random
from stb_env.baselines.replay import Replay
from stb_env.errors import ConfigError, did_you_mean
from stb_env.rollout import Agent, AgentFactory, as_agent

BASELINES: dict[str, Callable[..., Agent]] = {
    agent.name: agent for agent in (Random, Noop, GiveUp, Echo, Inject, Gold, Replay, Chat)
}


def load_agent(spec: str) -> AgentFactory:
    """Return a factory for the agent that a text names.

    Args:
        spec: A baseline's name (``gold``), a name with its argument (``replay:RUN_FOLDER``),
            ``path/to/file.py:Name`` or ``package.module:Name``. A name may stand for an `Agent` class, a
            factory, or a plain ``policy(observation, info)`` function.

    Raises:
        ConfigError: Nothing of that name exists.

    Examples:
        >>> load_agent("echo")().name
        'echo'
        >>> load_agent("ecko")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: no agent 'ecko'; give a baseline (chat, ...), path.py:Name or...
    """
    name, _, argument = spec.partition(":")
    if name in BASELINES:
        made = BASELINES[name]
        return (lambda: made(argument)) if argument else made
    where, _, attribute = spec.rpartition(":")
    if not where:
        known = ", ".join(sorted(BASELINES))
        hint = did_you_mean(spec, BASELINES)
        raise ConfigError(f"no agent {spec!r}; give a baseline ({known}), path.py:Name or module:Name.{hint}")
    found = getattr(_module(where), attribute, None)
    if found is None:
        hint = did_you_mean(attribute, dir(_module(where)))
        raise ConfigError(f"{where} defines no {attribute!r}.{hint}")
    return _factory(found, spec)


def _factory(found: Any, spec: str) -> AgentFactory:
    if isinstance(found, type):
        return lambda: as_agent(found())
    if callable(found):
        return lambda: as_agent(found)
    raise ConfigError(f"{spec} is a {type(found).__name__}; expected an Agent class or a policy function")


def _module(where: str) -> ModuleType:
    if not where.endswith(".py"):
        try:
            return importlib.import_module(where)
        except ModuleNotFoundError as error:
            raise ConfigError(
                f"cannot import {where!r} ({error}); is it installed or on PYTHONPATH?"
            ) from error
    path = Path(where)
    if not path.is_file():
        raise ConfigError(f"{where} does not exist; give the path of a Python file")
    name = f"_stb_agent_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ConfigError(f"{where} is not importable as Python")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
