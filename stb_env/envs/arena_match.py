"""A match: several agents answer the same query in forks of one environment, then one is preferred."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from stb_env.core.gymtypes import AnyEnv
from stb_env.core.jsontypes import JsonObject
from stb_env.core.request import Slow, drive
from stb_env.envs.state import State
from stb_env.envs.tool_env import Info, Observation, ToolEnv
from stb_env.errors import ConfigError, InfrastructureError
from stb_env.judges.preference import Contender, Preferring, VerdictPreference
from stb_env.tasks import Task
from stb_env.usage import NO_USAGE, Usage

# PettingZoo's api_test hands every environment this option; any other unknown one is a mistake.
_IGNORED = "options"

_POINTS = {"first": (1, -1), "second": (-1, 1), "tie": (0, 0)}
_WORDS = {1: "win", 0: "tie", -1: "loss"}


@dataclass(frozen=True, slots=True)
class Settlement:
    """Outcome of a match.

    Attributes:
        rewards: For each agent the mean over its opponents of 1 for a win, 0 for a tie and -1 for a loss;
            0.0 for all of them where the match is not valid.
        valid: Whether the rewards may be counted.
        infos: What each agent's info gains.
    """

    rewards: Mapping[str, float]
    valid: bool
    infos: Mapping[str, Info]


class Match:
    """The rules of an arena, apart from PettingZoo's two interfaces.

    Args:
        env: A `ToolEnv`, or one in wrappers of this package; it draws the tasks, and each agent plays a fork.
        agents: How many agents there are.
        preference: Compares two episodes; the verdicts of the environment's own judge where not given.

    Attributes:
        names: The agents in order.
        forks: What each agent plays.
        observations: What each agent saw last.
        infos: What each agent was told last.

    Raises:
        ConfigError: There are fewer than two agents, or ``env`` cannot be forked.
    """

    def __init__(self, env: AnyEnv, agents: int, preference: Preferring | None) -> None:
        if agents < 2:
            raise ConfigError(f"an arena needs at least 2 agents, got {agents}")
        inner = env.unwrapped
        if not isinstance(inner, ToolEnv) or not hasattr(env, "fork"):
            raise ConfigError(
                f"an arena needs a ToolEnv or a wrapper of stb_env.wrappers around one, got "
                f"{type(env).__name__}; put wrappers of other packages around the arena"
            )
        self.env: Any = env
        self.preference = preference or VerdictPreference(inner.rules.judge.name)
        self.names = tuple(f"agent_{number}" for number in range(agents))
        self.forks: JsonObject = {name: self.env.fork() for name in self.names}
        self.observations: dict[str, Observation] = {}
        self.infos: dict[str, Info] = {}

    def reset(self, seed: int | None, options: Mapping[str, object] | None) -> None:
        """Draw a task and put every agent at its start; see `ToolEnv.reset`."""
        wanted = {name: value for name, value in (options or {}).items() if name != _IGNORED}
        observation, info = self.env.reset(seed=seed, options=wanted)
        start = self.env.snapshot()
        for name, fork in self.forks.items():
            fork.restore(start)
            self.observations[name] = dict(observation)
            self.infos[name] = copy.deepcopy(info)

    def over(self, name: str) -> bool:
        """Say whether an agent's own episode has ended."""
        return _state(self.forks[name]).over

    def play(self, name: str, action: object) -> None:
        """Play one action of an agent whose episode has not ended."""
        self.observations[name], _, _, _, self.infos[name] = self.forks[name].step(action)

    def settle(self) -> Settlement | None:
        """Return how the match ended, or None while it goes on.

        It goes on until every episode has ended, or until one cannot be counted: then nothing can be
        compared any more.
        """
        states = {name: _state(fork) for name, fork in self.forks.items()}
        for state in states.values():
            if state.over and not state.valid:
                return self._called_off(state.failure)
        if not all(state.over for state in states.values()):
            return None
        contenders = [_contender(self.env.task, state) for state in states.values()]
        try:
            points, usage = drive(self._compare(contenders))
        except InfrastructureError as error:
            return self._called_off(error.failure())
        return self._scored(points, usage)

    def _compare(self, contenders: list[Contender]) -> Slow[tuple[list[dict[int, int]], Usage]]:
        """Return for each contender its points against each other one, by position."""
        points: list[dict[int, int]] = [{} for _ in contenders]
        usage = NO_USAGE
        for one, other in combinations(range(len(contenders)), 2):
            preferred = yield from self.preference.compare(contenders[one], contenders[other])
            points[one][other], points[other][one] = _POINTS[preferred.outcome]
            usage += preferred.usage
        return points, usage

    def _scored(self, points: list[dict[int, int]], usage: Usage) -> Settlement:
        rewards: dict[str, float] = {}
        infos: dict[str, Info] = {}
        for name, against in zip(self.names, points, strict=True):
            rewards[name] = sum(against.values()) / len(against)
            results = {self.names[other]: _WORDS[against[other]] for other in sorted(against)}
            told = {"judge": self.preference.name, "results": results, "usage": usage.to_dict()}
            infos[name] = {"preference": told}
        return Settlement(rewards, True, infos)

    def _called_off(self, failure: Mapping[str, object] | None) -> Settlement:
        # A verdict that says "cannot be judged" leaves no failure behind.
        extra = {"valid": False} | ({"failure": dict(failure)} if failure is not None else {})
        return Settlement(
            dict.fromkeys(self.names, 0.0), False, {name: copy.deepcopy(extra) for name in self.names}
        )


def _state(env: AnyEnv) -> State:
    inner: Any = env.unwrapped
    state: State = inner.snapshot()
    return state


def _contender(task: Task, state: State) -> Contender:
    verdict = state.verdict or {}
    return Contender(state.case(task), verdict["status"])
