"""An agent that knows how to solve Sandbox tasks, errs at a seeded rate, and believes what it reads."""

from __future__ import annotations

import random
import re
from collections.abc import Generator, Iterator
from typing import Any

import gymnasium as gym

from stb_env import seeding
from stb_env.backend.faults import UNAVAILABLE
from stb_env.baselines.null import GiveUp, answer
from stb_env.errors import ConfigError
from stb_env.jsontypes import JsonArray, JsonMapping, JsonObject
from stb_env.rollout import Agent
from stb_env.tasks import Task
from stb_env.tools import ToolCall, ToolResult

SLIPS = ("wrong argument", "skipped call", "corrupted fact", "give up")
"""What goes wrong in an episode with an error, each as likely as the others."""

APOLOGY = "I am sorry, the tools did not return what I needed to answer this."

# What a solution raises where an answer has not the members that the API documents.
_ODD_ANSWER = (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RuntimeError)
# Of each answer; a report tells the first few, as people do.
_FACTS = 3
_DIGITS = re.compile(r"\d+")
_NAME = re.compile(r"(?<=\s)[A-Z][a-z]{3,}")

Attempt = Generator[ToolCall, ToolResult, str | None]
"""Yields calls, is sent their results, returns the answer; None where the agent gives up."""


class NoisyOracle(Agent):
    """Drives the oracle of a Sandbox task and makes, in a share of the episodes, one mistake.

    Otherwise it does what the oracle does with whatever comes back. A tool that gives nothing useful makes
    it apologise. Where an answer came that the solution cannot go on from, as a simulated one may be, it
    makes the gold calls that are left, with the values that it read where the answers name them, and reports
    what the tools said: it has no way to tell a real answer from an invented one.

    Args:
        error_rate: Share of the episodes with a mistake. Which ones, and which mistake, follows from the
            episode's seed.

    Raises:
        ConfigError: The rate is no share.
    """

    name = "noisy_oracle"

    def __init__(self, error_rate: float = 0.3) -> None:
        if not 0 <= error_rate <= 1:
            raise ConfigError(f"error_rate is a share from 0 to 1, got {error_rate!r}")
        self.error_rate = error_rate

    def reset(self, env: gym.Env[Any, Any], seed: int) -> None:
        """Choose this episode's mistake, if any."""
        inner: Any = env.unwrapped
        if inner.oracle is None:
            raise ConfigError("the noisy oracle plays the Sandbox alone; this environment has no oracle")
        rng = seeding.rng("noisy oracle", seed)
        slip = rng.choice(SLIPS) if rng.random() < self.error_rate else ""
        self._attempt = _with_slip(_believing(inner.task, inner.oracle(inner.task)), inner.task, slip, rng)
        self._started = False

    def act(self, observation: JsonMapping, info: JsonMapping) -> Any:
        """Return the next call, or the answer."""
        try:
            call = self._attempt.send(_result(info)) if self._started else next(self._attempt)
        except StopIteration as stop:
            return GiveUp().act(observation, info) if stop.value is None else answer(stop.value)
        self._started = True
        return {"name": call.name, "arguments": call.arguments}


def _result(info: JsonMapping) -> ToolResult:
    call = info["calls"][-1]
    return ToolResult.of(call["response"], error=call["error"], source=call["source"])


def _believing(task: Task, plan: Generator[ToolCall, ToolResult, str]) -> Attempt:
    """Follow the plan as far as the answers allow, then go on by what they said."""
    read: JsonArray = []
    made: set[str] = set()
    try:
        call = next(plan)
        while True:
            result = yield call
            if _useless(result):
                return APOLOGY
            made.add(call.name)
            read.append(result.response)
            call = plan.send(result)
    except StopIteration as stop:
        text: str = stop.value
        return text
    except _ODD_ANSWER:
        return (yield from _report(task, read, made))


def _report(task: Task, read: JsonArray, made: set[str]) -> Attempt:
    """Call what is left of the relevant APIs and tell what all of them said."""
    for gold in task.gold:
        if gold.name in made or isinstance(gold.arguments, str):
            continue
        made.add(gold.name)
        result = yield ToolCall(gold.name, _believed(gold.arguments, task.query, read))
        if _useless(result):
            return APOLOGY
        read.append(result.response)
    return told(read)


def _useless(result: ToolResult) -> bool:
    return not result.error and result.response in (UNAVAILABLE, None, "")


def _believed(arguments: JsonMapping, query: str, read: JsonArray) -> JsonObject:
    """Return arguments whose values are as the query says, or else as the answers so far say."""
    seen = {name: value for response in read for name, value in named_scalars(response)}
    return {
        name: value if str(value).lower() in query.lower() else seen.get(name, value)
        for name, value in arguments.items()
    }


def named_scalars(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield every named scalar of a response, in order."""
    if isinstance(value, list):
        for item in value:
            yield from named_scalars(item)
    elif isinstance(value, dict):
        for name, item in value.items():
            if isinstance(item, dict | list):
                yield from named_scalars(item)
            else:
                yield name, item


def told(read: JsonArray) -> str:
    """Return an answer that reports the first facts of every response.

    Examples:
        >>> told([{"city": "Oslo", "temp": 3}])
        'This is what I found: city Oslo, temp 3.'
    """
    said = []
    for response in read:
        fields = list(named_scalars(response))[:_FACTS]
        said.append(", ".join(f"{name.replace('_', ' ')} {value}" for name, value in fields) or str(response))
    return f"This is what I found: {'. Then: '.join(said)}."


def _with_slip(attempt: Attempt, task: Task, slip: str, rng: random.Random) -> Attempt:
    """Follow an attempt with one mistake in it."""
    if slip == "give up":
        return None
    wrong = rng.randrange(max(1, len(task.gold)))
    read: JsonArray = []
    try:
        call = next(attempt)
        while True:
            if len(read) == wrong and slip == "skipped call":
                return told(read) if read else APOLOGY
            if len(read) == wrong and slip == "wrong argument":
                call = ToolCall(call.name, misread(call.arguments, rng))
            result = yield call
            read.append(result.response)
            call = attempt.send(result)
    except StopIteration as stop:
        text: str | None = stop.value
        return corrupted(text, rng) if text and slip == "corrupted fact" else text


def misread(arguments: JsonMapping | str, rng: random.Random) -> JsonMapping | str:
    """Return the arguments with one of them changed; nothing can be changed where there is none."""
    if isinstance(arguments, str) or not arguments:
        return arguments
    name = rng.choice(sorted(arguments))
    return {**arguments, name: _other(arguments[name], rng)}


def _other(value: Any, rng: random.Random) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + rng.randint(1, 9)
    text = str(value)
    return corrupted(text, rng) if _DIGITS.search(text) else text[: max(1, len(text) // 2)]


def corrupted(text: str, rng: random.Random) -> str:
    """Return a text with one number or name changed; one without either turned into its opposite."""
    found = [*_DIGITS.finditer(text), *_NAME.finditer(text)]
    if not found:
        return f"No. {text}" if not text.startswith("No") else f"Yes. {text}"
    match = rng.choice(found)
    changed = str(int(match[0]) + rng.randint(1, 9)) if match[0].isdigit() else match[0][::-1].capitalize()
    return text[: match.start()] + changed + text[match.end() :]
