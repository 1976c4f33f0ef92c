"""Makes the Google Sheets environment."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, ClassVar, Unpack

from stb_env.backend.world import World
from stb_env.core.jsontypes import JsonObject
from stb_env.core.kinds import Count
from stb_env.core.settings import checks_settings
from stb_env.envs.env_settings import EnvSettings
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError
from stb_env.suites.sambanova.common.interpreter.reader import program_reader
from stb_env.suites.sambanova.common.mode import Compat, Mode, Split
from stb_env.suites.sambanova.common.program_task import Data, ProgramTask
from stb_env.suites.sambanova.google_sheets.judge import OriginalJudge, SheetsJudge
from stb_env.suites.sambanova.google_sheets.official import official_tasks
from stb_env.suites.sambanova.google_sheets.picture import picture
from stb_env.suites.sambanova.google_sheets.sheet import Book
from stb_env.suites.sambanova.google_sheets.tasks import SheetsTasks
from stb_env.suites.sambanova.google_sheets.tools import BY_NAME, NAMES
from stb_env.suites.sambanova.google_sheets.world import SheetsWorld
from stb_env.tasks import Task
from stb_env.tools import ToolCall, ToolResult

parse = program_reader(NAMES, known=BY_NAME)
"""Reads an action: a program where the text is one, or a call in any of the general forms."""

parse_original = program_reader(NAMES, original=True)
"""Takes any text without a call for a program, as the original does, which then does not run."""


class SheetsEnv(ToolEnv):
    """A `ToolEnv` whose spreadsheet can be looked at as an image."""

    metadata: ClassVar[JsonObject] = {  # type: ignore[misc] # Env declares an instance variable
        "render_modes": ["ansi", "html", "human", "rgb_array"],
        "render_fps": 1,
    }

    def render(self) -> Any:
        """Return the spreadsheet as an image (``rgb_array``), or the episode as `ToolEnv` renders it.

        Raises:
            ConfigError: The spreadsheet is not in memory, so that there is none to draw; or Pillow is
                missing.
        """
        if self.render_mode != "rgb_array":
            return super().render()
        book = self._running().backend
        if not isinstance(book, Book):
            raise ConfigError("only a spreadsheet in memory is drawn; leave out world, or rgb_array")
        return picture(book)


def oracle(task: Task) -> Generator[ToolCall, ToolResult, str]:
    """Solve a task: yields its calls, is sent the results, returns the final answer.

    Examples:
        >>> next(oracle(SheetsTasks().at(0))).name
        'delete_rows'
    """
    for call in task.gold:
        # Sent results have nowhere to go, which a tuple would choke on.
        _ = yield call
    return "The worksheet is as you asked for."


_TASK = ProgramTask[World](
    tasks=SheetsTasks,
    official=lambda path, _: official_tasks(path),
    world=lambda _, world: world or SheetsWorld(),
    judge=lambda mode: OriginalJudge() if mode.original else SheetsJudge(),
    parse=parse,
    parse_original=parse_original,
    oracle=oracle,
    env=SheetsEnv,
)


@checks_settings
def make(
    split: Split = "test",
    data: Data | None = None,
    compat: Compat | None = None,
    program: bool = False,
    world: World | None = None,
    max_turns: Count = 16,
    **settings: Unpack[EnvSettings],
) -> ToolEnv:
    """Make the Google Sheets task over a spreadsheet in memory.

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
    return _TASK.make(Mode.of(split, compat, program), data, world, max_turns=max_turns, **settings)
