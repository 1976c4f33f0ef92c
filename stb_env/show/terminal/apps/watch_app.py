"""A person watches an agent play, step by step."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.binding import Binding, BindingType

from stb_env.core.gymtypes import AnyEnv
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import STBError
from stb_env.runs.agent import Agent
from stb_env.runs.episode import aplay
from stb_env.runs.guarded_agent import GuardedAgent
from stb_env.runs.job import Job
from stb_env.show.terminal.apps.episode_app import EpisodeApp
from stb_env.show.terminal.paced_agent import Pace, PacedAgent
from stb_env.trajectory import Trajectory


class WatchApp(EpisodeApp):
    """Shows an agent's episode: a key lets it take the next step, another lets it run on.

    Args:
        env: The environment.
        agent: Plays it.
        job: The episode.
        title: What is played.
        keep: Given the episode when it is over.

    Attributes:
        trajectory: The episode, once it is over.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        # Before the tree, which folds with the space bar; Enter does that too.
        Binding("space", "step", "Next step", priority=True),
        Binding("a", "run_on", "Run on", priority=True),
        ("ctrl+q", "quit", "Quit"),
    ]

    def __init__(
        self, env: ToolEnv, agent: Agent, job: Job, title: str, keep: Callable[[Trajectory], None]
    ) -> None:
        super().__init__(title)
        self.trajectory: Trajectory | None = None
        self._pace = Pace()
        self._agent = PacedAgent(GuardedAgent(agent, self._tell), self._turn)
        self._env: AnyEnv = self._agent.wrap(env)
        self._core = env
        self._job = job
        self._keep = keep

    def on_mount(self) -> None:
        """Start the episode."""
        self.run_worker(self._watch())

    def action_step(self) -> None:
        """Let the agent take its next step."""
        if self.trajectory is None:
            self._pace.step()

    def action_run_on(self) -> None:
        """Let the agent play to the end."""
        self._pace.run_on()

    async def _watch(self) -> None:
        job = self._job
        try:
            played = await aplay(self._env, self._agent, task_id=job.task_id, seed=job.seed, trial=job.trial)
            self._keep(played)
        except (STBError, OSError) as error:
            self.end(error)
            return
        self.trajectory = played
        where = f"{played.task_id} · {len(played.steps)} steps · over"
        self.draw(played.query, played.messages, where=where, verdict=played.verdict, failure=played.failure)

    def _tell(self, text: str) -> None:
        self.notify(text, severity="error", markup=False)

    async def _turn(self) -> None:
        """Show what happened so far, and wait to be told to go on."""
        core = self._core
        where = f"{core.task.id} · turn {core.snapshot().turn} of {core.rules.max_turns}"
        self.draw(core.task.query, core.messages, where=where)
        await self._pace.wait()
