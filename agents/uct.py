"""Monte-Carlo tree search (UCT) with a chat model as the policy."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Literal

import gymnasium as gym

from stb_env import ChatModel, MonteCarloTreeSearch

from .common import OwnJudge, SearchAgent, own_judge


class UCTAgent(SearchAgent):
    """Spends a fixed number of completions where a value says that it pays, and plays the best answer.

    Run it with ``--agent uct``, or with settings as in ``--agent "uct(value='calls', max_queries=60)"``.

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
        value: Literal["calls"] | OwnJudge = "model",
        width: int = 3,
        c: float = math.sqrt(2),
        max_depth: int = 12,
        max_queries: int = 30,
        answers: int | None = None,
    ) -> None:
        limits: dict[str, Any] = {"max_depth": max_depth, "max_queries": max_queries, "answers": answers}
        super().__init__(model, value=value, width=width, c=c, **limits)
        self.limits = {"width": width, "c": c, **limits}
        self.value = value

    def search(self, env: gym.Env[Any, Any]) -> MonteCarloTreeSearch:
        """Return the search around an environment.

        Raises:
            ConfigError: There is no such value, or the episodes are scored by it.
        """
        if self.value == "calls":
            return MonteCarloTreeSearch(env, **self.limits)
        return MonteCarloTreeSearch(env, value=own_judge(self.value, self.model, env), **self.limits)
