"""A service with an OpenAPI document, as the real API of the tools that were read from it."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import ClassVar, Required, Unpack, cast

from typing_extensions import TypedDict

from stb_env.backend.cache.key import call_key, read_arguments
from stb_env.backend.epochs import may_repeat
from stb_env.backend.real_api.http_api import HTTPAPI, Limits
from stb_env.backend.real_api.observed import status_error
from stb_env.backend.real_api.operation import KeyForm, Operation, basic, request_of
from stb_env.core import jsontext
from stb_env.core.jsontypes import Json, JsonMapping, JsonObject
from stb_env.core.request import Slow
from stb_env.core.user_tables import checked
from stb_env.errors import ActionError, BackendError, ConfigError
from stb_env.formats.catalog_file import source_of
from stb_env.http.credentials import Credentials, keep_from_logs
from stb_env.http.exchange import HTTPAnswer, HTTPFailure, HTTPRequest
from stb_env.http.retry import Clock
from stb_env.tools import Tool, ToolId, ToolResult

OBSERVED = frozenset({400, 402, 403, 404, 405, 409, 410, 413, 415, 422})
"""Statuses of errors that the agent reads, whatever the body is."""

_MOST_SEARCHED = 2000
_RESET = ToolId("reset", "the service", "reset")
_NOT_THE_CALL = frozenset({401, 407, 408, 425, 429})
_CREDENTIALS = re.compile(
    r"\b(api[ _-]?key|(access |bearer )?token|credentials?|signature|unauthenticated|authentication"
    r"|not authenticated)\b",
    re.IGNORECASE,
)


class ResetForm(TypedDict, total=False):
    """Request that sets a service back.

    Attributes:
        method: HTTP method.
        path: Path after the server's URL; begins with a slash.
        body: JSON value of the body; nothing is sent where it is left out.
        security: Sets of keys of the source, of which one is sent.
    """

    method: Required[str]
    path: Required[str]
    body: Json
    security: list[list[str]]


class HTTPService(HTTPAPI):
    """Calls the operations of a service as a catalogue describes them.

    The status decides. 2xx is an answer. The statuses of `OBSERVED` are errors that the agent reads, and so
    are other 4xx with data instead of a page. 408, 425, 429 and 5xx are failures; a call that only reads is
    asked again before, and one that may write only where its ``source`` says ``"idempotent": true``. 401,
    407, and 403 where the service refuses the key that was sent, are failures of the configuration. With 403
    it says so by a challenge (``WWW-Authenticate``) or names key, token or credentials. Redirects are not
    followed.

    Args:
        source: The service as its catalogue has it: ``server`` and ``keys``; ``observed``, in place of these
            rules the list of all statuses of errors that the agent reads; ``reset``, the request that sets
            the service back to its first state, see `ResetForm`.
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
        self._readable = _statuses(source.get("observed"))
        self._reset = _reset_request(source.get("reset"))
        super().__init__(source.get("server", ""), "", clock, limits)

    @property
    def fingerprint(self) -> dict[str, object]:
        """Server, hash of the document, and what is not as usual."""
        told: JsonObject = {"protocol": "openapi", "endpoint": self.endpoint, "document": self._document}
        if self._readable is not None:
            told["observed"] = sorted(self._readable)
        if self._reset is not None:
            told["reset"] = dict(self._reset)
        return told

    @property
    def resets(self) -> bool:
        """True if its source says how it is set back."""
        return self._reset is not None

    def reset(self) -> Slow[None]:
        """Send the request that sets the service back.

        Raises:
            BackendError: The service did not answer with 2xx.
        """
        form = self._reset
        if form is None:
            return
        self._credentials = Credentials("", self._url, self._secrets())
        operation: Operation = {
            "method": form["method"].upper(),
            "path": form["path"],
            "body": {"content_type": "application/json", "argument": "body"},
            "security": form.get("security", []),
        }
        given = {"body": form["body"]} if "body" in form else {}
        request = request_of(operation, self.endpoint.rstrip("/"), given, self._keys(operation, "reset"))
        yield from self._fetch(_RESET, call_key(_RESET, given), request, self._confirmed)

    def request(self, tool: Tool, arguments: JsonMapping | str) -> Slow[ToolResult]:
        """Call an operation; arguments that cannot be sent are an answer with source ``env``.

        Raises:
            BackendError: A key is missing, or the service gave no usable answer.
        """
        build = partial(self.build, tool, arguments)
        read = partial(self._read, keys=self._key_variables(tool))
        return (yield from self._built_and_fetched(tool, arguments, build, read, may_repeat(tool)))

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

    def _key_variables(self, tool: Tool) -> list[str]:
        """Return the variables that are set of the keys that an operation wants."""
        wanted = {key for keys in cast(Operation, source_of(tool)).get("security", []) for key in keys}
        return sorted(
            str(self._forms[key]["env"]) for key in wanted & self._forms.keys() if self._value_of(key)
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

    def _read(self, answer: HTTPAnswer, keys: Sequence[str] = ()) -> ToolResult:
        if 300 <= answer.status < 400:
            raise HTTPFailure(
                f"HTTP {answer.status} leads elsewhere, and that is not followed", kind="internal"
            )
        if not 200 <= answer.status < 300 and not self._is_observed(answer):
            raise self._refused(answer)
        if self._readable is None and answer.status == 403 and keys and _refuses_credentials(answer):
            problem = f"HTTP 403{self._said(answer)}; the service refused the key of {' and '.join(keys)}"
            raise HTTPFailure(problem, kind="internal", status_code=403)
        return ToolResult.of(self._body(answer), error=status_error(answer.status), source="real")

    def _confirmed(self, answer: HTTPAnswer) -> ToolResult:
        if answer.status in (401, 403):
            problem = (
                f"HTTP {answer.status}{self._said(answer)}; `security` of the reset names the keys to send"
            )
            raise HTTPFailure(problem, kind="internal", status_code=answer.status)
        if not 200 <= answer.status < 300:
            raise self._refused(answer)
        return ToolResult.of("", source="real")

    def _is_observed(self, answer: HTTPAnswer) -> bool:
        if self._readable is not None:
            return answer.status in self._readable
        if answer.status in OBSERVED:
            return True
        # A page instead of data: the service is not there.
        is_page = answer.text.lstrip().startswith("<")
        return 400 <= answer.status < 500 and answer.status not in _NOT_THE_CALL and not is_page

    def _body(self, answer: HTTPAnswer) -> object:
        """Return the body: as JSON where it is that, as text, or of anything else what can be said of it."""
        if not answer.body:
            return {"status": answer.status}
        kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind == "application/json" or kind.endswith("+json"):
            return self._value(answer)
        try:
            text = answer.body.decode(answer.charset)
        except (UnicodeError, LookupError):
            digest = hashlib.sha256(answer.body).hexdigest()
            return {"content_type": kind, "bytes": len(answer.body), "sha256": digest}
        try:
            return self._credentials.scrub(jsontext.loads(text))
        except ValueError:
            return self._credentials.scrub(text)

    def _outcome(self, body: object) -> tuple[str, object] | None:
        return "", body


def _refuses_credentials(answer: HTTPAnswer) -> bool:
    return "www-authenticate" in answer.headers or bool(_CREDENTIALS.search(answer.text[:_MOST_SEARCHED]))


def _statuses(setting: object) -> frozenset[int] | None:
    """Return the statuses that a source lists as observed; None where it lists none."""
    if setting is None:
        return None
    if not isinstance(setting, list) or not all(type(one) is int and 400 <= one <= 599 for one in setting):
        raise ConfigError(f"observed of a source is a list of HTTP statuses from 400 to 599, got {setting!r}")
    return frozenset(setting)


def _reset_request(setting: object) -> ResetForm | None:
    if setting is None:
        return None
    form = checked(ResetForm, setting, "the reset of a source")
    if not form["path"].startswith("/"):
        raise ConfigError(f"the path of a reset begins with a slash, got {form['path']!r}")
    return form


def _check_key(name: str, form: KeyForm) -> None:
    kinds = ("apiKey", "basic", "bearer")
    if form.get("kind") not in kinds or not form.get("env"):
        raise ConfigError(f"the key {name!r} of a source has env and a kind of {', '.join(kinds)}")
    if form["kind"] == "apiKey" and (
        form.get("in") not in ("header", "query", "cookie") or not form.get("name")
    ):
        raise ConfigError(f"the apiKey {name!r} of a source has a name, and in: header, query or cookie")
