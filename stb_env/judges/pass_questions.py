"""The two prompts of the pass judge: on the final answer, and on the whole episode."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from stb_env.judges.answer_status import forced, status_tool
from stb_env.judges.excerpt import Room, call_lines, excerpt, shares
from stb_env.judges.judge import Case
from stb_env.models import ChatRequest, Contract
from stb_env.models.prompting import Prompt, delimited_each, latest
from stb_env.tools import FINISH

_FUNCTION = "report_status"


class PassQuestions(Protocol):
    """Builds the two chat requests of the pass judge, whose replies are read alike."""

    @property
    def label(self) -> str:
        """Names the wording in the judge's name."""
        ...

    @property
    def fingerprint(self) -> dict[str, object]:
        """Texts and rules that decide the questions, as plain data."""
        ...

    def answer(self, case: Case) -> ChatRequest:
        """Ask for a status that goes by query and final answer alone."""
        ...

    def details(self, case: Case) -> ChatRequest:
        """Ask for a status that goes by everything that happened."""
        ...


class PromptQuestions:
    """Asks with prompts of the package, untrusted texts between delimiters.

    Args:
        answer: Prompt of the first question; the newest of the package where not given.
        details: Prompt of the second one.
        room: How much of each text goes in.

    Examples:
        >>> questions = PromptQuestions()
        >>> questions.label, sorted(questions.fingerprint)
        ('v3', ['pass_judge', 'pass_judge_details', 'room'])
    """

    def __init__(
        self, answer: Prompt | None = None, details: Prompt | None = None, room: Room | None = None
    ) -> None:
        self._answer = answer or latest("pass_judge")
        self._details = details or latest("pass_judge_details")
        self._room = room or Room()

    @property
    def label(self) -> str:
        """Version of the prompts."""
        return "+".join(dict.fromkeys([self._answer.version, self._details.version]))

    @property
    def fingerprint(self) -> dict[str, object]:
        """Hashes of the prompts, and the room."""
        room = {name: getattr(self._room, name) for name in Room.__dataclass_fields__}
        return {"pass_judge": self._answer.hash, "pass_judge_details": self._details.hash, "room": room}

    def answer(self, case: Case) -> ChatRequest:
        """Ask for a status that goes by query and final answer alone."""
        return _question(self._answer, self._texts(case))

    def details(self, case: Case) -> ChatRequest:
        """Ask for a status that goes by the tools used and every call as well."""
        more = {
            "tools": "\n".join(_used_tools(case, self._room.tools)),
            "calls": "\n".join(call_lines(case.calls, self._room.calls)),
        }
        return _question(self._details, self._texts(case) | more)

    def _texts(self, case: Case) -> dict[str, str]:
        return {
            "query": excerpt(case.task.query, self._room.query),
            "answer": excerpt(case.text, self._room.answer),
        }


def _question(prompt: Prompt, texts: Mapping[str, str]) -> ChatRequest:
    text = prompt.render(function=_FUNCTION, **delimited_each(texts))
    message = {"role": "user", "content": text}
    tool = status_tool(_FUNCTION)
    return ChatRequest((message,), (tool,), forced(_FUNCTION), contract=Contract.of(tool))


def _used_tools(case: Case, room: int) -> Iterable[str]:
    descriptions = {tool.name: tool.description for tool in case.task.tools}
    used = dict.fromkeys(call.name for call in case.calls if call.name != FINISH)
    lines = [f"{name}: {descriptions.get(name, 'there is no such tool')}" for name in used]
    return [
        excerpt(" ".join(line.split()), max(40, share))
        for line, share in zip(lines, shares([len(line) for line in lines], room), strict=True)
    ]
