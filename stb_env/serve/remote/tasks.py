"""The tasks of a remote environment, fetched when they are asked for."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping

from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.core.request import drive
from stb_env.errors import ConfigError, DataError
from stb_env.serve.remote.server import Server
from stb_env.serve.sessions.wire import read_task
from stb_env.tasks import Task

_KEPT = 1_024
_AHEAD = 32


class RemoteTasks:
    """Tasks by index and by id, as the server has them; some are kept.

    Args:
        server: The server.
        chosen: Id and settings of the environment there.
        about: What the server says of the tasks: name and size.
    """

    def __init__(self, server: Server, chosen: Mapping[str, object], about: JsonMapping) -> None:
        self._server, self._chosen = server, chosen
        self.name: str = about["name"]
        self._size: int | None = about["size"]
        self._hash = ""
        self.sources: JsonObject = dict(about["sources"])
        self._kept: OrderedDict[str, Task] = OrderedDict()
        self._ids: OrderedDict[int, str] = OrderedDict()

    @property
    def size(self) -> int | None:
        """Number of tasks, or None where they are generated without end."""
        return self._size

    @property
    def hash(self) -> str:
        """Hex digest of the content."""
        if not self._hash:
            body = {**self._chosen, "hashed": True}
            about = drive(self._server.request("POST", "/environments/describe", body))
            self._hash = about["tasks"]["hash"]
        return self._hash

    def at(self, index: int) -> Task:
        """Return the task of an index; past the end it starts over."""
        index = index if self._size is None else index % self._size
        if index not in self._ids or self._ids[index] not in self._kept:
            # Whoever asks for one by its place will mostly ask for the next, too.
            count = 1 if self._size is None else min(_AHEAD, self._size - index)
            for offset, task in enumerate(self._fetch({"index": index, "count": count})):
                self.keep(task)
                self._ids[index + offset] = task.id
                while len(self._ids) > _KEPT:
                    self._ids.popitem(last=False)
        return self._kept[self._ids[index]]

    def get(self, task_id: str) -> Task:
        """Return the task of this id.

        Raises:
            DataError: There is none.
        """
        known = self.known(task_id)
        if known is not None:
            return known
        try:
            return self.keep(self._fetch({"task_id": task_id})[0])
        except ConfigError as error:
            raise DataError(str(error)) from None

    def known(self, task_id: str | None) -> Task | None:
        """Return the task of this id where it was fetched already."""
        return self._kept.get(task_id) if task_id is not None else None

    def keep(self, task: Task) -> Task:
        """Keep a task that the server sent, and return it."""
        kept = self._kept.setdefault(task.id, task)
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return kept

    def _fetch(self, which: Mapping[str, object]) -> list[Task]:
        reply = drive(self._server.request("POST", "/environments/tasks", {**self._chosen, **which}))
        return [read_task(data) for data in reply["tasks"]]
