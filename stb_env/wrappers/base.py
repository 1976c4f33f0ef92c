"""The base of all wrappers: passes the whole environment contract on, so that a subclass changes one part."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any, Self

import gymnasium as gym
from gymnasium.spaces import Space
from gymnasium.utils import RecordConstructorArgs

from stb_env.envs.rules import Rules
from stb_env.envs.tool_env import Info, Observation, ToolEnv, Transition
from stb_env.errors import ConfigError, DataError
from stb_env.jsontypes import JsonObject
from stb_env.request import Slow, adrive, drive
from stb_env.tasks import Task, TaskSource


@dataclass(frozen=True, slots=True)
class WrapperState:
    """A snapshot of a wrapped environment: immutable and picklable.

    Attributes:
        wrapper: Name of the wrapper's class.
        own: What the wrapper itself remembers of the episode.
        inner: Snapshot of the environment inside.
    """

    wrapper: str
    own: Any
    inner: Any


class ToolWrapper(gym.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Passes everything on to a tool environment; a subclass changes what it wants to.

    A subclass overrides the generators `_step` and `_reset`, in which ``yield from self.env._step(action)``
    plays one action of the inner environment; ``step``, ``astep``, ``reset`` and ``areset`` follow from
    them. Whatever it remembers of an episode is one immutable, picklable value in ``self._own``, so that
    ``snapshot``, ``restore`` and ``fork`` carry it too; every other attribute is a setting and never changes.

    Args:
        env: A `ToolEnv`, or one in wrappers of this package.
        **settings: The subclass's own arguments, recorded so that ``gym.make(env.spec)`` makes it again.

    Raises:
        ConfigError: ``env`` is neither.

    Examples:
        >>> from stb_env.testing.notes import notes
        >>> class Shout(ToolWrapper):
        ...     def _step(self, action):
        ...         observation, *rest = yield from self.env._step(action)
        ...         return {**observation, "result": observation["result"].upper()}, *rest
        >>> env = Shout(notes())
        >>> _ = env.reset(seed=0)
        >>> env.step("hello")[0]["result"][:30]
        '{"ERROR": "NO TOOL CALL FOUND;'
        >>> env.fork().step("hello")[0]["turn"], env.snapshot().wrapper
        (2, 'Shout')
    """

    env: ToolEnv | ToolWrapper

    def __init__(self, env: gym.Env[Any, Any], **settings: Any) -> None:
        if not isinstance(env, ToolEnv | ToolWrapper):
            raise ConfigError(
                f"{type(self).__name__} wraps a ToolEnv or a wrapper of stb_env.wrappers, got "
                f"{type(env).__name__}; put wrappers of other packages around this one, not inside"
            )
        RecordConstructorArgs.__init__(self, **settings)
        super().__init__(env)
        self._own: Any = None

    # -- Gymnasium -------------------------------------------------------------------------------

    def reset(
        self, *, seed: int | None = None, options: JsonObject | None = None
    ) -> tuple[Observation, Info]:
        """Start an episode; see `ToolEnv.reset`."""
        return drive(self._reset(seed, options))

    async def areset(
        self, *, seed: int | None = None, options: JsonObject | None = None
    ) -> tuple[Observation, Info]:
        """Start an episode on the event loop; see `ToolEnv.reset`."""
        return await adrive(self._reset(seed, options))

    def step(self, action: Any) -> Transition:
        """Play one action; see `ToolEnv.step`."""
        return drive(self._step(action))

    async def astep(self, action: Any) -> Transition:
        """Play one action on the event loop; see `ToolEnv.step`."""
        return await adrive(self._step(action))

    # -- branching -------------------------------------------------------------------------------

    def snapshot(self) -> WrapperState:
        """Return the episode's state, this wrapper's part included: immutable, picklable, free to keep.

        Raises:
            ResetNeeded: No episode was started.
        """
        return WrapperState(type(self).__name__, self._own, self.env.snapshot())

    def restore(self, state: WrapperState) -> None:
        """Continue from a snapshot of this or an equally wrapped environment.

        Raises:
            DataError: The snapshot is of another wrapper, or its task does not exist here.
        """
        got = state.wrapper if isinstance(state, WrapperState) else type(state).__name__
        if got != type(self).__name__:
            raise DataError(
                f"this is a snapshot of {got}, but {type(self).__name__} should be restored from it; "
                f"take and restore snapshots at the same wrapper"
            )
        self.env.restore(state.inner)
        self._own = state.own

    def fork(self) -> Self:
        """Return an independent environment in the same state."""
        branch = object.__new__(type(self))
        branch.__dict__.update(self.__dict__)
        branch.env = self.env.fork()
        if self._action_space is not None:
            branch._action_space = _without_generator(self._action_space)
        return branch

    # -- what agents and recorders may read --------------------------------------------------------

    @property
    def task(self) -> Task:
        """The task of the running episode."""
        return self.env.task

    @property
    def tasks(self) -> TaskSource:
        """Where tasks come from."""
        return self.env.tasks

    @property
    def rules(self) -> Rules:
        """Who answers calls, who judges, and where the limits are."""
        return self.env.rules

    @property
    def messages(self) -> list[JsonObject]:
        """The episode so far as OpenAI chat messages."""
        return self.env.messages

    # -- core --------------------------------------------------------------------------------------

    def _reset(self, seed: int | None, options: JsonObject | None) -> Slow[tuple[Observation, Info]]:
        return self.env._reset(seed, options)

    def _step(self, action: Any) -> Slow[Transition]:
        return self.env._step(action)


def _without_generator(space: Space[Any]) -> Space[Any]:
    """Return an equal space with a generator of its own; spaces inside it stay shared."""
    same = copy.copy(space)
    same._np_random = None  # type: ignore[assignment] # Space itself starts so
    return same
