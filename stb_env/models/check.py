"""Checks of a role's model without playing: is it there, what can it do, how much does it read."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from stb_env.errors import ConfigError, InfrastructureError
from stb_env.models.abilities import Abilities
from stb_env.models.client import OpenAIModel
from stb_env.models.config import ModelConfig, available
from stb_env.models.connect import Prober, place_of
from stb_env.models.endpoint import ModelAddress
from stb_env.models.findings import FINDINGS
from stb_env.models.local import LocalModel


@dataclass(frozen=True, slots=True)
class Check:
    """Result of checking one role's model.

    Attributes:
        config: The role's configuration.
        reachable: Whether the model answers; None where it was not asked.
        abilities: What the endpoint can do with it, where it answers.
        context: Tokens that it reads, where the server says so.
        remark: Why it was not asked, or how it failed.
    """

    config: ModelConfig
    reachable: bool | None = None
    abilities: Abilities | None = None
    context: int | None = None
    remark: str = ""

    def to_dict(self) -> dict[str, object]:
        """Return the check as plain data; what is unknown is None."""
        found = self.abilities
        return {
            "role": self.config.role,
            "endpoint": None if self.config.local else self.config.endpoint,
            "model": self.config.model,
            "structured": self.config.structured,
            "reachable": self.reachable,
            "tools_rendered": None if found is None else found.rendered,
            "tools_forced": None if found is None else found.tools,
            "json_schema": None if found is None else found.json_schema,
            "context": self.context,
            "price_known": self.config.price is not None,
            "remark": self.remark,
        }


def check_models(
    models: Mapping[str, ModelConfig],
    env: Mapping[str, str] = os.environ,
    named: Collection[str] | None = None,
) -> list[Check]:
    """Ask every role's endpoint what it can do, each endpoint and model once, whatever was known.

    A role without its key, one that is replayed and one that nobody named are not asked.

    Args:
        models: Configuration of every role.
        env: Where keys are looked up.
        named: The roles that somebody set; None for all.

    Examples:
        >>> [check] = check_models({"agent": ModelConfig("agent", "tiny")}, env={})
        >>> check.reachable, check.remark
        (None, 'no key: set OPENAI_API_KEY')
    """
    asked: dict[ModelAddress, Check] = {}
    wanted = models if named is None else named
    return [
        _check(config, env, asked) if role in wanted else Check(config, remark="not set, so not asked")
        for role, config in models.items()
    ]


def _check(config: ModelConfig, env: Mapping[str, str], asked: dict[ModelAddress, Check]) -> Check:
    if config.replay:
        return Check(config, remark=f"replayed from {config.replay}")
    if not available(config, env):
        return Check(config, remark=f"no key: set {config.key_variable}")
    try:
        model = Prober(config, env)()
    except ConfigError as error:
        return Check(config, False, remark=str(error))
    place = place_of(config)
    if place not in asked:
        asked[place] = _asked(config, place, model)
    return replace(asked[place], config=config)


def _asked(config: ModelConfig, place: ModelAddress, model: OpenAIModel | LocalModel) -> Check:
    try:
        found = FINDINGS.renew(place, model)
        context = config.context if isinstance(model, LocalModel) else model.context()
        return Check(config, True, found, context, found.lacks)
    except (InfrastructureError, ConfigError) as error:
        # Model and endpoint are told already, and other roles may share them.
        said = str(error).removeprefix(f"{config.role} {place}: ")
        return Check(config, False, remark=f"no usable answer: {said}")
    finally:
        if isinstance(model, OpenAIModel):
            model.close()
