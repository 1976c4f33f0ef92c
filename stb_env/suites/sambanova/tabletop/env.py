"""Makes the Tabletop environment."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Literal, Unpack

from stb_env.envs.env_settings import EnvSettings
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError
from stb_env.kinds import Count
from stb_env.settings import checked
from stb_env.suites.sambanova.common.whole_program import whole_program
from stb_env.suites.sambanova.tabletop.judge import TabletopJudge
from stb_env.suites.sambanova.tabletop.official import official_tasks
from stb_env.suites.sambanova.tabletop.oracle import oracle
from stb_env.suites.sambanova.tabletop.program import parse, parse_original
from stb_env.suites.sambanova.tabletop.render import drawing, picture
from stb_env.suites.sambanova.tabletop.tasks import TabletopTasks
from stb_env.suites.sambanova.tabletop.world import TabletopWorld
from stb_env.tasks import TaskSource


class TabletopEnv(ToolEnv):
    """A `ToolEnv` whose table can be looked at: as an image, or drawn under the episode's text."""

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc] # Env declares an instance variable
        "render_modes": ["ansi", "human", "rgb_array"],
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
        return text if text is None else f"{text}\n{drawing(scene)}"


@checked
def make(
    split: Literal["test", "train"] = "test",
    data: str | Path | TaskSource | None = None,
    compat: Literal["original"] | None = None,
    program: bool = False,
    max_turns: Count = 16,
    **settings: Unpack[EnvSettings],
) -> ToolEnv:
    """Make ToolBench's Tabletop task over a kinematic table.

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
    original = compat == "original"
    read = parse_original if original else parse
    return TabletopEnv(
        _tasks(split, data),
        TabletopWorld(original=original),
        TabletopJudge(original=original),
        max_turns=max_turns,
        parse=whole_program(read) if program else read,
        halt_on_error=True,
        oracle=oracle,
        **settings,
    )


def _tasks(split: str, data: str | Path | TaskSource | None) -> TaskSource:
    if data is None:
        return TabletopTasks(split)
    if split != "test":
        raise ConfigError(
            f"official files have a test split alone, got split={split!r}; leave out data or split"
        )
    return official_tasks(data) if isinstance(data, str | Path) else data
