"""An agent whose own exceptions end the episode and not the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from stb_env.core.gymtypes import AnyEnv
from stb_env.core.request import Slow
from stb_env.errors import ActionError, InfrastructureError, NoActionError, STBError, bug_in
from stb_env.runs.agent import Agent

T = TypeVar("T")


class GuardedAgent(Agent):
    """Plays as another agent does; what that raises by mistake is a failure of the kind ``internal``.

    The failure names the exception's type and place, never its text, which may hold secrets. It counts as one
    that may not happen again: agents have servers of their own, and bugs are mended. Errors that this package
    raises on purpose pass: they are about the run and not about one episode.

    Args:
        agent: Who plays.
        tell: Told of each mistake.

    Examples:
        >>> from stb_env.runs import as_agent, play
        >>> from stb_env.testing.notes import notes
        >>> hasty = GuardedAgent(as_agent(lambda observation, info: info["hint"]), print)
        >>> play(notes(), hasty, task_id="day", seed=0).failure["kind"]
        agent '<lambda>' raised KeyError (..., line 1), which is a bug in it
        'internal'
    """

    def __init__(self, agent: Agent, tell: Callable[[str], None]) -> None:
        self._agent = agent
        self._tell = tell
        self.name = agent.name

    def wrap(self, env: AnyEnv) -> AnyEnv:
        """Return the environment that the agent wants to play."""
        return self._agent.wrap(env)

    @property
    def blocks(self) -> bool:
        """True if the agent's decisions block."""
        return self._agent.blocks

    def preparing(self, env: AnyEnv, seed: int) -> Slow[None]:
        """Prepare the agent for an episode."""
        return self._guarded(self._agent.preparing(env, seed))

    def deciding(self, observation: Mapping[str, object], info: Mapping[str, object]) -> Slow[object]:
        """Return what the agent does next."""
        return self._guarded(self._agent.deciding(observation, info))

    def _guarded(self, slow: Slow[T]) -> Slow[T]:
        try:
            return (yield from slow)
        except (Exception, SystemExit) as error:
            if _on_purpose(error):
                raise
            raise self._failure(error) from error
        finally:
            self._take_note()

    def _failure(self, error: BaseException) -> InfrastructureError:
        said = isinstance(error, NoActionError)
        message = str(error) if said else bug_in(f"agent {self.name!r}", error)
        self._tell(message)
        return InfrastructureError(message, stage="agent", retryable=True)

    def _take_note(self) -> None:
        self.usage, self.engine = self._agent.usage, self._agent.engine


def _on_purpose(error: BaseException) -> bool:
    return isinstance(error, STBError) and not isinstance(error, ActionError)
