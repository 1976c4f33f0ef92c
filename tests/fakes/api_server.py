"""A real HTTP server on 127.0.0.1 that plays APIs from a script, faults included."""

from __future__ import annotations

import json
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.fakes.scripted import Answer, AnsweringHandler, ScriptedServer


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


class APIServer(ScriptedServer):
    """Answers each path from its script, then with the response "ok".

    Attributes:
        requests: Every request so far.
    """

    def __init__(self) -> None:
        super().__init__(_handler_for(self))
        self.requests: list[Seen] = []
        self.default: Script = answered("ok")
        self._scripts: defaultdict[str, deque[Script]] = defaultdict(deque)

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

    def next_answer(self, request: Seen) -> Answer:
        """Take note of a request and return what it is answered with."""
        with self._lock:
            self.requests.append(request)
            script = self._scripts[request.target.partition("?")[0]]
            step = script.popleft() if script else self.default
        return step if isinstance(step, Answer) else step(request)


def _handler_for(fake: APIServer) -> type[AnsweringHandler]:
    class Handler(AnsweringHandler):
        def _serve(self) -> None:
            seen = Seen(self.command, self.path, *self.received())
            with fake.flight():
                answer = fake.next_answer(seen)
                if answer.hold:
                    answer.hold.wait()
            # Who has the last byte may ask again before the next line is reached.
            self.answer(answer)

    for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
        setattr(Handler, f"do_{method}", Handler._serve)
    return Handler
