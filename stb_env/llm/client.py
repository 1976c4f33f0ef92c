"""A client for OpenAI-compatible endpoints that retries, keeps deadlines and fails with a type."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from stb_env import seeding
from stb_env.jsontypes import Json, JsonObject
from stb_env.llm.body import request_body
from stb_env.llm.chat import ChatReply, ChatRequest
from stb_env.llm.completion import parse, read_reply
from stb_env.llm.config import ModelConfig
from stb_env.llm.credentials import Credentials
from stb_env.llm.model import DrivenModel, ModelError
from stb_env.llm.retry import Clock, Deadline, pause
from stb_env.llm.transport import Body, Transport, late
from stb_env.request import Request, Slow

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI


@dataclass(frozen=True, slots=True)
class _Lane:
    """What one event loop uses; neither connections nor semaphores can move to another."""

    client: AsyncOpenAI
    slots: asyncio.Semaphore


class OpenAIModel(DrivenModel):
    """A model behind an OpenAI-compatible endpoint, for threads and event loops.

    Rate limits, server errors, lost connections, time-outs and incomplete answers are tried again, with
    growing pauses or as long as ``Retry-After`` says, until the retries or the deadline are used up.
    Everything else fails at once. No failure shows a key. Picklable: the key is not pickled but read from
    the environment again.

    Args:
        config: Endpoint, model, sampling and limits.
        env: Where the key is looked up.
        clock: Time; for tests.

    Raises:
        ConfigError: The key is missing where one is needed.

    Examples:
        >>> OpenAIModel(ModelConfig("agent", "tiny", base_url="http://127.0.0.1:8000/v1"))
        OpenAIModel(role='agent', model='tiny', endpoint='http://127.0.0.1:8000/v1')
    """

    def __init__(
        self, config: ModelConfig, *, env: Mapping[str, str] = os.environ, clock: Clock | None = None
    ) -> None:
        self.config = config
        self._clock = clock or Clock()
        self._credentials = Credentials(config, env)
        self._transport = Transport(config, self._credentials, self._clock)
        self._slots = threading.BoundedSemaphore(config.concurrency)
        self._lock = threading.Lock()
        self._client: OpenAI | None = None
        self._lanes: dict[asyncio.AbstractEventLoop, _Lane] = {}

    def __repr__(self) -> str:
        return repr(self.config).replace("ModelConfig", "OpenAIModel", 1)

    def __reduce__(self) -> tuple[partial[OpenAIModel], tuple[ModelConfig]]:
        return partial(OpenAIModel, clock=self._clock), (self.config,)

    @property
    def name(self) -> str:
        """Name of the model."""
        return self.config.model

    @property
    def role(self) -> str:
        """The role that the model serves, which names the stage of its failures."""
        return self.config.role

    @property
    def fingerprint(self) -> JsonObject:
        """Plain data that decides the answers: model, endpoint, sampling."""
        return self.config.to_dict()

    def answer(self, request: ChatRequest) -> Slow[ChatReply]:
        """Yield the attempts and the pauses between them, and return the first answer."""
        body = request_body(self.config, request)
        seed = seeding.derive(self.role, request.key)
        deadline = Deadline(self.config.deadline, self._clock, "deadline")
        for attempt in range(self.config.retries + 1):
            try:
                reply: ChatReply = yield self._attempt(body, deadline)
            except ModelError as error:
                failure = error
            else:
                return reply
            wait = failure.retry_after or pause(attempt, seed)
            if not _worth_retrying(failure) or attempt == self.config.retries or wait >= deadline.left():
                break
            yield Request(run=partial(self._clock.sleep, wait), arun=partial(self._clock.asleep, wait))
        raise self._final(failure, attempt + 1, deadline)

    def listing(self) -> Json:
        """Return what the endpoint says of its models, as parsed JSON; None where it says nothing."""
        return self._transport.listing(self._sync_client())

    def close(self) -> None:
        """Close the connections that threads used."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    async def aclose(self) -> None:
        """Close the connections that the running event loop used."""
        lane = self._lanes.pop(asyncio.get_running_loop(), None)
        if lane is not None:
            await lane.client.close()

    def _attempt(self, body: Body, deadline: Deadline) -> Request:
        return Request(run=partial(self._try, body, deadline), arun=partial(self._atry, body, deadline))

    def _try(self, body: Body, deadline: Deadline) -> ChatReply:
        if not self._slots.acquire(timeout=deadline.left()):
            raise self._crowded(deadline)
        try:
            part = deadline.within(self.config.timeout, "time-out")
            return self._read(self._transport.send(self._sync_client(), body, part))
        finally:
            self._slots.release()

    async def _atry(self, body: Body, deadline: Deadline) -> ChatReply:
        lane = self._lane()
        # A failure is raised after its except block, so that it carries no other exception along.
        try:
            async with asyncio.timeout(deadline.left()):
                await lane.slots.acquire()
        except TimeoutError:
            failure = self._crowded(deadline)
        else:
            part = deadline.within(self.config.timeout, "time-out")
            try:
                async with asyncio.timeout(part.left()):
                    return self._read(await self._transport.asend(lane.client, body, part))
            except TimeoutError:
                failure = late(part)
            finally:
                lane.slots.release()
        raise failure

    def _read(self, content: bytes) -> ChatReply:
        return read_reply(self._credentials.scrub(parse(content)), self.config.price)

    def _crowded(self, deadline: Deadline) -> ModelError:
        message = f"none of the {self.config.concurrency} connections became free within the {deadline}"
        return ModelError(message, kind="timeout", retryable=True)

    def _sync_client(self) -> OpenAI:
        with self._lock:
            if self._client is None:
                self._client = self._transport.connect()
            return self._client

    def _lane(self) -> _Lane:
        loop = asyncio.get_running_loop()
        with self._lock:
            if loop not in self._lanes:
                self._lanes = {known: lane for known, lane in self._lanes.items() if not known.is_closed()}
                slots = asyncio.Semaphore(self.config.concurrency)
                self._lanes[loop] = _Lane(self._transport.aconnect(), slots)
            return self._lanes[loop]

    def _final(self, failure: ModelError, attempts: int, deadline: Deadline) -> ModelError:
        tried = "" if attempts == 1 and not failure.retryable else f" (attempts: {attempts}; {deadline})"
        message = f"{self.role} model {self.name!r} at {self.config.endpoint}: {failure}{tried}"
        return ModelError(
            message,
            kind=failure.kind,
            stage=self.role,
            retryable=failure.retryable,
            retry_after=failure.retry_after,
            usage=failure.usage,
            status=failure.status,
        )


def _worth_retrying(failure: ModelError) -> bool:
    # A refusal came in full and was paid for; whether to buy another is for the caller to say.
    return failure.retryable and not failure.usage.calls
