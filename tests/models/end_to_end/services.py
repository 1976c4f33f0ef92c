"""Three model services on ports of their own, one for each role, and models that answer as they are asked."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fakes.openai_server import Answer, OpenAIServer, Received, Script, completion

ROLES = ("agent", "simulator", "judge")
# More than any test asks for.
_PLENTY = 5_000


def key_of(role: str) -> tuple[str, str]:
    """Return the environment variable of a role's key, and the key."""
    return f"FAKE_{role.upper()}_KEY", f"sk-{role}-0123456789/+="


@dataclass(frozen=True)
class Service:
    """The endpoint, model and key of one role."""

    role: str
    server: OpenAIServer

    @property
    def model(self) -> str:
        return f"{self.role}-model"

    @property
    def variable(self) -> str:
        return key_of(self.role)[0]

    @property
    def key(self) -> str:
        return key_of(self.role)[1]

    @property
    def requests(self) -> list[Received]:
        return self.server.requests

    def script(self, *answers: Script) -> None:
        self.server.script(*answers, role=self.role)

    def always(self, answer: Script) -> None:
        self.script(*[answer] * _PLENTY)

    def settings(self, changes: Mapping[str, Any]) -> str:
        """Return the role's table in a models file."""
        given = {"model": self.model, "base_url": self.server.url(self.role), "api_key_env": self.variable}
        rows = [f"{name} = {json.dumps(value)}" for name, value in {**given, **changes}.items()]
        return "\n".join([f"[models.{self.role}]", *rows, ""])


@dataclass(frozen=True)
class Services:
    """All roles' services."""

    agent: Service
    simulator: Service
    judge: Service

    def __iter__(self) -> Iterator[Service]:
        return iter((self.agent, self.simulator, self.judge))

    def models(self, file: Path, **changes: Mapping[str, Any]) -> Path:
        """Write a models file that names each service; ``changes`` are further settings by role."""
        file.write_text("\n".join(service.settings(changes.get(service.role, {})) for service in self))
        return file

    def count(self) -> dict[str, int]:
        """Return how many requests each service has had."""
        return {service.role: len(service.requests) for service in self}


@contextmanager
def serving() -> Iterator[Services]:
    """Serve until the block ends; no service answers afterwards."""
    with ExitStack() as stack:
        yield Services(*[Service(role, stack.enter_context(OpenAIServer().running())) for role in ROLES])


# -- models --------------------------------------------------------------------------------------------


def said(message: Mapping[str, Any]) -> Answer:
    """Return a completion with this message."""
    return Answer(completion(message=dict(message)))


def calling(name: str, arguments: Mapping[str, Any], *, call_id: str = "c") -> Answer:
    """Return a completion that calls one function."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    return said({"content": None, "tool_calls": [{"id": call_id, "type": "function", "function": function}]})


def finishing(answer: str) -> Answer:
    """Return a completion that gives a final answer."""
    return calling("Finish", {"return_type": "give_answer", "final_answer": answer})


def prompt_of(request: Received) -> str:
    """Return the text of the last message."""
    return str(request.body["messages"][-1]["content"])


def query_of(request: Received) -> str:
    """Return the text of the agent's first user message."""
    return next(m["content"] for m in request.body["messages"] if m["role"] == "user")


def number(text: str, below: int) -> int:
    """Return a number that follows from a text."""
    return int(hashlib.sha256(text.encode()).hexdigest(), 16) % below


def diligent(turns: int) -> Callable[[Received], Answer]:
    """Return an agent that calls its tools in turn, so many times, and then gives an answer."""

    def answer(request: Received) -> Answer:
        query = query_of(request)
        turn = sum(message["role"] == "assistant" for message in request.body["messages"])
        if turn >= turns:
            text = f"For {query[:40]!r} it is {number(query, 1000)}."
            form = request.body["tools"][-1]["function"]["parameters"]["properties"].get("answer")
            return calling("Finish", {"answer": _arguments(form, query)}) if form else finishing(text)
        tools = [tool["function"] for tool in request.body["tools"][:-1]]
        tool = tools[(turn + number(query, 97)) % len(tools)]
        return calling(tool["name"], _arguments(tool["parameters"], query), call_id=f"c{turn}")

    return answer


def _arguments(schema: Mapping[str, Any], query: str) -> dict[str, Any]:
    known = schema.get("properties", {})
    return {name: _value(known[name], query) for name in schema.get("required", ())}


def _value(schema: Mapping[str, Any], query: str) -> Any:
    """Return a value that the schema allows; of its keywords those are known that tasks use."""
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    if kind == "array":
        return [_value(schema["items"], query)] if schema.get("minItems") else []
    if kind == "object":
        return _arguments(schema, query)
    if kind == "string":
        shapes = {"date": "2026-03-01", "time": "10:00", "date-time": "2026-03-01T10:00"}
        return shapes.get(schema.get("format", ""), f"Zoë № {number(query, 10**6)}")
    return {"integer": 3, "number": 2.5, "boolean": True}.get(kind, f"Zoë № {number(query, 10**6)}")


def simulating(request: Received) -> Answer:
    """Answer for an API with what follows from the call alone."""
    asked = prompt_of(request).rpartition("<<<request")[2].partition("\n")[2].rpartition("\n")[0]
    rows = [
        {"id": row, "worth": row / 3, "note": "naïve\n\t“x” \U0001f600"} for row in range(number(asked, 4))
    ]
    return Answer(completion(json.dumps({"error": "", "response": {"of": asked[:80], "rows": rows}})))


def voting(status: str) -> Answer:
    """Return a judge's vote."""
    return calling("report_status", {"answer_status": status, "reason": "It is so."})


def varied(request: Received) -> Answer:
    """Vote as it follows from the question."""
    return voting(("Solved", "Unsure", "Unsolved")[number(_material(prompt_of(request)), 3)])


def _material(prompt: str) -> str:
    return prompt.partition("What the user asked:")[2]
