"""From a configuration to the model that it names."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace

from stb_env.models.cached_model import CachedModel
from stb_env.models.client import OpenAIModel
from stb_env.models.config import ModelConfig
from stb_env.models.conversation_file import RecordingModel, ReplayModel
from stb_env.models.endpoint import ModelAddress
from stb_env.models.local import LocalModel
from stb_env.models.meter import BudgetedModel, current_meter
from stb_env.models.model import ChatModel
from stb_env.models.preflight import Preflight, note
from stb_env.models.structured import StructuredModel

_HERE = "http://localhost/in-process"


def connect(config: ModelConfig, *, env: Mapping[str, str] = os.environ) -> ChatModel:
    """Return the model that a configuration names: at its endpoint, in this process, or out of a recording.

    Within a `metered` block what it costs is counted; answers from a cache or recording cost nothing.

    Raises:
        ConfigError: The key is missing where one is needed, or the recording or the weights are.
        DataError: The recording is broken.
    """
    if config.replay:
        return ReplayModel(config.replay, name=config.model)
    meter = current_meter()
    own: ChatModel
    if config.local:
        own = LocalModel(config)
    else:
        own = OpenAIModel(config, env=env)
        note(Preflight(config, env, config.cache))
    # Each way of asking is a call of its own, so the meter stands within.
    asked = own if meter is None else BudgetedModel(own, meter)
    model: ChatModel = StructuredModel(asked, config.structured, place_of(config), Prober(config, env))
    if config.record:
        model = RecordingModel(model, config.record)
    return CachedModel(model, config.cache) if config.cache else model


# Of a probe: what passes is over soon.
_PROBE_RETRIES = 2


class Prober:
    """Makes the model that answers probes, which are neither cached nor recorded.

    Picklable as models are: the key is read from the environment again.
    """

    def __init__(self, config: ModelConfig, env: Mapping[str, str] = os.environ) -> None:
        self._config = replace(config, retries=_PROBE_RETRIES, deadline=config.timeout, seed=None)
        self._env = env

    def __reduce__(self) -> tuple[type[Prober], tuple[ModelConfig]]:
        return Prober, (self._config,)

    def __call__(self) -> OpenAIModel | LocalModel:
        """Return the model.

        Raises:
            ConfigError: The key is missing where one is needed, or the weights are.
        """
        return LocalModel(self._config) if self._config.local else OpenAIModel(self._config, env=self._env)


def place_of(config: ModelConfig) -> ModelAddress:
    """Return where a model is: at its endpoint, or in this process."""
    return ModelAddress(_HERE, config.local) if config.local else ModelAddress(config.endpoint, config.model)
