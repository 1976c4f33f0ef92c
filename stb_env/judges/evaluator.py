"""A published evaluator (Guo et al., 2024), its prompts and functions used as they are."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonObject
from stb_env.errors import ConfigError, did_you_mean
from stb_env.formats.evaluator_template import EvaluatorFiles, fill, read_evaluator
from stb_env.judges.answer_status import forced
from stb_env.judges.excerpt import Room, excerpt, shares
from stb_env.judges.judge import Case
from stb_env.models import ChatRequest, Sampling
from stb_env.tasks import Task
from stb_env.tools import FINISH
from stb_env.trajectory import CallRecord, arguments_text

ANSWER, DETAILS, SOLVABLE = "check_answer_status", "parse_answer_status", "check_task_solvable"

_METHOD = "CoT@1"
# Steps nest; this many still nest within what JSON readers and writers take.
_MAX_CALLS = 150


class Evaluator:
    """Puts the questions of an evaluator folder: its words, its sampling, the forced function, a reason.

    The folder's model is not used, because the one that it names is gone; the judge's own model answers.
    Its templates put query and answer in as they are, without delimiters: an answer that speaks to the
    judge is not set apart here. The package's own prompts do that.

    Args:
        files: The folder as read.
        room: How much of each text goes in.

    Raises:
        ConfigError: A function lacks a name or parameters.
    """

    def __init__(self, files: EvaluatorFiles, room: Room | None = None) -> None:
        self.files = files
        self._room = room or Room()
        self._tools = {name: _with_reason(name, function) for name, function in files.functions.items()}
        settings = files.settings
        self._sampling = Sampling(
            temperature=settings.get("temperature"), max_tokens=settings.get("max_tokens")
        )

    @classmethod
    def load(cls, folder: str | Path, room: Room | None = None) -> Evaluator:
        """Read an evaluator folder.

        Raises:
            ConfigError: The folder has no configuration, or reading it needs the extra ``evaluators``.
            DataError: A file is not what the format promises.
        """
        return cls(read_evaluator(folder), room)

    @property
    def label(self) -> str:
        """The evaluator's name."""
        return self.files.name

    @property
    def fingerprint(self) -> dict[str, object]:
        """Hash of its prompts and functions."""
        template = self.files.template
        content = [dict(template.prompts), [list(pair) for pair in template.messages], self._tools]
        text = jsontext.dumps([content, self._sampling.to_dict(), repr(self._room)])
        return {"evaluator": self.label, "hash": hashlib.sha256(text.encode()).hexdigest()}

    def render(self, function: str, **fields: str) -> list[JsonObject]:
        """Return the messages that ask for a function; the chat template where it has no prompt of its own.

        Raises:
            ConfigError: The evaluator has no such function.
            DataError: The template asks for a field that is not given.
        """
        self._tool(function)
        template = self.files.template
        if function in template.prompts:
            return [{"role": "user", "content": fill(template.prompts[function], fields)}]
        if not template.messages:
            raise ConfigError(f"the template of evaluator {self.label!r} has no prompt for {function!r}")
        return [{"role": role, "content": fill(content, fields)} for role, content in template.messages]

    def request(self, function: str, **fields: str) -> ChatRequest:
        """Return the question: messages, the one function, and the choice forced to it.

        Raises:
            ConfigError: The evaluator has no such function.
            DataError: The template asks for a field that is not given.
        """
        tool = self._tool(function)
        messages = tuple(self.render(function, **fields))
        return ChatRequest(messages, (tool,), forced(function), self._sampling)

    def answer(self, case: Case) -> ChatRequest:
        """Ask the first question: query and final answer, the latter as answer files have it."""
        query = excerpt(case.task.query, self._room.query)
        return self.request(ANSWER, query=query, answer=excerpt(_final_answer(case), self._room.answer))

    def details(self, case: Case) -> ChatRequest:
        """Ask the second question: query and the whole answer as JSON."""
        query = excerpt(case.task.query, self._room.query)
        return self.request(DETAILS, query=query, answer=jsontext.dumps(answer_record(case, self._room)))

    def solvable(self, task: Task) -> ChatRequest:
        """Ask whether a task can be solved: query and tools as JSON."""
        tools = [
            {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
            for tool in task.tools
        ]
        record = {"query": excerpt(task.query, self._room.query), "available_tools": tools}
        return self.request(SOLVABLE, task=excerpt(jsontext.dumps(record), self._room.calls))

    def _tool(self, function: str) -> dict[str, object]:
        if function not in self._tools:
            near = did_you_mean(function, self._tools)
            known = ", ".join(self._tools)
            raise ConfigError(f"evaluator {self.label!r} has no function {function!r}, only {known}.{near}")
        return self._tools[function]


def answer_record(case: Case, room: Room | None = None) -> dict[str, object]:
    """Return an episode in the form that published evaluators are shown: a tree with one branch.

    Of more than 150 calls the first and the last ones are kept.

    Args:
        case: The episode.
        room: Bounds on its texts.

    Examples:
        >>> from stb_env.tasks import Task
        >>> from stb_env.tools import Tool
        >>> search = Tool("search", "", {})
        >>> record = answer_record(Case(Task("1", "q", (search,)), "Paris.", ()))
        >>> record["total_steps"], record["answer_details"][0]["next"][0]["role"]
        (2, 'user')
    """
    room = room or Room()
    calls = case.calls
    if len(calls) > _MAX_CALLS:
        calls = (*calls[: _MAX_CALLS // 2], *calls[-_MAX_CALLS // 2 :])
    texts = ["" if call.name == FINISH else call.result.text for call in calls]
    given = shares([len(text) for text in texts], room.calls)
    steps: list[JsonObject] = []
    for call, text, share in zip(reversed(calls), reversed(texts), reversed(given), strict=True):
        steps = [{"role": "tool", "message": _message(call, excerpt(text, max(64, share))), "next": steps}]
    user = {"role": "user", "message": "", "next": steps}
    return {
        "method": _METHOD,
        "total_steps": len(case.calls) + 2,
        "final_answer": excerpt(_final_answer(case), room.answer),
        "answer_details": [{"role": "system", "message": "", "next": [user]}],
    }


def _message(call: CallRecord, response: str) -> dict[str, str]:
    return {"name": call.name, "arguments": arguments_text(call.arguments), "response": response}


def _final_answer(case: Case) -> str:
    finish = _last_finish(case.calls)
    if finish is not None:
        return arguments_text(finish.arguments)
    return jsontext.dumps({"return_type": "give_answer", "final_answer": case.text})


def _last_finish(calls: Sequence[CallRecord]) -> CallRecord | None:
    return next((call for call in reversed(calls) if call.name == FINISH), None)


def _with_reason(name: str, function: Any) -> dict[str, object]:
    parameters = dict(function.get("parameters") or {})
    properties = dict(parameters.get("properties") or {})
    if name in ("", "None") or not properties:
        raise ConfigError(f"function {name!r} of the evaluator needs a name and parameters.properties")
    properties.setdefault("reason", {"type": "string", "description": "Why you decide so."})
    required = list(dict.fromkeys([*(parameters.get("required") or []), "reason"]))
    parameters |= {"type": "object", "properties": properties, "required": required}
    return {"type": "function", "function": {**function, "parameters": parameters}}
