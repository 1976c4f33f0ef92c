"""Makes the Google Sheets environment."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Unpack

from stb_env.backend.world import World
from stb_env.envs.env_settings import EnvSettings
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError
from stb_env.kinds import Count
from stb_env.settings import checked
from stb_env.suites.sambanova.common.whole_program import whole_program
from stb_env.suites.sambanova.google_sheets.judge import OriginalJudge, SheetsJudge
from stb_env.suites.sambanova.google_sheets.official import official_tasks
from stb_env.suites.sambanova.google_sheets.oracle import oracle
from stb_env.suites.sambanova.google_sheets.program import parse, parse_original
from stb_env.suites.sambanova.google_sheets.tasks import SheetsTasks
from stb_env.suites.sambanova.google_sheets.world import SheetsWorld
from stb_env.tasks import TaskSource


@checked
def make(
    split: Literal["test", "train"] = "test",
    data: str | Path | TaskSource | None = None,
    compat: Literal["original"] | None = None,
    program: bool = False,
    world: World | None = None,
    max_turns: Count = 16,
    **settings: Unpack[EnvSettings],
) -> ToolEnv:
    """Make ToolBench's Google Sheets task over a spreadsheet in memory.

    An action is a program on ``worksheet`` and ``sheet``, which is walked and never executed, or a call of
    one of their methods.

    Args:
        split: ``test`` has 70 fixed goals, ``train`` is endless.
        data: SambaNova's own files: the folder with ``test.jsonl`` and ``sheets/NAME.csv``. Or tasks.
        compat: ``original`` for the original evaluator's verdicts, its defects included.
        program: Whether the first action is all there is: it is judged without Finish.
        world: Another spreadsheet, such as a real one (`stb_env.suites.sambanova.google_sheets.live`).
        max_turns: Actions after which an episode is cut off.
        **settings: Further settings of `ToolEnv`.

    Raises:
        ConfigError: A setting is unknown.
        DataError: The files are broken.
    """
    original = compat == "original"
    read = parse_original if original else parse
    return ToolEnv(
        _tasks(split, data),
        world or SheetsWorld(),
        OriginalJudge() if original else SheetsJudge(),
        max_turns=max_turns,
        parse=whole_program(read) if program else read,
        halt_on_error=True,
        oracle=oracle,
        **settings,
    )


def _tasks(split: str, data: str | Path | TaskSource | None) -> TaskSource:
    if data is None:
        return SheetsTasks(split)
    if split != "test":
        raise ConfigError(
            f"official files have a test split alone, got split={split!r}; leave out data or split"
        )
    return official_tasks(data) if isinstance(data, str | Path) else data
