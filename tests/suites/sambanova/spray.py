"""An agent that understands nothing: it guesses calls from the words of a query and the schemas of tools."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from stb_env.envs.tool_env import ToolEnv
from stb_env.seeding import rng
from stb_env.tasks import Task
from stb_env.tools import FINISH, Tool, ToolCall

ACTS = 64
"""Guesses of one turn."""
LAST = ("search", "program", "curl")
"""Tools that take no guess of their own: a search closes a form, the others take whole programs."""

DONE = {"name": FINISH, "arguments": {"return_type": "give_answer", "final_answer": "Done."}}


def action(call: ToolCall) -> dict[str, Any]:
    return {"name": call.name, "arguments": call.arguments}


def guess(task: Task, tool: Tool, draw: random.Random) -> ToolCall:
    """Guess one call: what the schema lists and the query names, else any name or number of the query."""
    parameters = tool.parameters.get("properties", {})
    needed = tool.parameters.get("required", ())
    chosen = [name for name in parameters if name in needed or draw.random() < 0.3]
    return ToolCall(tool.name, {name: _value(parameters[name], task.query, draw) for name in chosen})


def _value(schema: Any, query: str, draw: random.Random) -> Any:
    if "enum" in schema:
        named = [each for each in schema["enum"] if str(each).replace("_", " ").lower() in query.lower()]
        return draw.choice(named or schema["enum"])
    kind = schema.get("type", "string")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind in ("integer", "number"):
        return draw.choice([*_numbers(query), 1, 2])
    if kind == "array":
        return [_value(schema.get("items", {}), query, draw)]
    if kind == "object":
        return {name: _value(each, query, draw) for name, each in schema.get("properties", {}).items()}
    return draw.choice([*_names(query), "1"])


def _numbers(query: str) -> list[int | float]:
    found = [text.replace(",", "") for text in re.findall(r"\d[\d,]*(?:\.\d+)?", query)]
    return [float(text) if "." in text else int(text) for text in found]


def _names(query: str) -> list[str]:
    """Return quoted texts, capitalised names, words with digits and pairs of words of a query."""
    words = query.split()
    return [
        *re.findall(r"'([^']+)'", query),
        *re.findall(r"[A-Z][\w.'-]+(?: [A-Z][\w.'-]+)*", query),
        *re.findall(r"\w*\d\w*", query),
        *(" ".join(pair).strip(".,?!") for pair in pairwise(words)),
    ]


def guessable(task: Task) -> list[Tool]:
    return [tool for tool in task.tools if tool.name not in LAST]


def closing(task: Task) -> list[ToolCall]:
    """Return the search that submits a form, where the task has one."""
    return [ToolCall("search", {}) for tool in task.tools if tool.name == "search" and not needs(tool)]


def needs(tool: Tool) -> bool:
    return bool(tool.parameters.get("required"))


def attempts(task: Task) -> Iterator[list[ToolCall]]:
    """Yield episodes of one guess a tool: all in order and, where one call is asked for, each alone."""
    draw = rng("one guess a tool", task.id)
    guesses = [guess(task, tool, draw) for tool in guessable(task)]
    if len(task.gold) == 1:
        yield from ([call] for call in guesses)
    yield [*guesses, *closing(task)]


def sprayed(task: Task, around: Sequence[ToolCall] = ()) -> list[ToolCall]:
    """Return a turn of guesses at every tool, with calls in it that keep their order."""
    draw = rng("spray", task.id)
    calls = [guess(task, draw.choice(guessable(task)), draw) for _ in range(ACTS)]
    for place, call in zip(
        sorted(draw.sample(range(ACTS), len(around)), reverse=True), around[::-1], strict=True
    ):
        calls.insert(place, call)
    return [*calls, *closing(task)]


def earned(env: ToolEnv, task: Task, calls: Sequence[ToolCall]) -> float:
    """Play calls one a turn, so that none is kept from being made, and Finish; return the reward."""
    env.reset(seed=0, options={"task_id": task.id})
    for each in (*map(action, calls), DONE):
        _, reward, over, cut, _ = env.step(each)
        if over or cut:
            return float(reward)
    raise AssertionError("Finish ends an episode")
