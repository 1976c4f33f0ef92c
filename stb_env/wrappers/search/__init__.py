"""Searches over an environment, driven step by step by any agent; every branch is a trajectory.

`IndependentChains` is CoT@n, `DepthFirstSearch` DFSDT (Qin et al., 2023); `BestFirstSearch`, `BeamSearch`
and `MonteCarloTreeSearch` go by a value. `branches` takes a saved search apart.
"""

from stb_env.formats.branches import branches
from stb_env.wrappers.search.beam import BeamSearch
from stb_env.wrappers.search.best_first import BestFirstSearch
from stb_env.wrappers.search.chains import IndependentChains
from stb_env.wrappers.search.dfs import DepthFirstSearch
from stb_env.wrappers.search.methods import original_search
from stb_env.wrappers.search.original import failed_reply
from stb_env.wrappers.search.original_ranking import OriginalRanker
from stb_env.wrappers.search.ranking import Pair, Rank, Ranker, rank_by_value
from stb_env.wrappers.search.tree import Node, SearchTree
from stb_env.wrappers.search.tree_search import TreeSearch
from stb_env.wrappers.search.uct import MonteCarloTreeSearch
from stb_env.wrappers.search.value import JudgeValue, NodeView, Scored, Value, heuristic_value, unlabelled

__all__ = [
    "BeamSearch",
    "BestFirstSearch",
    "DepthFirstSearch",
    "IndependentChains",
    "JudgeValue",
    "MonteCarloTreeSearch",
    "Node",
    "NodeView",
    "OriginalRanker",
    "Pair",
    "Rank",
    "Ranker",
    "Scored",
    "SearchTree",
    "TreeSearch",
    "Value",
    "branches",
    "failed_reply",
    "heuristic_value",
    "original_search",
    "rank_by_value",
    "unlabelled",
]
