"""Questions of the scoring programs to a judge: in the words of the user's copy of them, or in our own."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Protocol

from stb_env.core.jsontypes import JsonMapping
from stb_env.judges.answer_status import forced, status_tool
from stb_env.judges.evaluator import ANSWER, DETAILS, SOLVABLE
from stb_env.judges.pair_question import SELECT, preference_tool
from stb_env.judges.solvability import solvability_tool
from stb_env.models import ChatRequest
from stb_env.models.prompting import Prompt, delimited_each, latest
from stb_env.tools import FINISH


class Questions(Protocol):
    """Builds the requests of an evaluator's functions; `stb_env.judges.evaluator.Evaluator` is one."""

    @property
    def label(self) -> str:
        """Names the wording."""
        ...

    @property
    def fingerprint(self) -> dict[str, object]:
        """Texts that decide the questions, as plain data."""
        ...

    def request(self, function: str, **fields: str) -> ChatRequest:
        """Return the question of a function, with its fields filled."""
        ...


class OwnQuestions:
    """Stands in where no evaluator folder is given: our own prompts behind the original's functions.

    Numbers made with it do not compare with published ones; whoever prints them says so.

    Examples:
        >>> questions = OwnQuestions()
        >>> questions.label
        'own prompts'
        >>> asked = questions.request("check_answer_status", query="Why?", answer="Because.")
        >>> asked.tools[0]["function"]["name"]
        'check_answer_status'
    """

    label = "own prompts"

    def __init__(self) -> None:
        names = ("pass_judge", "pass_judge_details", "solvability", "preference")
        self._answer, self._details, self._solvable, self._pair = (latest(name) for name in names)
        self._rendered: Mapping[str, Callable[..., str]] = {
            ANSWER: self._asked_answer,
            DETAILS: self._asked_details,
            SOLVABLE: self._asked_solvable,
            SELECT: self._asked_pair,
        }

    @property
    def fingerprint(self) -> dict[str, object]:
        """Hashes of the prompts."""
        prompts = (self._answer, self._details, self._solvable, self._pair)
        return {prompt.name: prompt.hash for prompt in prompts}

    def request(self, function: str, **fields: str) -> ChatRequest:
        """Return the question of a function; see `Questions`."""
        message = {"role": "user", "content": self._rendered[function](**fields)}
        return ChatRequest((message,), (_tool(function),), forced(function))

    def _asked_answer(self, query: str, answer: str) -> str:
        return _filled(self._answer, ANSWER, query=query, answer=answer)

    def _asked_details(self, query: str, answer: str) -> str:
        record = json.loads(answer)
        return _filled(
            self._details,
            DETAILS,
            query=query,
            tools="\n".join(dict.fromkeys(call["name"] for call in _calls(record))),
            calls=_call_text(record),
            answer=record["final_answer"],
        )

    def _asked_solvable(self, task: str) -> str:
        record = json.loads(task)
        tools = "\n".join(json.dumps(tool) for tool in record["available_tools"])
        return _filled(self._solvable, SOLVABLE, query=record["query"], tools=tools)

    def _asked_pair(self, query: str, answer_0: str, answer_1: str) -> str:
        texts: dict[str, str] = {}
        for name, answer in (("first", answer_0), ("second", answer_1)):
            record = json.loads(answer)
            texts |= {f"{name}_calls": _call_text(record), f"{name}_answer": record["final_answer"]}
        return _filled(self._pair, SELECT, query=query, **texts)


def _filled(prompt: Prompt, function: str, **texts: str) -> str:
    marked = delimited_each({name.replace("_", " "): text for name, text in texts.items()})
    return prompt.render(function=function, **{name.replace(" ", "_"): text for name, text in marked.items()})


def _tool(function: str) -> dict[str, object]:
    if function == SELECT:
        return preference_tool(function)
    return solvability_tool(function) if function == SOLVABLE else status_tool(function)


def _calls(answer: JsonMapping) -> list[JsonMapping]:
    messages: list[JsonMapping] = []
    nodes = answer["answer_details"]
    while nodes:
        node, nodes = nodes[0], nodes[0]["next"]
        if node["role"] == "tool" and isinstance(node["message"], dict) and node["message"]["name"] != FINISH:
            messages.append(node["message"])
    return messages


def _call_text(answer: Mapping[str, object]) -> str:
    return "\n".join(json.dumps(call, ensure_ascii=False) for call in _calls(answer))
