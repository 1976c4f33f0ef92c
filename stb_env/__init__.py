"""Stable tool-use environments behind one Gymnasium interface, offline by default.

Importing the package registers its environments, so ``gymnasium.make("stb/Sandbox-v0")`` works.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from gymnasium.envs.registration import register, registry

if TYPE_CHECKING:
    from stb_env.actions import Action
    from stb_env.backend.cache import ResponseCache
    from stb_env.backend.virtual import VirtualBackend
    from stb_env.baselines import load_agent
    from stb_env.envs.tool_env import ToolEnv
    from stb_env.judges.heuristic import HeuristicJudge
    from stb_env.rollout import Agent, run_batch
    from stb_env.tasks import Task, TaskSet
    from stb_env.tools import Tool, ToolCall, ToolCatalog, ToolResult
    from stb_env.trajectory import Trajectory, read_trajectories
    from stb_env.verdict import Verdict
    from stb_env.worlds.world import World

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
    "World": "stb_env.worlds.world",
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

_GROUPS = ("I1-Instruction", "I1-Category", "I1-Tool", "I2-Instruction", "I2-Category", "I3-Instruction")


def __getattr__(name: str) -> Any:
    module = _LAZY.get(name)
    if module is None:
        raise AttributeError(f"module 'stb_env' has no attribute {name!r}")
    return getattr(importlib.import_module(module), name)


def __dir__() -> list[str]:
    return sorted(__all__)


def _register(env_id: str, entry_point: str, **kwargs: Any) -> None:
    if env_id not in registry:
        # Without Gymnasium's wrappers the made object keeps snapshot, restore, fork, astep and areset;
        # the order check and the turn limit are the environment's own.
        register(env_id, entry_point, disable_env_checker=True, order_enforce=False, kwargs=kwargs)


_register("stb/Sandbox-v0", "stb_env.envs.sandbox:make")
_register("stb/OpenWeather-v0", "stb_env.envs.open_weather:make")
_register("stb/CatAPI-v0", "stb_env.envs.cat_api:make")
_register("stb/GoogleSheets-v0", "stb_env.envs.google_sheets:make")
_register("stb/Tabletop-v0", "stb_env.envs.tabletop:make")
_register("stb/HomeSearch-v0", "stb_env.envs.home_search:make")
_register("stb/TripBooking-v0", "stb_env.envs.trip_booking:make")
_register("stb/VirtualHome-v0", "stb_env.envs.virtual_home:make")
_register("stb/WebShop-v0", "stb_env.envs.web_shop:make")
for _ability in ("Call", "Retrieve", "Plan"):
    _register(f"stb/APIBank{_ability}-v0", "stb_env.envs.api_bank:make", ability=_ability)
for _group in _GROUPS:
    _register(f"stb/{_group.replace('-', '')}-v0", "stb_env.envs.stabletoolbench:make", group=_group)
