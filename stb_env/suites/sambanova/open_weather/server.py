"""The embedded weather service over HTTP on this machine, for programs that send real requests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import unquote, urlsplit

from stb_env import jsontext
from stb_env.suites.sambanova.common.curl.request import Answer, read_query
from stb_env.suites.sambanova.open_weather.service import respond

_TYPES = {"json": "application/json; charset=utf-8", "xml": "application/xml; charset=utf-8"}


@contextmanager
def serving(port: int = 0) -> Iterator[str]:
    """Serve on the loopback interface while the block runs.

    Args:
        port: 0 takes any that is free.

    Yields:
        The address to put in place of the real one, such as ``http://127.0.0.1:8076``.

    Examples:
        >>> from urllib.request import urlopen
        >>> from stb_env.suites.sambanova.open_weather.service import KEY
        >>> with serving() as address:
        ...     text = urlopen(f"{address}/data/2.5/weather?q=oslo&appid={KEY}").read().decode()
        >>> '"name": "Oslo"' in text
        True
    """
    with ThreadingHTTPServer(("127.0.0.1", port), _Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def serve(port: int = 8076) -> None:
    """Serve on the loopback interface until interrupted."""
    with ThreadingHTTPServer(("127.0.0.1", port), _Handler) as server:
        server.serve_forever()


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self._reply()

    def do_POST(self) -> None:
        self._reply()

    def do_DELETE(self) -> None:
        self._reply()

    def log_message(self, format: str, *args: object) -> None:
        """Write nothing: the caller's terminal is not ours."""

    def _reply(self) -> None:
        answer = _answer(self.command, self.path)
        text = answer.body if isinstance(answer.body, str) else jsontext.dumps(answer.body)
        payload = text.encode("utf-8", "replace")
        self.send_response(answer.code)
        self.send_header("Content-Type", _TYPES.get(answer.medium, "text/plain; charset=utf-8"))
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)


def _answer(method: str, target: str) -> Answer:
    try:
        parts = urlsplit(target)
        params = read_query(parts.query)
    except ValueError:
        return Answer(400, {"cod": "400", "message": "The address cannot be read."})
    return respond(method, unquote(parts.path), params)
