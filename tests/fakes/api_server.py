"""A real HTTP server on 127.0.0.1 that plays APIs from a script, faults included."""

from __future__ import annotations

import json
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.fakes.openai_server import Answer


@dataclass(frozen=True)
class Seen:
    """A request as it arrived; header names are in lower case, the target is as it stood on the line."""

    method: str
    target: str
    headers: Mapping[str, str]
    content: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.content)


Script = Answer | Callable[[Seen], Answer]


def answered(response: Any, error: Any = "", **changes: Any) -> Answer:
    """Return an answer in the protocol of a remote server."""
    return Answer({"error": error, "response": response}, **changes)


class APIServer:
    """Answers each path from its script, then with the response "ok".

    Attributes:
        requests: Every request so far.
        peak: The most requests that were in flight at once.
    """

    def __init__(self) -> None:
        self.requests: list[Seen] = []
        self.peak = 0
        self.default: Script = answered("ok")
        self._flying = 0
        self._lock = threading.Lock()
        self._scripts: defaultdict[str, deque[Script]] = defaultdict(deque)
        self._holds: set[threading.Event] = set()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler_for(self))
        self._http.daemon_threads = True
        self.host = f"127.0.0.1:{self._http.server_address[1]}"

    def url(self, path: str = "/rapidapi") -> str:
        """Return the URL of a path."""
        return f"http://{self.host}{path}"

    def script(self, *answers: Script, path: str = "/rapidapi") -> None:
        """Append to what a path will answer."""
        with self._lock:
            self._scripts[path].extend(answers)

    def hold(self) -> threading.Event:
        """Return an event to hold answers with; it is set when the server stops."""
        event = threading.Event()
        self._holds.add(event)
        return event

    @contextmanager
    def running(self) -> Iterator[APIServer]:
        """Serve until the block ends; whatever is still held then is let go."""
        thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield self
        finally:
            for hold in self._holds:
                hold.set()
            self._http.shutdown()
            self._http.server_close()
            thread.join()

    def next_answer(self, request: Seen) -> Answer:
        """Take note of a request and return what it is answered with."""
        with self._lock:
            self.requests.append(request)
            script = self._scripts[request.target.partition("?")[0]]
            step = script.popleft() if script else self.default
        return step if isinstance(step, Answer) else step(request)

    @contextmanager
    def flight(self) -> Iterator[None]:
        """Count a request in while it is in flight."""
        with self._lock:
            self._flying += 1
            self.peak = max(self.peak, self._flying)
        try:
            yield
        finally:
            with self._lock:
                self._flying -= 1


def _handler_for(fake: APIServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Otherwise the body waits 40 ms for the headers to be acknowledged.
        disable_nagle_algorithm = True

        def _serve(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            seen = Seen(self.command, self.path, headers, self.rfile.read(length))
            with fake.flight():
                answer = fake.next_answer(seen)
                if answer.hold:
                    answer.hold.wait()
            # Who has the last byte may ask again before the next line is reached.
            self._answer(answer)

        def _answer(self, answer: Answer) -> None:
            if answer.hold:
                answer.hold.wait()
            if answer.dropped:
                self.close_connection = True
                return
            try:
                self._send(answer)
            except OSError:
                # The client gave up waiting, which is what some tests are about.
                self.close_connection = True

        def _send(self, answer: Answer) -> None:
            self.send_response(answer.status)
            for name, value in {"Content-Type": "application/json", **answer.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(10**6 if answer.drip else len(answer.content)))
            self.end_headers()
            while answer.drip and answer.drip():
                self.wfile.write(b" ")
                self.wfile.flush()
            self.wfile.write(answer.content[: answer.cut])
            self.close_connection = answer.cut is not None or answer.drip is not None

        def log_message(self, *args: Any) -> None:
            """Stay quiet."""

    for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
        setattr(Handler, f"do_{method}", Handler._serve)
    return Handler
