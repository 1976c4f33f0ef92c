"""The tasks of an environment, for ``vf-eval`` and the trainers that read verifiers' tasksets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import verifiers.v1 as vf
from pydantic import Field

from stb_env.integrations.rows import training_rows
from stb_env.integrations.verifiers.toolset import StbState, StbToolset, played


class StbConfig(vf.TasksetConfig):
    """Settings, as ``--env.taskset.NAME`` takes them.

    Attributes:
        env_id: Id of an environment of any suite; the taskset's own by default.
        settings: Settings of the environment.
        num_tasks: How many tasks; all by default.
        seed: Seed of the run; an episode's seed follows from it and the task.
        tools: Where the tool server runs.
    """

    env_id: str = ""
    settings: dict[str, Any] = Field(default_factory=dict)
    num_tasks: int | None = None
    seed: int = 0
    tools: vf.SharedToolsetConfig = vf.SharedToolsetConfig()


class StbData(vf.TaskData):
    """One task, as traces keep it.

    Attributes:
        env_id: The environment.
        settings: Its settings.
        seed: Seed of the episode.
    """

    env_id: str
    settings: dict[str, Any]
    seed: int


class StbTask(vf.Task[StbData, StbState, vf.TaskConfig]):
    """Plays a task on the taskset's tool server, and scores it by what the environment said."""

    async def setup(self, trace: vf.Trace, runtime: vf.Runtime) -> None:
        """Tell the tool server which episode this rollout plays."""
        del runtime
        state, data = trace.state, self.data
        state.episode, state.task_id, state.seed = trace.id, data.id, data.seed
        state.env_id, state.settings = data.env_id, dict(data.settings)

    @vf.stop
    def over(self, request: vf.Request, trace: vf.Trace) -> bool:
        """Ask the model nothing more once the episode is over."""
        del request
        return bool(trace.state.over)

    async def finalize(self, trace: vf.Trace, runtime: vf.Runtime) -> None:
        """Take a last message without a call as the answer, and a failure as an error of the task.

        Raises:
            TaskError: The infrastructure failed, so the episode has no reward; ``--resume`` plays it anew.
        """
        del runtime
        if not trace.state.over:
            await self._answer(trace.state, trace.last_reply)
        trace.info["stb_env"] = {"verdict": trace.state.verdict, "failure": trace.state.failure}
        if trace.state.reward is None:
            failure = trace.state.failure or {}
            raise vf.TaskError(f"{failure.get('stage')} failed: {failure.get('message')}")

    @vf.reward(weight=1.0)
    async def stb(self, trace: vf.Trace) -> float:
        """Return the sum of the environment's rewards."""
        return float(trace.state.reward)

    async def _answer(self, state: StbState, text: str) -> None:
        """Play the calls again up to an answer that was no call; the server's own episode ends with it."""
        episode = await state.begun()
        for name, arguments in state.calls:
            await played(episode, name, arguments)
        await episode.aconclude(text)
        state.note(episode)


class StbTaskset(vf.Taskset[StbTask, StbConfig]):
    """The tasks of an environment.

    Attributes:
        ENV_ID: The environment, where no setting names another.
    """

    ENV_ID: ClassVar[str] = "stb/Sandbox-v1"

    @classmethod
    def toolsets(cls, config: StbConfig) -> list[vf.Toolset]:
        """Serve the tools of all rollouts by one process."""
        return [StbToolset(config.tools)]

    def load(self) -> Iterator[StbTask]:
        """Yield the tasks in order."""
        env_id, settings = self.config.env_id or self.ENV_ID, self.config.settings
        for row in training_rows(env_id, self.config.num_tasks, seed=self.config.seed, **settings):
            system, user = row.messages
            data = StbData(
                id=row.task_id,
                env_id=env_id,
                settings=settings,
                seed=row.seed,
                system_prompt=system["content"],
                prompt=user["content"],
            )
            yield StbTask(data, self.config.task)
