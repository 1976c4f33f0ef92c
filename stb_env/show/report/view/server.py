"""Serves the viewer on this machine alone, with the standard library."""

from __future__ import annotations

import logging
import sys
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from stb_env.errors import ConfigError, STBError
from stb_env.show.report.view.page_files import POLICY, TYPES, page_files
from stb_env.show.report.view.run_index import RunIndex, encoded

_log = logging.getLogger(__name__)

HOST = "127.0.0.1"
_HOSTS = frozenset({HOST, "localhost", "[::1]"})
_HEADERS = {
    "Content-Security-Policy": f"{POLICY}; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class ViewServer(ThreadingHTTPServer):
    """Shows some runs to a browser on this machine; `serve_forever` until `shutdown`.

    Only the page and answers about these runs are served: no path of the file system is ever made of what
    is asked. Requests under another host's name are refused, so that no web page elsewhere can read runs by
    pointing its own name here.

    Args:
        run_index: The runs.
        port: Where to listen on the loopback address; 0 for any free port.

    Raises:
        ConfigError: The port is taken.

    Examples:
        >>> with ViewServer(RunIndex.of({})) as server:
        ...     server.url.rpartition(":")[0]
        'http://127.0.0.1'
    """

    daemon_threads = True

    def __init__(self, run_index: RunIndex, port: int = 0) -> None:
        self.run_index = run_index
        self.page = page_files()
        try:
            super().__init__((HOST, port), _Handler)
        except OSError as error:
            raise ConfigError(
                f"cannot listen on port {port} ({error.strerror}); give another --port, or 0 for a free one"
            ) from error

    @property
    def url(self) -> str:
        """Address of the page."""
        return f"http://{HOST}:{self.server_address[1]}/"

    def handle_error(self, request: object, client_address: object) -> None:  # noqa: ARG002
        """Log what went wrong with a request; a browser that left before the answer came is nothing wrong."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            _log.exception("a request of %s failed", client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "stb-env"
    sys_version = ""
    timeout = 60
    server: ViewServer

    def do_GET(self) -> None:
        """Answer a request."""
        if not _is_local(self.headers.get("Host", "")):
            self._refuse(HTTPStatus.FORBIDDEN, "open this page by the address 127.0.0.1 or localhost")
            return
        asked = urlsplit(self.path)
        name = asked.path.removeprefix("/") or "index.html"
        if name in self.server.page:
            self._send(HTTPStatus.OK, TYPES[name.rpartition(".")[2]], self.server.page[name])
        elif name.startswith("data/"):
            self._answer(name.removeprefix("data/"), parse_qs(asked.query).get("q", [""])[0])
        else:
            self._refuse(HTTPStatus.NOT_FOUND, "there is nothing here")

    def do_HEAD(self) -> None:
        """Answer a request for the headers alone."""
        self.do_GET()

    def _answer(self, path: str, search: str) -> None:
        try:
            answer = self.server.run_index.answer(path, search)
        except (STBError, OSError) as error:
            self._refuse(HTTPStatus.CONFLICT, str(error))
            return
        if answer is None:
            self._refuse(HTTPStatus.NOT_FOUND, "there is nothing here")
        else:
            self._send(HTTPStatus.OK, "application/json", encoded(answer))

    def _refuse(self, status: HTTPStatus, message: str) -> None:
        self._send(status, "application/json", encoded({"error": message}))

    def _send(self, status: HTTPStatus, kind: str, body: bytes) -> None:
        self.send_response(status)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Log where the standard library would write to stderr."""
        _log.debug(format, *args)


def _is_local(host: str) -> bool:
    """Return whether a request was addressed to this machine by a name of its own, whatever the port.

    Examples:
        >>> _is_local("localhost:8000"), _is_local("[::1]:8000"), _is_local("evil.example"), _is_local("")
        (True, True, False, False)
    """
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    return name.lower() in _HOSTS
