"""``POST /virtual``: the original's virtual server, for its clients as they are.

Answers have the bytes that the original's framework gives to the same value. A hit is answered where it is
read, without a thread, a lock or a task of its own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from stb_env.backend.cache.recent import Recent
from stb_env.backend.real_api import RemoteServer
from stb_env.backend.virtual import VirtualBackend
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.core.request import adrive
from stb_env.envs.connections import connect_backend
from stb_env.errors import DataError, STBError
from stb_env.serve.operations.refusals import Refusal, refusal
from stb_env.suites.stabletoolbench.api_documents import APIDocuments
from stb_env.suites.stabletoolbench.env import KEY_NAME
from stb_env.suites.stabletoolbench.original_server import CHAT_API, FIELDS, PARSE_ERROR
from stb_env.suites.stabletoolbench.rapid_api import RapidAPI
from stb_env.suites.stabletoolbench.virtual_request import CHAT_ANSWER, VirtualRequest
from stb_env.tasks import Task
from stb_env.tools import ToolCall, ToolId, ToolResult

PATH = "/virtual"
SETTINGS = ("data", "tools")
"""Settings of the virtual API beside `BACKEND_SETTINGS`."""

BACKEND_SETTINGS = ("mode", "cache", "real", "simulator", "models", "faults", "health")

OPENAPI: JsonObject = {
    "post": {
        "tags": ["virtual"],
        "summary": "Answer a call of an API",
        "operationId": "virtual",
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": {
                        "type": "object",
                        "required": list(FIELDS),
                        "properties": {
                            name: {"type": "string"}
                            if name != "tool_input"
                            else {"type": ["string", "object"]}
                            for name in FIELDS
                        },
                    }
                }
            },
        },
        "responses": {
            "200": {"description": "What the API answers", "content": {"application/json": {"schema": {}}}},
            "4XX": {"description": "The request is not answered", "content": {"application/json": {}}},
            "5XX": {"description": "Nobody had a usable answer", "content": {"application/json": {}}},
        },
    }
}

# Half of it at least is kept; the 165 thousand entries of the published cache take half of that.
_KEPT, _KEPT_BYTES = 1_000_000, 300_000_000
_REQUEST = 512
_NO_EPISODE = Task("virtual", "", (), checked=False)


class VirtualAPI:
    """The ASGI application behind the route.

    Args:
        backend: Answers calls.
        documents: Finds what is known of an API.
        noted: Told who answered, for the metrics.
        token: The token of this server, which is not passed on where a client sends it as its key.
    """

    def __init__(
        self,
        backend: VirtualBackend,
        documents: APIDocuments,
        noted: Callable[[str], object],
        token: str = "",
    ) -> None:
        self.backend, self._documents, self._noted, self._token = backend, documents, noted, token
        # By the bytes of the request: a recorded answer never changes.
        self._known: Recent[bytes, bytes] = Recent(_KEPT, _KEPT_BYTES, _size)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 (ASGI)
        """Answer one request.

        Raises:
            Refusal: It is not answered as asked.
        """
        message = await receive()
        body: bytes = message.get("body", b"")
        if message.get("more_body"):
            body += await _rest(receive)
        answer = self._known.young.get(body) or self._known.get(body)
        if answer is None:
            answer = await self._answer(body)
        else:
            self._noted("cache")
        headers = [(b"content-length", b"%d" % len(answer)), (b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": answer})

    async def _answer(self, body: bytes) -> bytes:
        try:
            request = VirtualRequest.read(body.decode())
        except (DataError, UnicodeDecodeError) as error:
            raise Refusal(str(error), kind="invalid", status=422) from error
        if request.id.api == CHAT_API:
            return rendered(CHAT_ANSWER)
        if request.arguments is None:
            return rendered(PARSE_ERROR)
        result = await self._result(request.id, request.arguments, request.key)
        self._noted(result.source)
        answer = rendered(json.loads(result.text))
        if result.source == "cache":
            self._known.put(body, answer)
        return answer

    async def _result(self, identity: ToolId, arguments: Mapping[str, object] | str, key: str) -> ToolResult:
        tool, call = self._documents.tool(identity), ToolCall("", arguments)
        hit = self.backend.recorded(None, tool, call)
        if hit is not None:
            return hit
        try:
            backend = self._asking(key)
            result, _ = await adrive(backend.answer(backend.start(_NO_EPISODE, 0), tool, call))
        except STBError as error:
            raise refusal(error) from error
        return result

    def _asking(self, key: str) -> VirtualBackend:
        """Return the backend that sends a client's own key to the real API."""
        real = self.backend.real
        if not key or key == self._token or not isinstance(real, RemoteServer):
            return self.backend
        return self.backend.asking(real.with_key(key))


def rendered(value: object) -> bytes:
    """Return a value as the original's framework writes it.

    Examples:
        >>> rendered({"error": "", "response": "Zürich"}).decode()
        '{"error":"","response":"Zürich"}'
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:
        # Half a character, at which the original fails.
        return json.dumps(value, separators=(",", ":")).encode()


def connected(settings: JsonMapping) -> tuple[VirtualBackend, APIDocuments]:
    """Return what stands behind the route.

    Args:
        settings: The operator's settings of environments; those of the virtual API are taken.

    Raises:
        ConfigError: A setting is wrong.
        DataError: The data cannot be read.
    """
    chosen = {name: settings[name] for name in BACKEND_SETTINGS if name in settings}
    if chosen.get("real") == RapidAPI.name:
        chosen["real"] = RapidAPI()
    backend = connect_backend(**{"mode": "offline", **chosen}, key_name=KEY_NAME)
    return backend, APIDocuments.find(settings.get("data"), settings.get("tools"))


def route(api: VirtualAPI) -> Route:
    """Return the route; it bypasses FastAPI, whose own work would take longer than a hit."""
    return Route(PATH, api, methods=["POST"])


def _size(answer: bytes) -> int:
    # Of the request is known that it is about as long as others are.
    return len(answer) + _REQUEST


async def _rest(receive: Receive) -> bytes:
    parts, more = [], True
    while more:
        message = await receive()
        parts.append(message.get("body", b""))
        more = message.get("more_body", False)
    return b"".join(parts)
