"""The models that play the roles, and their common budget."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from stb_env import ChatModel, ConfigError
from stb_env.errors import did_you_mean
from stb_env.llm import Meter, connect, load_models, metered
from stb_env.synthesis.author import Author, ModelAuthor
from stb_env.synthesis.roles import METHODS

DEFAULT = "agent"


def cast(
    method: str,
    models: Path | None,
    others: Mapping[str, Path],
    meter: Meter,
    *,
    env: Mapping[str, str] = os.environ,
) -> dict[str, Author]:
    """Return an author for each role of a method.

    A role is played by the model of that name in the models file where there is one, else by its ``agent``.

    Args:
        method: ``multi`` or ``single``.
        models: Models file for all roles; the packaged defaults where not given.
        others: For single roles a models file of their own, whose ``agent`` plays them.
        meter: Counts what they cost; answers from a cache cost nothing.
        env: Where keys and settings are looked up.

    Raises:
        ConfigError: A file or role is unknown or wrong, a key is missing, or the meter caps dollars and a
            model has no price.
    """
    roles = [role.name for role in METHODS[method]]
    for role in others:
        if role not in roles:
            raise ConfigError(
                f"method {method} has no role {role!r}; it has {', '.join(roles)}.{did_you_mean(role, roles)}"
            )
    shared = load_models(models, env)
    configs = {
        role: load_models(others[role], env)[DEFAULT] if role in others else shared.get(role, shared[DEFAULT])
        for role in roles
    }
    for role, config in configs.items():
        if meter.max_cost is not None and config.price is None:
            raise ConfigError(
                f"--budget needs the price of {config.model}, which plays {role}; add one under [prices]"
            )
    made: dict[int, ChatModel] = {}
    for config in configs.values():
        if id(config) not in made:
            with metered(meter):
                made[id(config)] = connect(config, env=env)
    return {role: ModelAuthor(made[id(config)]) for role, config in configs.items()}


def read_others(pairs: Sequence[str]) -> dict[str, Path]:
    """Read ``ROLE=FILE`` pairs.

    Raises:
        ConfigError: A pair has another form.

    Examples:
        >>> {role: str(file) for role, file in read_others(["tester=strict.toml"]).items()}
        {'tester': 'strict.toml'}
    """
    found = {}
    for pair in pairs:
        role, equals, file = pair.partition("=")
        if not (role and equals and file):
            raise ConfigError(f"--cast takes ROLE=FILE, got {pair!r}")
        found[role] = Path(file)
    return found
