"""An agent that waits before each of its decisions until whoever watches lets it go on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from stb_env.core.gymtypes import AnyEnv
from stb_env.core.request import Request, Slow, drive
from stb_env.runs.agent import Agent


class Pace:
    """Holds back whoever waits, until it is told to go on once, or for good.

    Examples:
        >>> pace = Pace()
        >>> pace.run_on()
        >>> asyncio.run(pace.wait())
    """

    def __init__(self) -> None:
        self._go = asyncio.Event()
        self._free = False

    def step(self) -> None:
        """Let one go on; the next waits again."""
        self._go.set()

    def run_on(self) -> None:
        """Let everyone go on from now."""
        self._free = True
        self._go.set()

    async def wait(self) -> None:
        """Wait until it goes on."""
        await self._go.wait()
        if not self._free:
            self._go.clear()


class PacedAgent(Agent):
    """Decides as another agent does, but not before its turn has come.

    Args:
        agent: Who decides.
        turn: Waited for before each decision.

    Examples:
        >>> from stb_env.runs.baselines import load_agent
        >>> from stb_env.runs import aplay
        >>> from stb_env.testing.notes import notes
        >>> async def turn():
        ...     print("now")
        >>> agent = PacedAgent(load_agent("gold")(), turn)
        >>> asyncio.run(aplay(notes(), agent, task_id="day", seed=0)).reward
        now
        now
        1.0
    """

    def __init__(self, agent: Agent, turn: Callable[[], Awaitable[None]]) -> None:
        self._agent = agent
        self._turn = turn
        self.name = agent.name

    @property
    def blocks(self) -> bool:
        """Never: a decision that blocks is made in a thread."""
        return False

    def wrap(self, env: AnyEnv) -> AnyEnv:
        """Return the environment that the agent wants to play."""
        return self._agent.wrap(env)

    def preparing(self, env: AnyEnv, seed: int) -> Slow[None]:
        """Prepare the agent for an episode."""
        return self._agent.preparing(env, seed)

    def deciding(self, observation: Mapping[str, object], info: Mapping[str, object]) -> Slow[object]:
        """Wait for the turn, then return what the agent does next."""
        yield Request(run=lambda: None, arun=self._turn)
        deciding = self._agent.deciding(observation, info)
        try:
            if self._agent.blocks:
                return (yield Request(run=lambda: drive(deciding)))
            return (yield from deciding)
        finally:
            self.usage, self.engine = self._agent.usage, self._agent.engine
