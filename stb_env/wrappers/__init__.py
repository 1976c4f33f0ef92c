"""Wrappers around tool environments; each of them can be stepped, awaited, saved and forked as they can.

`ToolWrapper` is what they share, and what a wrapper of your own derives from.
"""

from stb_env.wrappers.base import ToolWrapper, WrapperState
from stb_env.wrappers.cot import ChainOfThought
from stb_env.wrappers.discrete import DiscreteActions
from stb_env.wrappers.search import (
    BeamSearch,
    BestFirstSearch,
    DepthFirstSearch,
    IndependentChains,
    MonteCarloTreeSearch,
    TreeSearch,
)
from stb_env.wrappers.tool_retrieval import ToolRetrieval

__all__ = [
    "BeamSearch",
    "BestFirstSearch",
    "ChainOfThought",
    "DepthFirstSearch",
    "DiscreteActions",
    "IndependentChains",
    "MonteCarloTreeSearch",
    "ToolRetrieval",
    "ToolWrapper",
    "TreeSearch",
    "WrapperState",
]
