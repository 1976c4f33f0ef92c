"""What the ToolBench tasks share whose answer is a program: one way to make their environments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from stb_env.actions import Action
from stb_env.backend.protocol import Backend
from stb_env.envs.env_settings import EnvSettings
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError
from stb_env.judges.protocol import Judge
from stb_env.suites.sambanova.common.whole_program import whole_program
from stb_env.tasks import Oracle, TaskSource

Split = Literal["test", "train"]
Compat = Literal["original"]
Data = str | Path | TaskSource
Reader = Callable[[Any], Action]


class Official(Protocol):
    """Reads a user's official files."""

    def __call__(self, path: str | Path, *, original: bool = False) -> TaskSource:
        """Return their tasks."""
        ...


class OfWorld(Protocol):
    """Makes a world."""

    def __call__(self, *, original: bool = False) -> Backend:
        """Return a world that answers as the original did (original), or rightly."""
        ...


class OfJudge(Protocol):
    """Makes a judge."""

    def __call__(self, *, original: bool, program: bool) -> Judge:
        """Return the original's judge (original) or ours, of whole programs or of episodes."""
        ...


@dataclass(frozen=True, slots=True)
class ProgramTask:
    """What the environment of a task is made of, by the rules of the original (original) and by ours.

    Attributes:
        tasks: Makes the embedded tasks of a split.
        official: Reads official files.
        world: Makes the world.
        judge: Makes the judge.
        parse: Reads actions.
        parse_original: Reads actions as the original did.
        oracle: Solves tasks.
    """

    tasks: Callable[[Split], TaskSource]
    official: Official
    world: OfWorld
    judge: OfJudge
    parse: Reader
    parse_original: Reader
    oracle: Oracle

    def make(
        self,
        split: Split,
        data: Data | None,
        compat: Compat | None,
        program: bool,
        max_turns: int,
        settings: EnvSettings,
    ) -> ToolEnv:
        """Make the environment.

        Raises:
            ConfigError: A setting is unknown.
            DataError: The files are broken.
        """
        original = compat == "original"
        read = self.parse_original if original else self.parse
        return ToolEnv(
            self._tasks(split, data, original),
            self.world(original=original),
            self.judge(original=original, program=program),
            max_turns=max_turns,
            parse=whole_program(read) if program else read,
            halt_on_error=True,
            oracle=self.oracle,
            **settings,
        )

    def _tasks(self, split: Split, data: Data | None, original: bool) -> TaskSource:
        if data is None:
            return self.tasks(split)
        if split != "test":
            raise ConfigError(
                f"official files have a test split alone, got split={split!r}; leave out data or split"
            )
        return self.official(data, original=original) if isinstance(data, str | Path) else data
