"""Depth-first search over decisions (DFSDT), the second method of ToolLLM and StableToolBench."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import gymnasium as gym

from stb_env import ChatModel, DepthFirstSearch

from .common import SearchAgent


class DFSAgent(SearchAgent):
    """Goes back where a branch ends in a give-up, and tries something else there.

    The model reads what was tried at a node before. Run it with ``--agent dfs``, or with settings as in
    ``--agent "dfs(width=3, max_queries=60)"``.

    Args:
        model: The model, or a models file whose ``agent`` role is used.
        width: Children of a node at most.
        max_depth: Steps at which a branch without an answer ends.
        max_queries: Completions after which the search ends; None for no limit.
        filter: Whether a node's children are all made first and compared pair by pair by the same model,
            so that the better ones are tried first.
        compat: ``"original"`` for the published rules (Guo et al., 2024), oddities included: depth in nodes,
            the reply at the query limit is thrown away; see `DepthFirstSearch`. Meant for an environment
            with the same setting.

    Raises:
        ConfigError: No model is configured, or a number is out of range.
    """

    name = "dfs"

    def __init__(
        self,
        model: ChatModel | Path | str | None = None,
        width: int = 2,
        max_depth: int = 12,
        max_queries: int | None = 200,
        filter: bool = False,  # the field's word
        compat: Literal["original"] | None = None,
    ) -> None:
        super().__init__(
            model, compat, width=width, max_depth=max_depth, max_queries=max_queries, filter=filter
        )
        self.width, self.max_depth, self.max_queries, self.filter = width, max_depth, max_queries, filter

    def search(self, env: gym.Env[Any, Any]) -> DepthFirstSearch:
        """Return the search around an environment."""
        return DepthFirstSearch(
            env,
            width=self.width,
            max_depth=self.max_depth,
            max_queries=self.max_queries,
            filter=self.filter,
            rank=self.model if self.filter else None,
            compat=self.compat,
        )
