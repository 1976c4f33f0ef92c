"""A running virtual server, asked as the published client asks it (Guo et al., 2024)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import ClassVar, Unpack

from stb_env.backend.real_api.http_api import Limits
from stb_env.backend.real_api.remote_server import RemoteServer
from stb_env.core import jsontext
from stb_env.http.exchange import HTTPAnswer, HTTPFailure
from stb_env.http.retry import Clock
from stb_env.tools import Status, ToolId, ToolResult
from stb_env.trajectory import arguments_text

ENDPOINT = "/virtual"


class VirtualServer(RemoteServer):
    """Asks a virtual server: its own cache, real APIs and simulator answer, and it is believed.

    Whatever answer has an ``error`` is an observation, one that says that an API does not work too: judging
    that is the server's part. So such a server is asked in the mode ``live``, without a cache here.

    Args:
        url: The server's endpoint, for example ``http://127.0.0.1:8080/virtual``.
        key_name: Name of the field and of the header in which the server wants its key; empty for none.
        key_env: Environment variable that holds the key; None for ``key_name`` in capitals.
        clock: Time; for tests.
        **limits: See `Limits`; a model may have to write the answer, so they are long.

    Examples:
        >>> VirtualServer("http://127.0.0.1:8080/virtual").fingerprint["protocol"]
        'virtual'
    """

    what = "the virtual server"
    limits: ClassVar[Limits] = {"timeout": 120.0, "retries": 2, "deadline": 300.0, "concurrency": 8}

    def __init__(
        self,
        url: str,
        key_name: str = "",
        key_env: str | None = None,
        *,
        clock: Clock | None = None,
        **limits: Unpack[Limits],
    ) -> None:
        super().__init__(url, key_name, key_env, clock=clock, **limits)

    @property
    def fingerprint(self) -> dict[str, object]:
        """Endpoint."""
        return {"protocol": "virtual", "endpoint": self.endpoint}

    def _body(self, identity: ToolId, arguments: Mapping[str, object] | str) -> dict[str, object]:
        return {
            "category": identity.category,
            "tool_name": identity.tool,
            "api_name": identity.api,
            "tool_input": arguments_text(arguments),
            "strip": "truncate",
        }

    def _read(self, answer: HTTPAnswer) -> ToolResult:
        if answer.status != 200:
            raise self._refused(answer)
        value = self._value(answer)
        if not isinstance(value, Mapping) or "error" not in value:
            quote = jsontext.dumps(value)[:200]
            raise HTTPFailure(f"the answer is no object with an error: {quote}", kind="transport")
        error = value["error"]
        said = error if isinstance(error, str) else json.dumps(error)
        status = Status.TOOL_ERROR if said else Status.OK
        # What else the answer has, and in which order, is what the agent reads in the original.
        kept = {**value, "error": said, "response": value.get("response", "")}
        return ToolResult(jsontext.dumps(kept), said, "real", status)
