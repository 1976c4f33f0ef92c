"""A budget of calls: an agent learns to spend what it has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from gymnasium.spaces import Dict, Discrete

from stb_env.backend.backend import Backend
from stb_env.core.gymtypes import AnyEnv
from stb_env.core.request import Slow
from stb_env.core.settings import checks_settings
from stb_env.envs.rules import Rules
from stb_env.envs.state import State
from stb_env.envs.tool_env import Info, Observation, ToolEnv, Transition
from stb_env.errors import ConfigError
from stb_env.tools import Tool, ToolCall, ToolResult
from stb_env.wrappers.ruled import AroundBackend, RuledWrapper


class CallBudget(RuledWrapper):
    """Lets an episode make only so many calls; Finish is always free.

    What counts is what reaches an API: calls of unknown tools and with invalid arguments cost a turn as
    ever, and no budget. A call that the budget does not cover is not made; its result says so, and the agent
    can go on to Finish. The observation and ``info`` gain ``calls_left``.

    Args:
        env: A tool environment; it stays as it is, a fork of it is played.
        calls: Number of calls an episode may make.

    Raises:
        ConfigError: ``calls`` is negative, or a budget is there already.

    Examples:
        >>> from stb_env.testing.notes import notes
        >>> env = CallBudget(notes(), calls=1)
        >>> observation, info = env.reset(seed=0)
        >>> ask = {"name": "find_notes", "arguments": {"word": "dentist"}}
        >>> env.step(ask)[0]["calls_left"]
        0
        >>> env.step(ask)[0]["result"]
        '{"error": "the budget of 1 calls is spent; call Finish with what you know", "response": ""}'
    """

    @checks_settings
    def __init__(self, env: AnyEnv, calls: int) -> None:
        if calls < 0:
            raise ConfigError(f"calls must be at least 0, got {calls}")
        self.calls = calls
        super().__init__(env, calls=calls)
        inside = self.env.observation_space
        if not isinstance(inside, Dict) or "calls_left" in inside.spaces:
            raise ConfigError("a call budget needs an environment with a Dict observation and no budget yet")
        self.observation_space = Dict({**inside.spaces, "calls_left": Discrete(calls + 1)})

    def ruled(self, rules: Rules) -> Rules:
        """Return the rules with the budget between agent and backend."""
        return replace(rules, layers=(*rules.layers, _Budget(self.calls)))

    def _reset(
        self, seed: int | None, options: Mapping[str, object] | None
    ) -> Slow[tuple[Observation, Info]]:
        observation, info = yield from self.env._reset(seed, options)
        left = {"calls_left": self._left()}
        return {**observation, **left}, {**info, **left}

    def _step(self, action: object) -> Slow[Transition]:
        observation, reward, terminated, truncated, info = yield from self.env._step(action)
        left = {"calls_left": self._left()}
        return {**observation, **left}, reward, terminated, truncated, {**info, **left}

    def _standing(self) -> Info:
        return {**super()._standing(), "calls_left": self._left()}

    def _left(self) -> int:
        # Not counted step by step: a search inside may have gone back to where there was more.
        return max(0, self.calls - _spent(cast(ToolEnv, self.unwrapped).snapshot()))


@dataclass(frozen=True, slots=True)
class _Budget:
    """Puts what is left of a budget around a backend."""

    calls: int

    def __call__(self, backend: Backend, state: State) -> Backend:
        return _Budgeted(backend, self.calls, self.calls - _spent(state))


def _spent(state: State) -> int:
    return sum(call.result.source != "env" for call in state.calls)


class _Budgeted(AroundBackend):
    def __init__(self, backend: Backend, calls: int, left: int) -> None:
        super().__init__(backend)
        self._calls, self._left = calls, left

    def answer(self, state: Any, tool: Tool, call: ToolCall) -> Slow[tuple[ToolResult, Any]]:
        if self._left <= 0:
            error = f"the budget of {self._calls} calls is spent; call Finish with what you know"
            return ToolResult.of("", error=error, source="env"), state
        self._left -= 1
        return (yield from self.backend.answer(state, tool, call))

    def recorded(self, state: object, tool: Tool, call: ToolCall) -> ToolResult | None:
        found = self.backend.recorded(state, tool, call) if self._left > 0 else None
        self._left -= found is not None
        return found
