"""Best of n: several whole tries, of which a judge of the agent's own chooses one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium as gym

from stb_env import ChatModel, IndependentChains

from .common import OwnJudge, SearchAgent, own_judge


class BestOfNAgent(SearchAgent):
    """Tries a task n times in forks of its start, and plays the answer that its judge likes best.

    Only that try is in effect when it is scored. Of equally good answers the first counts; an answer on which
    the judge failed counts as half good. Run it with
    ``--agent best_of_n``, or with settings as in ``--agent "best_of_n(n=5, judge='heuristic')"``.

    Args:
        model: The model, or a models file whose ``agent`` role is used.
        n: How many tries.
        judge: ``model``, the agent's own one, or ``heuristic``; never what the episodes are scored by.
        max_depth: Steps after which a try without an answer has failed.
        max_queries: Completions over all tries; None for no limit.

    Raises:
        ConfigError: No model is configured, or a number is out of range.
    """

    name = "best_of_n"

    def __init__(
        self,
        model: ChatModel | Path | str | None = None,
        n: int = 3,
        judge: OwnJudge = "model",
        max_depth: int = 12,
        max_queries: int | None = None,
    ) -> None:
        super().__init__(model, n=n, judge=judge, max_depth=max_depth, max_queries=max_queries)
        self.n, self.judge, self.max_depth, self.max_queries = n, judge, max_depth, max_queries

    def search(self, env: gym.Env[Any, Any]) -> IndependentChains:
        """Return n chains from the same start, and the judge among them.

        Raises:
            ConfigError: There is no such judge, or the episodes are scored by it.
        """
        return IndependentChains(
            env,
            tries=self.n,
            answers=self.n,
            value=own_judge(self.judge, self.model, env),
            max_depth=self.max_depth,
            max_queries=self.max_queries,
        )
