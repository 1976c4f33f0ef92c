"""The tasks of an environment as rows of a framework's data set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stb_env.core.jsontypes import JsonObject
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError
from stb_env.runs import DrivenEpisode, Job, plan
from stb_env.runs.groups.workers import check_reward
from stb_env.runs.make import make_env
from stb_env.seeding import derive
from stb_env.tasks import TaskSource

Which = int | str | Sequence[str] | None
"""Tasks of an environment: the first so many, one id or several, or None for all."""


@dataclass(frozen=True, slots=True)
class Row:
    """One episode to play, as a data set has it: plain data.

    Attributes:
        env_id: Id of the environment.
        task_id: The task.
        seed: Seed of the episode, the one that ``stb-env run`` plays the task with.
        query: What the user asks.
        messages: The opening messages: system and user.
        tools: OpenAI function specs of what may be called at first.
    """

    env_id: str
    task_id: str
    seed: int
    query: str
    messages: list[JsonObject]
    tools: list[JsonObject]


def rows(env_id: str, tasks: Which = None, *, seed: int = 0, **settings: object) -> list[Row]:
    """List tasks of an environment, each once and in order, with how its episode begins.

    Args:
        env_id: An id of any suite.
        tasks: How many, or which; None for all.
        seed: Seed of the run; an episode's seed follows from it and the task.
        **settings: Settings of the environment.

    Raises:
        ConfigError: There is no such id or setting, or all tasks are asked of a split without end.
        DataError: There is no task of an id.

    Examples:
        >>> [row.task_id for row in rows("stb_env.testing.notes:test/Notes-v0", 2)]
        ['day', 'write']
        >>> row = rows("stb_env.testing.notes:test/Notes-v0", "day")[0]
        >>> row.query, len(row.tools), row.messages[-1]["role"]
        ('On which day do I see the dentist? Answer with the day alone.', 4, 'user')
    """
    return _listed(env_id, make_env(env_id, settings), tasks, seed)


def training_rows(env_id: str, tasks: Which = None, *, seed: int = 0, **settings: object) -> list[Row]:
    """List tasks as `rows` does, for a trainer that compares the episodes of a task with each other.

    Raises:
        ConfigError: As `rows`, or rewards are dense, which tell the episodes of a task nothing.

    Examples:
        >>> [row.task_id for row in training_rows("stb_env.testing.notes:test/Notes-v0", 1)]
        ['day']
    """
    env = make_env(env_id, settings)
    check_reward(env)
    return _listed(env_id, env, tasks, seed)


def _listed(env_id: str, env: ToolEnv, tasks: Which, seed: int) -> list[Row]:
    episode = DrivenEpisode(env)
    found = []
    for job in jobs(env.tasks, tasks, seed):
        episode.start(task_id=job.task_id, seed=job.seed)
        found.append(Row(env_id, job.task_id, job.seed, episode.query, episode.messages, list(episode.tools)))
    episode.close()
    return found


def jobs(tasks: TaskSource, which: Which, seed: int) -> list[Job]:
    """Return the episodes of these tasks, with the seeds that ``stb-env run --seed SEED`` gives them.

    Raises:
        ConfigError: All tasks are asked of a split without end.
        DataError: There is no task of an id.
    """
    if which is None and tasks.size is None:
        raise ConfigError(f"{tasks.name} generates tasks without end; say how many, such as tasks=100")
    if which is None or isinstance(which, int):
        return plan(tasks, episodes=which, seed=seed)
    ids = [which] if isinstance(which, str) else which
    # Where options are read as YAML, an id of digits comes as a number.
    return [Job(tasks.get(task_id).id, 0, derive(seed, task_id, 0)) for task_id in map(str, ids)]
