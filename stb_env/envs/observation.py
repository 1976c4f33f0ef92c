"""Observations and infos of an episode: what they hold, and how much."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass

from gymnasium.spaces import Dict, Discrete

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonObject
from stb_env.core.settings import check_settings
from stb_env.envs.state import State
from stb_env.errors import ConfigError
from stb_env.spaces import TextSpace
from stb_env.tasks import Task
from stb_env.tools import Status
from stb_env.verdict import RewardMode


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on what an observation carries, in characters of text.

    Attributes:
        query: The user's query.
        tools: JSON of all function specs.
        result: JSON of one step's results.
    """

    query: int = 16_384
    tools: int = 262_144
    result: int = 65_536


def limits_of(limits: Limits | Mapping[str, int] | None) -> Limits:
    """Return limits that are given as such, as a dict of their fields, or not at all.

    Raises:
        ConfigError: A name is unknown, or a limit too small.
    """
    if limits is None or isinstance(limits, Limits):
        return limits or Limits()
    check_settings(Limits, limits, "limits")
    made = Limits(**limits)
    if min(made.query, made.tools, made.result) < 256:
        raise ConfigError(f"each limit must be at least 256 characters, got {made}")
    return made


def observation_space(max_turns: int, limits: Limits) -> Dict:
    """Return the space of the observations of an environment with these bounds."""
    # A plain dict is not ordered by key; Gymnasium's Dict sorts it.
    return Dict(
        {
            "query": TextSpace(limits.query),
            "tools": TextSpace(limits.tools),
            "result": TextSpace(limits.result),
            "status": Discrete(len(Status)),
            "turn": Discrete(max_turns + 1),
        }
    )


def observation_of(state: State, query: str, tools: str) -> JsonObject:
    """Return what an agent observes.

    Args:
        state: The episode.
        query: The user's query.
        tools: JSON of all function specs.
    """
    return {
        "query": query,
        "tools": tools,
        "result": state.result,
        "status": int(state.status),
        "turn": state.turn,
    }


def info_of(state: State, task: Task, reward: RewardMode, more: JsonObject) -> JsonObject:
    """Return the info of an episode's last step.

    Args:
        state: The episode.
        task: Its task.
        reward: What the episode earns at its end.
        more: What the first and the last info have besides.
    """
    last = state.steps[-1] if state.steps else None
    info: JsonObject = {
        "task_id": task.id,
        "suite": task.suite,
        "group": task.group,
        "calls": [call.to_dict() for call in last.calls] if last else [],
        "usage": state.usage.to_dict(),
        "valid": state.valid,
    }
    if last is not None and last.text:
        info["text"] = last.text
    if last is not None and last.program is not None:
        info["program"] = last.program.to_dict()
    info.update(last.extra if last is not None else {})
    info.update(more)
    if state.over:
        info["answer"] = copy.deepcopy(state.answer)
        info["final_answer"] = state.final_answer
        info["reward_mode"] = reward
        if state.cannot is not None:
            info["cannot"] = copy.deepcopy(state.cannot)
    if state.by_role:
        info["usage_by_role"] = {role: usage.to_dict() for role, usage in state.by_role}
    if state.failure is not None:
        info["failure"] = dict(state.failure)
    if state.verdict is not None:
        info["verdict"] = jsontext.read_back(jsontext.dumps(state.verdict))
    return info
