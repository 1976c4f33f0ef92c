"""StableToolBench's inference client, written from the form of its requests: one episode over one server."""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlsplit

LONGEST = 1024
"""Characters of an observation that the model sees."""

CODES = {
    "API not working error...": 6,
    "Unauthorized error...": 7,
    "Unsubscribed error...": 8,
    "Too many requests error...": 9,
    "Rate limit per minute error...": 10,
    "Message error...": 11,
}


class API(NamedTuple):
    """What stands behind the name of a function."""

    category: str
    tool: str
    api: str


class OfficialClient:
    """Carries out what a model calls.

    Attributes:
        success: Whether a final answer was given.

    Args:
        service_url: What its users put into ``SERVICE_URL``.
        functions: The API of each name of a function.
        key: The user's ``toolbench_key``.
    """

    def __init__(self, service_url: str, functions: Mapping[str, API], key: str) -> None:
        self._service, self._functions, self._key = urlsplit(service_url), functions, key
        self.success = False

    def step(self, name: str, arguments: str) -> tuple[str, int]:
        """Return observation and code of a call whose arguments are the text that the model wrote."""
        observation, code = self._finish(arguments) if name == "Finish" else self._call(name, arguments)
        return observation if len(observation) <= LONGEST else f"{observation[:LONGEST]}...", code

    def _finish(self, arguments: str) -> tuple[str, int]:
        given = json.loads(arguments, strict=False)
        if given["return_type"] == "give_up_and_restart":
            return '{"response":"chose to give up and restart"}', 4
        self.success = "final_answer" in given
        return '{"response":"successfully giving the final answer."}', 3

    def _call(self, name: str, arguments: str) -> tuple[str, int]:
        found: Sequence[API] = [api for known, api in self._functions.items() if known.endswith(name)]
        if not found:
            return json.dumps({"error": f"No such function name: {name}", "response": ""}), 1
        payload = {
            "category": found[0].category,
            "tool_name": found[0].tool,
            "api_name": found[0].api,
            "tool_input": arguments,
            "strip": "truncate",
            "toolbench_key": self._key,
        }
        status, body = self._post(json.dumps(payload))
        if status != 200:
            said = f"request invalid, data error. status_code={status}"
            return json.dumps({"error": said, "response": ""}), 12
        try:
            answer: Any = json.loads(body)
        except ValueError:
            return json.dumps({"error": "request invalid, data error", "response": ""}), 12
        return json.dumps(answer), CODES.get(answer["error"], 0)

    def _post(self, body: str) -> tuple[int, bytes]:
        # One connection a request, as the client has it; and no end to its patience with a virtual server.
        connection = http.client.HTTPConnection(self._service.netloc)
        headers = {"Content-Type": "application/json", "toolbench_key": self._key}
        try:
            connection.request("POST", self._service.path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()
