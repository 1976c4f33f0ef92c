"""Real APIs behind one server, in the protocol of ToolLLM's RapidAPI proxy (Qin et al., 2023)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Self, Unpack

from stb_env.backend.backend import RealAPI
from stb_env.backend.cache.key import call_key, read_arguments
from stb_env.backend.real_api.http_api import HTTPAPI, Limits
from stb_env.backend.real_api.url_template import HEADER_NAME
from stb_env.backend.taxonomy import RealCheck, Taxonomy, accept_real, classify
from stb_env.core import jsontext
from stb_env.core.request import Slow
from stb_env.errors import ConfigError
from stb_env.formats.recorded_answer import as_answer
from stb_env.http.credentials import Credentials
from stb_env.http.exchange import HTTPAnswer, HTTPFailure, HTTPRequest
from stb_env.http.retry import Clock
from stb_env.tools import Tool, ToolId, ToolResult

__all__ = ["RealAPI", "RemoteServer", "accepted"]

KEY = re.compile(r"[!-~]+")


class RemoteServer(HTTPAPI):
    """Passes calls on, by category, tool and api, to a server that holds the real APIs.

    Args:
        url: The server's endpoint, for example ``http://127.0.0.1:8080/rapidapi``.
        key_name: Name of the field and of the header in which the server wants its key; empty for none.
        key_env: Environment variable that holds the key; None for ``key_name`` in capitals. Where it is not
            set, an empty key is sent.
        taxonomy: Which reading decides whether an answer is usable; see `accept_real`.
        clock: Time; for tests.
        **limits: See `Limits`.

    Raises:
        ConfigError: A setting is out of range.

    Examples:
        >>> RemoteServer("http://127.0.0.1:8080/rapidapi").fingerprint
        {'protocol': 'rapidapi', 'endpoint': 'http://127.0.0.1:8080/rapidapi', 'taxonomy': 'default'}
    """

    what = "the remote server"

    def __init__(
        self,
        url: str,
        key_name: str = "",
        key_env: str | None = None,
        taxonomy: RealCheck = "default",
        clock: Clock | None = None,
        **limits: Unpack[Limits],
    ) -> None:
        accept_real({}, taxonomy=taxonomy)
        if "?" in str(url):
            raise ConfigError(f"the URL of {self.what} must end before any '?'")
        if key_name and not HEADER_NAME.fullmatch(key_name):
            # What was got stays unsaid: it may be the key itself.
            raise ConfigError(f"key_name of {self.what} must be the name of a header")
        if key_env and not key_name:
            raise ConfigError(f"{self.what} gets a key with key_name: the name under which it is sent")
        variable = key_name.upper().replace("-", "_") if key_env is None else key_env
        super().__init__(url, variable, clock, limits)
        self.taxonomy: RealCheck = taxonomy
        self.key_name = key_name

    @property
    def fingerprint(self) -> dict[str, object]:
        """Endpoint and taxonomy."""
        return {"protocol": "rapidapi", "endpoint": self.endpoint, "taxonomy": self.taxonomy}

    def request(self, tool: Tool, arguments: Mapping[str, object] | str) -> Slow[ToolResult]:
        """Call an API through the server.

        Raises:
            BackendError: The server gave no answer, or one that says that the API does not work.
        """
        return self._fetch(tool.id, call_key(tool.id, arguments), self._post(tool.id, arguments), self._read)

    def with_key(self, key: str) -> Self:
        """Return the same API, over the same connections, for a client with a key of its own.

        A key that this one has already stays: whoever runs it decided so.

        Args:
            key: The client's; shown in no failure.

        Raises:
            ConfigError: It has characters that no key has.
        """
        if not self.key_name or self._credentials.key:
            return self
        if not KEY.fullmatch(key):
            raise ConfigError(f"{self.key_name} holds characters that no key has")
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._credentials = Credentials(key, self._url, self._secrets())
        return other

    def _post(self, identity: ToolId, arguments: Mapping[str, object] | str) -> HTTPRequest:
        key = {self.key_name: self._credentials.key} if self.key_name else {}
        body = {**self._body(identity, arguments), **key}
        headers = {
            "accept": "application/json",
            "Content-Type": "application/json",
            **key,
            **self._credentials.headers,
        }
        return HTTPRequest("POST", self.endpoint, headers, jsontext.dumps(body).encode())

    def _body(self, identity: ToolId, arguments: Mapping[str, object] | str) -> dict[str, object]:
        return {
            "category": identity.category,
            "tool_name": identity.tool,
            "api_name": identity.api,
            "tool_input": read_arguments(arguments),
            "strip": "",
        }

    def _read(self, answer: HTTPAnswer) -> ToolResult:
        if answer.status != 200:
            raise self._refused(answer)
        return accepted(self._value(answer), self.taxonomy)

    def _outcome(self, body: object) -> tuple[str, object] | None:
        found = as_answer(body)
        return None if found is None else (found.error, found.response)


def accepted(value: object, taxonomy: RealCheck) -> ToolResult:
    """Return a real answer as a result.

    Args:
        value: What came, as decoded JSON.
        taxonomy: Which reading decides whether it is usable.

    Raises:
        HTTPFailure: It says that the API does not work, or is no answer at all.

    Examples:
        >>> accepted({"error": "", "response": [1]}, "default").text
        '{"error": "", "response": [1]}'
        >>> accepted({"error": "", "response": "Too many requests"}, "default")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        stb_env.http.exchange.HTTPFailure: the answer was not accepted (not_connected): Too...
    """
    answer = as_answer(value)
    if answer is None:
        quote = jsontext.dumps(value)[:200]
        raise HTTPFailure(f"the answer is no object of error and response: {quote}", kind="internal")
    if not accept_real(value, taxonomy=taxonomy):
        reading: Taxonomy = "default" if taxonomy == "default" else "paper"
        found = classify(answer.error, answer.response, taxonomy=reading)
        quote = answer.error or str(answer.response)
        raise HTTPFailure(f"the answer was not accepted ({found.value}): {quote[:200]}", kind="internal")
    return ToolResult.of(answer.response, error=answer.error, source="real")
