"""An agent that knows how to solve Sandbox tasks, errs at a seeded rate, and believes what it reads."""

from __future__ import annotations

import random
import re
from collections.abc import Generator, Iterator, Mapping
from typing import Any

from stb_env import seeding
from stb_env.errors import ConfigError
from stb_env.gymtypes import AnyEnv
from stb_env.jsontypes import Json, JsonArray, JsonMapping
from stb_env.lab.reader import Reader, reported
from stb_env.tasks import Ending, Task
from stb_env.testing.red_team.typed import wrong_value
from stb_env.tools import ToolCall, ToolResult

SLIPS = ("wrong argument", "skipped call", "corrupted fact", "give up")
"""What goes wrong in an episode with an error, each as likely as the others."""

# Of each answer; a report tells the first few, as people do.
_FACTS = 3
_DIGITS = re.compile(r"\d+")
_NAME = re.compile(r"(?<=\s)[A-Z][a-z]{3,}")

Attempt = Generator[ToolCall, ToolResult, Ending]
"""Yields calls, is sent their results, returns how the episode ends."""


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
        return _refusal(task)
    wrong = rng.randrange(max(1, len(task.gold)))
    read: JsonArray = []
    try:
        call = next(plan)
        while True:
            if len(read) == wrong and slip == "skipped call":
                return reported(task, told(read), read) if read else _refusal(task)
            if len(read) == wrong and slip == "wrong argument":
                call = ToolCall(call.name, misread(call.arguments, rng))
            result = yield call
            read.append(result.response)
            call = plan.send(result)
    except StopIteration as stop:
        ending: Ending = stop.value
        return misreported(task, ending, rng) if slip == "corrupted fact" else ending


def _refusal(task: Task) -> Ending:
    """Return the first refusal that a task lists; nothing said where it lists none."""
    for reason, whats in (task.cannot or {}).items():
        return {"cannot": {"reason": reason, "what": list(whats[:1])}}
    return ""


def misreported(task: Task, ending: Ending, rng: random.Random) -> Ending:
    """Return an ending with one fact of its text wrong, and one field where answers are typed."""
    if isinstance(ending, str):
        return corrupted(ending, rng)
    wrong = {**ending, "final_answer": corrupted(ending.get("final_answer", ""), rng)}
    if ending.get("answer") and isinstance(task.answer, Mapping):
        name = rng.choice(sorted(ending["answer"]))
        value = wrong_value(task.answer["properties"][name], ending["answer"][name])
        wrong["answer"] = {**ending["answer"], name: value}
    return wrong


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
    return corrupted(text, rng) if _DIGITS.search(text) else text[: max(1, len(text) // 2)]


def corrupted(text: str, rng: random.Random) -> str:
    """Return a text with one number or name changed; one without either turned into its opposite."""
    found = [*_DIGITS.finditer(text), *_NAME.finditer(text)]
    if not found:
        return f"No. {text}" if not text.startswith("No") else f"Yes. {text}"
    match = rng.choice(found)
    changed = str(int(match[0]) + rng.randint(1, 9)) if match[0].isdigit() else match[0][::-1].capitalize()
    return text[: match.start()] + changed + text[match.end() :]
