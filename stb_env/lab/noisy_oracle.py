"""An agent that knows how to solve Sandbox tasks, errs at a seeded rate, and believes what it reads."""

from __future__ import annotations

import random
import re
from collections.abc import Generator, Iterator
from typing import Any

from stb_env import seeding
from stb_env.errors import ConfigError
from stb_env.gymtypes import AnyEnv
from stb_env.jsontypes import Json, JsonArray, JsonMapping
from stb_env.lab.endings import corrupted, corrupted_ending, saying
from stb_env.lab.reader import Reader
from stb_env.tasks import Ending, Task
from stb_env.tools import ToolCall, ToolResult

SLIPS = ("wrong argument", "skipped call", "corrupted fact", "give up")
"""What goes wrong in an episode with an error, each as likely as the others."""

# Of each answer; a report tells the first few, as people do.
_FACTS = 3
_DIGIT = re.compile(r"\d")

Attempt = Generator[ToolCall, ToolResult, Ending]
"""Yields calls, is sent their results, returns how it ends; with nothing said where the agent gives up."""


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


def named_scalars(value: Json) -> Iterator[tuple[str, Json]]:
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


def misread(arguments: JsonMapping | str, rng: random.Random) -> JsonMapping | str:
    """Return the arguments with one of them changed; nothing can be changed where there is none."""
    if isinstance(arguments, str) or not arguments:
        return arguments
    name = rng.choice(sorted(arguments))
    return {**arguments, name: _other(arguments[name], rng)}


def _other(value: Json, rng: random.Random) -> Json:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + rng.randint(1, 9)
    text = str(value)
    return corrupted(text, rng) if _DIGIT.search(text) else text[: max(1, len(text) // 2)]
