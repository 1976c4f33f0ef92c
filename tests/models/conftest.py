"""A server to talk to, and a clock that no one waits for."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

# Imported here, because the first import would eat up the short deadlines of some tests.
import httpx2  # noqa: F401
import pytest

from stb_env.models import ChatReply, ChatRequest, Clock, ModelConfig, OpenAIModel
from tests.fakes.openai_server import OpenAIServer

KEY = "sk-very-secret-0123456789"
ENV = {"TEST_KEY": KEY}


@dataclass
class Pauses:
    """Notes every pause instead of waiting, and sets the clock on."""

    taken: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        self.taken.append(seconds)

    async def asleep(self, seconds: float) -> None:
        self.taken.append(seconds)

    def monotonic(self) -> float:
        return time.monotonic() + sum(self.taken)

    def clock(self, **changes: Any) -> Clock:
        return Clock(**{"monotonic": self.monotonic, "sleep": self.sleep, "asleep": self.asleep, **changes})


@pytest.fixture
def pauses() -> Pauses:
    return Pauses()


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer().running() as running:
        yield running


@pytest.fixture
def client() -> str:
    """What speaks HTTP; test modules whose subject that is override it with both."""
    return "lean"


@pytest.fixture
def connected(server, pauses, client) -> Iterator[Callable[..., OpenAIModel]]:
    """Build models that talk to the server; settings are those of ModelConfig."""
    models = []

    def build(role: str = "agent", clock: Clock | None = None, **settings: Any) -> OpenAIModel:
        given = {
            "base_url": server.url(role),
            "api_key_env": "TEST_KEY",
            "retries": 2,
            "client": client,
            **settings,
        }
        models.append(OpenAIModel(ModelConfig(role, "tiny", **given), env=ENV, clock=clock or pauses.clock()))
        return models[-1]

    yield build
    for model in models:
        model.close()


@pytest.fixture(params=["threads", "event loop"])
def complete(request) -> Callable[[Any, ChatRequest], ChatReply]:
    """Both ways to ask, so that each test of an answer or a failure runs with either."""

    async def on_loop(model: Any, question: ChatRequest) -> ChatReply:
        try:
            return await model.acomplete(question)
        finally:
            if hasattr(model, "aclose"):
                await model.aclose()

    if request.param == "threads":
        return lambda model, question: model.complete(question)
    return lambda model, question: asyncio.run(on_loop(model, question))
