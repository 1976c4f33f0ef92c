"""Settings that makers of environments pass on to `ToolEnv`, for their ``**settings``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypedDict

from stb_env.actions import Action
from stb_env.backend.own import UserLike
from stb_env.envs.observation import Limits
from stb_env.envs.programs import Actions
from stb_env.envs.tool_env import Visible
from stb_env.envs.wording import Wording
from stb_env.verdict import RewardMode


class EnvSettings(TypedDict, total=False):
    """Settings of every environment; see `ToolEnv`."""

    order: Literal["random", "sequential"]
    shard: tuple[int, int]
    limits: Limits | Mapping[str, int] | None
    reward: RewardMode | None
    actions: Actions
    render_mode: str | None


class OpenSettings(EnvSettings, total=False):
    """Further settings of environments whose suite has no syntax and no users of its own; see `ToolEnv`."""

    parse: Callable[[Any], Action]
    halt_on_error: bool
    user: UserLike | None
    visible: Visible | None
    wording: Wording | None
