"""A server on 127.0.0.1 whose answers are scripted, faults included."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


@dataclass(frozen=True)
class Answer:
    """One scripted response.

    Attributes:
        body: Text, or a JSON value.
        status: HTTP status.
        headers: Headers to send besides the usual ones.
        cut: Close the connection after so many bytes of the body, as if it broke; 0 sends headers only.
        dropped: Close the connection without a word.
        hold: Answer only when this is set.
        drip: Then send one blank after another instead of the body, one whenever it is called.
        pace: Called before each event of a stream.
        stall: Send half of the body and the rest only when this is set.
        pack: Compresses the body; a ``Content-Encoding`` that says so is one of the headers.
    """

    body: Any = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: int | None = None
    dropped: bool = False
    hold: threading.Event | None = None
    drip: Callable[[], bool] | None = None
    pace: Callable[[], object] | None = None
    stall: threading.Event | None = None
    pack: Callable[[bytes], bytes] = bytes

    @property
    def content(self) -> bytes:
        return self.pack(self.text.encode())

    @property
    def text(self) -> str:
        return self.body if isinstance(self.body, str) else json.dumps(self.body)

    def streamed(self) -> Answer:
        """Return the same answer as a stream of events; errors are sent as they are."""
        if self.status != 200:
            return self
        whole = self.body if isinstance(self.body, dict) and "usage" in self.body else None
        events = [self.text] if whole is None else [*map(json.dumps, _chunks(whole)), "[DONE]"]
        headers = {"Content-Type": "text/event-stream", **self.headers}
        text = "".join(f"data: {event}\n\n" for event in events)
        return replace(self, body=f": hello\n\n{text}", headers=headers)


def _chunks(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Cut a completion into a chunk for each character and each piece of a call, as servers do."""
    frame = {name: value for name, value in body.items() if name not in ("choices", "usage")}
    choice = dict(body["choices"][0])
    message = choice.pop("message")
    reason = choice.pop("finish_reason")
    rest = {k: v for k, v in message.items() if k not in ("content", "refusal", "tool_calls")}
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": None, **rest}]
    deltas += [{name: part} for name in ("content", "refusal") for part in message.get(name) or ""]
    for index, call in enumerate(message.get("tool_calls") or ()):
        arguments = call["function"].get("arguments", "")
        parts = arguments if isinstance(arguments, str) else [arguments]
        named = {"name": call["function"]["name"]}
        deltas.append({"tool_calls": [{**call, "index": index, "function": named}]})
        deltas += [{"tool_calls": [{"index": index, "function": {"arguments": part}}]} for part in parts]
    for delta in deltas:
        yield {**frame, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield {**frame, "choices": [{**choice, "delta": {}, "finish_reason": reason}]}
    yield {**frame, "choices": [], "usage": body["usage"]}


class ScriptedServer:
    """Counts the requests in flight, and lets go what it holds when it stops.

    Attributes:
        peak: The most requests that were in flight at once.
    """

    def __init__(self, handler: type[AnsweringHandler]) -> None:
        self.peak = 0
        self._flying = 0
        self._lock = threading.Lock()
        self._holds: set[threading.Event] = set()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._http.daemon_threads = True
        self.host = f"127.0.0.1:{self._http.server_address[1]}"

    @contextmanager
    def running(self) -> Iterator[Self]:
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


class AnsweringHandler(BaseHTTPRequestHandler):
    """Sends an answer as it says: whole, in parts, cut or not at all."""

    protocol_version = "HTTP/1.1"
    # Otherwise the body waits 40 ms for the headers to be acknowledged.
    disable_nagle_algorithm = True

    def received(self) -> tuple[dict[str, str], bytes]:
        """Return the headers of the request, their names in lower case, and its body."""
        length = int(self.headers.get("Content-Length", 0))
        return {name.lower(): value for name, value in self.headers.items()}, self.rfile.read(length)

    def answer(self, answer: Answer) -> None:
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
        for part in _parts(answer):
            self.wfile.write(part)
            self.wfile.flush()
        self.close_connection = answer.cut is not None or answer.drip is not None

    def log_message(self, *args: Any) -> None:
        """Stay quiet."""


def _parts(answer: Answer) -> Iterator[bytes]:
    content = answer.content[: answer.cut]
    if answer.pace:
        for event in content.split(b"\n\n"):
            answer.pace()
            yield event + b"\n\n"
    elif answer.stall:
        half = len(content) // 2
        yield content[:half]
        answer.stall.wait()
        yield content[half:]
    else:
        yield content
