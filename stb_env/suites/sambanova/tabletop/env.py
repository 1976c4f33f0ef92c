"""Makes the Tabletop environment."""

from __future__ import annotations

from typing import Any, ClassVar, Unpack

from stb_env.envs.env_settings import EnvSettings
from stb_env.envs.tool_env import ToolEnv
from stb_env.jsontypes import JsonObject
from stb_env.kinds import Count
from stb_env.settings import checks_settings
from stb_env.suites.sambanova.common.mode import Compat, Mode, Split
from stb_env.suites.sambanova.common.program_task import Data, ProgramTask
from stb_env.suites.sambanova.tabletop.judge import TabletopJudge
from stb_env.suites.sambanova.tabletop.official import official_tasks
from stb_env.suites.sambanova.tabletop.oracle import oracle
from stb_env.suites.sambanova.tabletop.program import parse, parse_original
from stb_env.suites.sambanova.tabletop.render import drawing, picture
from stb_env.suites.sambanova.tabletop.tasks import TabletopTasks
from stb_env.suites.sambanova.tabletop.world import TabletopWorld


class TabletopEnv(ToolEnv):
    """A `ToolEnv` whose table can be looked at: as an image, or drawn under the episode's text."""

    metadata: ClassVar[JsonObject] = {  # type: ignore[misc] # Env declares an instance variable
        "render_modes": ["ansi", "html", "human", "rgb_array"],
        "render_fps": 1,
    }

    def render(self) -> Any:
        """Return the episode and the table as text (``ansi``), or the table as an image (``rgb_array``).

        The image has 300 rows, 300 columns and three bytes of red, green and blue.
        """
        scene = self._running().backend
        if self.render_mode == "rgb_array":
            return picture(scene)
        text = super().render()
        return f"{text}\n{drawing(scene)}" if self.render_mode == "ansi" else text


_TASK = ProgramTask[None](
    tasks=TabletopTasks,
    official=lambda path, _: official_tasks(path),
    world=lambda mode, _: TabletopWorld(original=mode.original),
    judge=lambda mode: TabletopJudge(original=mode.original),
    parse=parse,
    parse_original=parse_original,
    oracle=oracle,
    env=TabletopEnv,
)


@checks_settings
def make(
    split: Split = "test",
    data: Data | None = None,
    compat: Compat | None = None,
    program: bool = False,
    max_turns: Count = 16,
    **settings: Unpack[EnvSettings],
) -> ToolEnv:
    """Make the Tabletop task over a kinematic table.

    An action is a program, which is walked and never executed, or a call of one of its functions.

    Args:
        split: ``test`` has 105 fixed goals, 7 of each type; ``train`` is endless.
        data: SambaNova's own files: the folder with ``test.jsonl``, or that file. Or tasks.
        compat: ``original`` for the original tests' verdicts, their defects included.
        program: Whether the first action is all there is: it is judged without Finish.
        max_turns: Actions after which an episode is cut off.
        **settings: Further settings of `ToolEnv`.

    Raises:
        ConfigError: A setting is unknown.
        DataError: The files are broken.
    """
    return _TASK.make(Mode.of(split, compat, program), data, max_turns=max_turns, **settings)
