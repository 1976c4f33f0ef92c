"""Makes the Home Search environment."""

from __future__ import annotations

from typing import Unpack

from stb_env.envs.env_settings import EnvSettings
from stb_env.envs.tool_env import ToolEnv
from stb_env.kinds import Count
from stb_env.settings import checks_settings
from stb_env.suites.sambanova.common.mode import Compat, Mode, Split
from stb_env.suites.sambanova.common.program_task import Data, ProgramTask
from stb_env.suites.sambanova.home_search.judge import judge_of
from stb_env.suites.sambanova.home_search.official import official_tasks
from stb_env.suites.sambanova.home_search.oracle import oracle
from stb_env.suites.sambanova.home_search.program import parse, parse_original
from stb_env.suites.sambanova.home_search.tasks import HomeTasks
from stb_env.suites.sambanova.home_search.world import HomeWorld

_TASK = ProgramTask[None](
    tasks=HomeTasks,
    official=lambda path, mode: official_tasks(path, original=mode.original),
    world=lambda mode, _: HomeWorld(original=mode.original),
    judge=lambda mode: judge_of(original=mode.original, mends=not mode.program),
    parse=parse,
    parse_original=parse_original,
    oracle=oracle,
)


@checks_settings
def make(
    split: Split = "test",
    data: Data | None = None,
    compat: Compat | None = None,
    program: bool = False,
    max_turns: Count = 24,
    **settings: Unpack[EnvSettings],
) -> ToolEnv:
    """Make the Home Search task over an embedded catalogue of homes.

    An action is a program on ``API``, of which nothing is ever run, or calls in any other form.

    Args:
        split: ``test`` has 100 fixed goals, ``train`` is endless.
        data: SambaNova's own files: the folder with ``test.jsonl``, or that file. Or tasks.
        compat: ``original`` for the original evaluator's verdicts, its defects included.
        program: Whether the first action is all there is: it is judged without Finish.
        max_turns: Actions after which an episode is cut off.
        **settings: Further settings of `ToolEnv`.

    Raises:
        ConfigError: A setting is unknown.
        DataError: The files are broken.
    """
    return _TASK.make(Mode.of(split, compat, program), data, max_turns=max_turns, **settings)
