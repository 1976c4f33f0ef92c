"""Episodes as OpenEnv's harnesses play them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from openenv.core.env_server.mcp_types import Tool
from openenv.core.harness import ResourceSession, ResourceSessionFactory, ToolResult, VerifyResult

from stb_env.core.jsontypes import JsonObject
from stb_env.envs.finish import said_in
from stb_env.integrations.openenv.client import EpisodeClient
from stb_env.integrations.rows import Which, training_rows
from stb_env.tools import FINISH


class EpisodeSession(ResourceSession):
    """One episode, as a harness of OpenEnv plays it.

    Args:
        client: Where it is played; the session closes it.
        task_id: The task, or None to have the seed draw one.
        seed: Seed of the episode.
        episode_id: What the caller calls it.
    """

    def __init__(
        self, client: EpisodeClient, task_id: str | None, seed: int | None, episode_id: str | None
    ) -> None:
        self._client = client.sync()
        self._last: JsonObject = {}
        try:
            begun = self._client.reset(task_id=task_id, seed=seed, episode_id=episode_id)
            self._messages = begun.observation.messages
        except BaseException:
            self._client.close()
            raise

    def initial_messages(self) -> list[dict[str, object]]:
        """Return the opening messages: system and user."""
        return [dict(message) for message in self._messages]

    def list_tools(self) -> list[Tool]:
        """Return what may be called now."""
        tools: list[Tool] = self._client.list_tools()
        return tools

    def call_tool(self, name: str, arguments: dict[str, Any]) -> ToolResult:
        """Call a tool; what a model does wrong is said in the text, and marked as an error."""
        step = self._client.call_tool(name, arguments)
        text, self._last = step.observation.result, step.metadata
        wrong = step.metadata["status"] not in (0, 6)
        # No reward here: a harness would take the last step's for the episode's.
        told = {key: step.metadata[key] for key in ("status", "valid")}
        return ToolResult(text, done=step.done, metadata=told, error=text if wrong else None)

    def verify(self, transcript: list[JsonObject], final_state: Any = None) -> VerifyResult:
        """Take a last message without a call as the answer, and say what the episode earned.

        Where answers are typed such a message is none. The reward is None where the infrastructure failed:
        the rollout is not to be scored.
        """
        del final_state
        said = transcript[-1] if transcript else {}
        if said.get("role") == "assistant" and not said.get("tool_calls"):
            finish = next(tool for tool in self.list_tools() if tool.name == FINISH)
            given = said_in(finish.input_schema, said.get("content") or "")
            if given is not None:
                # After the end it plays nothing.
                self.call_tool(FINISH, given)
        state = self._client.state()
        told = {key: self._last.get(key) for key in ("verdict", "failure")}
        return VerifyResult(
            state.reward,
            done=state.over,
            metrics={"step_count": state.step_count, "valid": state.reward is not None},
            artifacts={"task_id": state.task_id, **told},
        )

    def close(self) -> None:
        """Leave the server, which ends the episode."""
        self._client.close()


class SessionFactory(ResourceSessionFactory[EpisodeSession]):
    """Makes a session for every rollout.

    Args:
        base_url: Such as ``http://127.0.0.1:8000/openenv/stb/Sandbox-v1``.
        **settings: What `EpisodeClient` takes.
    """

    def __init__(self, base_url: str, **settings: object) -> None:
        self._base_url, self._settings = base_url, settings

    def create(self, task: object, seed: int | None = None, episode_id: str | None = None) -> EpisodeSession:
        """Start an episode.

        Args:
            task: A task's id, or a prompt of `dataset`, which has it; a prompt without has the seed draw.
            seed: Seed of the episode.
            episode_id: What the caller calls it.
        """
        client = EpisodeClient(self._base_url, **self._settings)
        return EpisodeSession(client, task_of(task), seed, episode_id)


def dataset(
    env_id: str, tasks: Which = None, *, seed: int = 0, **settings: object
) -> list[dict[str, object]]:
    """List tasks as rows with a prompt that `SessionFactory` knows the task by.

    Args:
        env_id: An id of any suite.
        tasks: How many, or which; None for all.
        seed: Seed of the run.
        **settings: Settings of the environment; the server plays by its own.

    Examples:
        >>> row = dataset("stb_env.testing.notes:test/Notes-v0", "day")[0]
        >>> row["prompt"][-1]["role"], task_of(row["prompt"])
        ('user', 'day')
    """
    return [
        {"prompt": [*row.messages[:-1], {**row.messages[-1], "task_id": row.task_id}]}
        for row in training_rows(env_id, tasks, seed=seed, **settings)
    ]


def task_of(task: object) -> str | None:
    """Return the id of the task that a rollout is to play, None where nothing names one."""
    if isinstance(task, list) and task:
        task = task[-1]
    if isinstance(task, Mapping):
        task = task.get("task_id")
    return task if isinstance(task, str) else None
