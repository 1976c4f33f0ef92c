"""The tasks of an environment, split by split."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter

from stb_env.core.jsontypes import JsonObject
from stb_env.core.settings import accepts
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import did_you_mean
from stb_env.runs.make import maker_of
from stb_env.serve.openenv.messages import Message
from stb_env.serve.openenv.play import Plays
from stb_env.serve.operations.refusals import Refusal
from stb_env.suite import suite_of


class OfSplit(Message):
    """Tasks of a split."""

    split: str


class OfIndex(OfSplit):
    """One task."""

    index: int


class OfRange(OfSplit):
    """Tasks from ``start`` up to, without, ``stop``."""

    start: int | None = None
    stop: int | None = None


class TaskLists:
    """Looks tasks up in the environments that sessions are forks of.

    Args:
        plays: Whose environment it is.
    """

    def __init__(self, plays: Plays) -> None:
        self._served, self._env_id = plays.sessions.served, plays.env_id

    @property
    def splits(self) -> tuple[str, ...]:
        """Splits that a client can ask for."""
        suite = suite_of(self._env_id)
        known = suite.splits if suite is not None else ("test",)
        return known if accepts(maker_of(self._env_id), "split") else known[:1]

    async def size(self, split: str) -> int:
        """Return how many tasks a split has."""
        size = (await self._env(split)).tasks.size
        if size is None:
            raise Refusal(
                f"the split {split} of {self._env_id} has no end; ask for a task or a range of them",
                kind="endless",
                status=501,
            )
        return size

    async def range(self, split: str, start: int | None, stop: int | None) -> list[JsonObject]:
        """Return tasks of a split."""
        first, last = start or 0, stop if stop is not None else await self.size(split)
        tasks = (await self._env(split)).tasks
        most = tasks.size if tasks.size is not None else first + MOST
        if not 0 <= first <= last <= most or last - first > max(MOST, tasks.size or 0):
            raise Refusal(
                f"Invalid task index: a range of {split} lies from 0 to {most}, got {first} to {last}",
                kind="index",
            )
        # Tasks may have to be generated: others are answered meanwhile.
        found = await asyncio.to_thread(lambda: [tasks.at(index) for index in range(first, last)])
        return [
            {"index": index, "split": split, "task_id": task.id, "query": task.query}
            for index, task in enumerate(found, first)
        ]

    async def _env(self, split: str) -> ToolEnv:
        if split not in self.splits:
            raise Refusal(
                f"the splits of {self._env_id} are {', '.join(self.splits)}, got {split!r:.60}."
                f"{did_you_mean(split, self.splits)}",
                kind="unknown_split",
                status=404,
            )
        chosen = {"split": split} if len(self.splits) > 1 else {}
        return await self._served.prototype(self._env_id, chosen)


MOST = 1_000
"""Tasks that one request gets of a split without end."""


def routes(plays: Plays, name: str) -> APIRouter:
    """Return the routes, under the environment's name."""
    lists = TaskLists(plays)
    router = APIRouter(tags=["tasks"])

    @router.get("/list_environments")
    async def list_environments() -> list[str]:
        return [name]

    @router.get("/{env_name}/splits")
    async def list_splits(env_name: str) -> list[dict[str, str]]:
        _check(env_name, name)
        return [{"name": split, "type": _KINDS.get(split, "validation")} for split in lists.splits]

    @router.post("/{env_name}/num_tasks")
    async def num_tasks(env_name: str, wanted: OfSplit) -> JsonObject:
        _check(env_name, name)
        return {"num_tasks": await lists.size(wanted.split)}

    @router.post("/{env_name}/tasks")
    async def list_tasks(env_name: str, wanted: OfSplit) -> JsonObject:
        _check(env_name, name)
        return {"tasks": await lists.range(wanted.split, None, None), "env_name": name}

    @router.post("/{env_name}/task")
    async def get_task(env_name: str, wanted: OfIndex) -> JsonObject:
        _check(env_name, name)
        return {"task": (await lists.range(wanted.split, wanted.index, wanted.index + 1))[0]}

    @router.post("/{env_name}/task_range")
    async def get_task_range(env_name: str, wanted: OfRange) -> JsonObject:
        _check(env_name, name)
        return {"tasks": await lists.range(wanted.split, wanted.start, wanted.stop)}

    return router


_KINDS = {"train": "train", "test": "test"}


def _check(got: str, name: str) -> None:
    if got.lower() != name.lower():
        raise Refusal(
            f"unknown environment {got!r:.60}; this is {name}", kind="unknown_environment", status=404
        )
