"""Runs programs one after another, and measures what each takes; a process of its own, with bounds."""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

from stb_env.suites.sambanova.common.interpreter.arrays import NUMPY, Arrays
from stb_env.suites.sambanova.common.interpreter.budget import MAX_STEPS, Budget
from stb_env.suites.sambanova.common.interpreter.builtins import MATH
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.common.interpreter.machine import Machine
from stb_env.suites.sambanova.google_sheets.dataframes.library import pandas
from stb_env.suites.sambanova.google_sheets.execution import run_program
from stb_env.suites.sambanova.google_sheets.session import Session
from stb_env.suites.sambanova.google_sheets.sheet import book_of
from stb_env.suites.sambanova.tabletop.robot import Robot
from stb_env.suites.sambanova.tabletop.scene import Scene
from stb_env.suites.sambanova.tabletop.world import run

MEGABYTE = 2**20
ROOM = 300 * MEGABYTE


def played(world: str, program: str, budget: Budget) -> object:
    """Run a program, and return its value."""
    if world == "sheets":
        return run_program(Session(book_of([["a", 1], ["b", 2]]), budget), program).value
    if world == "table":
        scene = Scene.of({"red block": (0.1, -0.4), "green block": (0.0, -0.5)}, {"blue bowl": (-0.1, -0.6)})
        return run(program, Robot(scene), budget=budget).value
    return (
        Machine({"np": NUMPY}, {"math": MATH, "numpy": NUMPY}, (Arrays(),), budget=budget).run(program).value
    )


def main() -> None:
    """Read worlds and programs from the input, and write for each its seconds, megabytes and end."""
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else MAX_STEPS
    _warm()
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + ROOM, used + ROOM))
    for line in sys.stdin:
        world, program = json.loads(line)
        Path("/proc/self/clear_refs").write_text("5")
        began = time.process_time()
        try:
            said = repr(played(world, program, Budget(steps)))[:80]
            end = "value"
        except CrashError as crash:
            said, end = str(crash)[:120], "crash"
        taken = time.process_time() - began
        print(json.dumps({"seconds": taken, "megabytes": _peak(), "end": end, "said": said}), flush=True)  # noqa: T201


def _warm() -> None:
    pandas()
    played(
        "sheets",
        "import re\nre.search('a+', 'a')\nstr(pd.DataFrame({'a': [1]}).groupby('a').size())",
        Budget(),
    )


def _peak() -> float:
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


if __name__ == "__main__":
    main()
