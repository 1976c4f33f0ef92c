"""Any HTTP API as a real API, described by a small template instead of code."""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from collections.abc import Hashable, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Self, Unpack
from urllib.parse import urlsplit

from stb_env.backend.cache.key import read_arguments
from stb_env.backend.epochs import may_repeat
from stb_env.backend.real_api.http_api import HTTPAPI, NOT_THE_CALL, Limits
from stb_env.backend.real_api.remote_server import accepted
from stb_env.backend.real_api.url_template import HEADER_NAME, PLACE, REST, Substitution
from stb_env.backend.taxonomy import RealCheck
from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping
from stb_env.core.request import Slow
from stb_env.errors import ActionError, ConfigError, DataError, did_you_mean
from stb_env.http.exchange import HTTPAnswer, HTTPFailure, HTTPRequest
from stb_env.http.retry import Clock
from stb_env.http.url import check_url
from stb_env.tools import NO_ID, Tool, ToolId, ToolResult, standardize

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")

_FIELDS = ("method", "url", "hosts", "query", "headers", "body", "response", "error", "idempotent")


class HTTPTemplate(HTTPAPI):
    """Calls one HTTP endpoint as its template says.

    A template has ``url`` and, as needed, ``method`` (GET), ``query``, ``headers``, ``body``, and
    ``response`` and ``error``: JSON pointers into the answer's body (the whole body, none). In url, query,
    headers and body ``{name}`` stands for an argument, ``{$key}`` for the key, and ``{$category} {$tool}
    {$api}`` for the call's identity. An entry of query, headers or body whose argument is missing is left
    out; a body value that is one place alone keeps the argument's JSON type. ``query`` or ``body`` can be
    ``"*"``: all arguments that no place names. Scheme and host have no places, and what is put into the
    path stays inside its segment, so that no argument leads anywhere else. Redirects are not followed.
    A method other than GET may write, so its request is sent once, unless ``idempotent`` is true or the
    called tool says that it ``reads`` or is ``idempotent``. ``hosts`` is a table from standardised
    names of tools to ``https://HOST``: calls of these tools go there, those of all others to the host of
    ``url``.

    Args:
        template: The description.
        key_env: Environment variable that holds the key; empty for none.
        taxonomy: Which reading decides whether an answer is usable.
        clock: Time; for tests.
        **limits: See `Limits`.

    Raises:
        ConfigError: The template or a setting is wrong.

    Examples:
        >>> api = HTTPTemplate({"url": "https://films.example/v1/{film}/cast", "query": {"limit": "{n}"}})
        >>> api.build({"film": "a/../b", "n": 3}).url
        'https://films.example/v1/a%2F..%2Fb/cast?limit=3'
        >>> api.build({"film": ".."})
        Traceback (most recent call last):
        ...
        stb_env.errors.ActionError: 'film' cannot be '..' in the path of a URL
    """

    what = "the HTTP API"
    shape = "without the part that the template names"

    def __init__(
        self,
        template: JsonMapping,
        key_env: str = "",
        taxonomy: RealCheck = "default",
        clock: Clock | None = None,
        **limits: Unpack[Limits],
    ) -> None:
        _check(template, key_env)
        super().__init__(template["url"], key_env, clock, limits)
        self.template: JsonMapping = json.loads(json.dumps(dict(template)))
        self.taxonomy: RealCheck = taxonomy
        if "$key" in self._named and not self._credentials.key:
            raise ConfigError(f"the HTTP template sends a key; export it as {key_env}")

    @classmethod
    def load(cls, file: str | os.PathLike[str], **settings: Any) -> Self:
        """Read a template from a TOML or JSON file; ``key_env`` may stand in it too.

        Args:
            file: The file; its suffix tells the format.
            **settings: Further settings of the constructor.

        Raises:
            DataError: The file cannot be read.
            ConfigError: The template is wrong.
        """
        path = Path(file)
        try:
            text = path.read_text(encoding="utf-8")
            data = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
        except (OSError, ValueError) as error:
            raise DataError(f"{path}: expected an HTTP template as TOML or JSON ({error})") from error
        if isinstance(data, dict) and "key_env" in data:
            settings = {"key_env": data.pop("key_env")} | settings
        return cls(data, **settings)

    @property
    def fingerprint(self) -> dict[str, object]:
        """Endpoint, taxonomy and hash of the template."""
        digest = hashlib.sha256(json.dumps(self.template, sort_keys=True).encode()).hexdigest()
        return {
            "protocol": "http",
            "endpoint": self.endpoint,
            "taxonomy": self.taxonomy,
            "template": digest,
        }

    def request(self, tool: Tool, arguments: JsonMapping | str) -> Slow[ToolResult]:
        """Call the endpoint; arguments that cannot be sent are an answer with source ``env``.

        Raises:
            BackendError: The API gave no answer, or one that says that it does not work.
        """
        build = partial(self.build, arguments, tool.id)
        repeats = self.template.get("method", "GET") == "GET" or self.template.get("idempotent") is True
        repeats = repeats or may_repeat(tool)
        return (yield from self._built_and_fetched(tool, arguments, build, self._read, repeats))

    def build(self, arguments: Mapping[str, object] | str, identity: ToolId = NO_ID) -> HTTPRequest:
        """Return the request that a call becomes.

        Args:
            arguments: The call's arguments.
            identity: The API that is called.

        Raises:
            ActionError: The arguments do not fit where the template puts them.
        """
        values = read_arguments(arguments)
        if isinstance(values, str):
            raise ActionError("an object of arguments was expected")
        fixed = {f"${part}": value for part, value in identity._asdict().items()}
        filling = Substitution(values, {"$key": self._credentials.key, **fixed}, self._named)
        parts = urlsplit(self.endpoint)
        host = self._hosts.get(identity.tool, f"{parts.scheme}://{parts.netloc}")
        url = f"{host.rstrip('/')}{filling.path(parts.path)}"
        query = filling.query(self.template.get("query", {}))
        headers = filling.headers(self.template.get("headers", {})) | self._credentials.headers
        content = b""
        if "body" in self.template:
            headers = {"Content-Type": "application/json"} | headers
            content = jsontext.dumps(filling.body(self.template["body"])).encode()
        return HTTPRequest(self.template.get("method", "GET"), url + query, headers, content)

    @property
    def place(self) -> Hashable:
        """Address that is asked; see `stb_env.models.preflight.Asked`."""
        return self.endpoint, tuple(self._hosts.items())

    def check(self) -> None:
        """Ask the host of the URL whether it is there; nobody, where tools have hosts of their own.

        Raises:
            RunStopped: No answer came.
        """
        if not self._hosts:
            super().check()

    @property
    def _hosts(self) -> Mapping[str, str]:
        hosts: Mapping[str, str] = self.template.get("hosts", {})
        return hosts

    @cached_property
    def _named(self) -> frozenset[str]:
        """Every name that has a place somewhere."""
        return frozenset(PLACE.findall(json.dumps(self.template)))

    def _read(self, answer: HTTPAnswer) -> ToolResult:
        if 200 <= answer.status < 300:
            return self._accepted(self._value(answer))
        if answer.status in NOT_THE_CALL or not 400 <= answer.status < 500:
            raise self._refused(answer)
        try:
            body = self._value(answer)
        except HTTPFailure:
            # A page instead of data: the API is not there.
            raise self._refused(answer) from None
        # The API complains about the call, which is for the agent to read.
        error, response = self._error(body), _at(body, self.template.get("response", ""))
        if not error:
            error, response = f"HTTP {answer.status}", body
        return ToolResult.of("" if response is None else response, error=error, source="real")

    def _accepted(self, body: object) -> ToolResult:
        where = self.template.get("response", "")
        error, response = self._error(body), _at(body, where)
        if not error and response is None:
            raise HTTPFailure(f"the body of the answer has nothing at {where!r}", kind="internal")
        return accepted({"error": error, "response": "" if response is None else response}, self.taxonomy)

    def _outcome(self, body: object) -> tuple[str, object] | None:
        error, response = self._error(body), _at(body, self.template.get("response", ""))
        return (error, response) if error or response is not None else None

    def _error(self, body: object) -> str:
        error = _at(body, self.template["error"]) if "error" in self.template else None
        return error if isinstance(error, str) else jsontext.dumps(error) if error else ""


def _at(value: object, pointer: str) -> object:
    """Return what a JSON pointer (RFC 6901) leads to, or None."""
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, Mapping):
            value = value.get(name)
        elif isinstance(value, list) and name.isdecimal() and int(name) < len(value):
            value = value[int(name)]
        else:
            return None
    return value


def _check_hosts(hosts: object) -> None:
    if not isinstance(hosts, Mapping):
        raise ConfigError(
            f'hosts of an HTTP template must be a table such as {{films = "https://HOST"}}, got {hosts!r:.80}'
        )
    for tool, host in hosts.items():
        if standardize(str(tool)) != tool:
            raise ConfigError(
                f"hosts names the tool {tool!r}; its standardised name is {standardize(tool)!r}"
            )
        check_url(f"the URL of the tool {tool!r}", host)
        parts = urlsplit(host)
        if parts.path.strip("/") or parts.query or parts.username is not None:
            # What was got stays unsaid: a URL may carry a password.
            raise ConfigError(f"the host of the tool {tool!r} must be scheme and host alone: https://HOST")


def _check(template: JsonMapping, key_env: str) -> None:
    if not isinstance(template, Mapping) or not isinstance(template.get("url"), str):
        raise ConfigError("an HTTP template is a table with at least a url, such as https://HOST/{name}")
    for name in template:
        if name not in _FIELDS:
            raise ConfigError(
                f"an HTTP template has no {name!r}; known: {_FIELDS}.{did_you_mean(name, _FIELDS)}"
            )
    url = template["url"]
    if (
        PLACE.search(url.partition("://")[2].partition("/")[0])
        or "?" in url
        or "{" in url.partition("://")[0]
    ):
        raise ConfigError("the url of an HTTP template has places in its path alone; put the rest into query")
    if template.get("method", "GET") not in METHODS:
        raise ConfigError(f"method of an HTTP template must be one of {METHODS}, got {template['method']!r}")
    for name in ("query", "headers"):
        value = template.get(name, {})
        if not isinstance(value, Mapping) and (name, value) != ("query", REST):
            raise ConfigError(f"{name} of an HTTP template must be a table, got {value!r}")
    _check_hosts(template.get("hosts", {}))
    for name in ("response", "error"):
        value = template.get(name, "")
        if not isinstance(value, str) or (value and not value.startswith("/")):
            raise ConfigError(f"{name} of an HTTP template is a JSON pointer such as /data/0, got {value!r}")
    if type(template.get("idempotent", False)) is not bool:
        raise ConfigError(
            f"idempotent of an HTTP template is true or false, got {template['idempotent']!r:.80}"
        )
    for name in template.get("headers", {}):
        if not HEADER_NAME.fullmatch(name):
            raise ConfigError(f"{name!r} is no name of an HTTP header")
    if "{$key}" in json.dumps(dict(template)) and not key_env:
        raise ConfigError(
            "the HTTP template sends a key; name the environment variable that holds it: key_env"
        )
