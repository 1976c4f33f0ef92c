"""A real HTTP server on 127.0.0.1 that speaks chat completions from a script, faults included."""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from stb_env.models.abilities import PROBE
from tests.fakes.scripted import Answer as Answer
from tests.fakes.scripted import AnsweringHandler, ScriptedServer


@dataclass(frozen=True)
class Received:
    """A request as it arrived; header names are in lower case."""

    path: str
    headers: Mapping[str, str]
    body: Any


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


class OpenAIServer(ScriptedServer):
    """Answers per base path (one for each role) from that path's script, then with "ok".

    A probe of its abilities is answered apart from the scripts, and noted apart from the requests.

    Attributes:
        requests: Every request so far, without probes.
        probes: Every request of a probe so far.
        abilities: What probes find: ``json_schema``, ``tools`` (one can be forced), ``rendered``.
        refuses: Whether what it lacks is answered with 400, and not just ignored.
        models: What ``/models`` says of the models, where it says anything.
        gone: Whether every connection is closed without a word, as by a machine that went down.
        streams: Whether it streams answers to those who ask for that.
        tells: What it answers to GET requests, by path.
        asked: Paths of every GET request so far.
    """

    def __init__(self) -> None:
        super().__init__(_handler_for(self))
        self.requests: list[Received] = []
        self.probes: list[Received] = []
        self.abilities = {"tools", "rendered"}
        self.refuses = False
        self.models: list[dict[str, Any]] | None = None
        self.gone = False
        self.streams = False
        self.tells: dict[str, Any] = {}
        self.asked: list[str] = []
        self._scripts: defaultdict[str, deque[Script]] = defaultdict(deque)

    def url(self, role: str = "agent") -> str:
        """Return the base URL of a role's endpoint."""
        return f"http://{self.host}/{role}/v1"

    def script(self, *answers: Script, role: str = "agent") -> None:
        """Append to what a role's endpoint will answer."""
        with self._lock:
            self._scripts[role].extend(answers)
            self._holds.update(
                event for a in answers if isinstance(a, Answer) for event in (a.hold, a.stall) if event
            )

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


def _handler_for(fake: OpenAIServer) -> type[AnsweringHandler]:
    class Handler(AnsweringHandler):
        def do_GET(self) -> None:  # noqa: N802 (http.server calls it by this name)
            fake.asked.append(self.path)
            told = fake.tells.get(self.path)
            if told is None and fake.models is not None and self.path.endswith("/models"):
                told = {"object": "list", "data": fake.models}
            answer = error("no path", 404) if told is None else Answer(told)
            self.answer(replace(answer, dropped=fake.gone))

        def do_POST(self) -> None:  # noqa: N802 (http.server calls it by this name)
            headers, content = self.received()
            received = Received(self.path, headers, json.loads(content))
            if fake.gone:
                self.answer(Answer(dropped=True))
                return
            with fake.flight():
                answer = fake.next_answer(received)
                if answer.hold:
                    answer.hold.wait()
            # Who has the last byte may ask again before the next line is reached.
            self.answer(answer)

    return Handler
