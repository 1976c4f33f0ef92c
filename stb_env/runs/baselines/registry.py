"""Agents by name, and their descriptions for lists."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stb_env.core.reference import load_object, read_settings
from stb_env.core.settings import check_settings, takes
from stb_env.errors import ConfigError, did_you_mean
from stb_env.runs import Agent, AgentFactory, as_agent
from stb_env.runs.baselines.chat import ChatAgent
from stb_env.runs.baselines.code import Code
from stb_env.runs.baselines.gold import Gold
from stb_env.runs.baselines.null import Echo, GiveUp, Inject, Noop, Random
from stb_env.runs.baselines.replay import Replay
from stb_env.suite import Reference, resolved, suites

_CLASSES: tuple[type[Agent], ...] = (Random, Noop, GiveUp, Echo, Inject, Gold, Replay, Code, ChatAgent)
BASELINES: dict[str, Callable[..., Agent]] = {agent.name: agent for agent in _CLASSES}

# The folder agents/ and the red team stand above this module, so they are named and not imported.
_POLICIES: Mapping[str, Reference] = {
    "best_of_n": "stb_env.agents.best_of_n:BestOfNAgent",
    "cot": "stb_env.agents.cot:CoTAgent",
    "dfs": "stb_env.agents.dfs:DFSAgent",
    "keyword": "stb_env.agents.keyword:KeywordAgent",
    "red": "stb_env.testing.red_team.team:RedTeam",
    "reflexion": "stb_env.agents.reflexion:ReflexionAgent",
    "uct": "stb_env.agents.uct:UCTAgent",
}

_OURS: Mapping[str, Reference] = {**BASELINES, **_POLICIES}


def load_agent(spec: str, models: Path | str | None = None) -> AgentFactory:
    """Return a factory for the agent that a text names.

    Args:
        spec: A name (``gold``), with settings where it takes any (``dfs(width=3)``), or with its one argument
            (``replay:RUN_FOLDER``, ``red:denied``). Or an agent of your own, ``path/to/file.py:Name`` or
            ``package.module:Name``: an `Agent` class, which can be given settings in the same way, a factory,
            or a plain ``policy(observation, info)`` function. A file may import its neighbours
            (``from .common import``).
        models: Models file, for classes that take a ``model`` and were not given one.

    Raises:
        ConfigError: Nothing of that name exists, or it does not take such a setting.

    Examples:
        >>> load_agent("echo")().name, load_agent("keyword(calls=3)")().name
        ('echo', 'keyword')
        >>> load_agent("keyword(call=3)")
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: keyword has no setting 'call'; it takes calls. Did you mean 'calls'?
        >>> load_agent("ecko")
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: no agent 'ecko'; give a name (best_of_n, ...), path.py:Name...
    """
    baseline, _, argument = spec.partition(":")
    if argument and baseline in _OURS:
        return _with_argument(baseline, argument)
    name, settings = read_settings(spec)
    return _factory(_found(name), name, settings, models)


def named_agents() -> dict[str, Reference]:
    """Return every agent that has a name: the baselines, the searching ones, and those that suites bring."""
    named: dict[str, Reference] = dict(_OURS)
    for suite in suites():
        for name, agent in suite.agents.items():
            named.setdefault(name, agent)
    return named


def _with_argument(name: str, argument: str) -> AgentFactory:
    made = resolved(_OURS[name])
    setting = next(iter(inspect.signature(made).parameters), None)
    if setting is None:
        raise ConfigError(f"{name} takes no argument, got {argument!r}; write --agent {name}")
    return _factory(made, name, {setting: argument}, None)


def _found(name: str) -> object:
    if ":" in name:
        return load_object(name)
    # What other packages bring is imported only where none of ours is meant.
    named = _OURS if name in _OURS else named_agents()
    if name in named:
        return resolved(named[name])
    known = sorted(named)
    raise ConfigError(
        f"no agent {name!r}; give a name ({', '.join(known)}), path.py:Name or module:Name."
        f"{did_you_mean(name, known)}"
    )


def _factory(
    found: object, name: str, settings: Mapping[str, object], models: Path | str | None
) -> AgentFactory:
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


@dataclass(frozen=True, slots=True)
class AgentDescription:
    """Description of an agent.

    Attributes:
        name: What ``--agent`` takes.
        description: What it does, in one line.
        settings: Its settings with their defaults.
        needs: What it needs besides an environment; empty for nothing.
    """

    name: str
    description: str
    settings: Mapping[str, Any]
    needs: str = ""

    @classmethod
    def of(cls, name: str, agent: Reference) -> AgentDescription:
        """Describe an agent by its docstring and its signature.

        Examples:
            >>> keyword = AgentDescription.of("keyword", "stb_env.agents.keyword:KeywordAgent")
            >>> keyword.settings, keyword.needs
            ({'calls': 2}, '')
        """
        found = resolved(agent)
        settings = {
            setting.name: setting.default
            for setting in inspect.signature(found).parameters.values()
            if setting.default is not setting.empty
        }
        description, _, _ = (inspect.getdoc(found) or "").partition("\n")
        return cls(name, description, settings, getattr(found, "needs", ""))

    def to_dict(self) -> dict[str, object]:
        """Return all but the name as plain data."""
        return {"description": self.description, "settings": dict(self.settings), "needs": self.needs}
