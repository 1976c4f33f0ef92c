"""Makes the Open Weather environment."""

from __future__ import annotations

from typing import Any

from stb_env.envs.program_task import Compat, Data, ProgramTask, Split
from stb_env.envs.tool_env import ToolEnv
from stb_env.judges.protocol import Judge
from stb_env.worlds.curl.oracle import oracle
from stb_env.worlds.open_weather.judge import ParityJudge, RequestJudge
from stb_env.worlds.open_weather.official import official_tasks
from stb_env.worlds.open_weather.program import parse, parse_for_parity
from stb_env.worlds.open_weather.tasks import OpenWeatherTasks
from stb_env.worlds.open_weather.world import OpenWeatherWorld


def _judge(*, parity: bool, program: bool) -> Judge:
    del program
    return ParityJudge() if parity else RequestJudge()


_TASK = ProgramTask(
    OpenWeatherTasks, official_tasks, OpenWeatherWorld, _judge, parse, parse_for_parity, oracle
)


def make(
    split: Split = "test",
    data: Data | None = None,
    compat: Compat | None = None,
    program: bool = False,
    max_turns: int = 8,
    **settings: Any,
) -> ToolEnv:
    """Make ToolBench's Open Weather task over an embedded weather service.

    An action is a curl command, of which nothing is ever run, or a typed call.

    Args:
        split: ``test`` has 100 fixed goals, ``train`` is endless.
        data: SambaNova's own files: the folder with ``test.jsonl``, or that file. Or tasks.
        compat: ``toolbench`` for the original evaluator's verdicts, its defects included.
        program: Whether the first action is all there is: it is judged without Finish.
        max_turns: Actions after which an episode is cut off.
        **settings: Further settings of `ToolEnv`.

    Raises:
        ConfigError: A setting is unknown.
        DataError: The files are broken.
    """
    return _TASK.make(split, data, compat, program, max_turns, settings)
