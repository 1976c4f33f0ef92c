"""One candidate action: a call with its arguments filled in, or an answer that quotes what came back."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonObject
from stb_env.tools import FINISH
from stb_env.wrappers.documented import Documented


class Filling(NamedTuple):
    """A value for a parameter; ``omitted`` stands for leaving it out.

    Attributes:
        value: The argument.
        origin: Where it is from.
        relevance: From 0 to 1: how well it fits the query.
        position: Where the query says it, in characters; -1 where it does not.
    """

    value: Any
    origin: Literal["query", "result", "default", "omitted"]
    relevance: float
    position: int = -1


@dataclass(frozen=True, eq=False)
class CallCandidate:
    """A call with its arguments; equal to itself alone, since equal sights give the same object.

    Attributes:
        tool: The tool.
        fillings: One for each parameter of the tool, in order.
    """

    tool: Documented
    fillings: tuple[Filling, ...]

    @property
    def arguments(self) -> JsonObject:
        """The arguments of the call."""
        pairs = zip(self.tool.parameters, self.fillings, strict=True)
        return {
            parameter.name: [filling.value] if parameter.several else filling.value
            for parameter, filling in pairs
            if filling.origin != "omitted"
        }

    @cached_property
    def action(self) -> str:
        """The action as JSON text."""
        return jsontext.dumps({"name": self.tool.name, "arguments": self.arguments})

    @cached_property
    def written(self) -> str:
        """The arguments as JSON text."""
        return jsontext.dumps(self.arguments)

    @cached_property
    def values(self) -> frozenset[str]:
        """JSON text of every argument."""
        return frozenset(jsontext.dumps(value) for value in self.arguments.values())

    @property
    def required(self) -> list[Filling]:
        """The fillings of required parameters."""
        pairs = zip(self.tool.parameters, self.fillings, strict=True)
        return [filling for parameter, filling in pairs if parameter.required]

    @cached_property
    def in_order(self) -> bool:
        """True where arguments from the query stand in the query's own order, kind by kind."""
        last: dict[str, int] = {}
        for parameter, filling in zip(self.tool.parameters, self.fillings, strict=True):
            if filling.position < 0:
                continue
            if filling.position < last.get(parameter.kind, -1):
                return False
            last[parameter.kind] = filling.position
        return True

    @property
    def rank(self) -> float:
        """Quality of its arguments; higher is better."""
        weights = {"query": 1.0, "result": 1.0, "default": 0.5, "omitted": 0.5}
        filled = sum(weights[filling.origin] * filling.relevance for filling in self.fillings)
        return filled + 0.25 * self.in_order


@dataclass(frozen=True, eq=False)
class AnswerCandidate:
    """A Finish call; equal to itself alone, as a `CallCandidate` is.

    Attributes:
        text: The final answer.
        answer: JSON text of the typed answer; empty where the answer is text.
        names: Words of the names of the fields that it quotes.
        relevance: Mean relevance of the rows that it quotes.
        share: Which share of the result's values it quotes; 0 where it quotes nothing.
        latest: Whether it quotes the latest result.
        singled_out: Whether the row that it quotes is the one among rows like it that the query names.
    """

    text: str
    answer: str = ""
    names: frozenset[str] = frozenset()
    relevance: float = 0.0
    share: float = 0.0
    latest: bool = False
    singled_out: bool = False

    @cached_property
    def action(self) -> str:
        """The action as JSON text."""
        if self.answer:
            return f'{{"name": "{FINISH}", "arguments": {{"answer": {self.answer}}}}}'
        arguments = {"return_type": "give_answer", "final_answer": self.text}
        return jsontext.dumps({"name": FINISH, "arguments": arguments})


Candidate = CallCandidate | AnswerCandidate
