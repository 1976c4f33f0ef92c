"""Makes the Sandbox environment."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from stb_env.backend.protocol import Backend
from stb_env.envs.connections import connect_judge
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError
from stb_env.judges.protocol import Judge
from stb_env.suites.sandbox.oracle import oracle
from stb_env.suites.sandbox.progress import progress
from stb_env.suites.sandbox.tasks import SandboxTasks
from stb_env.suites.sandbox.verifier import ExactJudge
from stb_env.suites.sandbox.world import SandboxWorld


def make(
    split: str = "test",
    group: str | None = None,
    level: int | None = None,
    template: str | None = None,
    distractors: int = 4,
    reward: Literal["sparse", "dense"] = "sparse",
    backend: Backend | None = None,
    judge: str | Judge = "exact",
    votes: int = 1,
    votes_cache: str | Path | None = None,
    models: str | Path | None = None,
    **settings: Any,
) -> ToolEnv:
    """Make the embedded world: executable tools, seeded tasks, exact verifier; no data, key or network.

    Args:
        split: ``test`` and ``val`` are fixed lists, ``train`` is endless; no task is in two of them.
            ``missing`` has 100 tasks that lack something, where the right answer says what.
        group: Only tasks of this group, for example ``I2-Instruction``.
        level: Only tasks that need so many calls.
        template: Only tasks of this template.
        distractors: Tools that a task offers besides those that it needs.
        reward: ``sparse`` is the verdict at the end; ``dense`` adds potential-based shaping by the subgoals
            reached, which changes no episode's return and no best policy.
        backend: Answers calls in place of the world.
        judge: ``exact``; or ``pass``, ``heuristic``, an evaluator folder or a `Judge`, to see what an open
            judge makes of answers whose truth is known.
        votes: How often a model judges each answer.
        votes_cache: Folder of votes that are known.
        models: Models file (TOML) for the judge.
        **settings: Further settings of `ToolEnv`.

    Raises:
        ConfigError: A setting is unknown, or no template meets them all.
    """
    if reward not in ("sparse", "dense"):
        raise ConfigError(f"reward must be 'sparse' or 'dense', got {reward!r}")
    return ToolEnv(
        SandboxTasks(split, group, level, template, distractors),
        backend or SandboxWorld(),
        ExactJudge() if judge == "exact" else connect_judge(judge, votes, models, votes_cache),
        potential=progress if reward == "dense" else None,
        oracle=oracle,
        **settings,
    )
