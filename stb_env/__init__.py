"""Stable tool-use environments behind one Gymnasium interface, offline by default.

Importing the package registers its environments, so ``gymnasium.make(ID)`` works.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from stb_env.suite import register_own

if TYPE_CHECKING:
    from stb_env.actions import Action
    from stb_env.backend.cache import ResponseCache
    from stb_env.backend.virtual import VirtualBackend
    from stb_env.backend.world import World
    from stb_env.baselines import load_agent
    from stb_env.envs.tool_env import ToolEnv
    from stb_env.judges.heuristic import HeuristicJudge
    from stb_env.rollout import Agent, run_batch
    from stb_env.tasks import Task, TaskSet
    from stb_env.tools import Tool, ToolCall, ToolCatalog, ToolResult
    from stb_env.trajectory import Trajectory, read_trajectories
    from stb_env.verdict import Verdict

__version__ = "0.1.0"

# Public name -> module that defines it; imported at first use, so that importing the package stays cheap.
_LAZY = {
    "Action": "stb_env.actions",
    "Agent": "stb_env.rollout",
    "HeuristicJudge": "stb_env.judges.heuristic",
    "ResponseCache": "stb_env.backend.cache",
    "Task": "stb_env.tasks",
    "TaskSet": "stb_env.tasks",
    "Tool": "stb_env.tools",
    "ToolCall": "stb_env.tools",
    "ToolCatalog": "stb_env.tools",
    "ToolEnv": "stb_env.envs.tool_env",
    "ToolResult": "stb_env.tools",
    "Trajectory": "stb_env.trajectory",
    "Verdict": "stb_env.verdict",
    "VirtualBackend": "stb_env.backend.virtual",
    "World": "stb_env.backend.world",
    "load_agent": "stb_env.baselines",
    "read_trajectories": "stb_env.trajectory",
    "run_batch": "stb_env.rollout",
}

__all__ = [
    "Action",
    "Agent",
    "HeuristicJudge",
    "ResponseCache",
    "Task",
    "TaskSet",
    "Tool",
    "ToolCall",
    "ToolCatalog",
    "ToolEnv",
    "ToolResult",
    "Trajectory",
    "Verdict",
    "VirtualBackend",
    "World",
    "__version__",
    "load_agent",
    "read_trajectories",
    "run_batch",
]


def __getattr__(name: str) -> Any:
    module = _LAZY.get(name)
    if module is None:
        raise AttributeError(f"module 'stb_env' has no attribute {name!r}")
    return getattr(importlib.import_module(module), name)


def __dir__() -> list[str]:
    return sorted(__all__)


register_own()
