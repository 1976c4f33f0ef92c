"""From a configuration to the model that it names."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from stb_env.llm.cached_model import CachedModel
from stb_env.llm.client import OpenAIModel
from stb_env.llm.config import ModelConfig
from stb_env.llm.conversation_file import RecordingModel, ReplayModel
from stb_env.llm.local import LocalModel
from stb_env.llm.meter import BudgetedModel, current_meter
from stb_env.llm.model import ChatModel
from stb_env.llm.place import Place
from stb_env.llm.preflight import note
from stb_env.llm.structured import StructuredModel

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
    model: ChatModel
    if config.local:
        weights = LocalModel(config)
        model = StructuredModel(
            weights, config.structured, Place(_HERE, config.local), partial(_itself, weights)
        )
    else:
        place = Place(config.endpoint, config.model)
        asking = partial(probed, config, env=env)
        model = StructuredModel(OpenAIModel(config, env=env), config.structured, place, asking)
        note(config, env)
    meter = current_meter()
    if meter is not None:
        model = BudgetedModel(model, meter)
    if config.record:
        model = RecordingModel(model, config.record)
    return CachedModel(model, config.cache) if config.cache else model


def probed(config: ModelConfig, *, env: Mapping[str, str] = os.environ) -> OpenAIModel:
    """Return the model that answers probes: asked once each, and neither cached nor recorded.

    Raises:
        ConfigError: The key is missing where one is needed.
    """
    once = replace(config, retries=0, deadline=config.timeout, seed=None)
    return OpenAIModel(once, env=env)


def _itself(weights: LocalModel) -> LocalModel:
    return weights
