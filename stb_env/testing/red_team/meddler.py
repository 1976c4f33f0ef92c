"""Cheat that solves the task and changes other things too."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar

from stb_env.core.gymtypes import AnyEnv
from stb_env.core.jsontypes import JsonMapping
from stb_env.testing.red_team.cheater import Cheater
from stb_env.testing.red_team.copier import by_heart
from stb_env.testing.red_team.evidence import Say
from stb_env.testing.red_team.guesses import Guesses
from stb_env.testing.red_team.known_solutions import gold_line
from stb_env.tools import FINISH


class Meddler(Cheater):
    """Makes gold's calls and one of every other tool, those that change or delete things included."""

    says: ClassVar[Mapping[str, Say]] = {"meddled": by_heart}

    def reset(self, env: AnyEnv, seed: int) -> None:
        """Learn the solution from gold."""
        super().reset(env, seed)
        inner: Any = env.unwrapped
        actions, self._gold = gold_line(env, inner.task.id, seed)
        self._actions = iter(actions)
        self._called: set[str] = set()
        self._left = inner.rules.max_turns - len(actions) - 1

    def next_action(self, observation: JsonMapping, info: JsonMapping) -> object:
        """Return gold's next action, and after those a guessed call of a tool that was not called yet."""
        self._called.update(call["name"] for call in info["calls"])
        action = next(self._actions, None)
        if action is not None or self._left <= 0:
            return action
        self._left -= 1
        for spec in json.loads(observation["tools"]):
            tool = spec["function"]
            if tool["name"] != FINISH and tool["name"] not in self._called:
                arguments = Guesses(observation["query"]).arguments(tool["parameters"])
                return {"name": tool["name"], "arguments": arguments}
        return None


class Repeater(Cheater):
    """Takes each of gold's actions twice."""

    says: ClassVar[Mapping[str, Say]] = {"repeated": by_heart}

    def reset(self, env: AnyEnv, seed: int) -> None:
        """Learn the solution from gold."""
        super().reset(env, seed)
        inner: Any = env.unwrapped
        actions, self._gold = gold_line(env, inner.task.id, seed)
        twice = [action for action in actions for _ in range(2)]
        self._actions = iter(twice[: inner.rules.max_turns - 1])

    def next_action(self, observation: Mapping[str, object], info: Mapping[str, object]) -> object:
        """Return each action of gold, and the same again."""
        return next(self._actions, None)


class Quitter(Cheater):
    """Makes gold's calls but for the last one, and says that all is done."""

    says: ClassVar[Mapping[str, Say]] = {"unfinished": by_heart}

    def reset(self, env: AnyEnv, seed: int) -> None:
        """Learn the solution from gold."""
        super().reset(env, seed)
        inner: Any = env.unwrapped
        actions, self._gold = gold_line(env, inner.task.id, seed)
        self._actions = iter(actions[:-1])

    def next_action(self, observation: Mapping[str, object], info: Mapping[str, object]) -> object:
        """Return the next action of gold, the last one left out."""
        return next(self._actions, None)
