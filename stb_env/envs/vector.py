"""Many episodes at a time as one vector environment of Gymnasium."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Space, Tuple
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate
from numpy.typing import NDArray

from stb_env.core.gymtypes import AnyEnv
from stb_env.core.jsontypes import JsonObject
from stb_env.core.request import Slow, adrive, drive
from stb_env.envs.concurrent_work import together
from stb_env.envs.tool_env import Info, Observation, ToolEnv, Transition
from stb_env.envs.vector_reset import dealt, read_each, read_mask, read_seeds
from stb_env.errors import ConfigError, DataError, did_you_mean
from stb_env.spaces import TextSpace

Autoreset = AutoresetMode | Literal["NextStep", "SameStep", "Disabled"]
Batch = tuple[JsonObject, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], JsonObject]


class VectorState(NamedTuple):
    """A snapshot of a vector environment: immutable and picklable.

    Attributes:
        envs: The snapshot of each environment.
        observations: What each observed last.
        over: Whether the episode of each is over.
    """

    envs: tuple[Any, ...]
    observations: tuple[Observation, ...]
    over: tuple[bool, ...]


class _Turn(NamedTuple):
    """Contribution of one environment to a step; ``final`` is the end of the episode that it left behind."""

    transition: Transition
    final: JsonObject | None = None


class ToolVectorEnv(VectorEnv[Any, Any, Any]):
    """Plays many episodes at a time, in forks of one environment.

    The forks share tasks, catalogue, cache, backend and judge. A step plays one action in each: what needs
    nothing slow is done at once, and what has to wait, such as calls of a model or of a real API, waits
    together on an event loop. Observations, rewards and infos are batched as Gymnasium does it, and equal
    seeds and actions give the episodes that its `SyncVectorEnv` gives. Texts are tuples of ``num_envs``.
    The action space samples calls of each environment's current task.

    `reset` takes a seed, counted up from one environment to the next, or a list of seeds, and besides the
    options of `ToolEnv.reset` these: ``task_ids``, a list with a task for each; ``reset_mask``, a boolean
    array of those to reset. Random draws are independent and may meet; in sequential order, tasks are
    dealt out in turn, so that no two environments get the same.

    Args:
        env: A `ToolEnv`, or one in wrappers of this package; it stays as it is. Closing closes its backend.
        num_envs: How many episodes are played at a time.
        autoreset_mode: When an episode that is over gives way to the next: at the step after
            (``NextStep``), at the same step, whose info then has ``final_obs`` and ``final_info``
            (``SameStep``), or when `reset` is called with a mask (``Disabled``).

    Raises:
        ConfigError: ``env`` cannot be forked, or a setting is out of range.

    Examples:
        >>> from stb_env.testing.notes import notes
        >>> envs = ToolVectorEnv(notes(), num_envs=2)
        >>> observations, infos = envs.reset(seed=0, options={"task_ids": ["day", "write"]})
        >>> observations["query"][1]
        'Write down a note that says "Call the bank".'
        >>> ask = {"name": "find_notes", "arguments": {"word": "dentist"}}
        >>> give_up = {"name": "Finish", "arguments": {"return_type": "give_up_and_restart"}}
        >>> observations, rewards, terminated, truncated, infos = envs.step([ask, give_up])
        >>> terminated.tolist(), infos["task_id"].tolist(), infos["_verdict"].tolist()
        ([False, True], ['day', 'write'], [False, True])
    """

    def __init__(self, env: AnyEnv, num_envs: int = 1, autoreset_mode: Autoreset = "NextStep") -> None:
        inner = env.unwrapped
        if not isinstance(inner, ToolEnv) or not hasattr(env, "fork"):
            raise ConfigError(
                f"a vector environment needs a ToolEnv or a wrapper of stb_env.wrappers around one, got "
                f"{type(env).__name__}; put wrappers of other packages around the vector environment"
            )
        if not isinstance(num_envs, int) or num_envs < 1:
            raise ConfigError(f"num_envs must be at least 1, got {num_envs!r}")
        self.autoreset_mode = _mode(autoreset_mode)
        self.num_envs = num_envs
        self.metadata = {**env.metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = env.render_mode
        self.envs: list[Any] = [env.fork() for _ in range(num_envs)]
        for fork, shard in zip(self.envs, dealt(inner.shard, num_envs), strict=True):
            fork.unwrapped.shard = shard
        self._observations: list[Observation] = []
        self._over = np.zeros(num_envs, np.bool_)
        self._set_spaces()

    def _set_spaces(self) -> None:
        self.single_observation_space = self.envs[0].observation_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.single_action_space = self.envs[0].action_space
        self.action_space = _batched_actions([env.action_space for env in self.envs])

    # -- Gymnasium -------------------------------------------------------------------------------

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, object] | None = None
    ) -> tuple[JsonObject, JsonObject]:
        """Start an episode in every environment, or in those of a mask; see the class.

        Raises:
            ConfigError: A seed, a mask or an option is not of the form that is expected.
            DataError: There is no task of a given id.
            ResetNeeded: The mask leaves out an environment that has no episode yet.
        """
        return drive(self._reset(seed, options))

    async def areset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, object] | None = None
    ) -> tuple[dict[str, object], dict[str, object]]:
        """Start episodes on the event loop; see `reset`."""
        return await adrive(self._reset(seed, options))

    def step(self, actions: object) -> Batch:
        """Play one action in every environment.

        Args:
            actions: One for each environment, in order; where an episode only gives way to the next, its
                action is not looked at.

        Raises:
            ConfigError: There are more or fewer actions than environments.
            ResetNeeded: An episode is over and waits for its reset, or none was started.
        """
        return drive(self._step(actions))

    async def astep(self, actions: object) -> Batch:
        """Play one action in every environment on the event loop; see `step`."""
        return await adrive(self._step(actions))

    def render(self) -> tuple[Any, ...]:
        """Return what each environment renders."""
        return tuple(env.render() for env in self.envs)

    def close_extras(self, **kwargs: object) -> None:  # noqa: ARG002 (Gymnasium's signature)
        """Release the backend's handles, which all environments share."""
        self.envs[0].close()

    # -- the environments inside -------------------------------------------------------------------

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Return what a method returns in each environment, or the value of an attribute.

        Examples:
            >>> from stb_env.testing.notes import notes
            >>> envs = ToolVectorEnv(notes(), num_envs=2)
            >>> _ = envs.reset(options={"task_ids": ["day", "move"]})
            >>> [task.id for task in envs.call("task")]
            ['day', 'move']
        """
        found = [env.get_wrapper_attr(name) for env in self.envs]
        return tuple(each(*args, **kwargs) if callable(each) else each for each in found)

    def get_attr(self, name: str) -> tuple[object, ...]:
        """Return an attribute of each environment."""
        return self.call(name)

    def set_attr(self, name: str, values: object) -> None:
        """Set an attribute of each environment.

        Args:
            name: The attribute.
            values: A list or tuple with a value for each, or one value for all.

        Raises:
            ConfigError: The list has another length.
        """
        each = values if isinstance(values, list | tuple) else [values] * self.num_envs
        if len(each) != self.num_envs:
            raise ConfigError(f"values must be one, or a list of {self.num_envs}, got {len(each)} of them")
        for env, value in zip(self.envs, each, strict=True):
            env.set_wrapper_attr(name, value)

    # -- branching -------------------------------------------------------------------------------

    def snapshot(self) -> VectorState:
        """Return the state of every episode: immutable, picklable, free to keep.

        Which tasks the next resets draw is no part of it.

        Raises:
            ResetNeeded: No episode was started.
        """
        states = tuple(env.snapshot() for env in self.envs)
        return VectorState(states, tuple(self._observations), tuple(self._over.tolist()))

    def restore(self, state: VectorState) -> None:
        """Continue from a state of this or an equal vector environment.

        Raises:
            DataError: The state is of another number of environments, or a task does not exist here.
        """
        if len(state.envs) != self.num_envs:
            raise DataError(
                f"this is a snapshot of {len(state.envs)} environments, but here are {self.num_envs}"
            )
        for env, one in zip(self.envs, state.envs, strict=True):
            env.restore(one)
        self._observations, self._over = list(state.observations), np.array(state.over, np.bool_)

    def fork(self) -> Self:
        """Return an independent vector environment in the same state."""
        branch = object.__new__(type(self))
        branch.__dict__.update(self.__dict__)
        branch.envs = [env.fork() for env in self.envs]
        branch._observations, branch._over = list(self._observations), self._over.copy()
        branch._np_random = None
        branch._set_spaces()
        return branch

    # -- core --------------------------------------------------------------------------------------

    def _reset(
        self, seed: int | Sequence[int | None] | None, options: Mapping[str, object] | None
    ) -> Slow[tuple[dict[str, object], dict[str, object]]]:
        given = options or {}
        mask = read_mask(given, self.num_envs)
        chosen = [int(index) for index in np.flatnonzero(mask)]
        if not self._observations and len(chosen) < self.num_envs:
            left = int(np.flatnonzero(~mask)[0])
            raise ResetNeeded(f"environment {left} has no episode yet; call reset() without reset_mask first")
        seeds, each = read_seeds(seed, self.num_envs), read_each(given, self.num_envs)
        if not self._observations:
            # Forks of a running episode would all go on to the same one.
            seeds = [self._drawn() if one is None else one for one in seeds]
        started = yield from together(
            [self.envs[index]._reset(seeds[index], each[index]) for index in chosen]
        )
        self._observations = self._observations or [{}] * self.num_envs
        infos: JsonObject = {}
        for index, (observation, info) in zip(chosen, started, strict=True):
            self._observations[index] = observation
            infos = self._add_info(infos, info, index)
        self._over[mask] = False
        return self._batch(), infos

    def _drawn(self) -> int:
        return int(self.np_random.integers(2**31))

    def _step(self, actions: object) -> Slow[Batch]:
        if not self._observations:
            raise ResetNeeded("no episode is running; call reset() first")
        listed = self._listed(actions)
        if self.autoreset_mode is AutoresetMode.DISABLED and self._over.any():
            ended = np.flatnonzero(self._over).tolist()
            raise ResetNeeded(
                f"the episodes of environments {ended} are over; call reset(options={{'reset_mask': ...}})"
            )
        turns = yield from together([self._turn(index, action) for index, action in enumerate(listed)])
        infos: JsonObject = {}
        for index, turn in enumerate(turns):
            if turn.final is not None:
                infos = self._add_info(infos, turn.final, index)
            infos = self._add_info(infos, turn.transition[4], index)
        played = [turn.transition for turn in turns]
        self._observations = [one[0] for one in played]
        rewards = np.array([one[1] for one in played], np.float64)
        terminated = np.array([one[2] for one in played], np.bool_)
        truncated = np.array([one[3] for one in played], np.bool_)
        # What ended at a step that reset it already is running again.
        stays = self.autoreset_mode is not AutoresetMode.SAME_STEP
        self._over = (terminated | truncated) & stays
        return self._batch(), rewards, terminated, truncated, infos

    def _turn(self, index: int, action: object) -> Slow[_Turn]:
        env = self.envs[index]
        if self._over[index]:
            observation, info = yield from env._reset(None, None)
            return _Turn((observation, 0.0, False, False, info))
        transition: Transition = yield from env._step(action)
        observation, reward, terminated, truncated, info = transition
        if self.autoreset_mode is not AutoresetMode.SAME_STEP or not (terminated or truncated):
            return _Turn(transition)
        first: tuple[Observation, Info] = yield from env._reset(None, None)
        final = {"final_obs": observation, "final_info": info}
        return _Turn((first[0], reward, terminated, truncated, first[1]), final)

    def _listed(self, actions: object) -> list[object]:
        whole = isinstance(actions, str | Mapping)
        listed = [actions] if whole else list(iterate(self.action_space, actions))
        if whole or len(listed) != self.num_envs:
            raise ConfigError(
                f"step takes a list of {self.num_envs} actions, one for each environment, got "
                f"{'a single one' if whole else len(listed)}"
            )
        return listed

    def _batch(self) -> dict[str, object]:
        space = self.single_observation_space
        # Made anew at every step: what was returned before stays as it was.
        empty = create_empty_array(space, n=self.num_envs, fn=np.zeros)
        batch: JsonObject = concatenate(space, self._observations, empty)  # type: ignore[assignment,arg-type] # of a Dict
        return batch


def _mode(given: Autoreset) -> AutoresetMode:
    known = [mode.value for mode in AutoresetMode]
    if isinstance(given, AutoresetMode):
        return given
    if given not in known:
        near = did_you_mean(str(given), known)
        raise ConfigError(f"autoreset_mode must be one of {known}, got {given!r}.{near}")
    return AutoresetMode(given)


def _batched_actions(spaces: list[Space[Any]]) -> Space[Any]:
    if isinstance(spaces[0], TextSpace):
        # The environments' own spaces, not copies: they know the tools of the current tasks.
        return Tuple(spaces)
    return batch_space(spaces[0], len(spaces))
