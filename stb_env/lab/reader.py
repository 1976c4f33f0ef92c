"""An agent that follows gold's plan as a program would: it reads by position and name, and judges nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping

from stb_env.baselines.gold import Gold
from stb_env.baselines.null import answer
from stb_env.gymtypes import AnyEnv
from stb_env.jsontypes import Json, JsonArray, JsonMapping
from stb_env.tasks import Ending, Task
from stb_env.testing.red_team.evidence import values_in
from stb_env.testing.red_team.typed import filled

# What a plan raises where a result has not the members that the API documents.
_UNREADABLE = (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RuntimeError)


class Reader(Gold):
    """Makes gold's calls on the tools that are there and answers with what came, whatever it was.

    It has no opinion on a result: a refusal, an invention and the truth are read alike, and where a result
    cannot be read on, that result is the answer, word for word, and its values that fit are the fields of a
    typed answer. So nothing in its answers was written with a judge in mind: it neither apologises nor
    chooses what to quote.

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
        self._task: Task = env.unwrapped.task  # type: ignore[attr-defined] # every environment of ours has it

    def act(self, observation: JsonMapping, info: JsonMapping) -> Json:
        """Return the plan's next call, its answer, or the result that it could not read."""
        try:
            return super().act(observation, info)
        except _UNREADABLE:
            call = info["calls"][-1]
            return answer(reported(self._task, _as_text(call), [call["error"] or call["response"]]))


def reported(task: Task, text: str, read: JsonArray) -> Ending:
    """Return the ending of an episode with a text, and with fields of what was read where answers are typed.

    Args:
        task: The task.
        text: What is said.
        read: The results whose first values that fit fill the fields.
    """
    if not isinstance(task.answer, Mapping):
        return text
    return {"answer": filled(task.answer["properties"], list(values_in(read))), "final_answer": text}


def _as_text(call: JsonMapping) -> str:
    said = call["error"] or call["response"]
    return said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
