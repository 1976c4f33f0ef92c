"""Groups on Ray, callers on an event loop, and how much faster two workers are than one."""

from __future__ import annotations

import asyncio
import os
import time
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from stb_env import plan, run_batch
from stb_env.runs import Group, arun_batch, groups
from stb_env.runs.baselines.gold import Gold
from stb_env.runs.cluster import RayCluster
from stb_env.runs.make import make_env
from stb_env.show.cli import app

pytest.importorskip("ray", reason="needs Ray: pip install 'stb-env[ray]'")

SANDBOX = "stb/Sandbox-v1"
JOBS = plan(make_env(SANDBOX, {}).tasks, episodes=24)
SPEED_UP = 1.7

make_sandbox = partial(make_env, SANDBOX, {})


class Waiting(Gold):
    """Waits as long for each turn as for a model that answers in a tenth of a second.

    Its first turn waits until as many workers are there: processes take their time to start.
    """

    def __init__(self, notes: Path, workers: int) -> None:
        super().__init__()
        self._notes, self._workers = notes, workers

    async def act(self, observation: Any, info: Any) -> Any:
        note = self._notes / str(os.getpid())
        if not note.exists():
            note.touch()
        while len(list(self._notes.iterdir())) < self._workers:
            await asyncio.sleep(0.02)
        await asyncio.sleep(0.1)
        return super().act(observation, info)


class Computing(Gold):
    """Computes for 10 ms of its core's time a turn, as a model or judge in the process does.

    It notes how much time of a core its process has taken since its first turn.
    """

    def __init__(self, notes: Path) -> None:
        super().__init__()
        self._notes = notes

    def act(self, observation: Any, info: Any) -> Any:
        begun = time.process_time()
        while time.process_time() - begun < 0.01:
            pass
        action = super().act(observation, info)
        file = self._notes / str(os.getpid())
        first = file.read_text().split()[0] if file.exists() else begun
        file.write_text(f"{first} {time.process_time()}")
        return action


def waited(notes: Path, workers: int) -> tuple[list[str], float]:
    """Return episodes, and the seconds from the moment in which all workers were there."""
    notes.mkdir()
    cluster = RayCluster(workers=workers, unit=1)
    episodes = run_batch(make_sandbox, partial(Waiting, notes, workers), JOBS, cluster=cluster)
    begun = max(file.stat().st_mtime for file in notes.iterdir())
    return [episode.to_json() for episode in episodes], time.time() - begun


@pytest.mark.serial
def test_two_workers_play_what_waits_for_a_model_in_little_more_than_half_the_time(
    two_workers: RayCluster, tmp_path: Path
):
    one, alone = waited(tmp_path / "one", 1)
    two, together = waited(tmp_path / "two", 2)
    assert one == two
    assert alone / together >= SPEED_UP


def test_two_cores_take_little_more_than_half_the_time_of_one_for_what_computes(
    two_workers: RayCluster, tmp_path: Path
):
    # In time of cores, which says what two cores of their own would take whatever else this machine does.
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    begun = time.process_time()
    run_batch(make_sandbox, partial(Computing, tmp_path / "one"), JOBS)
    here = time.process_time() - begun
    begun = time.process_time()
    run_batch(make_sandbox, partial(Computing, tmp_path / "two"), JOBS, cluster=RayCluster(workers=2, unit=1))
    driver = time.process_time() - begun
    spans = [map(float, file.read_text().split()) for file in (tmp_path / "two").iterdir()]
    workers = [last - first for first, last in spans]
    assert here / max(sum(workers) / 2, driver) >= SPEED_UP


def test_a_caller_on_an_event_loop_is_not_held_up_by_a_cluster(two_workers: RayCluster):
    async def main() -> tuple[list[Any], int]:
        playing = asyncio.create_task(arun_batch(make_sandbox, Gold, JOBS[:6], cluster=two_workers))
        turns = 0
        while not playing.done():
            await asyncio.sleep(0.01)
            turns += 1
        return await playing, turns

    there, turns = asyncio.run(main())
    assert there == run_batch(make_sandbox, Gold, JOBS[:6])
    assert turns > 5


def test_groups_of_an_id_are_played_by_both_workers(two_workers: RayCluster, tmp_path: Path):
    agent, tasks = partial(Computing, tmp_path), [job.task_id for job in JOBS[:8]]

    def of(cluster: RayCluster | None) -> list[Group]:
        return list(groups(SANDBOX, tasks, 3, agent=agent, cluster=cluster))

    there = of(two_workers)
    shares = Counter(file.name for file in tmp_path.iterdir())
    assert there == of(None)
    assert len(shares) == two_workers.workers


def test_the_command_writes_the_groups_that_it_writes_here(two_workers: RayCluster, tmp_path: Path):
    command = [
        "groups",
        SANDBOX,
        "--agent",
        "keyword(calls=1)",
        "--k",
        "3",
        "--tasks",
        "6",
        "--set",
        "reward=partial",
    ]
    for name, more in (("here", []), ("there", ["--ray", "local", "--workers", "2"])):
        done = CliRunner().invoke(app, [*command, "--out", str(tmp_path / name), *more])
        assert done.exit_code == 0, done.output
    for file in ("groups.jsonl", "trajectories.jsonl", "manifest.json", "summary.json"):
        assert (tmp_path / "there" / file).read_bytes() == (tmp_path / "here" / file).read_bytes()
