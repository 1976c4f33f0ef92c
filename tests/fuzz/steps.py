"""Plays strange actions in every environment: after gold's first steps, an agent writes whatever it likes.

``python -m tests.fuzz.steps SECONDS [SEED [ID...]]`` shares the seconds over the ids, and prints each action
that made `step` raise, end an episode as failed, or take too long.
"""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from time import perf_counter, process_time
from typing import Any

from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError
from stb_env.runs.make import env_ids, make
from stb_env.testing.subject import draws, gold_actions
from stb_env.tools import FINISH

SLOW_S = 2.0
"""Seconds of CPU that one action may take."""

TASKS = 20
SETTINGS: tuple[dict[str, Any], ...] = (
    {"judge": "heuristic"},
    {},
    {"compat": "original"},
    {"program": True},
    {"program": True, "compat": "original"},
    {"actions": "code"},
    {"reward": "dense"},
    {"user": "scripted"},
)

TEXTS = (
    *(
        "",
        " ",
        "\0",
        "\ud83d",
        "\udc00\ud83d",
        "\u202e",
        "é" * 50,
        "nan",
        "-inf",
        "null",
        "0x1F",
        "1_000",
        "٣",
        "½",
    ),
    *(
        "2024-02-30",
        "9999-12-31",
        "0000-00-00",
        "25:61",
        "1e999",
        "'",
        '"',
        "\\",
        "\n",
        "{",
        "[[",
        "%s",
        "{0}",
        "*",
    ),
    *(
        "=1/0",
        "A0:ZZZ999999",
        "../..",
        "<char0>",
        "$" * 40,
        "1," * 200,
        "a" * 5_000,
        "9" * 400,
        "__class__",
        "#REF!",
    ),
)
NUMBERS = (
    0,
    -1,
    1,
    2**31,
    -(2**63),
    2**64,
    10**30,
    10**400,
    0.1,
    -0.0,
    1e308,
    float("nan"),
    float("inf"),
    -1e-320,
)
OTHERS = (None, True, False, [], {}, [[]], {"": {}}, [None] * 300, {"a": {"b": {"c": [1, {"d": "\0"}]}}})
PIECES = (
    *(
        "{",
        "}",
        "[",
        "]",
        "(",
        ")",
        '"',
        "'",
        ",",
        ":",
        "\n",
        "\0",
        "\ud83d",
        "=",
        "\\",
        "#",
        "```",
        "```python\n",
    ),
    *(
        "Action: ",
        "Action Input: ",
        "Thought: ",
        "<think>",
        "</think>",
        "<tool_call>",
        "curl ",
        "API.",
        "NaN",
        "1e999",
    ),
    *(
        "[Finish]",
        "click[",
        "search[",
        "worksheet.",
        "put_first_on_second(",
        "while True: pass",
        "Finish(",
        ")" * 30,
    ),
)


@dataclass(frozen=True)
class Fault:
    """An action that did what none may do.

    Attributes:
        env_id: Where.
        task_id: In which task.
        actions: What was played before it, and it.
        problem: What it did.
    """

    env_id: str
    task_id: str
    actions: list[object]
    problem: str


class Writer:
    """Writes actions that no agent should.

    Args:
        rng: Draws them.
        tools: Names of the task's tools, with the names of their parameters.
        gold: What gold does, to be damaged.
    """

    def __init__(self, rng: Random, tools: dict[str, list[str]], gold: list[object]) -> None:
        self._rng, self._tools, self._gold = rng, tools, gold

    def action(self) -> object:
        """Write one action."""
        rng = self._rng
        match rng.randrange(9):
            case 0 | 1 | 2:
                return self._call()
            case 3:
                return [self._call() for _ in range(rng.choice((0, 1, 2, 3, 70)))]
            case 4:
                return json.dumps(self._call(), default=str)
            case 5 | 6:
                return self._damaged(rng.choice(self._gold) if self._gold else "")
            case 7:
                return "".join(rng.choice((*PIECES, *TEXTS, *self._tools)) for _ in range(rng.randint(1, 12)))
            case _:
                name, value = rng.choice(list(self._tools)), self.value(1)
                words = (
                    f"{name}({value!r})",
                    f"[{name}({value!r})]",
                    f"API.{name}(x={value!r})",
                    f"{name}: {value}",
                )
                return rng.choice((*words, value, f"Action: {name}\nAction Input: {value}"))

    def value(self, depth: int = 2) -> Any:
        """Write a value."""
        rng = self._rng
        kind = rng.randrange(8)
        if depth and kind == 0:
            return [self.value(depth - 1) for _ in range(rng.randrange(4))]
        if depth and kind == 1:
            return {self._text(): self.value(depth - 1) for _ in range(rng.randrange(4))}
        return rng.choice((self._text(), rng.choice(NUMBERS), rng.choice(OTHERS), rng.randint(-3, 30)))

    def _text(self) -> str:
        return "".join(self._rng.choice((*TEXTS, *PIECES)) for _ in range(self._rng.choice((1, 1, 1, 2, 3))))

    def _call(self) -> object:
        rng = self._rng
        name = rng.choice((*self._tools, *self._tools, FINISH, self._text()))
        names = [*self._tools.get(name, ()), "final_answer", "return_type", self._text(), "*"]
        arguments: Any = {rng.choice(names): self.value() for _ in range(rng.randrange(5))}
        if name in self._tools and rng.random() < 0.6:
            arguments = {each: self.value() for each in self._tools[name]}
        if rng.random() < 0.1:
            arguments = self.value()
        return {"name": name, "arguments": arguments}

    def _damaged(self, action: object) -> object:
        """Damage an action of gold in one place of its text, or of its arguments."""
        rng = self._rng
        if isinstance(action, dict) and isinstance(action.get("arguments"), dict) and rng.random() < 0.7:
            return {**action, "arguments": self._changed(action["arguments"])}
        text = action if isinstance(action, str) else json.dumps(action, default=str)
        at = rng.randint(0, len(text))
        return text[:at] + rng.choice((*PIECES, *TEXTS)) + text[at + rng.choice((0, 1, 5)) :]

    def _changed(self, value: Any) -> Any:
        """Put another value at one place."""
        rng = self._rng
        if isinstance(value, dict) and value and rng.random() < 0.9:
            chosen = rng.choice(list(value))
            return {**value, chosen: self._changed(value[chosen])}
        if isinstance(value, list) and value and rng.random() < 0.7:
            at = rng.randrange(len(value))
            return [*value[:at], self._changed(value[at]), *value[at + 1 :]]
        return self.value()


def tools_of(env: ToolEnv) -> dict[str, list[str]]:
    """Return the tools of the running task by name, each with its parameters."""
    found = {tool.name: list(tool.parameters.get("properties", {})) for tool in env.task.tools}
    return {**found, FINISH: ["return_type", "final_answer"]}


def variants(env_id: str) -> list[ToolEnv]:
    """Make an environment in each of the ways that its episodes can be played."""
    made = []
    for settings in SETTINGS:
        with suppress(ConfigError):
            made.append(make(env_id, **settings))
    return made


def faults(env_id: str, seconds: float, seed: int) -> Iterator[Fault | int]:
    """Play for so long; yields what went wrong, and last how many steps were played."""
    rng, steps = Random(f"{seed} {env_id}"), 0
    tasks = max(2, min(TASKS, int(seconds)))
    envs = [(env, draws(env, tasks, seed), dict[str, list[object]]()) for env in variants(env_id)]
    until = perf_counter() + seconds
    while perf_counter() < until:
        env, jobs, solved = rng.choice(envs)
        job = rng.choice(jobs)
        gold = solved.get(job.task_id) or solved.setdefault(job.task_id, gold_actions(env, job))
        env.reset(seed=job.seed, options={"task_id": job.task_id})
        writer = Writer(rng, tools_of(env), gold)
        played: list[object] = []
        prefix = gold[: rng.randint(0, max(0, len(gold) - 1))]
        over = False
        while not over:
            played.append(prefix[len(played)] if len(played) < len(prefix) else writer.action())
            began = process_time()
            problem = ""
            try:
                _, _, terminated, truncated, info = env.step(played[-1])
            except Exception:  # noqa: BLE001 (that there is none is what is shown)
                problem, over = traceback.format_exc(), True
            else:
                steps, over = steps + 1, terminated or truncated
                problem = str(info.get("failure", ""))
            took = process_time() - began
            if problem or took > SLOW_S:
                yield Fault(env_id, job.task_id, played, problem or f"{took:.1f} s")
    yield steps


def main(words: list[str]) -> int:
    """Play by the words of a command line, and return how many faults there were."""
    seconds, seed = float(words[0]), int(words[1]) if len(words) > 1 else 0
    ids = words[2:] or env_ids()
    wrong = 0
    for env_id in ids:
        for found in faults(env_id, seconds / len(ids), seed):
            if isinstance(found, Fault):
                wrong += 1
                sys.stdout.write(f"{env_id} {found.task_id} {found.problem}\n  {found.actions!r:.3000}\n")
            else:
                sys.stdout.write(f"{env_id}: {found} steps\n")
            sys.stdout.flush()
    return wrong


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) > 0)
