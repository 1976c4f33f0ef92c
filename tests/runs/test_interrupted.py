"""A run whose user presses Ctrl-C, tried at every line of what keeps its books."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from stb_env import load_agent, plan, run_batch
from stb_env.core.interrupts import held, passing
from stb_env.runs import Run, as_agent, groups
from stb_env.runs.groups.group_run import GroupRun
from stb_env.runs.groups.stream import group_seed
from stb_env.testing.notes import notes
from tests.runs.cluster.test_cluster_players import Cluster, waiting

JOBS = plan(notes().tasks, episodes=2)
BOOKS = ("runs/batch.py", "runs/players.py", "runs/loop.py", "runs/run.py", "stb_env/core/files.py")
CLUSTER = ("cluster/players.py", "cluster/leases.py")

Play = Callable[[Run], Any]


def one(run: Run) -> None:
    run_batch(notes, load_agent("gold"), JOBS, run)


def threads(run: Run) -> None:
    run_batch(notes, load_agent("gold"), JOBS, run, concurrency=2)


def loop(run: Run) -> None:
    run_batch(notes, lambda: as_agent(waiting), JOBS, run, concurrency=2)


def cluster(run: Run) -> None:
    run_batch(notes, load_agent("gold"), JOBS, run, cluster=Cluster())


class Moments:
    """Counts the lines of bookkeeping that are run, and presses Ctrl-C at one of them.

    Attributes:
        count: How many there were.
    """

    def __init__(self, files: tuple[str, ...], at: int = 0) -> None:
        self._files = files
        self._at = at
        self.count = 0

    @contextmanager
    def watched(self) -> Iterator[None]:
        before = sys.gettrace()
        sys.settrace(self._look)
        try:
            yield
        finally:
            sys.settrace(before)

    def _look(self, frame: FrameType, event: str, arg: Any) -> Any:
        if not frame.f_code.co_filename.replace("\\", "/").endswith(self._files):
            return None
        if event == "line":
            self.count += 1
            if self.count == self._at:
                signal.raise_signal(signal.SIGINT)
        return self._look


@pytest.fixture(autouse=True)
def _ctrl_c() -> Iterator[None]:
    # Where tests run in the background, the shell has it ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def saved(folder: Path, play: Play, moments: Moments | None = None) -> list[str]:
    run = Run(folder, {"agent": "gold"})
    try:
        with suppress(KeyboardInterrupt), (moments or Moments(())).watched():
            play(run)
    finally:
        run.close()
    return (folder / "trajectories.jsonl").read_text(encoding="utf-8").splitlines()


@pytest.mark.heavy
@pytest.mark.parametrize("play", [one, threads, loop, cluster])
def test_ctrl_c_at_any_moment_saves_no_episode_twice_and_loses_none(play: Play, tmp_path: Path):
    files = BOOKS + CLUSTER * (play is cluster)
    whole = Moments(files)
    gold = saved(tmp_path / "whole", play, whole)
    wrong = []
    for at in range(1, whole.count + 1):
        folder = tmp_path / str(at)
        kept = saved(folder, play, Moments(files, at))
        once_each = [line for line in gold if line in kept]
        at_the_end = saved(folder, play)
        timings = (folder / "timings.jsonl").read_text(encoding="utf-8").splitlines()
        if kept != once_each or at_the_end != gold or len(timings) != len(gold):
            wrong.append(at)
    assert whole.count > 100
    assert wrong == []


TASKS = [task.id for task in notes().tasks][:2]


def grouped(folder: Path, moments: Moments) -> int:
    """Play groups where they were left, and return how many are saved by then."""
    saved = GroupRun(folder, {"agent": "gold"})
    try:
        left = saved.begin([(task, group_seed(0, task)) for task in TASKS], 2)
        played = groups(notes(), [task for task, _ in left], 2, agent=load_agent("gold"))
        with suppress(KeyboardInterrupt), moments.watched():
            for group in played:
                saved.add(group)
        return len(saved.lines)
    finally:
        saved.close()


@pytest.mark.heavy
def test_ctrl_c_at_any_moment_parts_no_group_from_its_episodes(tmp_path: Path):
    files = ("groups/group_run.py", "runs/run.py", "stb_env/core/files.py")
    whole = Moments(files)
    assert grouped(tmp_path / "whole", whole) == len(TASKS)
    wrong = []
    for at in range(1, whole.count + 1):
        folder = tmp_path / str(at)
        before = grouped(folder, Moments(files, at))
        after = grouped(folder, Moments(files))
        if before > after or after != len(TASKS) or (folder / "failures.jsonl").exists():
            wrong.append(at)
    assert whole.count > 50
    assert wrong == []


def test_what_is_held_passes_at_the_end():
    said: list[str] = []

    def write() -> None:
        with held():
            signal.raise_signal(signal.SIGINT)
            said.append("written")

    with pytest.raises(KeyboardInterrupt):
        write()
    assert said == ["written"]


def test_what_is_held_passes_where_it_may():
    said: list[str] = []

    def write() -> None:
        with held():
            signal.raise_signal(signal.SIGINT)
            with passing():
                said.append("waited")

    with pytest.raises(KeyboardInterrupt):
        write()
    assert said == []


def test_where_all_is_being_ended_only_a_second_interrupt_passes():
    said: list[str] = []

    def end() -> None:
        with held():
            signal.raise_signal(signal.SIGINT)
            with passing(again=True):
                said.append("ending")
                signal.raise_signal(signal.SIGINT)
                said.append("ended")

    with pytest.raises(KeyboardInterrupt):
        end()
    assert said == ["ending"]


def test_outside_of_what_holds_it_nothing_changes():
    with pytest.raises(KeyboardInterrupt), passing():
        signal.raise_signal(signal.SIGINT)
