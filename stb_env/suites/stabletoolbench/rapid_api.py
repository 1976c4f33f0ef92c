"""RapidAPI itself: each API is called where its tool file says that it is (specification, 3.9).

The original wrote the arguments into Python source and executed it, one generated module an API. Nothing is
executed here: a tool file's ``url`` and ``method`` are all that a request is made of.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import partial
from typing import ClassVar, Unpack, cast
from urllib.parse import parse_qsl, urlsplit

from stb_env.backend.cache.key import read_arguments
from stb_env.backend.real_api import HTTPTemplate
from stb_env.backend.real_api.http_api import Limits
from stb_env.backend.real_api.http_template import METHODS
from stb_env.backend.real_api.url_template import PLACE, REST, Substitution
from stb_env.backend.taxonomy import RealCheck
from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping
from stb_env.core.request import Slow
from stb_env.errors import ActionError, BackendError
from stb_env.http.exchange import HTTPRequest
from stb_env.models import Clock
from stb_env.suites.stabletoolbench.api_entry import APIEntry, raw_names
from stb_env.tools import Tool, ToolResult

KEY = "RAPIDAPI_KEY"
HOSTS = (".p.rapidapi.com",)
"""Endings of the hosts that RapidAPI gives to the APIs that it offers."""

_HOST = re.compile(r"[a-z0-9.-]+")


class RapidAPI(HTTPTemplate):
    """Calls APIs at their own hosts, as tool files name them.

    Tool files come from a crawl, so what they say is not trusted with the key: it is sent to hosts of
    RapidAPI alone, and over HTTPS.

    Args:
        key_env: Environment variable that holds the key.
        hosts: Endings of the hosts that are called.
        scheme: Scheme of their addresses; another one is for tests.
        taxonomy: Which reading decides whether an answer is usable.
        clock: Time; for tests.
        **limits: See `Limits`.

    Raises:
        ConfigError: There is no key, or a setting is out of range.
    """

    what = "RapidAPI"
    name: ClassVar[str] = "rapidapi"

    def __init__(
        self,
        key_env: str = KEY,
        hosts: Collection[str] = HOSTS,
        scheme: str = "https",
        taxonomy: RealCheck = "default",
        clock: Clock | None = None,
        **limits: Unpack[Limits],
    ) -> None:
        template = {"url": "https://rapidapi.com", "headers": {"X-RapidAPI-Key": "{$key}"}}
        super().__init__(template, key_env, taxonomy, clock, **limits)
        self.hosts, self.scheme = tuple(hosts), scheme

    @property
    def fingerprint(self) -> dict[str, object]:
        """Protocol, hosts and taxonomy; where each API is stands in the tool files."""
        return {"protocol": self.name, "hosts": list(self.hosts), "taxonomy": self.taxonomy}

    def check(self) -> None:
        """Ask nobody: each API has a host of its own, and which ones are asked is not known before."""

    def request(self, tool: Tool, arguments: JsonMapping | str) -> Slow[ToolResult]:
        """Call an API; arguments that cannot be sent are an answer with source ``env``.

        Raises:
            BackendError: No tool file says where the API is, or it gave no usable answer.
        """
        build = partial(self.built, tool, arguments)
        return (yield from self._built_and_fetched(tool, arguments, build, self._read))

    def built(self, tool: Tool, arguments: Mapping[str, object] | str) -> HTTPRequest:
        """Return the request that a call becomes.

        Args:
            tool: The API, with a record that a tool file completed.
            arguments: The call's arguments.

        Raises:
            ActionError: The arguments do not fit where the URL wants them.
            BackendError: No tool file says where the API is, or it is nowhere that may be called.
        """
        values = read_arguments(arguments)
        if isinstance(values, str):
            raise ActionError("an object of arguments was expected")
        names = raw_names(cast(APIEntry, tool.record))
        given = {names.get(name, name): value for name, value in values.items()}
        url = self._address(tool)
        filling = Substitution(given, {}, frozenset(PLACE.findall(url)))
        parts = urlsplit(url)
        method = str(tool.record.get("method") or "GET").upper()
        if method not in METHODS:
            raise self._nowhere(tool, f"its method is {method!r}")
        fixed = filling.query(dict(parse_qsl(parts.query)))
        headers = {"X-RapidAPI-Key": self._credentials.key, "X-RapidAPI-Host": parts.netloc}
        content = b""
        if method in ("GET", "DELETE"):
            rest = filling.query(REST)
            fixed = f"{fixed}&{rest[1:]}" if fixed and rest else fixed or rest
        else:
            headers["Content-Type"] = "application/json"
            content = jsontext.dumps(filling.body(REST)).encode()
        return HTTPRequest(
            method, f"{self.scheme}://{parts.netloc}{filling.path(parts.path)}{fixed}", headers, content
        )

    def _address(self, tool: Tool) -> str:
        """Return an API's URL, on a host that may be called."""
        url, host = str(tool.record.get("url") or ""), str(tool.record.get("host") or "")
        if host and url.startswith("/"):
            url = f"{self.scheme}://{host}{url}"
        try:
            parts = urlsplit(url)
            place, user = parts.hostname or "", parts.username
        except ValueError:
            raise self._nowhere(tool, "its URL is none") from None
        if not place:
            raise self._nowhere(tool, "no tool file says at which URL it is; give tools=DIR (--tools DIR)")
        if parts.scheme != self.scheme or user is not None or not self._is_called(place):
            raise self._nowhere(tool, f"{parts.scheme}://{place} is no host of {self.what}")
        return url

    def _is_called(self, host: str) -> bool:
        return _HOST.fullmatch(host) is not None and host.endswith(self.hosts)

    def _nowhere(self, tool: Tool, reason: str) -> BackendError:
        text = f"{self.what} cannot be asked for {tool.id.api} of {tool.id.tool}: {reason}"
        return BackendError(text, kind="internal", stage="real")
