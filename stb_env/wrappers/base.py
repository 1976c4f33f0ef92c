"""The base of all wrappers: passes the whole environment contract on, so that a subclass changes one part."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeVar

import gymnasium as gym
from gymnasium.spaces import Dict, Space, Text
from gymnasium.utils import RecordConstructorArgs

from stb_env.core.gymtypes import AnyEnv
from stb_env.core.request import Slow, adrive, drive
from stb_env.core.settings import takes
from stb_env.envs.rules import Rules
from stb_env.envs.tool_env import Info, Observation, ToolEnv, Transition
from stb_env.errors import ConfigError, DataError
from stb_env.spaces import TextSpace
from stb_env.tasks import Task, TaskSource

AnySpace = TypeVar("AnySpace", bound=Space[Any])


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

    What a subclass needs of the environment inside it says by the class attributes below, and an order of
    wrappers in which it would not work is refused when they are put together.

    Args:
        env: A `ToolEnv`, or one in wrappers of this package.
        **settings: The subclass's own arguments, recorded so that ``gym.make(env.spec)`` makes it again.

    Raises:
        ConfigError: ``env`` is neither, or a wrapper inside belongs around this one.

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

    reads_texts: ClassVar[tuple[str, ...]] = ()
    """Texts that the observation inside must have."""
    needs_text_actions: ClassVar[bool] = False
    """True where the environment inside must take actions as text, because this wrapper uses them so."""
    needs_one_branch: ClassVar[bool] = False
    """True where the episode inside must go on from wherever the last step led."""
    goes_back: ClassVar[bool] = False
    """True where a step may go on elsewhere in the episode than where its action led, as in a search."""

    plays_calls: ClassVar[bool] = False
    """True where this wrapper writes actions itself, or reads them, as calls and not as programs."""

    env: ToolEnv | ToolWrapper

    def __init__(self, env: AnyEnv, **settings: Any) -> None:
        if not isinstance(env, ToolEnv | ToolWrapper):
            raise ConfigError(
                f"{type(self).__name__} wraps a ToolEnv or a wrapper of stb_env.wrappers, got "
                f"{type(env).__name__}; put wrappers of other packages around this one, not inside"
            )
        RecordConstructorArgs.__init__(self, **settings)
        super().__init__(env)
        self._own: Any = None
        self._check_inside()

    # -- Gymnasium -------------------------------------------------------------------------------

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, object] | None = None
    ) -> tuple[Observation, Info]:
        """Start an episode; see `ToolEnv.reset`."""
        return drive(self._reset(seed, options))

    async def areset(
        self, *, seed: int | None = None, options: Mapping[str, object] | None = None
    ) -> tuple[Observation, Info]:
        """Start an episode on the event loop; see `ToolEnv.reset`."""
        return await adrive(self._reset(seed, options))

    def step(self, action: object) -> Transition:
        """Play one action; see `ToolEnv.step`."""
        return drive(self._step(action))

    async def astep(self, action: object) -> Transition:
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
        """The source of tasks."""
        return self.env.tasks

    @property
    def rules(self) -> Rules:
        """Backend, judge and limits of the episodes."""
        return self.env.rules

    @property
    def messages(self) -> list[dict[str, object]]:
        """The episode so far as OpenAI chat messages."""
        return self.env.messages

    # -- what is inside ----------------------------------------------------------------------------

    def _layers(self) -> Iterator[ToolWrapper]:
        """Yield the wrappers inside this one, the outermost first."""
        inner = self.env
        while isinstance(inner, ToolWrapper):
            yield inner
            inner = inner.env

    def _check_inside(self) -> None:
        name = type(self).__name__
        if self.plays_calls and self.rules.programs is not None:
            raise ConfigError(
                f"{name} goes with calls as actions, and these are programs; make the environment without "
                "actions='code'"
            )
        if self.needs_text_actions and not _takes_text(self.env):
            layer = self._innermost(lambda inner: not _takes_text(inner))
            raise ConfigError(
                f"{name} needs actions that are text, and {type(layer).__name__} takes {layer.action_space}; "
                f"{self._order(layer)}"
            )
        if missing := [text for text in self.reads_texts if not _has_text(self.env, text)]:
            layer = self._innermost(lambda inner: not _has_text(inner, missing[0]))
            inner = type(layer).__name__
            order = f"make {inner} with texts=True" if takes(type(layer), "texts") else self._order(layer)
            raise ConfigError(
                f"{name} reads {' and '.join(self.reads_texts)}, and {inner} leaves "
                f"{' and '.join(missing)} out of the observation; {order}"
            )
        if self.needs_one_branch and (branching := [layer for layer in self._layers() if layer.goes_back]):
            inner = type(branching[0]).__name__
            if self.goes_back:
                raise ConfigError(f"{name} cannot search in a search, and {inner} is one; one is enough")
            raise ConfigError(
                f"{name} needs an episode that goes straight on, and {inner} goes back in it; "
                f"{self._order(branching[0])}"
            )

    def _innermost(self, fault: Callable[[ToolWrapper], bool]) -> AnyEnv:
        found = [layer for layer in self._layers() if fault(layer)]
        return found[-1] if found else self.env

    def _order(self, layer: AnyEnv) -> str:
        name, inner = type(self).__name__, type(layer).__name__
        return f"one {name} is enough" if inner == name else f"put {inner} around {name}"

    def _standing(self) -> Info:
        """Return what this wrapper and those inside say of the current state in ``info``, at every step."""
        return self.env._standing() if isinstance(self.env, ToolWrapper) else {}

    # -- core --------------------------------------------------------------------------------------

    def _reset(
        self, seed: int | None, options: Mapping[str, object] | None
    ) -> Slow[tuple[Observation, Info]]:
        return self.env._reset(seed, options)

    def _step(self, action: object) -> Slow[Transition]:
        return self.env._step(action)


def _takes_text(env: AnyEnv) -> bool:
    return isinstance(env.action_space, TextSpace | Text)


def _has_text(env: AnyEnv, name: str) -> bool:
    space = env.observation_space
    return isinstance(space, Dict) and isinstance(space.spaces.get(name), TextSpace | Text)


def _without_generator(space: AnySpace) -> AnySpace:
    """Return an equal space with a generator of its own; spaces inside it stay shared."""
    same = copy.copy(space)
    same._np_random = None  # type: ignore[assignment] # Space itself starts so
    return same
