"""The judge of solvability: a model reads a query with its tools before anyone tries them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from stb_env.core import jsontext
from stb_env.core.request import Slow
from stb_env.errors import InfrastructureError, JudgeError
from stb_env.judges.answer_status import forced
from stb_env.judges.evaluator import Evaluator
from stb_env.judges.excerpt import excerpt, shares
from stb_env.judges.readable import ReadableModel
from stb_env.models import CachedModel, ChatModel, ChatReply, ChatRequest, Contract, ask, fingerprint
from stb_env.models.prompting import Prompt, delimited_each, latest
from stb_env.tasks import Task
from stb_env.tools import Tool
from stb_env.usage import Usage

Solvability = Literal["solvable", "unsure", "unsolvable"]

FIELD = "task_status"
# In characters: together some 15,000 tokens, room enough for the tools of any published query.
QUERY_ROOM = 8_000
TOOLS_ROOM = 48_000

_FUNCTION = "report_task_status"
_STATUSES: Mapping[str, Solvability] = {
    "solvable": "solvable",
    "unsure": "unsure",
    "unsolvable": "unsolvable",
}
# Below this a line says nothing of a tool's parameters any more.
_LEAST = 256
# The word alone, or with a reason behind a stop. "not solvable" and "Solvable: no" must never pass.
_LINE = re.compile(
    r"[^\w{[]*(?:(?:(?:task[_ ]?)?status|solvability|verdict)[^\w{[]+)?"
    r"(solvable|unsure|unsolvable)\b"
    r"(?:\W*|\W*[.,:;–—-](?=\W*\s)\W*+(?!(?:yes|no|not|true|false)\b).*)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Opinion:
    """A model's opinion on whether a task can be solved, and its cost."""

    status: Solvability
    usage: Usage


class ModelSolvability:
    """Decides with a language model whether a task can be solved with the tools that it offers.

    One question for each task, as in the filter that chose solvable queries (Guo et al., 2024, Table 14). A
    reply that cannot be read and a refusal are asked again; then there is a failure and no status.

    Args:
        model: Answers the questions.
        attempts: How often a question is put at most.
        cache: Folder of answers that are known; a pass judge may share it.
        prompt: The question; the newest of the package where not given.
        evaluator: Official evaluator that words the question instead.

    Raises:
        ConfigError: ``attempts`` is below 1.

    Examples:
        >>> from stb_env.models import ScriptedModel
        >>> from stb_env.core.request import drive
        >>> forecast = Tool("forecast", "", {})
        >>> judge = ModelSolvability(ScriptedModel(["Unsolvable"], name="m"))
        >>> judge.name, drive(judge.status(Task("1", "Weather in Oslo?", (forecast,))))
        ('solvability:m:v2', 'unsolvable')
    """

    def __init__(
        self,
        model: ChatModel,
        *,
        attempts: int = 3,
        cache: Path | str | None = None,
        prompt: Prompt | None = None,
        evaluator: Evaluator | None = None,
    ) -> None:
        self._prompt = prompt or latest("solvability")
        self._evaluator = evaluator
        # The cache is outermost, so that it keeps nothing that cannot be read.
        patient = ReadableModel(model, _readable, attempts, own_words=True)
        self._model: ChatModel = patient if cache is None else CachedModel(patient, cache)

    @property
    def name(self) -> str:
        """Judge, model and wording: ``solvability:gpt-4o:v2``."""
        label = self._prompt.version if self._evaluator is None else self._evaluator.label
        return f"solvability:{self._model.name}:{label}"

    @property
    def fingerprint(self) -> dict[str, object]:
        """Everything that decides a status, as plain data."""
        return {
            "judge": self.name,
            "model": fingerprint(self._model),
            "solvability": self._prompt.hash if self._evaluator is None else self._evaluator.fingerprint,
            "room": {"query": QUERY_ROOM, "tools": TOOLS_ROOM},
        }

    def solvable(self, task: Task) -> Slow[bool]:
        """Return whether the model takes the task for solvable; where it is unsure it does not.

        Raises:
            JudgeError: No usable answer came.
        """
        status = yield from self.status(task)
        return status == "solvable"

    def status(self, task: Task) -> Slow[Solvability]:
        """Return what the model takes the task for.

        Raises:
            JudgeError: No usable answer came.
        """
        opinion = yield from self.opinion(task)
        return opinion.status

    def opinion(self, task: Task, index: int = 0) -> Slow[Opinion]:
        """Return what the model takes the task for, and its cost.

        Args:
            task: The task.
            index: Number of the vote, where the same model is asked several times.

        Raises:
            JudgeError: No usable answer came.
        """
        try:
            reply: ChatReply = yield ask(self._model, replace(self._question(task), index=index))
        except InfrastructureError as error:
            raise JudgeError(
                self._missing(task, error), kind=error.kind, retryable=error.retryable
            ) from error
        status = read_solvability(reply)
        if status is None:
            # What is stored could be read once; the rules of reading may have changed since.
            raise JudgeError(self._missing(task, "the stored reply holds none; use another cache folder"))
        return Opinion(status, reply.usage)

    def _missing(self, task: Task, why: object) -> str:
        return f"judge {self.name} gave no status of task {task.id!r}: {why}"

    def _question(self, task: Task) -> ChatRequest:
        if self._evaluator is not None:
            return self._evaluator.solvable(task)
        text = self._prompt.render(
            function=_FUNCTION,
            **delimited_each(
                {
                    "query": excerpt(task.query, QUERY_ROOM),
                    "tools": "\n".join(tool_lines(task.tools, TOOLS_ROOM)),
                }
            ),
        )
        message = {"role": "user", "content": text}
        tool = solvability_tool(_FUNCTION)
        return ChatRequest((message,), (tool,), forced(_FUNCTION), contract=Contract.of(tool))


def tool_lines(tools: Sequence[Tool], room: int) -> list[str]:
    """Return the tools in order, each as one line of JSON; together within ``room`` characters.

    Where there are too many, the last are left out and a line says how many. Of a tool that is too long
    the description is cut first, then the parameters.

    Examples:
        >>> tool_lines([Tool("ping", "Answers pong.", {"type": "object"})], 400)
        ['{"name": "ping", "description": "Answers pong.", "parameters": {"type": "object"}}']
    """
    most = max(1, room // _LEAST)
    rest = len(tools) - most
    texts = [jsontext.dumps(_tool_data(tool)) for tool in tools[:most]]
    given = shares([len(text) for text in texts], room)
    lines = [
        text if len(text) <= share else jsontext.dumps(_shortened(tool, share))
        for text, tool, share in zip(texts, tools, given, strict=False)
    ]
    return [*lines, f"(and {rest} more tools)"] if rest > 0 else lines


def read_solvability(reply: ChatReply) -> Solvability | None:
    """Read a status from a call, from JSON in the text, or from a line that is hardly more than its word.

    Returns:
        The status, or None where the reply holds none or several that differ.

    Examples:
        >>> read_solvability(ChatReply({"content": '{"task_status": "Unsolvable"}'}))
        'unsolvable'
        >>> read_solvability(ChatReply({"content": "This is not solvable"})) is None
        True
    """
    found = {status for text in _json_texts(reply) if (status := _from_json(text)) is not None}
    if not found:
        matches = (_LINE.fullmatch(line.strip()) for line in reply.text.splitlines())
        found = {_STATUSES[match[1].lower()] for match in matches if match}
    return found.pop() if len(found) == 1 else None


def _json_texts(reply: ChatReply) -> Iterator[str]:
    for call in reply.tool_calls:
        yield str(call["function"]["arguments"])
    yield reply.text[reply.text.find("{") : reply.text.rfind("}") + 1]


def _from_json(text: str) -> Solvability | None:
    try:
        data = jsontext.loads(text)
    except ValueError:
        return None
    value = data.get(FIELD) if isinstance(data, Mapping) else None
    return _STATUSES.get(value.strip().lower()) if isinstance(value, str) else None


def _readable(reply: ChatReply) -> bool:
    return read_solvability(reply) is not None


def solvability_tool(name: str) -> dict[str, object]:
    """Return the OpenAI spec of a function that takes a task's status and the reason for it.

    Examples:
        >>> solvability_tool("report")["function"]["parameters"]["required"]
        ['reason', 'task_status']
    """
    properties = {
        # The reason stands first: a model that writes it before the status has thought before it decides.
        "reason": {"type": "string", "description": "What decided it, in one or two sentences."},
        FIELD: {"type": "string", "enum": ["Solvable", "Unsure", "Unsolvable"]},
    }
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    description = "Report whether the request can be met with the tools."
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters},
    }


def _tool_data(tool: Tool) -> dict[str, object]:
    return {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}


def _shortened(tool: Tool, limit: int) -> dict[str, object]:
    quarter = max(64, limit // 4)
    kept = {"name": jsontext.cut(tool.name, 68), "description": jsontext.cut(tool.description, quarter)}
    room = limit - len(jsontext.dumps(kept | {"parameters": ""}))
    return kept | {"parameters": jsontext.cut(dict(tool.parameters), max(64, room))}
