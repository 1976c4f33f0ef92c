"""Makes the Sandbox environment."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Unpack

from stb_env.backend.backend import Backend
from stb_env.core.kinds import AtLeast, Count
from stb_env.core.settings import checks_settings
from stb_env.envs.connections import connect_judge
from stb_env.envs.env_settings import OpenSettings
from stb_env.envs.rules import Compat
from stb_env.envs.tool_env import ToolEnv
from stb_env.judges.own_judge import JudgeLike
from stb_env.suites.sandbox.oracle import oracle
from stb_env.suites.sandbox.progress import progress
from stb_env.suites.sandbox.tasks import SandboxTasks
from stb_env.suites.sandbox.text_judge import TextJudge
from stb_env.suites.sandbox.verifier import ExactJudge
from stb_env.suites.sandbox.world import SandboxWorld


@checks_settings
def make(
    split: Literal["test", "val", "train", "missing"] = "test",
    group: str | None = None,
    level: int | None = None,
    template: str | None = None,
    distractors: Annotated[int, AtLeast(0)] = 4,
    backend: Backend | None = None,
    judge: str | JudgeLike = "exact",
    answer: Literal["typed", "text"] | None = None,
    votes: Count = 1,
    votes_cache: str | Path | None = None,
    models: str | Path | None = None,
    max_turns: Count = 24,
    compat: Compat | None = None,
    **settings: Unpack[OpenSettings],
) -> ToolEnv:
    """Make the embedded world: executable tools, seeded tasks, exact verifier; no data, key or network.

    Args:
        split: ``test`` and ``val`` are fixed lists, ``train`` is endless; no task is in two of them.
            ``missing`` has 100 pairs of twins: one can be done, the other lacks something, where the right
            answer says what.
        group: Only tasks of this group, for example ``I2-Instruction``.
        level: Only tasks that need so many calls.
        template: Only tasks of this template.
        distractors: Tools that a task offers besides those that it needs.
        backend: Answers calls in place of the world.
        judge: ``exact``; or ``pass``, ``heuristic``, an evaluator folder or a `Judge`, to see what an open
            judge makes of answers whose truth is known.
        answer: ``typed``, or ``text`` for evaluations of free text, never as a training reward: take a model
            as judge (``judge="pass"``), since the keyless one is easily fooled. With ``compat`` answers are
            text.
        votes: How often a model judges each answer.
        votes_cache: Folder of votes that are known.
        models: Models file (TOML) for the judge.
        max_turns: Actions after which an episode is cut off.
        compat: ``original`` for StableToolBench's look-up and step codes.
        **settings: Further settings of `ToolEnv`. ``reward="dense"`` adds potential-based shaping by the
            subgoals reached, which changes no episode's return and no best policy.

    Raises:
        ConfigError: A setting is unknown, or no template meets them all.
    """
    typed = answer == "typed" or (answer is None and compat is None)
    exact = ExactJudge() if typed else TextJudge()
    return ToolEnv(
        SandboxTasks(split, group, level, template, distractors, typed=typed),
        backend or SandboxWorld(),
        exact if judge == "exact" else connect_judge(judge, votes, models, votes_cache),
        max_turns=max_turns,
        compat=compat,
        potential=progress if settings.get("reward") == "dense" else None,
        oracle=oracle,
        **settings,
    )
