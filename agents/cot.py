"""Chain of thought, once or in n independent tries (CoT@n)."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import gymnasium as gym

from stb_env import ChatModel, IndependentChains

from .common import SearchAgent


class CoTAgent(SearchAgent):
    """Thinks and calls along one chain; where it gives up, it starts again without memory, up to n times.

    The first answer that is no give-up counts. Run it with ``--agent cot``, or ``--agent "cot(n=3)"``.

    Args:
        model: The model, or a models file whose ``agent`` role is used.
        n: How often the task is tried at most.
        max_depth: Steps after which a try without an answer has failed.
        max_queries: Completions over all tries; None for no limit.
        compat: ``"original"`` for the published rules (Guo et al., 2024), with depth in nodes; see
            `IndependentChains`. Meant for an environment with the same setting.

    Raises:
        ConfigError: No model is configured, or a number is out of range.
    """

    name = "cot"

    def __init__(
        self,
        model: ChatModel | Path | str | None = None,
        n: int = 1,
        max_depth: int = 12,
        max_queries: int | None = None,
        compat: Literal["original"] | None = None,
    ) -> None:
        super().__init__(model, compat, n=n, max_depth=max_depth, max_queries=max_queries)
        self.n, self.max_depth, self.max_queries = n, max_depth, max_queries

    def search(self, env: gym.Env[Any, Any]) -> IndependentChains:
        """Return n chains from the same start."""
        return IndependentChains(
            env, tries=self.n, max_depth=self.max_depth, max_queries=self.max_queries, compat=self.compat
        )
