"""The action: the calls of one turn, in the order of execution, and whatever was written beside them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple

from stb_env.tools import FINISH, ToolCall

MAX_CALLS = 64


class Program(NamedTuple):
    """Python that an agent wrote as its action.

    Attributes:
        code: The program.
        id: Id of the native call that it stood in; ``call_0`` for one in a fence.
    """

    code: str
    id: str = "call_0"


@dataclass(frozen=True, slots=True)
class Action:
    """One turn of an agent: calls, a thought, or text.

    Attributes:
        calls: The calls in the order in which they run, ids unique; empty where nothing was called.
        text: What stands beside the calls; all that was said where there is no call.
        thought: What the agent wrote to itself (``<think>...</think>``, a channel of thoughts): kept for the
            record, and never executed, judged or shown.
        program: The program to run instead of calls, where actions are programs.
        problem: Why nothing of it is done, as its author is told; empty where something is.
        written: The whole text as it was written, where the thought stands in it and no call does; kept for
            the record as the thought is.

    Examples:
        >>> from stb_env import Action
        >>> from stb_env.testing.notes import notes
        >>> env = notes(parse=lambda line: Action((), line.strip()))
        >>> _ = env.reset(seed=0)
        >>> env.step("  just a word  ")[4]["text"]
        'just a word'
    """

    calls: tuple[ToolCall, ...]
    text: str
    thought: str = ""
    program: Program | None = field(default=None, repr=False)
    problem: str = field(default="", repr=False)
    written: str = field(default="", repr=False)

    @property
    def is_text(self) -> bool:
        """True if nothing in it is a call or a program, nor tries to be one."""
        return not (self.calls or self.program or self.problem)


class Reading(NamedTuple):
    """Result of one parser: calls as written, ids possibly missing, and the text beside them."""

    calls: list[ToolCall]
    text: str


def arrange(calls: Iterable[ToolCall], text: str, max_calls: int = MAX_CALLS, thought: str = "") -> Action:
    """Bound and identify calls.

    They keep their order, and every Finish but the first is dropped. A missing id becomes
    ``call_<position>``; an id that occurs again gets a number.

    Examples:
        >>> action = arrange([ToolCall("a", {}, "x"), ToolCall("Finish", {}), ToolCall("b", {}, "x")], "")
        >>> [(call.name, call.id) for call in action.calls]
        [('a', 'x'), ('Finish', 'call_1'), ('b', 'x_1')]
    """
    kept: list[ToolCall] = []
    finished = False
    for call in islice(calls, max_calls):
        if call.name != FINISH or not finished:
            kept.append(call)
        finished = finished or call.name == FINISH
    return Action(_identified(kept), text, thought)


def finish_last(action: Action) -> Action:
    """Return an action with its Finish after all other calls.

    The published code (Guo et al., 2024) makes every call of an action, ends the episode at Finish wherever
    it stands, and takes the answer from whichever call comes last.

    Examples:
        >>> action = finish_last(Action((ToolCall("Finish", {}), ToolCall("a", {})), ""))
        >>> [call.name for call in action.calls]
        ['a', 'Finish']
    """
    return replace(action, calls=tuple(sorted(action.calls, key=lambda call: call.name == FINISH)))


def _identified(calls: list[ToolCall]) -> tuple[ToolCall, ...]:
    taken: set[str] = set()
    identified = []
    for position, call in enumerate(calls):
        wanted = unique = call.id or f"call_{position}"
        repeats = 0
        while unique in taken:
            repeats += 1
            unique = f"{wanted}_{repeats}"
        taken.add(unique)
        identified.append(call if call.id == unique else ToolCall(call.name, call.arguments, unique))
    return tuple(identified)
