"""Tasks by stages: an environment gets harder as its agent gets better."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from stb_env.core.gymtypes import AnyEnv
from stb_env.core.request import Slow
from stb_env.envs.observation import observation_space
from stb_env.envs.tool_env import Info, Observation, ToolEnv, Transition
from stb_env.errors import ConfigError, DataError
from stb_env.runs.groups.curriculum import Curriculum
from stb_env.runs.make import make_env
from stb_env.tasks import Task, TaskSource
from stb_env.wrappers.base import ToolWrapper

_STAGE = "stage"
"""Where the record of a drawn task tells its stage."""


@dataclass(frozen=True, slots=True)
class Stage:
    """Tasks of one difficulty.

    Attributes:
        name: Settings that make it, as ``level=2, hidden=1``.
        tasks: Its tasks.
        max_turns: Actions after which one of its episodes is cut off.
    """

    name: str
    tasks: TaskSource
    max_turns: int


def stages_of(env: ToolEnv, stages: Sequence[Mapping[str, object]]) -> tuple[Stage, ...]:
    """Return the stages of an environment, each made with settings of its own beside those that it has.

    Args:
        env: An environment that was made by its id.
        stages: The settings of each, the easiest first.

    Raises:
        ConfigError: There are fewer than two, two are equal, one is none of the environment's, or they differ
            in more than their tasks.
    """
    spec = env.spec
    if spec is None:
        raise ConfigError("stages are made by the environment's id; make it by stb_env.make(ID, ...)")
    made = {_name(settings): make_env(spec.id, {**spec.kwargs, **settings}) for settings in stages}
    if len(made) < 2 or len(made) < len(stages):
        raise ConfigError(f"stages are two or more settings that differ, got {[*map(_name, stages)]}")
    for name, one in made.items():
        if one.rules.backend.fingerprint != env.rules.backend.fingerprint:
            raise ConfigError(f"stages differ in their tasks alone, and {name} changes who answers calls")
    return tuple(Stage(name, one.tasks, one.max_turns) for name, one in made.items())


def staged_curriculum(stages: Iterable[Stage], seed: int = 0) -> Curriculum:
    """Return a curriculum of stages in which one is mastered with 13 of its last 16 episodes."""
    names = [stage.name for stage in stages]
    return Curriculum(names, low=0.2, high=0.8, memory=16, seed=seed, ordered=True)


class StagedTasks(ToolWrapper):
    """Draws tasks by stages, from how often its episodes are solved; see `Curriculum`.

    A stage is what settings of the environment make: a level, a dial, a kit. The next one is drawn when the
    one before it is mastered. Which stage a reset draws follows from its seed and from the episodes that
    ended before; a reset that names its task draws none, and its episode counts for none. At the start and
    at the end of an episode ``info["curriculum"]`` tells its ``stage``, the ``current`` one, and the success
    ``rates`` so far.

    Forks share the curriculum, so the environments of a vector learn from each other; put a search inside,
    not around it.

    Args:
        env: An environment that was made by its id, or one in wrappers of this package.
        stages: The settings of each stage, the easiest first.
        curriculum: Decides, and keeps the statistics; its tasks are the names of the stages. By default a
            stage is mastered with 13 of its last 16 episodes.

    Raises:
        ConfigError: The stages cannot be made, or the curriculum is of others.

    Examples:
        >>> import stb_env
        >>> env = StagedTasks(stb_env.make("stb_env.testing.notes:test/Notes-v0"), [{"max_turns": 9}, {}])
        >>> observation, info = env.reset(seed=0)
        >>> info["curriculum"]
        {'stage': 'max_turns=9', 'current': 'max_turns=9', 'rates': {}}
    """

    def __init__(
        self, env: AnyEnv, stages: Sequence[Mapping[str, object]], curriculum: Curriculum | None = None
    ) -> None:
        super().__init__(env, stages=stages, curriculum=curriculum)
        self.env = self.env.fork()
        base: Any = self.env.unwrapped
        self.stages = stages_of(base, stages)
        names = [stage.name for stage in self.stages]
        self.curriculum = curriculum or staged_curriculum(self.stages)
        if list(self.curriculum.tasks) != names:
            raise ConfigError(
                f"the stages are {names}, and the curriculum is of others: {[*self.curriculum.tasks]}"
            )
        most = max(base.max_turns, *(stage.max_turns for stage in self.stages))
        base.rules = replace(base.rules, max_turns=most)
        base.observation_space = observation_space(most, base.rules.limits)
        base.tasks = _Drawing(base.tasks, self.stages, self.curriculum)

    def _reset(
        self, seed: int | None, options: Mapping[str, object] | None
    ) -> Slow[tuple[Observation, Info]]:
        observation, info = yield from self.env._reset(seed, options)
        self._own = self.task.record.get(_STAGE)
        return observation, info | self._told()

    def _step(self, action: object) -> Slow[Transition]:
        observation, reward, terminated, truncated, info = yield from self.env._step(action)
        if terminated or truncated:
            if info["valid"] and self._own is not None:
                self.curriculum.note(self._own, [int(info["verdict"]["status"] == "solved")])
            info = info | self._told()
        return observation, reward, terminated, truncated, info

    def _told(self) -> Info:
        known = self.curriculum
        return {"curriculum": {"stage": self._own, "current": known.current, "rates": dict(known.rates)}}


@dataclass(frozen=True, slots=True)
class _Drawing:
    """A `TaskSource` whose indices draw stages, too.

    Attributes:
        base: Where tasks come from that are named.
        stages: The stages.
        curriculum: Decides which stage an index draws now.
    """

    base: TaskSource
    stages: tuple[Stage, ...]
    curriculum: Curriculum

    @property
    def name(self) -> str:
        return self.base.name

    @property
    def size(self) -> None:
        return None

    @property
    def hash(self) -> str:
        return hashlib.sha256("".join(stage.tasks.hash for stage in self.stages).encode()).hexdigest()

    def at(self, index: int) -> Task:
        name = self.curriculum.pick(index)
        stage = next(stage for stage in self.stages if stage.name == name)
        task = stage.tasks.at(index)
        return replace(task, record={**task.record, _STAGE: name})

    def get(self, task_id: str) -> Task:
        for source in (self.base, *(stage.tasks for stage in self.stages)):
            with suppress(DataError):
                return source.get(task_id)
        return self.base.get(task_id)


def _name(settings: Mapping[str, object]) -> str:
    return ", ".join(f"{name}={value}" for name, value in settings.items()) or "as it is"
