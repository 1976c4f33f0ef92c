"""The parts of an environment of the suite, declared by each task and put together in one way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar, Unpack

from stb_env.actions import Action
from stb_env.actions.parse import ActionLike
from stb_env.backend.backend import Backend
from stb_env.core.kinds import Count
from stb_env.core.settings import checks_settings
from stb_env.envs.env_settings import EnvSettings
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError
from stb_env.judges.judge import Judge
from stb_env.suites.sambanova.common.mode import Compat, Mode, Split
from stb_env.suites.sambanova.common.whole_program import whole_gold, whole_program
from stb_env.tasks import Oracle, TaskSource

Data = str | Path | TaskSource
"""Official files, or tasks."""
Reader = Callable[[ActionLike], Action]
Supply = TypeVar("Supply")


@dataclass(frozen=True, slots=True)
class Supplied(Generic[Supply]):
    """Tasks that bring along what their world is made of.

    Attributes:
        tasks: The tasks.
        supply: What comes with them, such as the products of a shop.
    """

    tasks: TaskSource
    supply: Supply


@dataclass(frozen=True, kw_only=True)
class ProgramTask(Generic[Supply]):
    """The parts of an environment, each made for a mode.

    Attributes:
        tasks: Makes the embedded tasks of a split.
        official: Reads official files.
        world: Makes the world, of what was supplied where anything was.
        judge: Makes the judge of what was done.
        parse: Reads actions.
        parse_original: Reads actions as the original did.
        oracle: Solves tasks.
        env: The environment's class.
        halts: Whether a failing call keeps the later ones of its action from being made.
        divided: Whether official files have training tasks too.
        original_programs: Whether the original takes a whole program as one action.
    """

    tasks: Callable[[Split], TaskSource]
    official: Callable[[str | Path, Mode], TaskSource | Supplied[Supply]]
    world: Callable[[Mode, Supply | None], Backend]
    judge: Callable[[Mode], Judge]
    parse: Reader
    parse_original: Reader
    oracle: Oracle
    env: type[ToolEnv] = ToolEnv
    halts: Callable[[Mode], bool] = lambda _: True
    divided: bool = False
    original_programs: bool = True

    def make(
        self, mode: Mode, data: Data | None, supply: Supply | None = None, /, **settings: Any
    ) -> ToolEnv:
        """Make the environment.

        Args:
            mode: How it is played.
            data: Official files or tasks; the embedded tasks if None.
            supply: What the world is made of, where official files do not bring it along.
            **settings: Settings of `ToolEnv`.

        Raises:
            ConfigError: A setting is unknown, or does not go with another.
            DataError: The files are broken.
        """
        if mode.program and mode.original and not self.original_programs:
            raise ConfigError("with compat='original' an action is one line; leave out program=True")
        found = self._found(mode, data)
        tasks, supply = (found.tasks, found.supply) if isinstance(found, Supplied) else (found, supply)
        read = self.parse_original if mode.original else self.parse
        return self.env(
            tasks,
            self.world(mode, supply),
            self.judge(mode),
            parse=whole_program(read) if mode.program else read,
            halt_on_error=self.halts(mode),
            oracle=whole_gold(self.oracle) if mode.program else self.oracle,
            **settings,
        )

    def maker(self, turns: int) -> Callable[..., ToolEnv]:
        """Return the function that makes the environment of a task without settings of its own.

        Args:
            turns: Actions after which an episode is cut off, unless ``max_turns`` says otherwise.
        """

        @checks_settings
        def make(
            split: Split = "test",
            data: Data | None = None,
            compat: Compat | None = None,
            program: bool = False,
            max_turns: Count = turns,
            **settings: Unpack[EnvSettings],
        ) -> ToolEnv:
            """Make the environment.

            Args:
                split: ``test`` has a fixed list of goals, ``train`` is endless.
                data: SambaNova's own files: the folder with ``test.jsonl``, or that file. Or tasks.
                compat: ``original`` for the original evaluator's verdicts, its defects included.
                program: Whether the first action is all there is: it is judged without Finish.
                max_turns: Actions after which an episode is cut off.
                **settings: Further settings of `ToolEnv`.

            Raises:
                ConfigError: A setting is unknown.
                DataError: The files are broken.
            """
            return self.make(Mode.of(split, compat, program), data, max_turns=max_turns, **settings)

        return make

    def _found(self, mode: Mode, data: Data | None) -> TaskSource | Supplied[Supply]:
        if data is None:
            return self.tasks(mode.split)
        if mode.split != "test" and not (self.divided and isinstance(data, str | Path)):
            raise ConfigError(self._refusal(mode.split))
        return self.official(data, mode) if isinstance(data, str | Path) else data

    def _refusal(self, split: Split) -> str:
        if self.divided:
            return f"tasks that are given have their own split, got split={split!r}; leave it out"
        return f"official files have a test split alone, got split={split!r}; leave out data or split"
