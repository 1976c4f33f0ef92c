"""The steps that all trials of a group share: given ones, or the first of an episode that is sampled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from stb_env.errors import ConfigError
from stb_env.jsontypes import JsonMapping, JsonObject
from stb_env.trajectory import Trajectory

Prefix: TypeAlias = Trajectory | Sequence[Any]
"""A saved episode, or actions."""
Prefixes: TypeAlias = Mapping[str, Prefix]
"""What the trials of a task begin with, by task."""


def prefix_actions(prefix: Prefix, length: int | None = None) -> list[Any]:
    """Return the first actions of a prefix.

    Args:
        prefix: Actions, or a saved episode.
        length: How many; None for all, of an episode for all but its last.

    Raises:
        ConfigError: There are not so many.

    Examples:
        >>> prefix_actions(["look", "think"], 1)
        ['look']
        >>> prefix_actions(["look"], 2)
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: branch_at is 2, but the prefix has 1 action
    """
    if isinstance(prefix, Trajectory):
        actions, most = [_action(step) for step in prefix.steps], max(0, len(prefix.steps) - 1)
    else:
        actions, most = list(prefix), len(prefix)
    size = most if length is None else length
    if size > len(actions):
        counted = f"{len(actions)} action{'s' * (len(actions) != 1)}"
        raise ConfigError(f"branch_at is {size}, but the prefix has {counted}")
    return actions[:size]


def marked(steps: Sequence[JsonMapping], shared: int) -> list[JsonObject]:
    """Return steps of which the first ones say that all trials of a group share them.

    Examples:
        >>> marked([{"calls": []}, {"calls": []}], 1)
        [{'calls': [], 'prefix': True}, {'calls': []}]
    """
    return [{**step, **({"prefix": True} if place < shared else {})} for place, step in enumerate(steps)]


def _action(step: JsonMapping) -> Any:
    calls: list[JsonObject] = [
        {"id": call["id"], "name": call["name"], "arguments": call["arguments"]} for call in step["calls"]
    ]
    return calls or step.get("text", "")
