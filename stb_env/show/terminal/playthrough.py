"""A person's way through a task: what they did, what they took back, and the branches that they left."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from stb_env.actions import Action
from stb_env.core.jsontypes import JsonMapping
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import DataError
from stb_env.runs.driven import DrivenEpisode, Reply
from stb_env.tools import FINISH, ToolCall


class Attempt:
    """Plays an episode that can be taken back step by step, and forked.

    Every step is played in a fork, so that one that fails, or is interrupted, leaves everything as it was.

    Args:
        episode: One that has just been started.

    Attributes:
        branch: Number of the branch that is played, from 0.

    Examples:
        >>> import asyncio
        >>> episode = DrivenEpisode("stb_env.testing.notes:test/Notes-v0")
        >>> episode.start(task_id="day")
        >>> attempt = Attempt(episode)
        >>> asyncio.run(attempt.type('{"name": "find_notes", "arguments": {"word": "dentist"}}')).over
        False
        >>> attempt.turn, attempt.undo(), attempt.turn, attempt.undo()
        (1, True, 0, False)
    """

    def __init__(self, episode: DrivenEpisode) -> None:
        self._branches = [[episode]]
        self.branch = 0

    @property
    def episode(self) -> DrivenEpisode:
        """The episode as it stands on this branch; nothing that is played changes it."""
        return self._line[-1]

    @property
    def branches(self) -> int:
        """Number of branches."""
        return len(self._branches)

    @property
    def turn(self) -> int:
        """Number of actions taken on this branch."""
        return self._inner.snapshot().turn

    @property
    def max_turns(self) -> int:
        """Actions after which the episode is cut off."""
        return self._inner.rules.max_turns

    def misfit(self, name: str, arguments: Mapping[str, object]) -> str:
        """Return why Finish would refuse these arguments; empty where it would not, or for another tool."""
        if name != FINISH:
            return ""
        return self._inner.rules.finish_form(self._inner.task).read(ToolCall(name, arguments)).problem

    async def call(self, name: str, arguments: JsonMapping | str) -> Reply:
        """Call a tool."""
        return await self._play(lambda episode: episode.acall(name, arguments))

    async def type(self, text: str) -> Reply:
        """Play a line as an agent would write it: a call in any form, or what the user is to hear.

        Raises:
            DataError: It is neither; nothing was played, and no turn is lost.
        """
        read: Action = self._inner.read(text)
        if read.calls:
            return await self._play(lambda episode: episode.asay(text))
        if self.episode.converses:
            return await self._play(lambda episode: episode.atell(text))
        raise DataError("no tool call found, and nobody listens here; choose a tool, or give your answer")

    def undo(self) -> bool:
        """Take the last step of this branch back; returns whether there was one."""
        if len(self._line) == 1:
            return False
        self._line.pop()
        return True

    def fork(self) -> None:
        """Begin a branch that stands where this one does, and turn to it."""
        self._branches.append(list(self._line))
        self.branch = len(self._branches) - 1

    def next_branch(self) -> None:
        """Turn to the next branch, after the last one to the first."""
        self.branch = (self.branch + 1) % len(self._branches)

    @property
    def _line(self) -> list[DrivenEpisode]:
        return self._branches[self.branch]

    @property
    def _inner(self) -> ToolEnv:
        inner = self.episode.env.unwrapped
        assert isinstance(inner, ToolEnv)  # noqa: S101 (wrappers of this package hold nothing else)
        return inner

    async def _play(self, action: Callable[[DrivenEpisode], Awaitable[Reply]]) -> Reply:
        line = self._line
        following = line[-1].fork()
        reply = await action(following)
        line.append(following)
        return reply
