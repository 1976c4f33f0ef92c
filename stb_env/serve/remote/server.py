"""A server of sessions, asked over HTTP: retries, time-outs, typed failures, a token that shows nowhere."""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Mapping
from functools import partial
from typing import get_args
from urllib.parse import urlsplit

from stb_env import seeding
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.core.request import Request, Slow
from stb_env.errors import ConfigError, FailureKind, InfrastructureError
from stb_env.http.client import HTTPClient
from stb_env.http.credentials import keep_from_logs
from stb_env.http.exchange import HTTPAnswer, HTTPFailure, HTTPRequest
from stb_env.http.retry import Clock, Deadline, pause, retry_after
from stb_env.http.url import check_url
from stb_env.serve.sessions.wire import encoded

TOKEN = "STB_SERVER_TOKEN"  # noqa: S105 (the name of a variable)

_AGAIN = frozenset({429, 502, 503})
"""Answers that say that nothing was done, of a server that is busy or of a proxy in front of it."""

_GONE = frozenset({"unknown_session", "out_of_step", "reset_needed"})
"""Refusals that say that the session is not where this client left it."""

_MANY = 200


class Server:
    """A server of sessions. Picklable: the token is not pickled but read from the environment again.

    What fails on the way is tried again; a step has a number, so that this plays nothing twice.

    Args:
        url: Where it is, such as ``http://127.0.0.1:8000``.
        token_env: Environment variable with the token, where the server wants one.
        timeout: Seconds that one request may take.
        retries: Attempts after the first.
        clock: Time; for tests.
        client: Connections; those of this process by default.

    Raises:
        ConfigError: The URL is none, or carries a password.
    """

    def __init__(
        self,
        url: str,
        token_env: str = TOKEN,
        timeout: float = 330.0,
        retries: int = 3,
        clock: Clock | None = None,
        client: HTTPClient | None = None,
    ) -> None:
        check_url("the URL of the server", url)
        if "@" in urlsplit(url).netloc:
            raise ConfigError("the URL of the server has a password in it; put a token in token_env instead")
        self.url = url.rstrip("/")
        self._token_env, self._timeout, self._retries = token_env, timeout, retries
        self._clock = clock or Clock()
        self._forgotten: deque[str] = deque()
        self._connect(client)

    def __repr__(self) -> str:
        return f"Server({self.url!r})"

    def __getstate__(self) -> dict[str, object]:
        hidden = ("_client", "_token", "_forgotten", "_clock")
        return {name: value for name, value in self.__dict__.items() if name not in hidden}

    def __setstate__(self, state: Mapping[str, object]) -> None:
        self.__dict__.update(state)
        self._clock, self._forgotten = Clock(), deque()
        self._connect(None)

    def request(self, method: str, path: str, body: JsonMapping | None = None) -> Slow[JsonObject]:
        """Yield the attempts and the pauses between them, and return the answer.

        Raises:
            ConfigError: The server refuses what is asked.
            InfrastructureError: No usable answer came, or the session is gone.
        """
        sent = HTTPRequest(method, self.url + path, self._headers(), encoded(body or {}) if body else b"")
        failure: InfrastructureError | ConfigError
        for attempt in range(self._retries + 1):
            answer: HTTPAnswer | None = None
            try:
                answer = yield self._attempt(sent)
            except HTTPFailure as error:
                failure = self._failed(error)
            else:
                if answer.status not in _AGAIN:
                    return self._read(answer)
                failure = self._refused(answer)
            if attempt < self._retries:
                yield self._sleep(answer, attempt, path)
        raise failure

    def forget(self, key: str) -> None:
        """Take note that nobody needs a session any more; the server is told at some later request."""
        self._forgotten.append(key)

    def tidy(self, *, least: int = _MANY) -> Slow[None]:
        """Yield the closing of sessions that nobody needs, where there are so many."""
        while len(self._forgotten) >= max(1, least):
            keys = [self._forgotten.popleft() for _ in range(min(_MANY, len(self._forgotten)))]
            try:
                yield from self.request("POST", "/sessions/forget", {"keys": keys})
            except InfrastructureError:
                # They are closed for being idle, then.
                return

    def close(self) -> None:
        """Close the connections that threads used; the next request opens new ones."""
        self._client.close()

    def _connect(self, client: HTTPClient | None) -> None:
        self._client = client or HTTPClient()
        self._token = os.environ.get(self._token_env, "") if self._token_env else ""
        keep_from_logs(self._token)

    def _headers(self) -> dict[str, str]:
        headers = {"content-type": "application/json"}
        return headers | ({"authorization": f"Bearer {self._token}"} if self._token else {})

    def _attempt(self, sent: HTTPRequest) -> Request:
        def deadline() -> Deadline:
            return Deadline(self._timeout, self._clock, "time-out")

        return Request(
            run=lambda: self._client.send(sent, deadline()),
            arun=lambda: self._client.asend(sent, deadline()),
        )

    def _sleep(self, answer: HTTPAnswer | None, attempt: int, path: str) -> Request:
        asked = None if answer is None else retry_after(answer.headers, self._clock.wall())
        wait = pause(attempt, seeding.derive("remote", path)) if asked is None else asked
        return Request(run=partial(self._clock.sleep, wait), arun=partial(self._clock.asleep, wait))

    def _read(self, answer: HTTPAnswer) -> dict[str, object]:
        if not 200 <= answer.status < 300:
            raise self._refused(answer)
        data = _json(answer)
        if data is None:
            raise self._failure("transport", "answered with something that is no JSON object")
        return data

    def _refused(self, answer: HTTPAnswer) -> InfrastructureError | ConfigError:
        """Return what an answer that is none means: of whom it is the fault."""
        error = (_json(answer) or {}).get("error")
        kind, said = (error.get("kind"), error.get("message")) if isinstance(error, dict) else (None, None)
        said = self._plain(str(said)) if said else f"HTTP {answer.status}"
        if answer.status == 401:
            return ConfigError(
                f"the server at {self.url} wants a token: {said}; put it into the environment variable "
                f"{self._token_env or TOKEN}"
            )
        if kind in _GONE:
            return self._failure("transport", said)
        known: FailureKind | None = next((one for one in get_args(FailureKind) if one == kind), None)
        if known is not None:
            return self._failure(known, said)
        if 400 <= answer.status < 500 and answer.status not in (408, 429):
            return ConfigError(f"the server at {self.url} refuses: {said}")
        return self._failure("rate_limit" if answer.status == 429 else "transport", said)

    def _failed(self, error: HTTPFailure) -> InfrastructureError:
        return self._failure(error.kind, self._plain(str(error)))

    def _failure(self, kind: FailureKind, said: str) -> InfrastructureError:
        message = f"the server at {self.url}: {said}"
        return InfrastructureError(message, kind=kind, stage="server", retryable=True)

    def _plain(self, text: str) -> str:
        return text.replace(self._token, "***") if self._token else text


def _json(answer: HTTPAnswer) -> dict[str, object] | None:
    try:
        data = json.loads(answer.body)
    except ValueError:
        return None
    return data if isinstance(data, dict) else None
