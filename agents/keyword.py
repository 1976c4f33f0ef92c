"""A policy without a model: picks tools by the words that they share with the query."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import gymnasium as gym

from stb_env import Agent

_WORD = re.compile(r"[a-z]{3,}")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_MOMENTS = {
    "date": (re.compile(r"\b[0-9]{4}-[01][0-9]-[0-3][0-9]\b"), "2026-01-01"),
    "time": (re.compile(r"\b[0-2][0-9]:[0-5][0-9]\b"), "12:00"),
}
_USUAL: dict[str, Any] = {"boolean": True, "array": [], "object": {}, "integer": 0, "number": 0}
_PROPER = re.compile(r"\b[A-ZÀ-Þ][\w'-]+(?: [A-ZÀ-Þ][\w'-]+)*")


class KeywordAgent(Agent):
    """Calls the best matching tools once each, then answers with what came back.

    What it scores is what word matching alone is worth. Run it with ``--agent keyword``.

    Args:
        calls: How many tools to try before answering.
    """

    name = "keyword"

    def __init__(self, calls: int = 2) -> None:
        self.calls = calls

    def reset(self, env: gym.Env[Any, Any], seed: int) -> None:
        """Forget the last episode."""
        del env, seed
        self._plan: list[dict[str, Any]] | None = None
        self._found: list[str] = []

    def act(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> Any:
        """Return the next call, or the answer once the plan is done."""
        if self._plan is None:
            specs = json.loads(observation["tools"])
            self._plan = self._ranked(observation["query"], specs)
            finish = next(spec["function"] for spec in specs if spec["function"]["name"] == "Finish")
            self._asked = finish["parameters"]["properties"].get("answer")
        for call in info["calls"]:
            if not call["error"]:
                self._found.append(json.dumps(call["response"], ensure_ascii=False))
        if self._plan:
            return self._plan.pop(0)
        said = " ".join(self._found) or "I could not find that out."
        asked = self._asked
        return {
            "name": "Finish",
            "arguments": {"answer": fill(asked, said)} if asked else {"final_answer": said},
        }

    def _ranked(self, query: str, specs: list[dict[str, Any]]) -> list[dict[str, Any]]:
        words = set(_WORD.findall(query.lower()))
        functions = [spec["function"] for spec in specs if spec["function"]["name"] != "Finish"]

        def score(function: Mapping[str, Any]) -> int:
            text = f"{function['name'].replace('_', ' ')} {function['description']}".lower()
            return len(words & set(_WORD.findall(text)))

        best = sorted(functions, key=score, reverse=True)[: self.calls]
        return [{"name": f["name"], "arguments": fill(f["parameters"], query)} for f in best]


def fill(schema: Mapping[str, Any], query: str) -> dict[str, Any]:
    """Fill the required parameters with what a text names, in order, else with defaults."""
    names, numbers = _PROPER.findall(query)[1:] or _PROPER.findall(query), _NUMBER.findall(query)
    moments = {form: pattern.findall(query) or [usual] for form, (pattern, usual) in _MOMENTS.items()}
    arguments: dict[str, Any] = {}
    for name in schema.get("required", ()):
        parameter = schema["properties"].get(name, {})
        if "enum" in parameter:
            asked = [value for value in parameter["enum"] if str(value).lower() in query.lower()]
            arguments[name] = (asked or parameter["enum"])[0]
        elif parameter.get("type") in ("number", "integer") and numbers:
            number = float(numbers.pop(0))
            arguments[name] = int(number) if parameter["type"] == "integer" else number
        elif parameter.get("format") in moments:
            arguments[name] = moments[parameter["format"]][0]
        elif parameter.get("type") == "string" and names:
            arguments[name] = names.pop(0)
        else:
            arguments[name] = parameter.get("default", _USUAL.get(parameter.get("type", "string"), ""))
    return arguments
