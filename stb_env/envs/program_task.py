"""What the ToolBench tasks share whose answer is a program: one way to make their environments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from stb_env.actions import Action
from stb_env.backend.protocol import Backend
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError
from stb_env.judges.protocol import Judge
from stb_env.tasks import Oracle, TaskSource
from stb_env.worlds.whole_program import whole_program

Split = Literal["test", "train"]
Compat = Literal["toolbench"]
Data = str | Path | TaskSource
Reader = Callable[[Any], Action]


class Official(Protocol):
    """Reads a user's official files."""

    def __call__(self, path: str | Path, *, parity: bool = False) -> TaskSource:
        """Return their tasks."""
        ...


class OfWorld(Protocol):
    """Makes a world."""

    def __call__(self, *, parity: bool = False) -> Backend:
        """Return a world that answers as the original did (parity), or rightly."""
        ...


class OfJudge(Protocol):
    """Makes a judge."""

    def __call__(self, *, parity: bool, program: bool) -> Judge:
        """Return the original's judge (parity) or ours, of whole programs or of episodes."""
        ...


@dataclass(frozen=True, slots=True)
class ProgramTask:
    """What the environment of a task is made of, by the rules of the original (parity) and by ours.

    Attributes:
        tasks: Makes the embedded tasks of a split.
        official: Reads official files.
        world: Makes the world.
        judge: Makes the judge.
        parse: Reads actions.
        parse_for_parity: Reads actions as the original did.
        oracle: Solves tasks.
    """

    tasks: Callable[[Split], TaskSource]
    official: Official
    world: OfWorld
    judge: OfJudge
    parse: Reader
    parse_for_parity: Reader
    oracle: Oracle

    def make(
        self,
        split: Split,
        data: Data | None,
        compat: Compat | None,
        program: bool,
        max_turns: int,
        settings: dict[str, Any],
    ) -> ToolEnv:
        """Make the environment.

        Raises:
            ConfigError: A setting is unknown.
            DataError: The files are broken.
        """
        if compat not in (None, "toolbench"):
            raise ConfigError(f"compat must be None or 'toolbench', got {compat!r}")
        parity = compat == "toolbench"
        read = self.parse_for_parity if parity else self.parse
        return ToolEnv(
            self._tasks(split, data, parity),
            self.world(parity=parity),
            self.judge(parity=parity, program=program),
            max_turns=max_turns,
            parse=whole_program(read) if program else read,
            halt_on_error=True,
            oracle=self.oracle,
            **settings,
        )

    def _tasks(self, split: Split, data: Data | None, parity: bool) -> TaskSource:
        if data is None:
            return self.tasks(split)
        if split != "test":
            raise ConfigError(
                f"official files have a test split alone, got split={split!r}; leave out data or split"
            )
        return self.official(data, parity=parity) if isinstance(data, str | Path) else data
