"""A service with an OpenAPI document, as the real API of the tools that were read from it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Mapping
from functools import partial
from typing import ClassVar, Unpack, cast

from stb_env.backend.cache.key import read_arguments
from stb_env.backend.real_api.http_api import HTTPAPI, NOT_THE_CALL, Limits
from stb_env.backend.real_api.observed import status_error
from stb_env.backend.real_api.operation import KeyForm, Operation, basic, request_of
from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping
from stb_env.core.request import Slow
from stb_env.errors import ActionError, BackendError, ConfigError
from stb_env.formats.catalog_file import source_of
from stb_env.http.credentials import Credentials, keep_from_logs
from stb_env.http.exchange import HTTPAnswer, HTTPFailure, HTTPRequest
from stb_env.http.retry import Clock
from stb_env.tools import Tool, ToolResult


class HTTPService(HTTPAPI):
    """Calls the operations of a service as a catalogue describes them.

    What the status says counts: 2xx is an answer, 4xx a complaint about the call that the agent reads, and
    anything else, or a refused key, no answer at all. Redirects are not followed.

    Args:
        source: The service as its catalogue has it: ``server`` and ``keys``.
        clock: Time; for tests.
        **limits: See `Limits`.

    Raises:
        ConfigError: The source says no server, or describes a key wrongly.

    Examples:
        >>> HTTPService({"server": "https://shop.example/v1"}).fingerprint
        {'protocol': 'openapi', 'endpoint': 'https://shop.example/v1', 'document': ''}
    """

    what = "the service"
    limits: ClassVar[Limits] = {"timeout": 30.0, "retries": 2, "deadline": 90.0, "concurrency": 8}

    def __init__(self, source: JsonMapping, *, clock: Clock | None = None, **limits: Unpack[Limits]) -> None:
        self._forms: Mapping[str, KeyForm] = source.get("keys", {})
        for name, form in self._forms.items():
            _check_key(name, form)
        self._document = str(source.get("document", ""))
        super().__init__(source.get("server", ""), "", clock, limits)

    @property
    def fingerprint(self) -> dict[str, object]:
        """Server, and hash of the document."""
        return {"protocol": "openapi", "endpoint": self.endpoint, "document": self._document}

    def request(self, tool: Tool, arguments: JsonMapping | str) -> Slow[ToolResult]:
        """Call an operation; arguments that cannot be sent are an answer with source ``env``.

        Raises:
            BackendError: A key is missing, or the service gave no usable answer.
        """
        build = partial(self.build, tool, arguments)
        return (yield from self._built_and_fetched(tool, arguments, build, self._read))

    def build(self, tool: Tool, arguments: Mapping[str, object] | str) -> HTTPRequest:
        """Return the request that a call becomes.

        Raises:
            ActionError: The arguments do not fit where they go.
            BackendError: A key is missing.
        """
        values = read_arguments(arguments)
        if isinstance(values, str):
            raise ActionError("an object of arguments was expected")
        # A key may have been exported since the last call.
        self._credentials = Credentials("", self._url, self._secrets())
        operation = cast(Operation, source_of(tool))
        server = str(operation.get("server", self.endpoint)).rstrip("/")
        return request_of(operation, server, values, self._keys(operation, tool.name))

    def _keys(self, operation: Operation, name: str) -> dict[str, tuple[KeyForm, str]]:
        """Return the keys that an operation wants, of the first set that is all there."""
        wanted = operation.get("security") or [[]]
        for keys in sorted(wanted, key=len, reverse=True):
            found = {key: (self._forms[key], self._value_of(key)) for key in keys if key in self._forms}
            if len(found) == len(keys) and all(value for _, value in found.values()):
                return found
        lacking = sorted(
            {str(self._forms[key]["env"]) for keys in wanted for key in keys if key in self._forms}
        )
        raise BackendError(
            f"{name!r} wants a key; export it as {' or '.join(lacking) or 'its catalogue says'}",
            kind="internal",
            stage="real",
        )

    def _value_of(self, key: str) -> str:
        return os.environ.get(str(self._forms[key]["env"]), "").strip()

    def _secrets(self) -> Collection[str]:
        values = [(form, self._value_of(key)) for key, form in self._forms.items()]
        found = {value for _, value in values}
        for form, value in values:
            if form["kind"] == "basic" and value:
                found |= {basic(value), value.partition(":")[2]}
        found.discard("")
        for value in found:
            keep_from_logs(value)
        return found

    def _read(self, answer: HTTPAnswer) -> ToolResult:
        if 300 <= answer.status < 400:
            raise HTTPFailure(
                f"HTTP {answer.status} leads elsewhere, and that is not followed", kind="internal"
            )
        if answer.status in NOT_THE_CALL or not (200 <= answer.status < 300 or 400 <= answer.status < 500):
            raise self._refused(answer)
        error = status_error(answer.status)
        body = self._body(answer)
        if error and isinstance(body, str) and body.lstrip().startswith("<"):
            # A page instead of data: the service is not there.
            raise self._refused(answer)
        return ToolResult.of(body, error=error, source="real")

    def _body(self, answer: HTTPAnswer) -> object:
        """Return the body: as JSON where it is that, as text, or of anything else what can be said of it."""
        if not answer.body:
            return {"status": answer.status}
        kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind == "application/json" or kind.endswith("+json"):
            return self._value(answer)
        try:
            text = answer.body.decode("utf-8")
        except UnicodeDecodeError:
            digest = hashlib.sha256(answer.body).hexdigest()
            return {"content_type": kind, "bytes": len(answer.body), "sha256": digest}
        try:
            return self._credentials.scrub(jsontext.loads(text))
        except ValueError:
            return self._credentials.scrub(text)

    def _outcome(self, body: object) -> tuple[str, object] | None:
        return "", body


def _check_key(name: str, form: KeyForm) -> None:
    kinds = ("apiKey", "basic", "bearer")
    if form.get("kind") not in kinds or not form.get("env"):
        raise ConfigError(f"the key {name!r} of a source has env and a kind of {', '.join(kinds)}")
    if form["kind"] == "apiKey" and (
        form.get("in") not in ("header", "query", "cookie") or not form.get("name")
    ):
        raise ConfigError(f"the apiKey {name!r} of a source has a name, and in: header, query or cookie")
