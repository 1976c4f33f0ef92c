"""Plays a program that somebody wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium as gym

from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import ConfigError
from stb_env.runs import Agent
from stb_env.tools import PYTHON


class Code(Agent):
    """Runs a program of your own as its first action, in environments whose actions are programs.

    Args:
        path: File with the program.

    Raises:
        ConfigError: No path was given, or the file cannot be read.
    """

    name = "code"
    needs = "a program"

    def __init__(self, path: str = "") -> None:
        if not path:
            raise ConfigError("the code agent needs a program: --agent code:PROGRAM.py")
        try:
            self._code = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"cannot read the program {path}: {error}") from error

    def reset(self, env: gym.Env[Any, Any], seed: int) -> None:
        """Begin with the program.

        Raises:
            ConfigError: The environment takes no programs.
        """
        inner: Any = env.unwrapped
        if inner.rules.programs is None:
            raise ConfigError("the code agent writes programs; add --actions code")
        self._ran = False

    def act(self, observation: JsonMapping, info: JsonMapping) -> Any:
        """Return the program, and after it nothing more."""
        if self._ran:
            return ""
        self._ran = True
        return {"name": PYTHON, "arguments": {"code": self._code}}
