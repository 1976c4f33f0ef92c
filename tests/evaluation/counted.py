"""The Sandbox, with a book of which environments were made and closed."""

from __future__ import annotations

from typing import Any

from stb_env.envs.tool_env import ToolEnv
from stb_env.suites.sandbox.env import make as make_sandbox

made: list[ToolEnv] = []
"""Every environment that was asked for by its id; what is forked off one is not."""
closed: list[ToolEnv] = []


class CountedEnv(ToolEnv):
    def close(self) -> None:
        closed.append(self)
        super().close()


def make(split: str = "test", **settings: Any) -> ToolEnv:
    plain = make_sandbox(split, **settings)
    env = CountedEnv(plain.tasks, plain.rules.backend, plain.rules.judge, oracle=plain.oracle)
    made.append(env)
    return env


def times_closed() -> list[int]:
    """Return how often each environment that was made was closed itself, in order."""
    return [sum(env is one for one in closed) for env in made]
