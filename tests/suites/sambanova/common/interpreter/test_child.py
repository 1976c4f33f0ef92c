"""What no budget charges ends one program: it is told so, and the next one runs."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from stb_env.runs.make import make
from stb_env.suites.sambanova.common.interpreter import child
from stb_env.suites.sambanova.common.interpreter.crash import CrashError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no processes are forked there")
TOO_LONG = "the program takes more than 50000 steps"
PROGRAMS = (
    ("stb/GoogleSheets-v1", "worksheet.update_acell('A1', 'seen')\nworksheet.acell('A1').value", "seen"),
    ("stb/Tabletop-v1", "print(get_obj_pos(objects[0])[0] < 9)", "True"),
    ("stb/Tabletop-v1", "get_obj_pos(objects[0])\nwhile True: pass", TOO_LONG),
    ("stb/HomeSearch-v1", "API.set_location('Fargo')", "Fargo"),
)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    child._end()
    monkeypatch.setattr(child, "CPU_S", 0.3)
    yield
    child._end()


def for_ever() -> None:
    # One operation, which no thread and no signal handler of Python's could end.
    sum(iter(int, 1))


def fill() -> int:
    return len(bytearray(3 * 2**30))


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def die_once(place: str) -> str:
    try:
        os.mkdir(place)
    except FileExistsError:
        return "played again"
    die()
    return ""


def stumble() -> None:
    raise KeyError("a bug")


@pytest.mark.heavy
@pytest.mark.usefixtures("impatient")
def test_what_has_no_end_is_told_what_the_budget_would_tell(tmp_path: Path) -> None:
    for forgotten in (for_ever, fill):
        with pytest.raises(CrashError, match=TOO_LONG):
            child.watched(forgotten)
    with pytest.raises(CrashError, match="brought the interpreter down"):
        child.watched(die)
    assert child.watched(die_once, str(tmp_path / "died")) == "played again"
    with pytest.raises(KeyError, match="a bug"):
        child.watched(stumble)
    assert child.watched(abs, -1) == 1


def test_programs_of_every_task_run_in_a_child() -> None:
    for env_id, program, said in PROGRAMS:
        env = make(env_id)
        env.reset(seed=0)
        assert said in env.step(program)[0]["result"], env_id
    assert child._POOL, "nothing has started a child"
