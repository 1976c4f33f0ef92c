"""Makes the Trip Booking environment."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError
from stb_env.tasks import TaskSource
from stb_env.worlds.trip_booking.judge import judge_of
from stb_env.worlds.trip_booking.official import official_tasks
from stb_env.worlds.trip_booking.oracle import oracle
from stb_env.worlds.trip_booking.program import parse, parse_for_parity
from stb_env.worlds.trip_booking.tasks import TripTasks
from stb_env.worlds.trip_booking.world import TripWorld
from stb_env.worlds.whole_program import whole_program


def make(
    split: Literal["test", "train"] = "test",
    data: str | Path | TaskSource | None = None,
    compat: Literal["toolbench"] | None = None,
    program: bool = False,
    max_turns: int = 24,
    **settings: Any,
) -> ToolEnv:
    """Make ToolBench's Trip Booking task over an embedded timetable and inventory.

    An action is a program on ``API``, of which nothing is ever run, or calls in any other form.

    Args:
        split: ``test`` has 120 fixed goals, ``train`` is endless.
        data: SambaNova's own files: the folder with ``test.jsonl``, or that file. Or tasks.
        compat: ``toolbench`` for the original evaluator's verdicts, its defects included.
        program: Whether the first action is all there is: it is judged without Finish.
        max_turns: Actions after which an episode is cut off.
        **settings: Further settings of `ToolEnv`.

    Raises:
        ConfigError: A setting is unknown.
        DataError: The files are broken.
    """
    if compat not in (None, "toolbench"):
        raise ConfigError(f"compat must be None or 'toolbench', got {compat!r}")
    parity = compat == "toolbench"
    read = parse_for_parity if parity else parse
    return ToolEnv(
        _tasks(split, data, parity),
        TripWorld(parity=parity),
        judge_of(parity=parity, mends=not program),
        max_turns=max_turns,
        parse=whole_program(read) if program else read,
        halt_on_error=True,
        oracle=oracle,
        **settings,
    )


def _tasks(split: str, data: str | Path | TaskSource | None, parity: bool) -> TaskSource:
    if data is None:
        return TripTasks(split)
    if split != "test":
        raise ConfigError(
            f"official files have a test split alone, got split={split!r}; leave out data or split"
        )
    return official_tasks(data, parity=parity) if isinstance(data, str | Path) else data
