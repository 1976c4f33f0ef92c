"""The base of wrappers that change the rules of episodes, or what answers calls."""

from __future__ import annotations

from typing import Any, cast

from stb_env.backend.backend import Backend
from stb_env.core.gymtypes import AnyEnv
from stb_env.core.request import Slow
from stb_env.envs.rules import Rules
from stb_env.envs.tool_env import ToolEnv
from stb_env.tasks import Task
from stb_env.tools import Tool, ToolCall, ToolResult
from stb_env.wrappers.base import ToolWrapper


class RuledWrapper(ToolWrapper):
    """Plays a fork of the given environment under other rules; the given one stays as it is.

    Trajectories, judges and copies see what the rules made of an episode, as if the environment itself had
    been made so. A subclass overrides `ruled`, which is called once, with its settings in place.

    Args:
        env: A tool environment.
        **settings: The subclass's own arguments, as for `ToolWrapper`.
    """

    def __init__(self, env: AnyEnv, **settings: object) -> None:
        super().__init__(env, **settings)
        self.env = self.env.fork()
        base = cast(ToolEnv, self.env.unwrapped)
        base.rules = self.ruled(base.rules)

    def ruled(self, rules: Rules) -> Rules:
        """Return the rules to play by, made from those of the environment."""
        return rules


class AroundBackend:
    """Passes everything on to a backend; a subclass answers some calls itself. Made for one action.

    Args:
        backend: The backend inside, whose state is passed through.
    """

    def __init__(self, backend: Backend) -> None:
        self.backend = backend

    @property
    def fingerprint(self) -> dict[str, object]:
        """That of the backend inside."""
        return self.backend.fingerprint

    def start(self, task: Task, seed: int) -> Any:
        """Return the backend's state at the start of an episode."""
        return self.backend.start(task, seed)

    def answer(self, state: Any, tool: Tool, call: ToolCall) -> Slow[tuple[ToolResult, Any]]:
        """Answer one call."""
        return self.backend.answer(state, tool, call)

    def recorded(self, state: object, tool: Tool, call: ToolCall) -> ToolResult | None:
        """Return what was recorded for exactly this call, or None."""
        return self.backend.recorded(state, tool, call)

    def close(self) -> None:
        """Release the handles of the backend inside."""
        self.backend.close()
