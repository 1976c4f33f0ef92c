"""Agents that understand nothing: they guess the arguments of reads from what was said and returned.

``python -m tests.suites.api_bank.sprays [DATA]`` prints how many dialogues each solves, per level.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import Any

import gymnasium as gym

import stb_env  # noqa: F401 (registers the ids)
from stb_env.actions import Action
from stb_env.suites.api_bank.apis.schedule import TODAY
from stb_env.suites.api_bank.apis.tool_search import SEARCHER
from stb_env.suites.api_bank.matching import STEPS
from stb_env.suites.api_bank.searcher import LOGIN
from stb_env.suites.api_bank.spoken_times import clocks_in, dates_in
from stb_env.suites.api_bank.times import read_date
from stb_env.tasks import Task
from stb_env.trajectory import Step

ACTS = ("Add", "Delete", "Modify", "Register", "Cancel", "Record", "Open", "Book", "Send", "Play", "Email")
MORE_ACTS = ("AppointmentRegistration", "ForgotPassword", "PersonalInfoUpdate", "TimedSwitch")
MOST = 64
_WORDS = re.compile(r"https?://\S+|[\w.+-]+@[\w.-]+\w|[\w'-]+")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_PROPER = re.compile(r"\b[A-Z][\w'-]*(?: [A-Z][\w'-]*)*")
_QUOTED = re.compile(r"[\"“]([^\"”]{2,80})[\"”]")


class Guesses:
    """Values that can be tried, the likeliest first."""

    def __init__(self) -> None:
        self._said: list[str] = []
        self._returned: list[tuple[str, Any]] = []

    def hear(self, text: str) -> None:
        """Take up what the user said."""
        self._said.insert(0, text)

    def read(self, value: Any, name: str = "") -> None:
        """Take up what a call returned."""
        if isinstance(value, dict):
            for key, each in value.items():
                self.read(each, key)
        elif isinstance(value, list):
            for each in value:
                self.read(each, name)
        elif value is not None:
            self._returned.insert(0, (name, value))

    def calls(self, tool: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield calls of a tool, the likeliest first."""
        properties = tool["parameters"]["properties"]
        few = math.ceil(MOST ** (1 / max(1, len(properties))))
        values = [list(islice(self._values(name, schema), few)) for name, schema in properties.items()]
        # Combinations that use the first values of all parameters come first.
        places = sorted(product(*(range(len(each)) for each in values)), key=lambda each: (sum(each), each))
        for place in places[:MOST]:
            chosen = (each[number] for each, number in zip(values, place, strict=True))
            arguments = dict(zip(properties, chosen, strict=True))
            if len({str(value) for value in arguments.values()}) == len(arguments):
                yield {"name": tool["name"], "arguments": arguments}

    def _values(self, name: str, schema: dict[str, Any]) -> Iterator[Any]:
        seen = set()
        for value in self._candidates(name, schema):
            if str(value) not in seen:
                seen.add(str(value))
                yield value

    def _candidates(self, name: str, schema: dict[str, Any]) -> Iterator[Any]:
        for key, value in self._returned:
            if key == name:
                yield [value] if schema["type"] == "array" else value
        said = "\n".join(self._said)
        texts = [*_QUOTED.findall(said), *_PROPER.findall(said), *_WORDS.findall(said)]
        if schema["type"] in ("integer", "number"):
            kind = int if schema["type"] == "integer" else float
            numbers = [*map(float, _NUMBER.findall(said))]
            numbers += [value for _, value in self._returned if type(value) in (int, float)]
            yield from (kind(number) for number in numbers)
        elif schema["type"] == "boolean":
            yield from (True, False)
        elif schema["type"] == "array":
            yield from ([text] for text in texts)
        elif "YYYY" in schema["description"] or "date" in name or "time" in name:
            days = sorted(dates_in(said, read_date(TODAY).date()))
            if "hh" in schema["description"]:
                clocks = sorted(clocks_in(said)) or [(0, 0)]
                yield from (f"{day} {hour:02}:{minute:02}:00" for day in days for hour, minute in clocks)
            yield from map(str, days)
        else:
            named = re.search(rf"\b{name.split('_')[-1]}(?: is|:|,)? ([\w.@+-]*\w)", said, re.IGNORECASE)
            yield from [named[1]] if named else []
            yield from (value for _, value in self._returned if isinstance(value, str) and len(value) < 80)
            yield from texts


class Sprayer:
    """Guesses in every turn of the dialogue, and says nothing of use. Logs in as often as it likes.

    Args:
        most: Guesses a tool and turn; None for as many as the dialogue records calls of it.
        last: Whether the likeliest guess is the last and not the first.
        deletes: Whether it also guesses what to delete, cancel and modify.
    """

    def __init__(self, most: int | None, *, last: bool = False, deletes: bool = False) -> None:
        self.most, self.last, self.deletes = most, last, deletes

    def can_solve(self, task: Task) -> bool:
        """Return whether it makes calls of all recorded APIs."""
        return all(self._tries(call.name) for call in task.gold)

    def play(self, env: Any, task: Task) -> float:
        """Return the reward of an episode."""
        observation, _ = env.reset(seed=0, options={"task_id": task.id})
        recorded = Counter(call.name for call in task.gold)
        guesses, text = Guesses(), observation["query"]
        while True:
            guesses.hear(text)
            observation = self._turn(env, guesses, observation, text, recorded)
            observation, reward, terminated, truncated, _ = env.step(Action((), "Is that all?"))
            if terminated or truncated:
                return float(reward)
            text = json.loads(observation["result"])["response"]

    def _turn(self, env: Any, guesses: Guesses, observation: Any, text: str, recorded: Counter[str]) -> Any:
        tried: set[str] = set()
        # What one tool returns is an argument of the next.
        for _ in range(4):
            tools = [each["function"] for each in json.loads(observation["tools"])]
            fresh = [tool for tool in tools if tool["name"] not in tried and self._tries(tool["name"])]
            tried.update(tool["name"] for tool in fresh)
            for tool in fresh:
                calls = self._guessed(guesses, tool, text, recorded)
                if calls:
                    observation, *_, info = env.step(calls)
                    for call in info["calls"]:
                        if not call["error"] and call["name"] != SEARCHER:
                            guesses.read(call["response"])
        return observation

    def _tries(self, name: str) -> bool:
        return is_read(name) or (self.deletes and name.startswith(("Delete", "Cancel", "Modify")))

    def _guessed(
        self, guesses: Guesses, tool: dict[str, Any], text: str, recorded: Counter[str]
    ) -> list[dict[str, Any]]:
        name = tool["name"]
        if name == SEARCHER:
            return [{"name": name, "arguments": {"keywords": text}}]
        most = MOST if name == LOGIN else recorded[name] if self.most is None else self.most
        found = list(islice(guesses.calls(tool), most))
        return found[::-1] if self.last else found


def is_read(name: str) -> bool:
    """Return whether an API only looks something up, by its name."""
    return name != "Finish" and not name.startswith(ACTS) and name not in MORE_ACTS


def alone(env: Any, task: Task, steps: Sequence[Step]) -> float:
    """Return the reward of the last guesses of an episode alone, as many of each tool as are recorded.

    Searches and log-ins are made as in the episode, and so is what was said.
    """
    room = Counter(call.name for call in task.gold if call.name not in STEPS)
    actions: list[Any] = []
    for step in reversed(steps):
        kept: list[dict[str, Any]] = []
        for call in reversed(step.calls):
            action = {"name": call.name, "arguments": call.arguments}
            known = any(action in other for other in (kept, *actions) if isinstance(other, list))
            if call.name in STEPS or (room[call.name] and not known):
                kept.insert(0, action)
                room[call.name] -= call.name not in STEPS
        actions += [kept] if kept else [Action((), step.text)] if not step.calls else []
    env.reset(seed=0, options={"task_id": task.id})
    rewards = [env.step(action)[1] for action in reversed(actions)]
    return float(rewards[-1])


def solved(reward: float) -> bool:
    """Return whether a reward is the whole one."""
    return reward >= 1.0


def main(data: str | None) -> None:
    """Print how many of the dialogues that they can solve some agents solve, and in any order of calls."""
    agents = {
        "one guess a tool": Sprayer(1),
        "64 guesses": Sprayer(MOST),
        "64, the likeliest last": Sprayer(MOST, last=True),
        "64, deletions and changes too": Sprayer(MOST, last=True, deletes=True),
    }
    for ability in ("Call", "Retrieve", "Plan"):
        for basis in ("acts", "calls"):
            env = gym.make(f"stb/APIBank{ability}-v1", data=data, reward_basis=basis).unwrapped
            for name, agent in agents.items():
                tasks = [task for task in env.tasks if agent.can_solve(task)]
                count = sum(solved(agent.play(env, task)) for task in tasks)
                sys.stdout.write(f"{ability} {basis}: {name} {count} of {len(tasks)}\n")


if __name__ == "__main__":
    main(*sys.argv[1:2] or [None])
