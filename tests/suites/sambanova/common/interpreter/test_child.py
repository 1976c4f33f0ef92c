"""What no budget charges ends one program: it is told so, and the next one runs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from stb_env.core import children
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
    child.CHILDREN.end()
    monkeypatch.setattr(child.CHILDREN, "seconds", 0.3)
    yield
    child.CHILDREN.end()


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
    assert child.CHILDREN.template, "nothing has started a child"


UNDER_A_HARD_LIMIT = """
import os, resource, sys, threading
resource.setrlimit(resource.RLIMIT_AS, (6 * 2**30, 6 * 2**30))
from stb_env.suites.sambanova.common.interpreter import child
from tests.suites.sambanova.common.interpreter.test_child import fill, for_ever
try:
    child.watched(fill)
except child.CrashError as error:
    print(error)
threading.Thread(target=child.watched, args=(for_ever,), daemon=True).start()
print(child.CHILDREN.template, flush=True)
if sys.argv[1] == "waits":
    sys.stdin.read()
os._exit(0)
"""


def left_of(group: int) -> list[str]:
    """Return the processes of a group that still run."""
    left = []
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            state, _, of = (place / "stat").read_text().rpartition(")")[2].split()[:3]
            if int(of) == group and state not in "ZX":
                left.append(place.name)
    return left


@pytest.mark.heavy
@pytest.mark.skipif(sys.platform != "linux", reason="the system tells nobody there")
@pytest.mark.parametrize("how", ["is killed", "waits"])
def test_a_hard_limit_is_kept_and_children_at_work_end_with_their_process(how: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", UNDER_A_HARD_LIMIT, how],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == TOO_LONG
        group = int(process.stdout.readline())
        if how == "waits":
            assert len(left_of(group)) > 1
            process.kill()
    until = time.monotonic() + 5
    while left_of(group) and time.monotonic() < until:
        time.sleep(0.05)
    assert not left_of(group)


def test_what_cannot_be_bounded_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    resource = pytest.importorskip("resource")

    def refuse(*_: object) -> None:
        raise ValueError("not here")

    monkeypatch.setattr(resource, "setrlimit", refuse)
    assert children._limit(2**30) == "not here"
