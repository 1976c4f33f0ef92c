"""Agents of the laboratory by name: its own ones beside those of the package."""

from __future__ import annotations

from collections.abc import Mapping

from stb_env import ConfigError, load_agent
from stb_env.core.reference import read_settings
from stb_env.errors import did_you_mean
from stb_env.runs import AgentFactory
from stb_env.runs.baselines.registry import named_agents

PLAYERS: Mapping[str, str] = {
    "noisy_oracle": "stb_env.experiments.lab.reader:NoisyOracle",
    "reader": "stb_env.experiments.lab.reader:Reader",
    "stumbling_oracle": "stb_env.experiments.lab.stumbling_oracle:StumblingOracle",
}
"""The laboratory's own agents by name, with where they are found."""


def located(spec: str) -> str:
    """Return an agent's text as every other command takes it.

    Raises:
        ConfigError: There is no agent of this name.

    Examples:
        >>> located("stumbling_oracle(error_rate=0.1)"), located("give_up")
        ('stb_env.experiments.lab.stumbling_oracle:StumblingOracle(error_rate=0.1)', 'give_up')
        >>> located("raeder")
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: no agent 'raeder'; give a name (best_of_n, ... Did you mean 'reader'?
    """
    name, _ = read_settings(spec)
    if name in PLAYERS:
        return PLAYERS[name] + spec[len(name) :]
    known = sorted({*PLAYERS, *named_agents()})
    if ":" not in name and name not in known:
        raise ConfigError(
            f"no agent {name!r}; give a name ({', '.join(known)}), path.py:Name or module:Name."
            f"{did_you_mean(name, known)}"
        )
    return spec


def load_player(spec: str, models: str | None = None) -> AgentFactory:
    """Return a factory for an agent of the laboratory or of the package.

    Args:
        spec: As ``--agent`` takes it.
        models: Models file, for agents that take a model and were not given one.

    Raises:
        ConfigError: There is no such agent, or it does not take such a setting.
    """
    return load_agent(located(spec), models=models)
