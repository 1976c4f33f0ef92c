"""The VirtualHome environment: a household activity as a sequence of steps."""

from __future__ import annotations

from typing import Unpack

from stb_env.core.kinds import Count
from stb_env.core.settings import checks_settings
from stb_env.envs.env_settings import EnvSettings
from stb_env.envs.tool_env import ToolEnv
from stb_env.suites.sambanova.common.labelled import gold_oracle
from stb_env.suites.sambanova.common.mode import Compat, Mode, Split
from stb_env.suites.sambanova.common.program_task import Data, ProgramTask
from stb_env.suites.sambanova.virtual_home.judge import OriginalJudge, StepJudge
from stb_env.suites.sambanova.virtual_home.official import read_household
from stb_env.suites.sambanova.virtual_home.program import parse, parse_original
from stb_env.suites.sambanova.virtual_home.tasks import tasks_of
from stb_env.suites.sambanova.virtual_home.vocabulary import Vocabulary
from stb_env.suites.sambanova.virtual_home.world import VirtualHomeWorld

TASK = ProgramTask[Vocabulary](
    tasks=tasks_of,
    official=lambda path, mode: read_household(path, mode.split),
    world=lambda mode, vocabulary: VirtualHomeWorld(vocabulary, original=mode.original),
    judge=lambda mode: OriginalJudge() if mode.original else StepJudge(),
    parse=parse,
    parse_original=parse_original,
    oracle=gold_oracle("Done."),
    # The original compares all lines of a program, those after a bad one too.
    halts=lambda mode: not (mode.program or mode.original),
    divided=True,
)


@checks_settings
def make(
    split: Split = "test",
    data: Data | None = None,
    compat: Compat | None = None,
    program: bool = False,
    vocabulary: Vocabulary | None = None,
    max_turns: Count = 64,
    **settings: Unpack[EnvSettings],
) -> ToolEnv:
    """Make the VirtualHome task: an everyday activity as a sequence of household steps.

    An action is one step or many, as lines such as ``Agent.Find(cup)``, or typed calls. The reward of an own
    task is 1 where the home is at the end as it was asked for, and what had to be done was done; that of
    official data, and by the original's rules, is the normalised longest common subsequence with the nearest
    known solution. Every verdict has that as its metric ``lcs``.

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
    return TASK.make(Mode.of(split, compat, program), data, vocabulary, max_turns=max_turns, **settings)
