"""An agent that follows gold's plan as a program would: it reads by position and name, and judges nothing."""

from __future__ import annotations

import json
from typing import Any

from stb_env.baselines.gold import Gold
from stb_env.baselines.null import answer
from stb_env.gymtypes import AnyEnv
from stb_env.jsontypes import Json, JsonMapping
from stb_env.lab.endings import saying

# What a plan raises where a result has not the members that the API documents.
_UNREADABLE = (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RuntimeError)


class Reader(Gold):
    """Makes gold's calls on the tools that are there and answers with what came, whatever it was.

    It has no opinion on a result: a refusal, an invention and the truth are read alike, and where a result
    cannot be read on, that result is the answer, word for word. So nothing in its answers was written
    with a judge in mind: it neither apologises nor chooses what to quote.

    Examples:
        >>> from stb_env.rollout import play
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

    def act(self, observation: JsonMapping, info: JsonMapping) -> Json:
        """Return the plan's next call, its answer, or the result that it could not read."""
        try:
            return super().act(observation, info)
        except _UNREADABLE:
            return answer(saying(self._task, _as_text(info["calls"][-1])))


def _as_text(call: JsonMapping) -> str:
    said = call["error"] or call["response"]
    return said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
