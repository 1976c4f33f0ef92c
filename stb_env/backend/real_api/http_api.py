"""Base of real APIs behind HTTP: time-outs, retries, slots, secrets, injected faults."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import ClassVar, Self, TypedDict, cast, get_args
from urllib.parse import urlsplit

from stb_env import seeding
from stb_env.backend.cache.key import call_key
from stb_env.backend.faults import Faults
from stb_env.backend.real_api.observed import Health, observed, status_error, text_error
from stb_env.backend.real_api.slots import Slots
from stb_env.backend.taxonomy import classify
from stb_env.core import jsontext
from stb_env.core.background import wait_for
from stb_env.core.jsontypes import Json
from stb_env.core.request import Request, Slow
from stb_env.errors import ActionError, BackendError, ConfigError, RunStopped, did_you_mean
from stb_env.http.client import HTTPClient
from stb_env.http.credentials import Credentials, keep_from_logs
from stb_env.http.exchange import HTTPAnswer, HTTPFailure, HTTPRequest, late
from stb_env.http.retry import Clock, Deadline, pause
from stb_env.http.url import check_url, check_variable, public_url
from stb_env.models.preflight import PATIENCE
from stb_env.tools import Status, Tool, ToolId, ToolResult

MAX_QUOTE = 200


class Limits(TypedDict, total=False):
    """Limits on the calls of a real API; those that are not given are its own.

    Attributes:
        timeout: Seconds that one attempt may take.
        retries: Attempts after the first.
        deadline: Seconds that a call may take with all waiting and retries.
        concurrency: Requests in flight at once; one tool alone leaves one of them to the others.
    """

    timeout: float
    retries: int
    deadline: float
    concurrency: int


# Statuses that speak of the way to the API, of its key or of its load, and not of the call.
NOT_THE_CALL = frozenset({401, 402, 403, 407, 408, 425, 429})

_LEAST: Limits = {"timeout": 0.001, "retries": 0, "deadline": 0.001, "concurrency": 1}


class HTTPAPI(ABC):
    """Base of real APIs: sends requests, tries again what may succeed, and fails with a type.

    Picklable: the key is not pickled but read from the environment again. No failure shows a key.

    Args:
        url: Where the requests go, for messages and for a user name and password that it may carry.
        key_env: Environment variable that holds the key; empty for none.
        clock: Time; for tests.
        limits: Limits on its calls.

    Raises:
        ConfigError: A setting is out of range.
    """

    what: ClassVar[str] = "the real API"
    shape: ClassVar[str] = "no object of error and response"
    limits: ClassVar[Limits] = {"timeout": 15.0, "retries": 2, "deadline": 60.0, "concurrency": 8}

    def __init__(self, url: str, key_env: str, clock: Clock | None, limits: Limits) -> None:
        check_url(f"the URL of {self.what}", url)
        check_variable(f"key_env of {self.what}", key_env)
        for name, value in limits.items():
            if name not in _LEAST:
                raise TypeError(f"{type(self).__name__} has no setting {name!r}{did_you_mean(name, _LEAST)}")
            low = cast(dict[str, float], _LEAST)[name]
            if isinstance(value, bool) or not low <= cast(float, value) < float("inf"):
                problem = f"{name} of {self.what} must be a number of at least {low:g}, got {value!r}"
                raise ConfigError(problem)
        chosen: Limits = {**self.limits, **limits}
        self.timeout, self.retries = chosen["timeout"], chosen["retries"]
        self.deadline = chosen["deadline"]
        self.faults: Faults | None = None
        self.health: Health = "strict"
        self._url, self._key_env = url, key_env
        self._clock = clock or Clock()
        self._concurrency = chosen["concurrency"]
        self._connect()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.endpoint!r})"

    def __getstate__(self) -> dict[str, object]:
        hidden = ("_client", "_slots", "_credentials")
        return {name: value for name, value in self.__dict__.items() if name not in hidden}

    def __setstate__(self, state: Mapping[str, object]) -> None:
        self.__dict__.update(state)
        self._connect()

    @property
    @abstractmethod
    def fingerprint(self) -> dict[str, object]:
        """Plain data that decides the answers, without secrets."""

    @abstractmethod
    def request(self, tool: Tool, arguments: Mapping[str, object] | str) -> Slow[ToolResult]:
        """Call an API; see `RealAPI`."""

    @property
    def endpoint(self) -> str:
        """The URL without a user name or password."""
        return public_url(self._url)

    @property
    def place(self) -> Hashable:
        """Address that is asked; see `stb_env.models.preflight.Asked`."""
        return self.endpoint

    def check(self) -> None:
        """Ask the host whether it is there, in a request that no API answers; any answer will do.

        Raises:
            RunStopped: None came; the message is one line.
        """
        parts = urlsplit(self.endpoint)
        request = HTTPRequest("HEAD", f"{parts.scheme}://{parts.netloc}/", {})
        try:
            self._client.send(request, Deadline(min(PATIENCE, self.timeout), self._clock, "time-out"))
        except HTTPFailure as error:
            reason = self._credentials.scrub(str(error))
            raise RunStopped(
                f"{self.what} at {self.endpoint} cannot be reached: {reason}; "
                "start it, or mend its URL, and give the same command again"
            ) from None

    def with_faults(self, faults: Faults | None) -> Self:
        """Return the same API, over the same connections, with faults on the way to it."""
        struck = object.__new__(type(self))
        struck.__dict__.update(self.__dict__)
        struck.faults = faults
        return struck

    def with_health(self, health: Health) -> Self:
        """Return the same API, over the same connections, whose answers are refused or observed.

        Args:
            health: ``strict`` refuses an answer that says that the API does not work: a failure of the
                infrastructure. ``observe`` gives every answer as a result with its class, once the retries
                are spent; only where none came at all is that a failure.

        Raises:
            ConfigError: There is no such health.
        """
        known = get_args(Health)
        if health not in known:
            raise ConfigError(f"health must be one of {known}, got {health!r}.{did_you_mean(health, known)}")
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.health = health
        return other

    def close(self) -> None:
        """Close the connections that threads used."""
        self._client.close()

    async def aclose(self) -> None:
        """Close the connections that the running event loop used."""
        await self._client.aclose()

    def _connect(self) -> None:
        key = os.environ.get(self._key_env, "").strip() if self._key_env else ""
        self._credentials = Credentials(key, self._url, self._secrets(), variable=self._key_env)
        keep_from_logs(key)
        self._client = HTTPClient()
        self._slots = Slots(self._concurrency)

    def _secrets(self) -> Collection[str]:
        """Return what else no text may show, besides the key and the password of the URL."""
        return ()

    def _built_and_fetched(
        self,
        tool: Tool,
        arguments: Mapping[str, object] | str,
        build: Callable[[], HTTPRequest],
        read: Callable[[HTTPAnswer], ToolResult],
        repeats: bool = True,
    ) -> Slow[ToolResult]:
        """Send the request that a call becomes; arguments that cannot be sent are an answer of ``env``."""
        try:
            request = build()
        except ActionError as error:
            status = Status.INVALID_ARGUMENTS
            return ToolResult.of("", error=f"invalid arguments: {error}", source="env", status=status)
        return (yield from self._fetch(tool.id, call_key(tool.id, arguments), request, read, repeats))

    def _fetch(
        self,
        identity: ToolId,
        key: str,
        request: HTTPRequest,
        read: Callable[[HTTPAnswer], ToolResult],
        repeats: bool = True,
    ) -> Slow[ToolResult]:
        """Yield the attempts and the pauses between them, and return what ``read`` makes of the answer.

        Args:
            identity: The API; its tool is what the slots are shared by.
            key: The call's key in the cache, which faults and pauses are drawn from.
            request: What to send.
            read: Raises `HTTPFailure` where the answer is not usable.
            repeats: Whether the request may be sent again; one that writes may have been carried out.
        """
        deadline = Deadline(self.deadline, self._clock, "deadline")
        answer = None
        for attempt in range(self.retries + 1):
            try:
                answer = yield from self._attempt(identity, key, request, deadline, attempt)
                return self._classed(read(answer))
            except HTTPFailure as error:
                failure = error
            wait = pause(attempt, seeding.derive(key)) if failure.wait is None else failure.wait
            if not failure.retryable or not repeats or attempt == self.retries or wait >= deadline.left():
                break
            yield self._sleep(wait)
        if answer is not None and self.health == "observe":
            return self._observed(answer)
        tried = f"attempts: {attempt + 1}; {deadline}" if repeats else "not sent again: it may write"
        raise self._final(identity, failure, tried)

    def _classed(self, result: ToolResult) -> ToolResult:
        if self.health == "strict":
            return result
        return result.noted(api_class=classify(result.error, result.response).value)

    def _observed(self, answer: HTTPAnswer) -> ToolResult:
        """Return an answer that is not usable as what the agent is to see of it."""
        status = status_error(answer.status)
        try:
            body = self._value(answer)
        except HTTPFailure:
            body = str(self._credentials.scrub(answer.text))
            said, response = status or text_error(body), body
        else:
            found = self._outcome(body)
            said, response = found if found is not None else (status or f"the answer is {self.shape}", body)
            if status and status != said:
                # The API's own words come first: some classes go by how an error begins.
                said = f"{said}; {status}" if said else status
        return observed(said, response, source="fault" if answer.injected else "real")

    @abstractmethod
    def _outcome(self, body: object) -> tuple[str, Json] | None:
        """Return error and response as the body has them, or None where it has another shape."""

    def _attempt(
        self, identity: ToolId, key: str, request: HTTPRequest, deadline: Deadline, attempt: int
    ) -> Slow[HTTPAnswer]:
        fault = self.faults.strike(key, attempt) if self.faults else ""
        if fault.isdecimal():
            return HTTPAnswer(int(fault), body=b"an injected fault", injected=True)
        if self.faults and fault == "delay":
            part = deadline.within(self.timeout, "time-out")
            yield self._sleep(min(self.faults.delay_s, part.left()))
            if not part.left():
                raise late(part)
        answer: HTTPAnswer = yield Request(
            run=partial(self._send, identity, request, deadline),
            arun=partial(self._asend, identity, request, deadline),
        )
        if fault != "truncated":
            return answer
        return replace(answer, body=answer.body[: len(answer.body) // 2], injected=True)

    def _send(self, identity: ToolId, request: HTTPRequest, deadline: Deadline) -> HTTPAnswer:
        return wait_for(self._asend(identity, request, deadline))

    async def _asend(self, identity: ToolId, request: HTTPRequest, deadline: Deadline) -> HTTPAnswer:
        async with self._slots.held(identity[:2], deadline):
            return await self._client.asend(request, deadline.within(self.timeout, "time-out"))

    def _sleep(self, seconds: float) -> Request:
        return Request(run=partial(self._clock.sleep, seconds), arun=partial(self._clock.asleep, seconds))

    def _value(self, answer: HTTPAnswer) -> Json:
        """Return the body as JSON value without secrets.

        Raises:
            HTTPFailure: It is no JSON, as where its end was lost.
        """
        try:
            return self._credentials.scrub(jsontext.loads(answer.text))
        except ValueError as error:
            problem = f"HTTP {answer.status} with a body that is no JSON ({error}){self._said(answer)}"
        raise HTTPFailure(problem, retryable=True, status_code=answer.status)

    def _refused(self, answer: HTTPAnswer) -> HTTPFailure:
        """Return the failure that an answer's status means."""
        return answer.failure(self._said(answer), self._clock)

    def _said(self, answer: HTTPAnswer) -> str:
        text = answer.text
        with suppress(ValueError):
            # Parsed before secrets are cut out: escapes inside JSON text could hide a key.
            text = jsontext.dumps(jsontext.loads(text))
        words = " ".join(str(self._credentials.scrub(text)).split())
        return f": {words[:MAX_QUOTE]}..." if len(words) > MAX_QUOTE else words and f": {words}"

    def _final(self, identity: ToolId, failure: HTTPFailure, tried: str) -> BackendError:
        tried = f" ({tried})" if failure.retryable else ""
        api = f"{identity.api} of {identity.tool}"
        reason = self._credentials.scrub(str(failure))
        return BackendError(
            f"{self.what} at {self.endpoint} failed on {api}: {reason}{tried}",
            kind=failure.kind,
            stage="real",
            retryable=failure.retryable,
            status_code=failure.status_code,
        )
