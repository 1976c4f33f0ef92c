"""The arena: agents answer the same query, and the better answer earns the reward (SoWR as a game).

As in PettingZoo's own modules, `env` makes the environment in which agents act in turn, `raw_env` the same
without the check of the order of calls, and `parallel_env` the one in which they act at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import gymnasium as gym
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Space
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from stb_env.core.gymtypes import AnyEnv
from stb_env.core.jsontypes import JsonObject
from stb_env.envs.arena_match import Match, Settlement
from stb_env.envs.tool_env import Info, Observation
from stb_env.errors import ConfigError, did_you_mean
from stb_env.judges.preference import Preferring

_METADATA = {"name": "stb_arena_v0", "render_modes": ["ansi", "human"], "is_parallelizable": False}


class _Seats:
    """Parts that both forms of the arena share: the match, its spaces and its views.

    Args:
        env: An environment id, a `ToolEnv`, or one in wrappers of this package.
        agents: How many agents answer each query.
        preference: Compares two episodes, as a `PreferenceJudge` does; the verdicts of the environment's
            own judge where not given.
        **settings: Settings of the environment, where an id was given.

    Raises:
        ConfigError: ``env`` cannot be forked, or an argument is out of range.
    """

    def __init__(
        self,
        env: str | AnyEnv,
        agents: int = 2,
        preference: Preferring | None = None,
        **settings: Any,
    ) -> None:
        if isinstance(env, str):
            env = gym.make(env, **settings)
        elif settings:
            raise ConfigError(f"settings go with an environment id, not with an object: {sorted(settings)}")
        self._match = Match(env, agents, preference)
        self.possible_agents = list(self._match.names)
        self.agents: list[str] = []
        self.render_mode = env.render_mode

    def observation_space(self, agent: str) -> Space[Any]:
        """Return an agent's observation space, which is that of the environment."""
        return self.env_of(agent).observation_space

    def action_space(self, agent: str) -> Space[Any]:
        """Return an agent's action space; its samples are calls of the current task's tools."""
        return self.env_of(agent).action_space

    def env_of(self, agent: str) -> AnyEnv:
        """Return the fork that an agent plays, for agents that look into it or fork it, never to step it.

        Raises:
            ConfigError: There is no such agent.
        """
        known = self._match.forks
        if agent not in known:
            raise ConfigError(f"no agent {agent!r}; there are {list(known)}.{did_you_mean(agent, known)}")
        fork: AnyEnv = known[agent]
        return fork

    def state(self) -> NDArray[np.object_]:
        """Return what every agent saw last, as an object array of shape (number of agents,)."""
        view = np.empty(len(self.possible_agents), dtype=object)
        view[:] = [dict(self._match.observations[agent]) for agent in self.possible_agents]
        return view

    def render(self) -> str | None:
        """Return all episodes as text (``ansi``); with ``human`` each action was already written out."""
        if self.render_mode != "ansi":
            return None
        return "\n".join(f"== {agent} ==\n{self.env_of(agent).render()}" for agent in self.possible_agents)

    def close(self) -> None:
        """Release what the environment holds."""
        self._match.env.close()


class Arena(_Seats, AECEnv):  # type: ignore[misc] # PettingZoo publishes no types
    """Agents answer the same query in turn, each in a fork of its own; then one is preferred.

    An agent whose own episode has ended is skipped, and stays alive with its last observation until the
    last one has ended too. Then the episodes are compared, all agents terminate together, and each earns
    the mean over its opponents of 1 for being preferred, 0 for a tie and -1 for the other being preferred:
    the rewards sum to 0. Rewards of the environment itself are not passed on; its verdict is in the info.
    Where the infrastructure fails in one fork or in the comparison, all are truncated at once, with
    rewards of 0.0 and ``valid`` False. With a `PreferenceJudge` two agents play for the Solvable Win
    Rate (SoWR; Guo et al., 2024).

    The last info of an agent gains ``preference``: ``{"judge", "results", "usage"}`` with a ``win``, ``tie``
    or ``loss`` against each opponent and what all comparisons cost.

    Args:
        env: An environment id, a `ToolEnv`, or one in wrappers of this package.
        agents: How many agents answer each query.
        preference: Compares two episodes, as a `PreferenceJudge` does; the verdicts of the environment's
            own judge where not given.
        **settings: Settings of the environment, where an id was given.

    Raises:
        ConfigError: ``env`` cannot be forked, or an argument is out of range.

    Examples:
        >>> from stb_env import load_agent
        >>> from stb_env.testing.notes import notes
        >>> arena = env(notes())
        >>> arena.reset(seed=0)
        >>> players = {"agent_0": load_agent("gold")(), "agent_1": load_agent("noop")()}
        >>> for name, player in players.items():
        ...     player.reset(arena.unwrapped.env_of(name), seed=0)
        >>> totals = dict.fromkeys(players, 0.0)
        >>> for name in arena.agent_iter():
        ...     observation, reward, terminated, truncated, info = arena.last()
        ...     totals[name] += reward
        ...     arena.step(None if terminated or truncated else players[name].act(observation, info))
        >>> totals
        {'agent_0': 1.0, 'agent_1': -1.0}
    """

    metadata: ClassVar[JsonObject] = _METADATA

    def reset(self, seed: int | None = None, options: Mapping[str, object] | None = None) -> None:
        """Start an episode of every agent on one task; see `ToolEnv.reset` for the arguments."""
        self._match.reset(seed, options)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = dict(self._match.infos)
        self.agent_selection = self.agents[0]
        # PettingZoo keeps it while agents leave, and an episode may be left half way.
        self._skip_agent_selection = None

    def observe(self, agent: str) -> Observation:
        """Return what an agent saw last."""
        return dict(self._match.observations[agent])

    def step(self, action: object) -> None:
        """Play an action of the selected agent and select the next one; None lets a finished one leave.

        Raises:
            ResetNeeded: No episode is running.
        """
        if not self.agents:
            raise ResetNeeded("no episode is running; call reset() first")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._match.play(agent, action)
        self.infos[agent] = self._match.infos[agent]
        settlement = self._match.settle()
        if settlement is None:
            self.agent_selection = self._next_after(agent)
        else:
            self._end(settlement)

    def _next_after(self, agent: str) -> str:
        start = self.agents.index(agent) + 1
        return next(one for one in self.agents[start:] + self.agents if not self._match.over(one))

    def _end(self, settlement: Settlement) -> None:
        self.rewards = dict(settlement.rewards)
        self._accumulate_rewards()
        self.terminations = dict.fromkeys(self.agents, settlement.valid)
        self.truncations = dict.fromkeys(self.agents, not settlement.valid)
        self.infos = _last_infos(self.infos, settlement)
        self.agent_selection = self.agents[0]


class ParallelArena(_Seats, ParallelEnv):  # type: ignore[misc] # PettingZoo publishes no types
    """The arena with one action of every agent in each step; see `Arena`.

    The action of an agent whose own episode has ended is ignored and may be left out.

    Args:
        env: An environment id, a `ToolEnv`, or one in wrappers of this package.
        agents: How many agents answer each query.
        preference: Compares two episodes; see `Arena`.
        **settings: Settings of the environment, where an id was given.

    Raises:
        ConfigError: ``env`` cannot be forked, or an argument is out of range.

    Examples:
        >>> from stb_env.testing.notes import notes
        >>> arena = parallel_env(notes())
        >>> observations, infos = arena.reset(seed=0)
        >>> finish = {"name": "Finish", "arguments": {"return_type": "give_up_and_restart"}}
        >>> arena.step({"agent_0": finish, "agent_1": "still thinking"})[2]
        {'agent_0': False, 'agent_1': False}
        >>> arena.step({"agent_1": finish})[1:3]
        ({'agent_0': 0.0, 'agent_1': 0.0}, {'agent_0': True, 'agent_1': True})
    """

    metadata: ClassVar[JsonObject] = _METADATA | {"is_parallelizable": True}

    def reset(
        self, seed: int | None = None, options: Mapping[str, object] | None = None
    ) -> tuple[dict[str, Observation], dict[str, Info]]:
        """Start an episode of every agent on one task; see `ToolEnv.reset` for the arguments."""
        self._match.reset(seed, options)
        self.agents = list(self.possible_agents)
        return self._observations(), dict(self._match.infos)

    def step(
        self, actions: Mapping[str, object]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Info]]:
        """Play one action of every agent whose own episode goes on.

        Raises:
            ResetNeeded: No episode is running.
            ConfigError: An action is missing, or is of an agent that does not exist.
        """
        agents = self.agents
        if not agents:
            raise ResetNeeded("no episode is running; call reset() first")
        self._check(actions)
        for agent in agents:
            if not self._match.over(agent):
                self._match.play(agent, actions[agent])
        settlement = self._match.settle()
        infos = dict(self._match.infos)
        if settlement is None:
            nothing = dict.fromkeys(agents, False)
            return self._observations(), dict.fromkeys(agents, 0.0), nothing, dict(nothing), infos
        self.agents = []
        return (
            self._observations(),
            dict(settlement.rewards),
            dict.fromkeys(agents, settlement.valid),
            dict.fromkeys(agents, not settlement.valid),
            _last_infos(infos, settlement),
        )

    def _observations(self) -> dict[str, Observation]:
        return {agent: dict(seen) for agent, seen in self._match.observations.items()}

    def _check(self, actions: Mapping[str, object]) -> None:
        for agent in actions:
            self.env_of(agent)
        missing = [name for name in self.agents if name not in actions and not self._match.over(name)]
        if missing:
            raise ConfigError(f"no action for {missing}; give one for every agent that still plays")


def _last_infos(infos: dict[str, Info], settlement: Settlement) -> dict[str, Info]:
    return {agent: info | settlement.infos[agent] for agent, info in infos.items()}


def raw_env(env: str | AnyEnv, **settings: Any) -> Arena:
    """Return an `Arena`; see there for the arguments."""
    return Arena(env, **settings)


def env(env: str | AnyEnv, **settings: object) -> Any:
    """Return an `Arena` that complains about calls in a wrong order; see there for the arguments."""
    return OrderEnforcingWrapper(raw_env(env, **settings))


def parallel_env(env: str | AnyEnv, **settings: Any) -> ParallelArena:
    """Return a `ParallelArena`; see there for the arguments."""
    return ParallelArena(env, **settings)
