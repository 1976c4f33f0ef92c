"""Ranking of the published search (Guo et al., 2024): a letter from a model, in both orders."""

from __future__ import annotations

import json

from stb_env.core.request import Slow
from stb_env.envs.finish import FINISH_TOOL
from stb_env.envs.wording import Wording
from stb_env.models import ChatModel, ChatReply, ChatRequest, ModelError, ask
from stb_env.usage import Usage
from stb_env.wrappers.search.original import path_text
from stb_env.wrappers.search.ranking import Pair
from stb_env.wrappers.search.value import Score, Scored


class OriginalRanker:
    """Compares candidates as the published search does that filters, for ``compat="original"``.

    The functions are given but must not be called, and the last letter of the reply decides: an A is one,
    whatever else is a B. An empty reply, at which the original crashes, is a failure.

    Args:
        model: Answers the questions; each counts as a query of the search.
        wording: The words in which it is asked.
    """

    def __init__(self, model: ChatModel, wording: Wording | None = None) -> None:
        self._model, self._wording = model, wording or Wording()
        self.__name__ = f"original_ranker:{model.name}"

    def __call__(self, pair: Pair) -> Slow[Score]:
        """Return the points of the first candidate.

        Raises:
            ModelError: The model gave no answer.
        """
        first, one = yield from self._ask(pair)
        second, other = yield from self._ask(pair.swapped())
        return Scored((first + (not second)) / 2, one + other)

    def _ask(self, pair: Pair) -> Slow[tuple[bool, Usage]]:
        reply: ChatReply = yield ask(self._model, self._question(pair))
        letter = reply.text.strip().lower()[-1:]
        if not letter:
            raise ModelError(
                f"{self._model.name} ranked two candidates with an empty reply; expected A or B",
                kind="judge",
                stage="judge",
                retryable=True,
                usage=reply.usage,
            )
        return letter == "a", reply.usage

    def _question(self, pair: Pair) -> ChatRequest:
        task, shared = pair.first.task, pair.shared
        messages = self._wording.ranking(
            task,
            path_text(pair.first.steps[:shared]),
            path_text(pair.first.steps[shared:]),
            path_text(pair.second.steps[shared:]),
        )
        tools = tuple(json.loads(tool.spec) for tool in (*task.tools, self._wording.finish or FINISH_TOOL))
        return ChatRequest(tuple(messages), tools, "none")
