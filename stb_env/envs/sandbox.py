"""Makes the Sandbox environment."""

from __future__ import annotations

from typing import Any

from stb_env.backend.protocol import Backend
from stb_env.envs.tool_env import ToolEnv
from stb_env.judges.protocol import Judge
from stb_env.worlds.sandbox.oracle import oracle
from stb_env.worlds.sandbox.tasks import SandboxTasks
from stb_env.worlds.sandbox.verifier import ExactJudge
from stb_env.worlds.sandbox.world import SandboxWorld


def make(
    split: str = "test",
    group: str | None = None,
    level: int | None = None,
    template: str | None = None,
    distractors: int = 4,
    backend: Backend | None = None,
    judge: Judge | None = None,
    **settings: Any,
) -> ToolEnv:
    """Make the embedded world: executable tools, seeded tasks, exact verifier; no data, key or network.

    Args:
        split: ``test`` and ``val`` are fixed lists, ``train`` is endless; no task is in two of them.
        group: Only tasks of this group, for example ``I2-Instruction``.
        level: Only tasks that need so many calls.
        template: Only tasks of this template.
        distractors: Tools that a task offers besides those that it needs.
        backend: Answers calls in place of the world.
        judge: Decides in place of the exact verifier.
        **settings: Further settings of `ToolEnv`.

    Raises:
        ConfigError: A setting is unknown, or no template meets them all.
    """
    tasks = SandboxTasks(split, group, level, template, distractors)
    return ToolEnv(tasks, backend or SandboxWorld(), judge or ExactJudge(), oracle=oracle, **settings)
