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
from stb_env.llm.endpoint import note
from stb_env.llm.meter import BudgetedModel, current_meter
from stb_env.llm.model import ChatModel
from stb_env.llm.place import Place
from stb_env.llm.structured import StructuredModel


def connect(config: ModelConfig, *, env: Mapping[str, str] = os.environ) -> ChatModel:
    """Return the model that a configuration names: behind its endpoint, or out of a recording.

    Within a `metered` block what it costs is counted; answers from a cache or recording cost nothing.

    Raises:
        ConfigError: The key is missing where one is needed, or the recording is.
        DataError: The recording is broken.
    """
    if config.replay:
        return ReplayModel(config.replay, name=config.model)
    model: ChatModel = StructuredModel(
        OpenAIModel(config, env=env),
        config.structured,
        Place(config.endpoint, config.model),
        partial(probed, config, env=env),
    )
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
