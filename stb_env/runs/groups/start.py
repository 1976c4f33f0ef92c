"""The state in which all trials of a group begin, and the agent whose trial leads there."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from stb_env.core.gymtypes import AnyEnv
from stb_env.core.jsontypes import JsonMapping
from stb_env.core.request import Slow
from stb_env.envs.tool_env import ToolEnv
from stb_env.models.opaque import with_opaque
from stb_env.runs.agent import Agent
from stb_env.runs.episode import resetting
from stb_env.runs.groups.prefix import marked
from stb_env.runs.guarded_agent import GuardedAgent
from stb_env.runs.opening import Opening
from stb_env.trajectory import Trajectory
from stb_env.usage import Usage
from stb_env.wrappers.base import ToolWrapper

ForkableEnv: TypeAlias = ToolEnv | ToolWrapper


@dataclass(frozen=True, slots=True)
class Start:
    """Starting point of trials.

    Attributes:
        opening: What the agents see first.
        state: What the environment is restored to.
    """

    opening: Opening
    state: Any

    def own_opening(self) -> Opening:
        """Return the opening for one agent, which may add to the lists it is given."""
        opening = self.opening
        info = {
            **opening.info,
            "messages": [dict(message) for message in opening.info["messages"]],
            "tools": list(opening.info["tools"]),
        }
        return Opening(dict(opening.observation), info, opening.steps, opening.spent)


def started(env: ForkableEnv, task_id: str, seed: int) -> Slow[Start]:
    """Yield the slow work of starting an episode, and return where it begins."""
    observation, info = yield from resetting(env, seed, {"task_id": task_id})
    return Start(Opening(observation, info), env.snapshot())


class LeadAgent(GuardedAgent):
    """Plays given actions, then as another agent does, and remembers where the other trials are to begin.

    Args:
        agent: Plays what is not given.
        tell: Told of each mistake of the agent's.
        actions: What is played first.
        branch_at: After how many steps the others begin; before the last one of an episode that is shorter.
    """

    def __init__(
        self, agent: Agent, tell: Callable[[str], None], actions: Sequence[object], branch_at: int
    ) -> None:
        super().__init__(agent, tell)
        self._actions, self._branch_at = actions, branch_at
        self._turn = 0
        self._seen: Start | None = None

    def preparing(self, env: AnyEnv, seed: int) -> Slow[None]:
        """Prepare for an episode that has just been reset."""
        self._env: Any = env
        return super().preparing(env, seed)

    def deciding(self, observation: JsonMapping, info: JsonMapping) -> Slow[object]:
        """Return what is given, or what the agent does next."""
        turn, self._turn = self._turn, self._turn + 1
        if turn <= self._branch_at:
            # As a reset gives it, so that an agent can begin here.
            tools = info["tools"] if turn == 0 else json.loads(observation["tools"])
            info = {**info, "messages": self._env.messages, "tools": tools}
            opening = Opening(observation, info, spent=Usage(**info["usage"]))
            self._seen = Start(opening, self._env.snapshot())
        if turn < len(self._actions):
            return self._actions[turn]
        return (yield from super().deciding(observation, info))

    def start(self, episode: Trajectory) -> Start | None:
        """Return where the other trials begin; None where the episode failed before it came there.

        Args:
            episode: What came of the one that this agent led.
        """
        reached = min(self._turn - 1, self._branch_at)
        if self._seen is None or (not episode.valid and reached < self._branch_at):
            return None
        opening = self._seen.opening
        shared = marked(episode.steps[:reached], reached)
        info = {**opening.info, "messages": with_opaque(opening.info["messages"], shared)}
        return Start(Opening(opening.observation, info, shared, opening.spent), self._seen.state)
