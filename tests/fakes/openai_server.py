"""A real HTTP server on 127.0.0.1 that speaks chat completions from a script, faults included."""

from __future__ import annotations

import json
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from stb_env.models.abilities import PROBE


@dataclass(frozen=True)
class Received:
    """A request as it arrived; header names are in lower case."""

    path: str
    headers: Mapping[str, str]
    body: Any


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


Script = Answer | Callable[[Received], Answer]


def completion(text: str | None = "ok", **changes: Any) -> dict[str, Any]:
    """Return the body of a chat completion; ``changes`` replace or add members of its choice."""
    message = {"role": "assistant", "content": text, "refusal": None, "tool_calls": None}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "fake-model-1",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message, **changes}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    }


def error(message: str, status: int, *, code: str | None = None, **headers: str) -> Answer:
    """Return an error response in OpenAI's form."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer({"error": {"message": message, "type": "some_error", "code": code}}, status, named)


class OpenAIServer:
    """Answers per base path (one for each role) from that path's script, then with "ok".

    A probe of its abilities is answered apart from the scripts, and noted apart from the requests.

    Attributes:
        requests: Every request so far, without probes.
        probes: Every request of a probe so far.
        abilities: What probes find: ``json_schema``, ``tools`` (one can be forced), ``rendered``.
        refuses: Whether what it lacks is answered with 400, and not just ignored.
        models: What ``/models`` says of the models, where it says anything.
        peak: The most requests that were in flight at once.
        gone: Whether every connection is closed without a word, as by a machine that went down.
        streams: Whether it streams answers to those who ask for that.
        tells: What it answers to GET requests, by path.
        asked: Paths of every GET request so far.
    """

    def __init__(self) -> None:
        self.requests: list[Received] = []
        self.probes: list[Received] = []
        self.abilities = {"tools", "rendered"}
        self.refuses = False
        self.models: list[dict[str, Any]] | None = None
        self.peak = 0
        self.gone = False
        self.streams = False
        self.tells: dict[str, Any] = {}
        self.asked: list[str] = []
        self._flying = 0
        self._lock = threading.Lock()
        self._scripts: defaultdict[str, deque[Script]] = defaultdict(deque)
        self._holds: set[threading.Event] = set()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler_for(self))
        self._http.daemon_threads = True

    def url(self, role: str = "agent") -> str:
        """Return the base URL of a role's endpoint."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/{role}/v1"

    def script(self, *answers: Script, role: str = "agent") -> None:
        """Append to what a role's endpoint will answer."""
        with self._lock:
            self._scripts[role].extend(answers)
            self._holds.update(
                event for a in answers if isinstance(a, Answer) for event in (a.hold, a.stall) if event
            )

    @contextmanager
    def running(self) -> Iterator[OpenAIServer]:
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

    def next_answer(self, request: Received) -> Answer:
        """Take note of a request and return what it is answered with."""
        if PROBE in json.dumps(request.body):
            self.probes.append(request)
            return self._probed(request.body)
        with self._lock:
            self.requests.append(request)
            script = self._scripts[request.path.split("/")[1]]
            step: Script = script.popleft() if script else Answer(completion())
        answer = step if isinstance(step, Answer) else step(request)
        return answer.streamed() if self.streams and request.body.get("stream") else answer

    def _probed(self, body: Any) -> Answer:
        asked = _ability(body)
        if asked is None:
            return Answer(completion("hm"))
        if asked not in self.abilities:
            return error(f"unknown field for {asked}", 400) if self.refuses else Answer(completion("hm"))
        if asked == "rendered":
            return Answer(completion("hm") | {"usage": {"prompt_tokens": 99, "completion_tokens": 1}})
        text = json.dumps({"code": _secret(body)})
        if asked == "json_schema":
            return Answer(completion(text))
        function = {"name": PROBE, "arguments": text}
        return Answer(completion(None, message={"tool_calls": [{"id": "c", "function": function}]}))

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


def _ability(body: Any) -> str | None:
    if "response_format" in body:
        return "json_schema"
    if "tools" in body:
        return "tools" if "tool_choice" in body else "rendered"
    return None


def _secret(body: Any) -> str:
    schema = (
        body["response_format"]["json_schema"]["schema"]
        if "response_format" in body
        else body["tools"][0]["function"]["parameters"]
    )
    word: str = schema["properties"]["code"]["enum"][0]
    return word


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


def _handler_for(fake: OpenAIServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Otherwise the body waits 40 ms for the headers to be acknowledged.
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            fake.asked.append(self.path)
            told = fake.tells.get(self.path)
            if told is None and fake.models is not None and self.path.endswith("/models"):
                told = {"object": "list", "data": fake.models}
            answer = error("no path", 404) if told is None else Answer(told)
            self._answer(replace(answer, dropped=fake.gone))

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            received = Received(self.path, headers, json.loads(self.rfile.read(length)))
            if fake.gone:
                self._answer(Answer(dropped=True))
                return
            with fake.flight():
                answer = fake.next_answer(received)
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
            for part in _parts(answer):
                self.wfile.write(part)
                self.wfile.flush()
            self.close_connection = answer.cut is not None or answer.drip is not None

        def log_message(self, *args: Any) -> None:
            """Stay quiet."""

    return Handler
