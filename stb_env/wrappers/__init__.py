"""Wrappers around tool environments; each of them can be stepped, awaited, saved and forked as they can.

`ToolWrapper` is what they share, and what a wrapper of your own derives from.
"""

from stb_env.wrappers.base import ToolWrapper, WrapperState
from stb_env.wrappers.call_budget import CallBudget
from stb_env.wrappers.cot import ChainOfThought
from stb_env.wrappers.discrete import DiscreteActions
from stb_env.wrappers.fault_injection import FaultInjection
from stb_env.wrappers.result_limit import ResultLimit
from stb_env.wrappers.reward_shaping import RewardShaping
from stb_env.wrappers.ruled import RuledWrapper
from stb_env.wrappers.search import (
    BeamSearch,
    BestFirstSearch,
    DepthFirstSearch,
    IndependentChains,
    MonteCarloTreeSearch,
    TreeSearch,
)
from stb_env.wrappers.text_features import TextFeatures
from stb_env.wrappers.tool_retrieval import ToolRetrieval

__all__ = [
    "BeamSearch",
    "BestFirstSearch",
    "CallBudget",
    "ChainOfThought",
    "DepthFirstSearch",
    "DiscreteActions",
    "FaultInjection",
    "IndependentChains",
    "MonteCarloTreeSearch",
    "ResultLimit",
    "RewardShaping",
    "RuledWrapper",
    "TextFeatures",
    "ToolRetrieval",
    "ToolWrapper",
    "TreeSearch",
    "WrapperState",
]
