"""Providers that are started, and models that are connected to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from stb_env.models import ModelConfig, OpenAIModel
from tests.models.providers.dialects import KEY, StrictServer
from tests.models.providers.named import NAMED


@pytest.fixture
def connected(monkeypatch) -> Iterator[Callable[..., tuple[OpenAIModel, StrictServer]]]:
    """Start a provider and connect a model to it; settings are those of ModelConfig."""
    for name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "MAX_ATTEMPTS"):
        monkeypatch.setenv(f"AWS_{name}", "1")
    left: list[Any] = []

    def build(name: str, **settings: Any) -> tuple[OpenAIModel, StrictServer]:
        named = NAMED[name]
        running = StrictServer(named.dialect).running()
        server = running.__enter__()
        left.append(lambda: running.__exit__(None, None, None))
        given = {"retries": 0, "base_url": f"http://{server.host}{named.base}", "api_key_env": "TEST_KEY"}
        given |= {"role": "agent", "model": named.dialect.model, **named.settings, **settings}
        config = ModelConfig(**given)
        # Requests to AWS are signed, and not opened by a key.
        model = OpenAIModel(config, env={} if name == "bedrock" else {"TEST_KEY": KEY})
        left.append(model.close)
        return model, server

    yield build
    for close in reversed(left):
        close()
