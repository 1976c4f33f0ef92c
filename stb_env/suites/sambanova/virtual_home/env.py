"""Makes the VirtualHome environment."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Unpack

from stb_env.envs.env_settings import EnvSettings
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError
from stb_env.kinds import Count
from stb_env.settings import checked
from stb_env.suites.sambanova.common.whole_program import whole_program
from stb_env.suites.sambanova.virtual_home.judge import OriginalJudge, StepJudge
from stb_env.suites.sambanova.virtual_home.official import read_household
from stb_env.suites.sambanova.virtual_home.oracle import oracle
from stb_env.suites.sambanova.virtual_home.program import parse, parse_original
from stb_env.suites.sambanova.virtual_home.tasks import VirtualHomeTasks
from stb_env.suites.sambanova.virtual_home.vocabulary import Vocabulary, embedded
from stb_env.suites.sambanova.virtual_home.world import VirtualHomeWorld
from stb_env.tasks import TaskSource


@checked
def make(
    split: Literal["test", "train"] = "test",
    data: str | Path | TaskSource | None = None,
    compat: Literal["original"] | None = None,
    program: bool = False,
    vocabulary: Vocabulary | None = None,
    max_turns: Count = 64,
    **settings: Unpack[EnvSettings],
) -> ToolEnv:
    """Make ToolBench's VirtualHome task: an everyday activity as a sequence of household steps.

    An action is one step or many, as lines such as ``Agent.Find(cup)``, or typed calls. The reward is the
    normalised longest common subsequence with the nearest known solution.

    Args:
        split: ``test`` has 100 fixed activities, ``train`` is endless.
        data: SambaNova's own files (the folder with ``test.jsonl``), VirtualHome's activity file, or tasks.
        compat: ``original`` for the original evaluator's verdicts, its defects included.
        program: Whether the first action is all there is: it is judged without Finish.
        vocabulary: Which objects each function takes, where ``data`` is tasks; the published one if None.
        max_turns: Actions after which an episode is cut off.
        **settings: Further settings of `ToolEnv`.

    Raises:
        ConfigError: A setting is unknown.
        DataError: The files are broken.
    """
    original = compat == "original"
    tasks, known = _tasks(split, data, vocabulary)
    read = parse_original if original else parse
    return ToolEnv(
        tasks,
        VirtualHomeWorld(known, original=original),
        OriginalJudge() if original else StepJudge(),
        max_turns=max_turns,
        parse=whole_program(read) if program else read,
        # The original compares all lines of a program, those after a bad one too.
        halt_on_error=not (program or original),
        oracle=oracle,
        **settings,
    )


def _tasks(
    split: str, data: str | Path | TaskSource | None, vocabulary: Vocabulary | None
) -> tuple[TaskSource, Vocabulary]:
    if data is None:
        return VirtualHomeTasks(split), vocabulary or embedded()
    if isinstance(data, str | Path):
        official = read_household(data, split)
        return official.tasks, official.vocabulary
    if split != "test":
        raise ConfigError(f"tasks that are given have their own split, got split={split!r}; leave it out")
    return data, vocabulary or embedded()
