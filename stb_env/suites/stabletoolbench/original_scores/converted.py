"""Converted answers of StableToolBench, as its scoring programs read them.

The words of the step lines are the original's: its result files have them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from stb_env.core.jsontypes import JsonMapping
from stb_env.core.request import Slow
from stb_env.errors import JudgeError
from stb_env.judges.answer_status import read_vote
from stb_env.judges.evaluator import ANSWER, DETAILS
from stb_env.judges.pass_judge import GIVE_UP
from stb_env.judges.readable import ReadableModel
from stb_env.models import ChatModel, ChatReply, ChatRequest, ask
from stb_env.suites.stabletoolbench.original_scores.questions import Questions
from stb_env.verdict import VerdictStatus

Entry = JsonMapping
"""One query of a converted file: ``query``, ``available_tools``, ``answer``."""

_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class Steps:
    """The tool calls of a converted answer as text.

    Attributes:
        lines: One ``Step <k>: ...`` a line.
        final: ``Final step: ...``, or nothing.
    """

    lines: str = ""
    final: str = ""

    @property
    def finished(self) -> bool:
        """True if the text of the last call has the name Finish, in any place."""
        return "'name': 'Finish'" in self.final


def steps_of(answer: Mapping[str, object]) -> Steps:
    """Return the calls along the first branch of an answer.

    Examples:
        >>> steps_of({"answer_details": [{"role": "tool", "message": {"name": "Finish"}, "next": []}]}).final
        "Final step: {'name': 'Finish'}"
    """
    messages = [str(message) for message in _tool_messages(answer)]
    lines = "\n".join(f"Step {number}: {message}" for number, message in enumerate(messages, 1))
    return Steps(lines, f"Final step: {messages[-1]}" if messages else "")


def _tool_messages(answer: JsonMapping) -> Iterator[object]:
    nodes = answer["answer_details"]
    while nodes:
        node = nodes[0]
        if node["role"] == "tool" and node["message"]:
            yield node["message"]
        nodes = node["next"]


def tool_names(entry: Entry) -> list[str]:
    """Return the names of the tools, from OpenAI's old flat form or from the wrapped one."""
    return [
        tool["function"]["name"] if "function" in tool else tool["name"] for tool in entry["available_tools"]
    ]


def answer_status(
    evaluator: Questions, model: ChatModel, query: str, answer: JsonMapping, index: int
) -> Slow[VerdictStatus]:
    """Judge a final answer as the original does: once, and where that is unsure with the whole answer.

    Raises:
        InfrastructureError: No usable reply came.
    """
    final = answer["final_answer"]
    if not final or GIVE_UP in final:
        return "unsolved"
    status = yield from _status(model, evaluator.request(ANSWER, query=query, answer=final), index)
    if status == "unsure":
        whole = evaluator.request(DETAILS, query=query, answer=json.dumps(answer))
        status = yield from _status(model, whole, index)
    return status


def _status(model: ChatModel, question: ChatRequest, index: int) -> Slow[VerdictStatus]:
    patient = ReadableModel(model, lambda reply: read_vote(reply) is not None, _ATTEMPTS, seeded=False)
    reply: ChatReply = yield ask(patient, replace(question, index=index))
    vote = read_vote(reply)
    if vote is None or vote.status is None:
        raise JudgeError(f"the reply of {model.name} holds no status")
    return vote.status
