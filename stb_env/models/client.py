"""A client for OpenAI-compatible endpoints that retries, keeps deadlines and fails with a type."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from stb_env import seeding
from stb_env.core.background import wait_for
from stb_env.core.jsontypes import JsonObject
from stb_env.core.request import Slow
from stb_env.http.retry import Clock, Deadline, pause
from stb_env.http.url import shown_url
from stb_env.models.chat import ChatReply, ChatRequest
from stb_env.models.completion import read_reply
from stb_env.models.config import ANSWER_BOUNDS, ModelConfig
from stb_env.models.context_window import answer_share
from stb_env.models.endpoint import Endpoint
from stb_env.models.model import ConfiguredModel, ModelError, ask
from stb_env.models.request_body import request_body, sendable
from stb_env.models.transport import Closable, transport_of
from stb_env.usage import Usage

# Tokens that a chat template puts around a message.
_TEMPLATE = 16


class OpenAIModel(ConfiguredModel):
    """A model behind an OpenAI-compatible endpoint or a provider's own, for threads and event loops.

    What blocks a thread is done on the process's background loop. All models of one endpoint share its
    limiter, which also keeps to the rate limits that the endpoint tells.

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
        super().__init__(config)
        self._clock = clock or Clock()
        self._credentials = config.credentials(env)
        self._endpoint = Endpoint.of(config.endpoint)
        self._transport = transport_of(config, self._credentials, self._clock, self._endpoint)
        self._lock = threading.Lock()
        # Connections cannot move to another loop.
        self._wires: dict[asyncio.AbstractEventLoop, Closable] = {}

    def __reduce__(self) -> tuple[partial[OpenAIModel], tuple[ModelConfig]]:
        return partial(OpenAIModel, clock=self._clock), (self.config,)

    @property
    def fingerprint(self) -> dict[str, object]:
        """Plain data that decides the answers: model, endpoint, sampling."""
        return self.config.to_dict()

    def answer(self, request: ChatRequest) -> Slow[ChatReply]:
        """Yield the question as one piece of slow work, and return its answer."""
        reply: ChatReply = yield ask(self, request)
        return reply

    def complete(self, request: ChatRequest) -> ChatReply:
        """Answer in the calling thread."""
        # Not what a subclass has in its place: that may lead here.
        return wait_for(OpenAIModel.acomplete(self, request))

    async def acomplete(self, request: ChatRequest) -> ChatReply:
        """Answer on the event loop: with the first answer of some attempts and the pauses between them."""
        body = self._body(request)
        # Reading a provider's package takes seconds, which are not the provider's.
        self._wire()
        deadline = Deadline(self.config.deadline, self._clock, "deadline")
        tries: list[JsonObject] = []
        for attempt in range(self.config.retries + 1):
            try:
                reply = await self._try(body, deadline)
            except ModelError as error:
                failure = error
            else:
                return replace(reply, tries=tuple(tries)) if tries else reply
            wait = failure.retry_after or pause(attempt, seeding.derive(self.role, request.key))
            if failure.usage.calls:
                # An answer that came and was paid for: whether to buy another is for the caller to say, who
                # has the budget. The endpoint has its pause all the same.
                if failure.kind == "transport":
                    self._endpoint.limiter.hold(self._clock.monotonic() + wait)
                break
            if not failure.retryable or attempt == self.config.retries or wait >= deadline.left():
                break
            tries.append({**failure.to_dict(), "waited": round(wait, 3)})
            await self._clock.asleep(wait)
        raise self._final(failure, tries, deadline)

    def context(self) -> int | None:
        """Return how many tokens the model reads, as far as the endpoint tells."""
        return wait_for(self._context())

    async def _context(self) -> int | None:
        return await self._transport.context(self._wire())

    def most(self, request: ChatRequest) -> Usage | None:
        """Return what an answer costs at most; None where nothing bounds how much is written."""
        body = sendable(self._body(request)) | dict(self.config.extra)
        written = body.get("max_completion_tokens") or body.get("max_tokens")
        if not isinstance(written, int):
            return None
        # A token is at least a byte; templates add a few around each message.
        said = json.dumps(
            [body["messages"], body.get("tools"), body.get("response_format")], ensure_ascii=False
        )
        read = len(said.encode()) + _TEMPLATE * (len(body["messages"]) + 1)
        price = self.config.price
        return Usage(
            read,
            written,
            read + written,
            calls=1,
            cost=0.0 if price is None else price.cost(read, written),
            unpriced=int(price is None),
        )

    def _body(self, request: ChatRequest) -> dict[str, object]:
        body = request_body(self.config, request)
        # A request bounds what is said; a provider counts what was thought before as well.
        if request.sampling.max_tokens is not None and "max_tokens" in body:
            body["max_tokens"] = request.sampling.max_tokens + self._transport.thinking
        return body

    def close(self) -> None:
        """Close the connections that threads used."""
        wait_for(self.aclose())

    async def aclose(self) -> None:
        """Close the connections that the running event loop used."""
        with self._lock:
            wire = self._wires.pop(asyncio.get_running_loop(), None)
        if wire is not None:
            await wire.aclose()

    async def _try(self, body: Mapping[str, object], deadline: Deadline) -> ChatReply:
        limiter = self._endpoint.limiter
        # A failure is raised after its except block, so that it carries no other exception along.
        try:
            if not limiter.take(self.config.concurrency):
                async with asyncio.timeout(deadline.left()):
                    await limiter.acquire(self.config.concurrency)
        except TimeoutError:
            failure = self._crowded(deadline)
        else:
            try:
                rest = limiter.rest(self._clock.monotonic())
                if rest:
                    await self._rest(rest, deadline)
                wire = self._wire()
                if not self.config.bounded and ANSWER_BOUNDS.isdisjoint(body):
                    body = await self._bounded(wire, body)
                completion = await self._transport.send(wire, body, deadline)
                return read_reply(completion, self.config.price, self.role)
            finally:
                limiter.release()
        raise failure

    async def _bounded(self, wire: Closable, body: Mapping[str, object]) -> Mapping[str, object]:
        """Return a request with a bound on its answer, where the server tells its window."""
        window = await self._transport.window(wire)
        return body if window is None else {**body, "max_tokens": answer_share(self.role, window)}

    async def _rest(self, rest: float, deadline: Deadline) -> None:
        # With its place held: as long as the endpoint wants no request, no one else has a use for it.
        if rest >= deadline.left() > 0:
            message = f"the endpoint's rate limit asks to wait for {rest:.3g} s, beyond the {deadline}"
            raise ModelError(message, kind="rate_limit", retryable=True, retry_after=rest)
        await self._clock.asleep(rest)

    def _crowded(self, deadline: Deadline) -> ModelError:
        message = f"none of the {self.config.concurrency} connections became free within the {deadline}"
        return ModelError(message, kind="timeout", retryable=True)

    def _wire(self) -> Closable:
        loop = asyncio.get_running_loop()
        wire = self._wires.get(loop)
        if wire is None:
            with self._lock:
                self._wires = {known: one for known, one in self._wires.items() if not known.is_closed()}
                wire = self._wires[loop] = self._transport.connect()
        return wire

    def _final(self, failure: ModelError, tries: list[dict[str, object]], deadline: Deadline) -> ModelError:
        attempts = len(tries) + 1
        once = attempts == 1 and (failure.usage.calls or not failure.retryable)
        tried = "" if once else f" (attempts: {attempts}; {deadline})"
        message = f"{self.role} model {self.name!r} at {shown_url(self.config.endpoint)}: {failure}{tried}"
        return ModelError(
            message,
            kind=failure.kind,
            stage=self.role,
            retryable=failure.retryable,
            retry_after=failure.retry_after,
            usage=failure.usage,
            status=failure.status,
            tries=tries,
        )
