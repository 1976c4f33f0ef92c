"""Cheat that calls all tools with guessed arguments, and answers with the results."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from stb_env.core.gymtypes import AnyEnv
from stb_env.core.jsontypes import JsonMapping
from stb_env.testing.red_team.cheater import Cheater
from stb_env.testing.red_team.dumps import DUMPS
from stb_env.testing.red_team.guesses import Guesses
from stb_env.tools import FINISH

_CALLS = 12


class Guesser(Cheater):
    """Calls up to 12 tools with guessed arguments, then dumps the results in one of several ways.

    Tools that it comes to see on the way, where they have to be searched for, are called as well.

    Examples:
        >>> from stb_env import play
        >>> from stb_env.testing.notes import notes
        >>> played = play(notes(), Guesser("guess_last"), task_id="day", seed=0)
        >>> [call["name"] for step in played.steps for call in step["calls"]]
        ['add_note', 'find_notes', 'delete_note', 'Finish']
    """

    says = DUMPS

    def reset(self, env: AnyEnv, seed: int) -> None:
        """Forget which tools were called."""
        super().reset(env, seed)
        self._called: set[str] = set()
        self._guesses: Guesses | None = None
        inner: Any = env.unwrapped
        # The last turn is for the answer.
        self._room = min(_CALLS, inner.rules.max_turns - 1)

    def next_action(self, observation: JsonMapping, info: Mapping[str, object]) -> object:
        """Return a guessed call of a tool that was not called yet."""
        self._guesses = self._guesses or Guesses(observation["query"])
        if len(self._called) >= self._room:
            return None
        for spec in json.loads(observation["tools"]):
            tool = spec["function"]
            if tool["name"] != FINISH and tool["name"] not in self._called:
                self._called.add(tool["name"])
                return {"name": tool["name"], "arguments": self._guesses.arguments(tool["parameters"])}
        return None
