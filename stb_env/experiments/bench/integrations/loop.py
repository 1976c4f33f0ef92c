"""Loops that play tasks with a model that knows their solutions."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

from stb_env import load_agent, make, play
from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonObject

ENV_ID = "stb/Sandbox-v1"
Turns = Sequence[JsonObject]
"""The assistant's messages of an episode."""


class Script:
    """Known solutions of tasks whose queries all differ, for a model that sees the conversation alone.

    Args:
        tasks: How many.

    Attributes:
        turns: The turns of each task, by its id.
        queries: The id of each task, by its query.
        thinking: Whether the model is at it, which is no cost of a framework.
        thought: CPU seconds that it took so far.

    Examples:
        >>> script = Script(2)
        >>> [name for name, _ in calls_of(next(iter(script.turns.values()))[-1])]
        ['Finish']
    """

    def __init__(self, tasks: int) -> None:
        self.turns: dict[str, Turns] = {}
        self.queries: dict[str, str] = {}
        self.thinking, self.thought = False, 0.0
        env, gold = make(ENV_ID), load_agent("gold")()
        for index in range(env.tasks.size or 0):
            task = env.tasks.at(index)
            if task.query not in self.queries and len(self.turns) < tasks:
                self.queries[task.query] = task.id
                messages = play(env, gold, task_id=task.id, seed=0).messages
                self.turns[task.id] = [dict(each) for each in messages if each["role"] == "assistant"]

    @contextmanager
    def model(self) -> Iterator[None]:
        """Charge what is done inside to the model."""
        begun, self.thinking = time.process_time(), True
        try:
            yield
        finally:
            self.thinking = False
            self.thought += time.process_time() - begun

    def next_turn(self, messages: Sequence[Mapping[str, object]]) -> dict[str, object]:
        """Return the next turn of a conversation, known by its first message of a user."""
        query = next(str(message["content"]) for message in messages if message["role"] == "user")
        turns = self.turns[self.queries[query]]
        return turns[sum(message["role"] == "assistant" for message in messages)]


def calls_of(turn: JsonObject) -> list[tuple[str, dict[str, object]]]:
    """Return names and arguments of a turn's calls."""
    functions = [call["function"] for call in turn.get("tool_calls") or ()]
    return [(function["name"], jsontext.loads(function["arguments"])) for function in functions]


def written(turn: dict[str, object]) -> str:
    """Return a turn as a model writes it that is given no other form than text."""
    calls = [{"name": name, "arguments": arguments} for name, arguments in calls_of(turn)]
    return "\n".join(f"<tool_call>\n{jsontext.dumps(call)}\n</tool_call>" for call in calls)


@dataclass(frozen=True, slots=True)
class Play:
    """A loop that is ready.

    Attributes:
        play: Plays tasks, and returns the mean of their rewards.
        elsewhere: CPU seconds that other processes have spent for it so far: a server of ours.
    """

    play: Callable[[Sequence[str]], float]
    elsewhere: Callable[[], float] = lambda: 0.0


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop to be measured.

    Attributes:
        name: What it is called.
        module: The module that it needs.
        start: Makes it ready.
    """

    name: str
    module: str
    start: Callable[[Script], AbstractContextManager[Play]]


def mean(rewards: Sequence[float | None]) -> float:
    """Return the mean; an episode without a reward earned nothing here."""
    return sum(reward or 0.0 for reward in rewards) / len(rewards)
