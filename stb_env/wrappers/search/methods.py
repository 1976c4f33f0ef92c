"""The published searches (Guo et al., 2024) by the names that their answer files have."""

from __future__ import annotations

import re

from stb_env.core.gymtypes import AnyEnv
from stb_env.errors import ConfigError
from stb_env.models import ChatModel
from stb_env.wrappers.search.chains import IndependentChains
from stb_env.wrappers.search.dfs import DepthFirstSearch
from stb_env.wrappers.search.tree_search import TreeSearch

_CHAINS = re.compile(r"CoT@([1-9]\d*)\Z")
_TREE = re.compile(r".+_w([1-9]\d*)\Z")


def original_search(
    env: AnyEnv,
    method: str,
    *,
    max_depth: int = 12,
    max_queries: int = 200,
    answers: int = 1,
    model: ChatModel | None = None,
) -> TreeSearch:
    """Return the search that a method's name stands for, by the published rules.

    Args:
        env: A tool environment, best one with ``compat="original"`` itself.
        method: ``CoT@n``, ``DFS_woFilter_w<width>``, or ``DFS_w<width>`` for the search that ranks.
        max_depth: Depth limit, in nodes.
        max_queries: Queries after which a tree search ends.
        answers: Answers after which the search ends.
        model: Compares candidates where they are ranked; by heuristic values where not given.

    Raises:
        ConfigError: The name stands for no search.

    Examples:
        >>> from stb_env.testing.notes import notes
        >>> original_search(notes(), "DFS_woFilter_w2").settings["width"]
        2
        >>> original_search(notes(), "BFS")
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: method must be like CoT@1, DFS_woFilter_w2 or DFS_w2, got 'BFS'
    """
    if found := _CHAINS.match(method):
        return IndependentChains(
            env, tries=int(found[1]), max_depth=max_depth, answers=answers, compat="original"
        )
    if not (found := _TREE.match(method)):
        raise ConfigError(f"method must be like CoT@1, DFS_woFilter_w2 or DFS_w2, got {method!r}")
    return DepthFirstSearch(
        env,
        width=int(found[1]),
        max_depth=max_depth,
        max_queries=max_queries,
        answers=answers,
        filter="woFilter" not in method,
        rank=model,
        compat="original",
    )
