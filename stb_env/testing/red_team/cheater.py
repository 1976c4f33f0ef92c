"""The base of the red team: a line of calls, and after it an answer that nobody deserves a reward for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar

from stb_env.core.gymtypes import AnyEnv
from stb_env.core.jsontypes import JsonArray, JsonMapping, JsonObject
from stb_env.errors import ConfigError, did_you_mean
from stb_env.runs import Agent
from stb_env.seeding import rng
from stb_env.testing.red_team.evidence import Ending, Evidence, Say
from stb_env.tools import FINISH


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

    def reset(self, env: AnyEnv, seed: int) -> None:
        """Forget the last episode."""
        self._seed = seed
        self._results: JsonArray = []
        self._errors: list[str] = []
        self._gold: Ending = {}
        self._other: Ending = {}
        self._query = ""
        inner: Any = env.unwrapped
        self._form = inner.rules.finish_form(inner.task)

    def act(self, observation: Mapping[str, object], info: Mapping[str, object]) -> object:
        """Return the next call of the line, or after the last one the answer."""
        self.listen(observation, info)
        action = self.next_action(observation, info)
        if action is not None:
            return action
        # A cheat that has nothing to say where this episode ends otherwise says nothing.
        return self.final_actions().get(self._cheat, "")

    def listen(self, observation: JsonMapping, info: Mapping[str, object]) -> None:
        """Take in what the last action brought."""
        self._query = observation["query"]
        if info["calls"]:
            for one in _shown(observation["result"]):
                if one["error"]:
                    self._errors.append(one["error"])
                else:
                    self._results.append(one["response"])

    def next_action(self, observation: Mapping[str, object], info: Mapping[str, object]) -> object:
        """Return the next action of the line; None after the last one."""
        raise NotImplementedError

    def final_actions(self) -> dict[str, dict[str, object]]:
        """Return how each cheat of this line that has something to say would end the episode, by its name."""
        endings = {cheat: say(self._evidence(cheat)) for cheat, say in self.says.items()}
        return {
            cheat: {"name": FINISH, "arguments": ending}
            for cheat, ending in endings.items()
            if ending is not None
        }

    def _evidence(self, cheat: str) -> Evidence:
        draw = rng("red team", cheat, self._seed)
        return Evidence(self._query, self._results, draw, self._form, self._errors, self._gold, self._other)


def _shown(result: str) -> list[JsonObject]:
    """Return what the calls of an action brought, as it was shown, and so in bounded length."""
    shown = json.loads(result)
    return shown if isinstance(shown, list) else [shown]
