"""Agents that know how to solve Sandbox tasks: one follows the plan as it is, one errs at a known rate."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Any

from stb_env import ConfigError, Task, ToolCall, ToolResult, seeding
from stb_env.core.gymtypes import AnyEnv
from stb_env.core.jsontypes import JsonArray, JsonMapping
from stb_env.runs.baselines.gold import Gold
from stb_env.runs.baselines.null import answer
from stb_env.tasks import Ending
from stb_env.testing.red_team.typed import least, wrong_value

SLIPS = ("wrong argument", "skipped call", "corrupted fact", "give up")
"""Mistakes of an episode, each as likely as the others."""

# The number of facts that a report tells of each answer.
_FACTS = 3
_DIGITS = re.compile(r"\d+")
_NAME = re.compile(r"(?<=\s)[A-Z][a-z]{3,}")
# Errors that a plan raises where a result lacks members that the API documents.
_UNREADABLE = (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RuntimeError)

Attempt = Generator[ToolCall, ToolResult, Ending]
"""Yields calls, is sent their results, and returns the ending; empty prose where the agent gives up."""


class Reader(Gold):
    """Makes gold's calls on the tools that are there and answers with their results, whatever they are.

    It has no opinion on a result: a refusal, an invention and the truth are read alike. A result that the
    plan cannot read is the answer, word for word. Nothing in its answers is written for a judge: it neither
    apologises nor chooses what to quote.

    Examples:
        >>> from stb_env.runs import play
        >>> from stb_env.testing.notes import notes
        >>> play(notes(), Reader(), task_id="day", seed=0).solved
        True
    """

    name = "reader"

    def reset(self, env: AnyEnv, seed: int) -> None:
        """Choose the plan for the task."""
        super().reset(env, seed)
        inner: Any = env.unwrapped
        self._task = inner.task

    def act(self, observation: Mapping[str, object], info: JsonMapping) -> object:
        """Return the plan's next call, its answer, or the result that it could not read."""
        try:
            return super().act(observation, info)
        except _UNREADABLE:
            last = info["calls"][-1]
            said = last["error"] or last["response"]
            text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
            return answer(saying(self._task, text))


class NoisyOracle(Reader):
    """Plays the Sandbox as the `Reader` does and makes, in a share of the episodes, one mistake.

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

    def reset(self, env: AnyEnv, seed: int) -> None:
        """Choose this episode's mistake, if any."""
        inner: Any = env.unwrapped
        if inner.oracle is None:
            raise ConfigError("the noisy oracle plays the Sandbox alone; this environment has no oracle")
        super().reset(env, seed)
        rng = seeding.rng("noisy oracle", seed)
        if rng.random() < self.error_rate:
            self._plan = _with_slip(inner.oracle(inner.task), inner.task, rng.choice(SLIPS), rng)


def named_scalars(value: object) -> Iterator[tuple[str, object]]:
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


def told(read: Sequence[object]) -> str:
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


def _with_slip(plan: Attempt, task: Task, slip: str, rng: random.Random) -> Attempt:
    """Follow a plan with one mistake in it."""
    if slip == "give up":
        return saying(task, "")
    wrong = rng.randrange(max(1, len(task.gold)))
    read: JsonArray = []
    try:
        call = next(plan)
        while True:
            if len(read) == wrong and slip == "skipped call":
                return saying(task, told(read) if read else "")
            if len(read) == wrong and slip == "wrong argument":
                call = ToolCall(call.name, misread(call.arguments, rng))
            result = yield call
            read.append(result.response)
            call = plan.send(result)
    except StopIteration as stop:
        ending: Ending = stop.value
        return corrupted_ending(task, ending, rng) if slip == "corrupted fact" else ending


def misread(arguments: Mapping[str, object] | str, rng: random.Random) -> Mapping[str, object] | str:
    """Return the arguments with one of them changed; nothing can be changed where there is none."""
    if isinstance(arguments, str) or not arguments:
        return arguments
    name = rng.choice(sorted(arguments))
    return {**arguments, name: _other(arguments[name], rng)}


def _other(value: object, rng: random.Random) -> object:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + rng.randint(1, 9)
    text = str(value)
    return corrupted(text, rng) if _DIGITS.search(text) else text[: max(1, len(text) // 2)]


def saying(task: Task, text: str) -> Ending:
    """Return an ending of an agent that has prose but no values: a typed answer then holds the least ones."""
    return {"answer": least(task.answer), "final_answer": text} if isinstance(task.answer, Mapping) else text


def corrupted_ending(task: Task, ending: Ending, rng: random.Random) -> Ending:
    """Return an ending with one thing changed: a number or name of its prose, and one field."""
    if isinstance(ending, str):
        return corrupted(ending, rng)
    changed = {**ending, "final_answer": corrupted(str(ending.get("final_answer", "")), rng)}
    fields = ending.get("answer")
    if fields and isinstance(task.answer, Mapping):
        name = rng.choice(sorted(fields))
        changed["answer"] = {**fields, name: wrong_value(task.answer["properties"][name], fields[name])}
    return changed


def corrupted(text: str, rng: random.Random) -> str:
    """Return a text with one number or name changed; one without either turned into its opposite.

    Examples:
        >>> corrupted("It is open.", random.Random(0))
        'No. It is open.'
    """
    found = [*_DIGITS.finditer(text), *_NAME.finditer(text)]
    if not found:
        return f"No. {text}" if not text.startswith("No") else f"Yes. {text}"
    match = rng.choice(found)
    changed = str(int(match[0]) + rng.randint(1, 9)) if match[0].isdigit() else match[0][::-1].capitalize()
    return text[: match.start()] + changed + text[match.end() :]
