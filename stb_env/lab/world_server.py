"""The Sandbox as the real API over HTTP: a small local server in the protocol that `RemoteServer` speaks."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from stb_env import jsontext
from stb_env.backend.backend import RealAPI
from stb_env.errors import BackendError
from stb_env.jsontypes import Json
from stb_env.lab.world_api import WorldAPI
from stb_env.request import drive
from stb_env.suites.sandbox.catalog import tools
from stb_env.suites.stabletoolbench.api_entry import server_names
from stb_env.tools import Tool

PATH = "/rapidapi"
FIELDS = ("category", "tool_name", "api_name", "tool_input")

_MAX_BODY = 1_000_000
# Seconds between looks at whether the server was told to stop.
_POLL_S = 0.02


@contextmanager
def serving(api: RealAPI | None = None, port: int = 0) -> Iterator[str]:
    """Serve the Sandbox on 127.0.0.1 until the block ends; yield the URL for a `RemoteServer`.

    Args:
        api: Answers; None for the Sandbox as it is. It should check nothing, since that is the client's part.
        port: Where to listen; 0 takes a free one.

    Examples:
        >>> with serving() as url:
        ...     url.startswith("http://127.0.0.1:"), url.endswith("/rapidapi")
        (True, True)
    """
    server = ThreadingHTTPServer(("127.0.0.1", port), _handler_for(api or WorldAPI(check=None)))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(_POLL_S,), name="sandbox api", daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}{PATH}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def respond(api: RealAPI, content: bytes) -> tuple[int, Json]:
    """Return HTTP status and JSON value for the body of a request.

    Args:
        api: Answers.
        content: The body: JSON with category, tool_name, api_name and tool_input; other fields are ignored.

    Examples:
        >>> respond(WorldAPI(check=None), b"[]")
        (422, {'detail': 'expected a JSON object with category, tool_name, api_name, tool_input'})
    """
    try:
        body = jsontext.loads(content.decode("utf-8"))
    except ValueError as error:
        return 422, {"detail": f"the body is no JSON: {error}"}
    if not isinstance(body, dict) or any(name not in body for name in FIELDS):
        return 422, {"detail": f"expected a JSON object with {', '.join(FIELDS)}"}
    category, name, endpoint = (str(body[field]) for field in FIELDS[:3])
    tool = _by_names().get(server_names(category, name, endpoint))
    if tool is None:
        return 200, {"error": f"API doesn't exists: {endpoint} of {name}", "response": ""}
    given = body["tool_input"]
    arguments = given if isinstance(given, Mapping | str) else jsontext.dumps(given)
    try:
        result = drive(api.request(tool, arguments))
    except BackendError as error:
        return 502, {"detail": str(error)}
    return 200, {"error": result.error, "response": result.response}


def _by_names() -> dict[tuple[str, str, str], Tool]:
    return {server_names(*identity): tool for identity, tool in tools().items()}


def _handler_for(api: RealAPI) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Otherwise the body waits 40 ms for the headers to be acknowledged.
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            size = self.headers.get("Content-Length", "")
            if not size.isdecimal() or int(size) > _MAX_BODY:
                self.close_connection = True
                self._send(413, {"detail": f"a body of up to {_MAX_BODY} bytes was expected"})
                return
            content = self.rfile.read(int(size))
            found = self.path.partition("?")[0] == PATH
            self._send(*(respond(api, content) if found else (404, {"detail": f"the path is {PATH}"})))

        def _send(self, status: int, value: Json) -> None:
            content = jsontext.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            """Stay quiet."""

    return Handler
