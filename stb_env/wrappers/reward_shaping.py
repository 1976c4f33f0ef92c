"""Shaped rewards: a potential, which changes no best policy, and a price of calls, which does."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, cast

from gymnasium.error import ResetNeeded

from stb_env.core.gymtypes import AnyEnv
from stb_env.core.request import Slow
from stb_env.core.settings import checks_settings
from stb_env.envs.rules import Potential
from stb_env.envs.tool_env import Info, Observation, ToolEnv, Transition
from stb_env.errors import ConfigError
from stb_env.tools import FINISH
from stb_env.wrappers.base import ToolWrapper


class RewardShaping(ToolWrapper):
    """Adds to the reward of each step what a potential gained, and takes what calls cost.

    With a potential F a step from s to s' earns ``discount * F(s') - F(s)`` besides, where F is 0 once the
    episode is over, terminated or truncated. Over an episode that comes to ``-F(s0)`` whatever the agent
    does, so the order of policies, and which is best, stay as they are (Ng, Harada and Russell, 1999);
    this holds where the learner discounts by the same factor. A cost of calls has no such guarantee: it
    says that fewer calls are better.

    ``info`` gains ``reward_parts``: the environment's own ``reward``, and what ``potential`` and ``cost``
    added to it. An episode that an infrastructure failure ended earns 0.0 at that step, as it does without
    shaping: it is to be left out, not learned from. A trajectory that is played through this wrapper has
    the shaped rewards; its verdict is the judge's as ever.

    Args:
        env: A tool environment.
        potential: How far an episode has come: a function of the task, the backend's state and the calls so
            far. None for no shaping.
        discount: The learner's discount factor.
        call_cost: What each call costs, Finish left out.

    Raises:
        ConfigError: A setting is out of range, or the environment shapes its rewards already; later, the
            potential is no finite number.

    Examples:
        >>> from stb_env.testing.notes import notes
        >>> env = RewardShaping(notes(), lambda task, state, calls: min(1.0, len(calls) / 2), call_cost=0.1)
        >>> _ = env.reset(seed=0)
        >>> ask = {"name": "find_notes", "arguments": {"word": "dentist"}}
        >>> give_up = {"name": "Finish", "arguments": {"return_type": "give_up_and_restart"}}
        >>> env.step(ask)[1], env.step(give_up)[1]
        (0.4, -0.5)
    """

    @checks_settings
    def __init__(
        self, env: AnyEnv, potential: Potential | None = None, discount: float = 1.0, call_cost: float = 0.0
    ) -> None:
        if not 0 < discount <= 1:
            raise ConfigError(f"discount must be above 0 and at most 1, got {discount}")
        if not 0 <= call_cost < math.inf:
            raise ConfigError(f"call_cost must be at least 0 and finite, got {call_cost}")
        super().__init__(env, potential=potential, discount=discount, call_cost=call_cost)
        if potential is not None and self.rules.potential is not None:
            raise ConfigError("this environment shapes its rewards by a potential already; one is enough")
        self.potential, self.discount, self.call_cost = potential, discount, call_cost

    def _reset(
        self, seed: int | None, options: Mapping[str, object] | None
    ) -> Slow[tuple[Observation, Info]]:
        started = yield from self.env._reset(seed, options)
        self._own = self._reached()
        return started

    def _step(self, action: object) -> Slow[Transition]:
        if self._own is None:
            raise ResetNeeded("no episode is running; call env.reset() first")
        observation, reward, terminated, truncated, info = yield from self.env._step(action)
        own, before = reward, self._own
        gained = cost = 0.0
        self._own = 0.0 if terminated or truncated else self._reached()
        if info["valid"]:
            gained = self.discount * self._own - before
            cost = -self.call_cost * sum(call["name"] != FINISH for call in info["calls"])
            reward = own + gained + cost
        parts = {"reward": float(own), "potential": gained, "cost": cost}
        return observation, reward, terminated, truncated, {**info, "reward_parts": parts}

    def _reached(self) -> float:
        if self.potential is None:
            return 0.0
        state = cast(ToolEnv, self.unwrapped).snapshot()
        found: object = self.potential(self.task, state.backend, state.calls)
        reached = _number(found)
        if reached is None:
            raise ConfigError(
                f"the potential must be a finite number, got {found!r} in task {self.task.id!r} after "
                f"{len(state.calls)} calls"
            )
        return reached


def _number(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None
