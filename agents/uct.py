"""Monte-Carlo tree search (UCT) with a chat model as the policy."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import gymnasium as gym

from stb_env.jsontypes import JsonObject
from stb_env.llm import ChatModel
from stb_env.wrappers import MonteCarloTreeSearch
from stb_env.wrappers.search import JudgeValue, Value, heuristic_value

from .common import SearchAgent, own_judge


class UCTAgent(SearchAgent):
    """Spends a fixed number of completions where a value says that it pays, and plays the best answer.

    Args:
        model: The model, or a models file whose ``agent`` role is used.
        value: What is expected of a node: ``calls`` goes by whether its calls were answered and brought
            something new; ``model`` and ``heuristic`` judge answers besides, by the agent's model or by where
            their facts come from. None of them sees the verdict of the test.
        width: Children of a node at most.
        c: How much exploring is worth.
        max_depth: Steps at which a branch without an answer ends.
        max_queries: Completions after which the search ends.
        answers: Answers after which it ends; None spends all completions.

    Raises:
        ConfigError: No model is configured, or a number is out of range.
    """

    name = "uct"

    def __init__(
        self,
        model: ChatModel | Path | str | None = None,
        value: str = "model",
        width: int = 3,
        c: float = math.sqrt(2),
        max_depth: int = 12,
        max_queries: int = 30,
        answers: int | None = None,
    ) -> None:
        limits = {"max_depth": max_depth, "max_queries": max_queries, "answers": answers}
        super().__init__(model, value=value, width=width, c=c, **limits)
        self.limits: JsonObject = {"width": width, "c": c, **limits}
        self.value = value

    def search(self, env: gym.Env[Any, Any]) -> MonteCarloTreeSearch:
        """Return the search around an environment.

        Raises:
            ConfigError: There is no such value, or the episodes are scored by it.
        """
        return MonteCarloTreeSearch(env, value=self._valued(env), **self.limits)

    def _valued(self, env: gym.Env[Any, Any]) -> Value:
        if self.value == "calls":
            return heuristic_value
        return JudgeValue(own_judge(self.value, self.model, env))
