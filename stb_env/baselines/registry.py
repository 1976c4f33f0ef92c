"""Agents by name."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from stb_env.baselines.chat import Chat
from stb_env.baselines.gold import Gold
from stb_env.baselines.null import Echo, GiveUp, Inject, Noop, Random
from stb_env.baselines.replay import Replay
from stb_env.baselines.settings import check_settings, read_settings, takes
from stb_env.errors import ConfigError, did_you_mean
from stb_env.rollout import Agent, AgentFactory, as_agent

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
        stb_env.errors.ConfigError: no agent 'ecko'; give a baseline (chat, ...), path.py:Name or...
    """
    baseline, _, argument = spec.partition(":")
    if argument and baseline in BASELINES:
        return partial(BASELINES[baseline], argument)
    name, settings = read_settings(spec)
    found = BASELINES[name] if name in BASELINES else _found(name)
    return _factory(found, name, settings, models)


def _found(name: str) -> Any:
    where, _, attribute = name.rpartition(":")
    if not where:
        known = ", ".join(sorted(BASELINES))
        hint = did_you_mean(name, BASELINES)
        raise ConfigError(f"no agent {name!r}; give a baseline ({known}), path.py:Name or module:Name.{hint}")
    module = _module(where)
    found = getattr(module, attribute, None)
    if found is None:
        raise ConfigError(f"{where} defines no {attribute!r}.{did_you_mean(attribute, dir(module))}")
    return found


def _factory(found: Any, name: str, settings: dict[str, Any], models: Path | str | None) -> AgentFactory:
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
    name = f"{_folder(path.parent)}.{path.stem.replace('.', '_')}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ConfigError(f"{where} is not importable as Python")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _folder(folder: Path) -> str:
    """Return the name of a package that stands for a folder, so that its files can import each other."""
    place = str(folder.resolve())
    name = f"_stb_agents_{hashlib.sha256(place.encode()).hexdigest()[:12]}"
    if name not in sys.modules:
        package = ModuleType(name)
        package.__path__ = [place]
        sys.modules[name] = package
    return name
