"""The Tabletop environment: blocks and bowls on a kinematic table, moved by programs."""

from __future__ import annotations

from typing import Any, ClassVar

from stb_env.core.jsontypes import JsonObject
from stb_env.envs.tool_env import ToolEnv
from stb_env.suites.sambanova.common.labelled import gold_oracle
from stb_env.suites.sambanova.common.program_task import ProgramTask
from stb_env.suites.sambanova.tabletop.judge import TabletopJudge
from stb_env.suites.sambanova.tabletop.official import official_tasks
from stb_env.suites.sambanova.tabletop.program import parse, parse_original
from stb_env.suites.sambanova.tabletop.render import drawing, picture
from stb_env.suites.sambanova.tabletop.tasks import tasks_of
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


TASK = ProgramTask[None](
    tasks=tasks_of,
    official=lambda path, _: official_tasks(path),
    world=lambda mode, _: TabletopWorld(original=mode.original),
    judge=lambda mode: TabletopJudge(original=mode.original),
    parse=parse,
    parse_original=parse_original,
    oracle=gold_oracle("Done, in {calls} moves."),
    env=TabletopEnv,
)
"""The parts of the environment."""


make = TASK.maker(turns=16)
"""Makes it. An action is a program, which is interpreted within bounds, or a call of one of its functions."""
