"""The prompt of the preference judge, which of two answers is better, and the parser of its reply."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from stb_env.core import jsontext
from stb_env.judges.answer_status import forced
from stb_env.judges.evaluator import Evaluator, answer_record
from stb_env.judges.excerpt import Room, call_lines, excerpt
from stb_env.judges.judge import Case
from stb_env.models import ChatReply, ChatRequest, Contract
from stb_env.models.prompting import Prompt, delimited_each, latest

Outcome = Literal["first", "second", "tie"]

FIELD, INDEX = "better", "index"
SELECT = "select_better_answer"

_FUNCTION = "report_preference"
_OUTCOMES: Mapping[str, Outcome] = {"first": "first", "second": "second", "tie": "tie"}
_INDICES: Mapping[str, Outcome] = {"0": "first", "0.0": "first", "1": "second", "1.0": "second"}
_MAX_REASON = 1_000
# The word alone, or with a reason behind a stop: "first, no, second" must never pass.
_LINE = re.compile(
    r"[^\w{[]*(?:(?:better|preference|verdict)[^\w{[]+)?(first|second|tie)\b(?:\W*|\W*[.:;–—-]\s.*)",
    re.IGNORECASE,
)
# Two answers share the room that the pass judge has for one.
_ROOM = Room(answer=8_000, calls=24_000)
# The published program cuts final answers to this many characters.
_ORIGINAL_ANSWER = 1_000


@dataclass(frozen=True, slots=True)
class Choice:
    """A model's choice between two answers.

    Attributes:
        outcome: The better one as it stood in the question.
        reason: Why.
    """

    outcome: Outcome
    reason: str = ""


class PairQuestion(Protocol):
    """Builds the chat request that compares two episodes."""

    @property
    def label(self) -> str:
        """Names the wording in the judge's name."""
        ...

    @property
    def fingerprint(self) -> dict[str, object]:
        """Texts and rules that decide the question, as plain data."""
        ...

    def ask(self, first: Case, second: Case) -> ChatRequest:
        """Ask which of two episodes of one task is better."""
        ...


class PromptPairQuestion:
    """Asks with a prompt of the package, untrusted texts between delimiters.

    Args:
        prompt: The question; the newest of the package where not given.
        room: How much of each text goes in, for each of the two.

    Examples:
        >>> PromptPairQuestion().label
        'v2'
    """

    def __init__(self, prompt: Prompt | None = None, room: Room | None = None) -> None:
        self._prompt = prompt or latest("preference")
        self._room = room or _ROOM

    @property
    def label(self) -> str:
        """Version of the prompt."""
        return self._prompt.version

    @property
    def fingerprint(self) -> dict[str, object]:
        """Hash of the prompt, and the room."""
        room = {name: getattr(self._room, name) for name in Room.__dataclass_fields__}
        return {"preference": self._prompt.hash, "room": room}

    def ask(self, first: Case, second: Case) -> ChatRequest:
        """Ask which of two episodes of one task is better."""
        texts = {"query": excerpt(first.task.query, self._room.query)}
        for name, case in (("first", first), ("second", second)):
            texts[f"{name} calls"] = "\n".join(call_lines(case.calls, self._room.calls))
            texts[f"{name} answer"] = excerpt(case.text, self._room.answer)
        fields = {name.replace(" ", "_"): text for name, text in delimited_each(texts).items()}
        message = {"role": "user", "content": self._prompt.render(function=_FUNCTION, **fields)}
        tool = preference_tool(_FUNCTION)
        return ChatRequest((message,), (tool,), forced(_FUNCTION), contract=Contract.of(tool))


class EvaluatorPairQuestion:
    """Asks with the words and the function of an official evaluator.

    Args:
        evaluator: Has a function ``select_better_answer``.

    Raises:
        ConfigError: It has none.
        DataError: Its template asks for other fields.
    """

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        evaluator.request(SELECT, query="", answer_0="", answer_1="")

    @property
    def label(self) -> str:
        """The evaluator's name."""
        return self._evaluator.label

    @property
    def fingerprint(self) -> dict[str, object]:
        """Hash of its prompts and functions."""
        return self._evaluator.fingerprint

    def ask(self, first: Case, second: Case) -> ChatRequest:
        """Ask with both answers as JSON, in the form that `answer_record` gives them."""
        return self._evaluator.request(
            SELECT,
            query=excerpt(first.task.query, _ROOM.query),
            answer_0=_record_text(first),
            answer_1=_record_text(second),
        )


def _record_text(case: Case) -> str:
    record = answer_record(case, replace(_ROOM, answer=_ORIGINAL_ANSWER))
    return jsontext.dumps({name: value for name, value in record.items() if name != "method"})


def read_choice(reply: ChatReply) -> Choice | None:
    """Read a choice from a call, from JSON in the text, or from a line that is hardly more than its word.

    Returns:
        The choice, or None where the reply holds none or several that differ.

    Examples:
        >>> read_choice(ChatReply({"content": '{"better": "second", "reason": "It names the hotel."}'}))
        Choice(outcome='second', reason='It names the hotel.')
        >>> read_choice(ChatReply({"content": '{"index": 0}'})).outcome
        'first'
        >>> read_choice(ChatReply({"content": "The first is worse."})) is None
        True
    """
    found = [choice for data in _objects(reply) if (choice := _from_object(data)) is not None]
    found = found or list(_from_lines(reply.text))
    return found[0] if len({choice.outcome for choice in found}) == 1 else None


def _objects(reply: ChatReply) -> Iterator[object]:
    texts = [str(call["function"]["arguments"]) for call in reply.tool_calls]
    for text in (*texts, reply.text[reply.text.find("{") : reply.text.rfind("}") + 1]):
        try:
            yield jsontext.loads(text)
        except ValueError:
            continue


def _from_object(data: object) -> Choice | None:
    if not isinstance(data, Mapping):
        return None
    named, index = data.get(FIELD), data.get(INDEX)
    outcome = _OUTCOMES.get(named.strip().lower()) if isinstance(named, str) else None
    if outcome is None and isinstance(index, int | float | str) and not isinstance(index, bool):
        outcome = _INDICES.get(str(index).strip())
    reason = data.get("reason")
    text = reason[:_MAX_REASON] if isinstance(reason, str) else ""
    return None if outcome is None else Choice(outcome, text)


def _from_lines(text: str) -> Iterator[Choice]:
    for line in text.splitlines():
        match = _LINE.fullmatch(line.strip())
        if match:
            yield Choice(_OUTCOMES[match[1].lower()], " ".join(text.split())[:_MAX_REASON])


def preference_tool(name: str) -> dict[str, object]:
    """Return the OpenAI spec of a function that takes the better of two answers and the reason for it.

    Examples:
        >>> preference_tool("report")["function"]["parameters"]["required"]
        ['reason', 'better']
    """
    properties = {
        # The reason stands first: a model that writes it before the choice has thought before it decides.
        "reason": {"type": "string", "description": "What decided it, in one or two sentences."},
        FIELD: {"type": "string", "enum": list(_OUTCOMES)},
    }
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    function = {
        "name": name,
        "description": "Report which assistant served the user better.",
        "parameters": parameters,
    }
    return {"type": "function", "function": function}
