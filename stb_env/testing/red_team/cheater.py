"""The base of the red team: a line of calls, and after it an answer that nobody deserves a reward for."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import gymnasium as gym

from stb_env.baselines.null import answer
from stb_env.errors import ConfigError, did_you_mean
from stb_env.jsontypes import Json, JsonArray, JsonMapping, JsonObject
from stb_env.rollout import Agent
from stb_env.seeding import rng
from stb_env.testing.red_team.evidence import Evidence, Told
from stb_env.testing.red_team.items import items

Say = Callable[[Evidence], str]


class Cheater(Agent):
    """Makes the calls of its line, then answers as its cheat does.

    Cheats that share a line are one class, so that whoever plays all of them needs to make the calls once
    (`final_actions`).

    Args:
        cheat: Which of ``says``.

    Raises:
        ConfigError: There is no such cheat.
    """

    says: ClassVar[Mapping[str, Say]]

    def __init__(self, cheat: str) -> None:
        if cheat not in self.says:
            raise ConfigError(
                f"{type(self).__name__} has no cheat {cheat!r}; it has {', '.join(self.says)}."
                f"{did_you_mean(cheat, self.says)}"
            )
        self.name = f"red:{cheat}"
        self._cheat = cheat

    def reset(self, env: gym.Env[Any, Any], seed: int) -> None:
        """Forget the last episode."""
        self._seed = seed
        self._results: JsonArray = []
        self._gold = self._other = Told()
        self._query = ""
        inner: Any = env.unwrapped
        self._needs_values = False

    def act(self, observation: JsonMapping, info: JsonMapping) -> Any:
        """Return the next call of the line, or after the last one the answer."""
        self._query = observation["query"]
        if info["calls"]:
            self._results += _responses(observation["result"])
        action = self.next_action(observation, info)
        return self._ending(self._cheat) if action is None else action

    def next_action(self, observation: JsonMapping, info: JsonMapping) -> Json:
        """Return the next action of the line; None after the last one."""
        raise NotImplementedError

    def final_actions(self) -> dict[str, JsonObject]:
        """Return how each cheat of this line would end the episode now, by its name."""
        return {cheat: self._ending(cheat) for cheat in self.says}

    def _ending(self, cheat: str) -> JsonObject:
        evidence, say = self._evidence(cheat), self.says[cheat]
        action = answer(say(evidence))
        if self._needs_values:
            action["arguments"]["values"] = items(cheat, say, evidence)
        return action

    def _evidence(self, cheat: str) -> Evidence:
        draw = rng("red team", cheat, self._seed)
        gold, other = self._gold, self._other
        return Evidence(self._query, self._results, draw, gold.text, other.text, gold.values, other.values)


def _responses(result: str) -> JsonArray:
    """Return what an action brought without an error, as it was shown, and so in bounded length."""
    shown = json.loads(result)
    return [one["response"] for one in (shown if isinstance(shown, list) else [shown]) if not one["error"]]
